/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profiler-abi.h: NCCL's profiler plugin, versions 4 (NCCL 2.27), 5 (2.28) and 6 (2.29 and later):
 * our own declarations of what the probe uses. check-profiler.c compares them with NCCL's plugin
 * headers where configure finds them.
 *
 * The head of an event and the members used here lie alike in all three, except the type: it has
 * one byte in version 4, eight later, and is read so.
 */
#ifndef PROBES_PROFILER_ABI_H
#define PROBES_PROFILER_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PROFILER_ABI_COLL = 1 << 1,
	PROFILER_ABI_P2P = 1 << 2,
	PROFILER_ABI_KERNEL = 1 << 6,
	PROFILER_ABI_GROUP_API = 1 << 8,
	PROFILER_ABI_COLL_API = 1 << 9,
	PROFILER_ABI_P2P_API = 1 << 10,
};

#define PROFILER_ABI_LAUNCH 24 /* a state of GROUP_API: the outermost ncclGroupEnd begins */

struct profiler_abi_event {
	union {
		uint8_t type4;
		uint64_t type;
	};
	void *parent;
	int rank;
	union {
		struct {
			const char *func;
			size_t count;
			const char *datatype;
			int root;
			void *stream;
			bool captured;
		} coll_api;
		struct {
			const char *func;
			size_t count;
			const char *datatype;
			void *stream;
			bool captured;
		} p2p_api;
		struct {
			uint64_t number;
			const char *func;
			const void *send;
			void *recv;
			size_t count;
			int root;
			const char *datatype;
			uint8_t channels;
		} coll;
		struct {
			const char *func;
			void *buffer;
			const char *datatype;
			size_t count;
			int peer;
			uint8_t channels;
		} p2p;
		struct {
			uint8_t channel;
			uint64_t timer;
		} kernel;
	};
};

/* The plugin of versions 5 and 6; of version 4 `init` has other arguments. */
struct profiler_abi_plugin {
	const char *name;
	int (*init)(void **context, uint64_t hash, int *mask, const char *comm_name, int nnodes,
		int nranks, int rank, void *log);
	int (*start)(void *context, void **handle, struct profiler_abi_event *event);
	int (*stop)(void *handle);
	int (*state)(void *handle, int state, void *arguments);
	int (*finalize)(void *context);
};

struct profiler_abi_plugin4 {
	const char *name;
	int (*init)(void **context, int *mask, const char *comm_name, uint64_t hash, int nnodes,
		int nranks, int rank, void *log);
	int (*start)(void *context, void **handle, struct profiler_abi_event *event);
	int (*stop)(void *handle);
	int (*state)(void *handle, int state, void *arguments);
	int (*finalize)(void *context);
};

#endif
