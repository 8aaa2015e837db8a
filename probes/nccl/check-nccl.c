/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check-nccl.c: our declarations against a real nccl.h. Compiled, never linked: where configure
 * finds the header, a difference ends the build. (nccl_device.h is C++ only, so its two calls, of
 * opaque pointers, go unchecked.)
 */
#include <nccl.h>

#define PROBES_REAL_NCCL
#include "probes/nccl/nccl-abi.h"

#define NCCL_KNOWS(version) (NCCL_VERSION_CODE >= (version))

#define NCCL_UNTOUCHED(name)
#define NCCL_DEVICE(name, params, args, comm)
/* clang-format off */
#define NCCL_HAND(name, params, args) extern __typeof__(ncclResult_t params) name;
#define NCCL_CALL(name, params, args, comm, count, sig, aux) NCCL_HAND(name, params, args)
#define NCCL_OP(name, op, params, args, count, dtype, redop, peer) NCCL_HAND(name, params, args)
/* clang-format on */

#include "probes/nccl/nccl.def"

#define SAME(a, b) _Static_assert((a) == (b), #a)

SAME(sizeof(ncclResult_t), sizeof(int));
SAME(sizeof(ncclDataType_t), sizeof(int));
SAME(sizeof(ncclRedOp_t), sizeof(int));
SAME(sizeof(ncclUniqueId), 128);
SAME(ncclSuccess, NCCL_ABI_SUCCESS);
SAME(ncclSystemError, NCCL_ABI_SYSTEM_ERROR);
SAME(ncclInProgress, NCCL_ABI_IN_PROGRESS);
SAME(NCCL_SPLIT_NOCOLOR, NCCL_ABI_SPLIT_NOCOLOR);
SAME(offsetof(ncclConfig_t, size), 0);
SAME(offsetof(ncclConfig_t, magic), 8);
SAME(offsetof(ncclConfig_t, blocking), NCCL_ABI_CONFIG_BLOCKING);
#if NCCL_VERSION_CODE >= 22703
SAME(offsetof(ncclConfig_t, commName), NCCL_ABI_CONFIG_COMMNAME);
#endif
