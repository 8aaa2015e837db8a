/* SPDX-License-Identifier: Apache-2.0 */
/*
 * c10d, PyTorch's layer above NCCL, gloo and others: its store, its works, its Python. It makes no
 * groups of its own; the backend below decides how long a wait may last.
 */
#include "verdict/activities/activity-line.h"
#include "verdict/backends/backend.h"

#define C10D_PY "torch/distributed/distributed_c10d.py"

static const struct activity_line lines[] = {
	/* The store: before the groups that stand on it. */
	DECIDES(STORE, "c10d::TCPStore::*", NULL, CALL_STORE),
	DECIDES(STORE, "c10d::PrefixStore::*", NULL, CALL_STORE),
	DECIDES(STORE, "c10d::FileStore::*", NULL, CALL_STORE),
	DECIDES(STORE, "c10d::HashStore::*", NULL, CALL_STORE),
	DECIDES(STORE, "c10d::detail::*", NULL, CALL_STORE),
	DECIDES(STORE, "c10d::tcputil::*", NULL, CALL_STORE),
	DECIDES(INIT, "*init_process_group", C10D_PY, "init_process_group"),
	DECIDES(INIT, "*_process_group_helper", C10D_PY, "new_group"),
	DECIDES(INIT, "*new_group*", C10D_PY, "new_group"),
	DECIDES(INIT, "*split_group", C10D_PY, "split_group"),
	DECIDES(INIT, "*_store_based_barrier", C10D_PY, "init_process_group"),
	DECIDES(INIT, NULL, "torch/distributed/rendezvous.py", "init_process_group"),
	DECIDES(INIT, NULL, "torch/distributed/device_mesh.py", "init_device_mesh"),
	DECIDES(STORE, NULL, "torch/distributed/elastic/utils/store.py", CALL_STORE),

	/* The program's own methods turn the objects that are handed over into bytes, and back. */
	DECIDES(USER, "*_object_to_tensor", C10D_PY, NULL),
	DECIDES(USER, "*_tensor_to_object", C10D_PY, NULL),

	DECIDES(COLLECTIVE, "c10d::Work::*", NULL, NULL),
	DECIDES(COLLECTIVE, "c10d::ProcessGroup*", NULL, NULL),
	DECIDES(COLLECTIVE, "c10d::ops::*", NULL, NULL),
	DECIDES(COLLECTIVE, "c10d::*wait*", NULL, NULL),
	DECIDES(COLLECTIVE, "c10d::Reducer::finalize_*", NULL, CALL_DDP),
	DECIDES(COLLECTIVE, "c10d::symmetric_memory::*", NULL, NULL),
	DECIDES(P2P, "*recv*", C10D_PY, NULL),
	DECIDES(P2P, "*send*", C10D_PY, NULL),
	DECIDES(COLLECTIVE, NULL, C10D_PY, NULL),
	DECIDES(COLLECTIVE, NULL, "torch/distributed/_functional_collectives.py", NULL),
};

/* Frames that tell for what the store is used. */
static const struct activity_line better[] = {
	DECIDES(INIT, "*init_process_group", C10D_PY, "init_process_group"),
	DECIDES(INIT, "*_process_group_helper", C10D_PY, "new_group"),
	DECIDES(INIT, "*new_group*", C10D_PY, "new_group"),
	DECIDES(INIT, "*init_device_mesh", "torch/distributed/device_mesh.py", "init_device_mesh"),
	DECIDES(P2P, "*recv*", C10D_PY, NULL),
	DECIDES(P2P, "*send*", C10D_PY, NULL),
	/* DDP has buffers broadcast, and compares its parameters, past Python. */
	DECIDES(COLLECTIVE, "c10d::broadcast_coalesced*", NULL, "broadcast"),
	DECIDES(COLLECTIVE, "c10d::verify_params_across_processes*", NULL, "allgather"),
};

static const struct stackfacts_place calls[] = {{NULL, C10D_PY}};
static const struct stackfacts_place starts[] = {{"*init_process_group", C10D_PY}};
static const char *const hides[] = {"libtorch*", "libc10*", NULL};

static const char *const speaks[] = {"ProcessGroup", "c10d", "DistBackend", "Store", NULL};

/* Its exceptions, and those of its stores. */
static const char *const echoes[] = {"DistBackendError", "DistNetworkError", "DistStoreError",
	"TCPStore", "connection was likely closed", "failed to recv", "monitoredBarrier",
	/* socket.cpp, TCPStoreBackend.cpp. */
	"client socket has", "SocketImpl(", "poll for socket", NULL};

/* TCPStore.cpp; ProcessGroup.hpp: monitoredBarrier(), at the rank that asks the others. */
static const char *const vain[] = {"wait timeout after", "failed to pass monitoredBarrier", NULL};

const struct backend backend_c10d = {
	.lines = lines,
	.nlines = N_OF(lines),
	.better = better,
	.nbetter = N_OF(better),
	.calls = calls,
	.ncalls = N_OF(calls),
	.starts = starts,
	.nstarts = N_OF(starts),
	.hides = hides,
	.speaks = speaks,
	.echoes = echoes,
	.vain = vain,
};
