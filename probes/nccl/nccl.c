/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wrappers that nccl.def yields by itself. The rule of hook.h is visible in each: find the real
 * function; where nothing can be recorded only call it; else record, call, record.
 */
#include "probes/nccl/nccl.h"

#define NCCL_KNOWS(version) 1

#define NCCL_HAND(name, params, args)
#define NCCL_UNTOUCHED(name)

#define NCCL_OP(name, op, params, args, count, dtype, redop, peer)                                 \
	HOOK_EXPORT ncclResult_t name params;                                                      \
	HOOK_EXPORT ncclResult_t name params                                                       \
	{                                                                                          \
		__typeof__(name) *real = HOOK_REAL(name, hook_nccl);                         \
		struct probe_thread *me;                                                           \
		struct nccl_call c;                                                                \
		ncclResult_t result;                                                               \
                                                                                                   \
		if (hook_unlikely(!real))                                                          \
			return NCCL_MISSING;                                                       \
		me = probe_enter();                                                                \
		if (!me)                                                                           \
			return real args;                                                          \
		c = nccl_op_begin(me, &(const struct nccl_op){RING_CALL_##name, (uint64_t)(count), \
					      ring_sig(op, (unsigned)(dtype), (unsigned)(redop),   \
						      (uint32_t)(peer)),                           \
					      comm, stream});                                      \
		result = real args;                                                                \
		nccl_op_end(me, &c, result);                                                       \
		probe_leave(me);                                                                   \
		return result;                                                                     \
	}

#define NCCL_CALL(name, params, args, comm, count, sig, aux)                                       \
	HOOK_EXPORT ncclResult_t name params;                                                      \
	HOOK_EXPORT ncclResult_t name params                                                       \
	{                                                                                          \
		__typeof__(name) *real = HOOK_REAL(name, hook_nccl);                         \
		struct probe_thread *me;                                                           \
		struct nccl_call c;                                                                \
		ncclResult_t result;                                                               \
                                                                                                   \
		if (hook_unlikely(!real))                                                          \
			return NCCL_MISSING;                                                       \
		me = probe_enter();                                                                \
		if (!me)                                                                           \
			return real args;                                                          \
		c = nccl_call_begin(me, RING_CALL_##name, group_of(comm),                          \
			(const uint64_t[3]){(uint64_t)(count), (uint64_t)(sig), (uint64_t)(aux)}); \
		result = real args;                                                                \
		nccl_call_end(me, &c, result);                                                     \
		probe_leave(me);                                                                   \
		return result;                                                                     \
	}

#define NCCL_DEVICE(name, params, args, comm) NCCL_CALL(name, params, args, comm, 0, 0, 0)

#include "probes/nccl/nccl.def"
