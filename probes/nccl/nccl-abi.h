/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nccl-abi.h: the few declarations of NCCL that the probe needs, our own, since NCCL is never
 * needed to build. Enums are ints, handles are pointers. check-nccl.c compares every signature of
 * nccl.def, and every constant here, with a real nccl.h where configure finds one.
 */
#ifndef PROBES_NCCL_ABI_H
#define PROBES_NCCL_ABI_H

#include <stddef.h>
#include <stdint.h>

#define NCCL_ABI_CONFIG_MAGIC	 0xcafebeefu
#define NCCL_ABI_CONFIG_BLOCKING 16 /* offsets in ncclConfig_t; unchanged from 2.17 on */
#define NCCL_ABI_CONFIG_COMMNAME 48 /* const char *, since 2.27 */
#define NCCL_ABI_SPLIT_NOCOLOR	 (-1)
#define NCCL_ABI_SUCCESS	 0
#define NCCL_ABI_SYSTEM_ERROR	 2
#define NCCL_ABI_IN_PROGRESS	 7
#define NCCL_ABI_NOT_TOLD	 (-1) /* not NCCL's: the result of a call is unknown */

#ifndef PROBES_REAL_NCCL
typedef int ncclResult_t;
typedef int ncclDataType_t;
typedef int ncclRedOp_t;
typedef int ncclScalarResidence_t;
typedef int ncclCommMemStat_t;
typedef struct ncclComm *ncclComm_t;
typedef struct ncclWindow_vidmem *ncclWindow_t;
typedef struct CUstream_st *cudaStream_t;

typedef struct {
	char internal[128];
} ncclUniqueId;

/* Only the head that all versions share; `size` says how much more there is. */
typedef struct {
	size_t size;
	unsigned int magic;
	unsigned int version;
} ncclConfig_t;

typedef struct {
	int opCnt;
	int peer;
	int sigIdx;
	int ctx;
} ncclWaitSignalDesc_t;

typedef struct ncclSimInfo ncclSimInfo_t;
typedef struct ncclDevComm ncclDevComm_t;
typedef struct ncclDevCommRequirements ncclDevCommRequirements_t;
#endif

#endif
