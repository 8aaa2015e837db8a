/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of activities. Python's functions are qualified names since 3.11 and plain ones before,
 * so patterns begin with a star; those of C++ end with one, behind which arguments follow.
 *
 * What SPANS must stand on the stack only while it is done: a compiled function runs beneath
 * torch/_dynamo/eval_frame.py for ever after, and torch/utils/checkpoint.py saves nothing.
 */
#include "verdict/activities.h"

#define DECIDES(activity, function, where, call)                                                   \
	{                                                                                          \
		ACTIVITY_##activity, ACTIVITY_DECIDES, {function, where}, call                     \
	}
#define SPANS(activity, function, where)                                                           \
	{                                                                                          \
		ACTIVITY_##activity, ACTIVITY_SPANS, {function, where}, ""                         \
	}
#define HINTS(activity, function, where, call)                                                     \
	{                                                                                          \
		ACTIVITY_##activity, ACTIVITY_HINTS, {function, where}, call                       \
	}
#define THREADS(function, where)                                                                   \
	{ACTIVITY_USER, ACTIVITY_THREADS, {function, where}, ""}

#define C10D_PY "torch/distributed/distributed_c10d.py"

const struct activity_line activity_lines[] = {
	/* PyTorch's store: before the groups that stand on it. */
	DECIDES(STORE, "c10d::TCPStore::*", NULL, "the store"),
	DECIDES(STORE, "c10d::PrefixStore::*", NULL, "the store"),
	DECIDES(STORE, "c10d::FileStore::*", NULL, "the store"),
	DECIDES(STORE, "c10d::HashStore::*", NULL, "the store"),
	DECIDES(STORE, "c10d::detail::*", NULL, "the store"),
	DECIDES(STORE, "c10d::tcputil::*", NULL, "the store"),
	DECIDES(INIT, "gloo::rendezvous::*", NULL, "init"),
	DECIDES(INIT, "*init_process_group", C10D_PY, "init_process_group"),
	DECIDES(INIT, "*_process_group_helper", C10D_PY, "new_group"),
	DECIDES(INIT, "*new_group*", C10D_PY, "new_group"),
	DECIDES(INIT, "*split_group", C10D_PY, "split_group"),
	DECIDES(INIT, "*_store_based_barrier", C10D_PY, "init_process_group"),
	DECIDES(INIT, NULL, "torch/distributed/rendezvous.py", "init_process_group"),
	DECIDES(INIT, NULL, "torch/distributed/device_mesh.py", "init_device_mesh"),
	DECIDES(INIT, NULL, "jax/_src/distributed.py", "jax.distributed"),
	DECIDES(STORE, NULL, "torch/distributed/elastic/utils/store.py", "the store"),

	/* Operations of all. */
	DECIDES(P2P, "c10d::ProcessGroupGloo::RecvWork::*", NULL, NULL),
	DECIDES(P2P, "c10d::ProcessGroupGloo::SendWork::*", NULL, NULL),
	DECIDES(COLLECTIVE, "c10d::Work::*", NULL, NULL),
	DECIDES(COLLECTIVE, "c10d::ProcessGroup*", NULL, NULL),
	DECIDES(COLLECTIVE, "c10d::ops::*", NULL, NULL),
	DECIDES(COLLECTIVE, "c10d::*wait*", NULL, NULL),
	DECIDES(COLLECTIVE, "c10d::Reducer::finalize_*", NULL, "DDP's all_reduce"),
	DECIDES(COLLECTIVE, "c10d::symmetric_memory::*", NULL, NULL),
	DECIDES(COLLECTIVE, "gloo::*", NULL, NULL),
	DECIDES(COLLECTIVE, "c10::ivalue::Future::wait*", NULL, "a future"),
	DECIDES(COLLECTIVE, "*wait", "torch/futures/__init__.py", "a future"),
	DECIDES(P2P, "torch::distributed::*", NULL, "a remote procedure call"),
	DECIDES(P2P, NULL, "torch/distributed/rpc/*", "a remote procedure call"),
	DECIDES(COLLECTIVE, "xla::*endezvous*", NULL, NULL),
	DECIDES(COLLECTIVE, NULL, "jax/experimental/multihost_utils.py", NULL),
	DECIDES(COLLECTIVE, "*rendezvous*", "torch_xla/core/xla_model.py", "rendezvous"),
	DECIDES(COLLECTIVE, "horovod::*", NULL, NULL),
	DECIDES(P2P, "*recv*", C10D_PY, NULL),
	DECIDES(P2P, "*send*", C10D_PY, NULL),
	DECIDES(COLLECTIVE, NULL, C10D_PY, NULL),
	DECIDES(COLLECTIVE, NULL, "torch/distributed/_functional_collectives.py", NULL),
	DECIDES(COLLECTIVE, NULL, "site-packages/horovod/*", NULL),
	DECIDES(INIT, "ncclCommInit*", NULL, NULL),
	DECIDES(INIT, "ncclCommSplit*", NULL, NULL),
	DECIDES(COLLECTIVE, NULL, "libnccl.so*", NULL),
	DECIDES(COLLECTIVE, NULL, "librccl.so*", NULL),
	DECIDES(COLLECTIVE, "nccl*", "*.so*", NULL),
	DECIDES(COLLECTIVE, "pnccl*", "*.so*", NULL),
	DECIDES(COLLECTIVE, "ncclAll*", NULL, NULL),
	DECIDES(COLLECTIVE, "ncclReduce*", NULL, NULL),
	DECIDES(COLLECTIVE, "ncclBroadcast*", NULL, NULL),
	DECIDES(COLLECTIVE, "ncclGroup*", NULL, NULL),
	DECIDES(COLLECTIVE, NULL, "libccl.so*", NULL),
	DECIDES(COLLECTIVE, NULL, "libhccl.so*", NULL),
	DECIDES(COLLECTIVE, NULL, "libucc.so*", NULL),
	DECIDES(COLLECTIVE, NULL, "libnvshmem*.so*", NULL),
	DECIDES(INIT, "*MPI_Init*", NULL, "MPI_Init"),
	DECIDES(COLLECTIVE, "MPI_*", NULL, NULL),
	DECIDES(COLLECTIVE, "PMPI_*", NULL, NULL),
	DECIDES(COLLECTIVE, NULL, "libmpi*.so*", NULL),
	DECIDES(COLLECTIVE, NULL, "libucp.so*", NULL),
	DECIDES(COLLECTIVE, NULL, "libuct.so*", NULL),
	DECIDES(COLLECTIVE, NULL, "site-packages/torchft/*", NULL),
	DECIDES(COLLECTIVE, NULL, "streaming/base/shared/barrier.py", "a shared barrier"),
	DECIDES(P2P, NULL, "vllm/distributed/device_communicators/shm_broadcast.py",
		"the message queue"),

	/* The GPU. */
	DECIDES(DEVICE, NULL, "libcuda.so*", NULL),
	DECIDES(DEVICE, NULL, "libcudart.so*", NULL),
	DECIDES(DEVICE, "cuda*Synchronize", NULL, NULL), /* of a runtime that is linked in */
	DECIDES(DEVICE, "hip*Synchronize", NULL, NULL),
	DECIDES(DEVICE, NULL, "libamdhip64.so*", NULL),
	DECIDES(DEVICE, NULL, "libhsa-runtime64.so*", NULL),
	DECIDES(DEVICE, "c10::cuda::*ynchronize*", NULL, NULL),
	DECIDES(DEVICE, "*synchronize", "torch/cuda/*", "synchronize"),
	DECIDES(DEVICE, NULL, "libascendcl.so*", NULL),
	DECIDES(DEVICE, NULL, "libtpu.so*", NULL),
	DECIDES(DEVICE, "*mark_step", "torch_xla/core/xla_model.py", "mark_step"),
	DECIDES(DEVICE, "*wait_device_ops", "torch_xla/core/xla_model.py", "wait_device_ops"),
	DECIDES(DEVICE, "*_value", "jax/_src/array.py", "the value of an array"),
	DECIDES(DEVICE, "*__array__", "jax/_src/array.py", "the value of an array"),
	DECIDES(DEVICE, "*block_until_ready", "jax/_src/*", "block_until_ready"),
	DECIDES(DEVICE, "*ExecuteReplicated.__call__", "jax/_src/interpreters/pxla.py",
		"a computation"),
	DECIDES(DEVICE, "*quick_execute", "tensorflow/python/eager/execute.py", "a computation"),

	/* Compiling. */
	SPANS(COMPILE, NULL, "torch/_dynamo/convert_frame.py"),
	SPANS(COMPILE, NULL, "torch/_dynamo/symbolic_convert.py"),
	SPANS(COMPILE, NULL, "torch/_dynamo/output_graph.py"),
	SPANS(COMPILE, NULL, "torch/_dynamo/bytecode_transformation.py"),
	SPANS(COMPILE, NULL, "torch/_dynamo/precompile_context.py"),
	SPANS(COMPILE, "*compile*", "torch/_inductor/compile_fx.py"),
	SPANS(COMPILE, NULL, "torch/_inductor/graph.py"),
	SPANS(COMPILE, NULL, "torch/_inductor/scheduler.py"),
	SPANS(COMPILE, NULL, "torch/_inductor/async_compile.py"),
	SPANS(COMPILE, NULL, "torch/_inductor/select_algorithm.py"),
	SPANS(COMPILE, NULL, "torch/_inductor/autotune_process.py"),
	SPANS(COMPILE, NULL, "torch/_inductor/cpp_builder.py"),
	SPANS(COMPILE, "*compile*", "torch/_inductor/runtime/triton_heuristics.py"),
	SPANS(COMPILE, "*bench*", "torch/_inductor/runtime/triton_heuristics.py"),
	SPANS(COMPILE, "*autotune_to_one_config", "torch/_inductor/runtime/triton_heuristics.py"),
	SPANS(COMPILE, "*coordinate_descent_tuning",
		"torch/_inductor/runtime/triton_heuristics.py"),
	SPANS(COMPILE, NULL, "torch/utils/cpp_extension.py"),
	SPANS(COMPILE, NULL, "triton/compiler/*"),
	SPANS(COMPILE, NULL, "triton/runtime/build.py"),
	SPANS(COMPILE, "*compile*", "triton/runtime/jit.py"),
	SPANS(COMPILE, "*bench*", "triton/runtime/autotuner.py"),
	SPANS(COMPILE, NULL, "jax/_src/compiler.py"),
	SPANS(COMPILE, NULL, "jax/_src/compilation_cache.py"),
	SPANS(COMPILE, "*compil*", "jax/_src/interpreters/pxla.py"),
	SPANS(COMPILE, "*lower*", "jax/_src/interpreters/*"),
	SPANS(COMPILE, "xla::*ompile*", NULL),
	SPANS(COMPILE, "nvrtcCompileProgram*", NULL),
	SPANS(COMPILE, NULL, "libtriton.so*"),
	SPANS(COMPILE, NULL, "numba/core/compiler*.py"),
	SPANS(COMPILE, NULL, "cupy/cuda/compiler.py"),
	SPANS(COMPILE, NULL, "tensorflow/python/eager/polymorphic_function/tracing_compilation.py"),

	/* Input. */
	SPANS(INPUT, NULL, "torch/utils/data/*"),
	SPANS(INPUT, NULL, "site-packages/torchdata/*"),
	SPANS(INPUT, NULL, "site-packages/datasets/*"),
	SPANS(INPUT, NULL, "site-packages/webdataset/*"),
	SPANS(INPUT, NULL, "site-packages/streaming/*"),
	SPANS(INPUT, NULL, "site-packages/litdata/*"),
	SPANS(INPUT, NULL, "site-packages/grain/*"),
	SPANS(INPUT, NULL, "site-packages/nvidia/dali/*"),
	SPANS(INPUT, NULL, "tensorflow/python/data/*"),
	SPANS(INPUT, "*next_batch*", NULL),
	SPANS(INPUT, "*get_batch*", NULL),

	/* Checkpoints. */
	SPANS(CHECKPOINT, NULL, "torch/serialization.py"),
	SPANS(CHECKPOINT, NULL, "torch/distributed/checkpoint/*"),
	SPANS(CHECKPOINT, "caffe2::serialize::*", NULL),
	SPANS(CHECKPOINT, NULL, "site-packages/safetensors/*"),
	SPANS(CHECKPOINT, NULL, "site-packages/orbax/*"),
	SPANS(CHECKPOINT, NULL, "flax/training/checkpoints.py"),
	SPANS(CHECKPOINT, NULL, "megatron/*checkpointing.py"),
	SPANS(CHECKPOINT, NULL, "deepspeed/*checkpoint_engine/*"),
	SPANS(CHECKPOINT, "*save_pretrained", NULL),
	SPANS(CHECKPOINT, "*save_checkpoint", NULL),
	SPANS(CHECKPOINT, "*load_checkpoint", NULL),

	/* Locks, and waits for threads of its own. */
	HINTS(LOCK, "flock*", "libc*", "flock"),
	HINTS(LOCK, "lockf*", "libc*", "lockf"),
	HINTS(LOCK, "flock_lock_inode_wait*", NULL, "flock"),
	HINTS(LOCK, "posix_lock_inode_wait*", NULL, "fcntl"),
	HINTS(LOCK, "fcntl_setlk*", NULL, "fcntl"),
	HINTS(LOCK, "locks_lock_inode_wait*", NULL, "a file's lock"),
	HINTS(LOCK, NULL, "site-packages/filelock/*", "a file's lock"),
	HINTS(LOCK, NULL, "site-packages/portalocker/*", "a file's lock"),
	HINTS(LOCK, NULL, "site-packages/fasteners/*", "a file's lock"),
	HINTS(LOCK, NULL, "torch/utils/_filelock.py", "a file's lock"),
	HINTS(LOCK, "*wait", "torch/utils/file_baton.py", "a file's lock"),
	HINTS(LOCK, NULL, "multiprocessing/synchronize.py", "a lock between processes"),
	THREADS(NULL, "threading.py"),
	THREADS(NULL, "queue.py"),
	THREADS(NULL, "concurrent/futures/*"),
	THREADS(NULL, "asyncio/*"),
	THREADS(NULL, "selectors.py"),
	THREADS(NULL, "multiprocessing/*"),
	THREADS(NULL, "subprocess.py"),
	THREADS("torch::autograd::*Engine::*", NULL),
	THREADS("*_engine_run_backward", "torch/autograd/graph.py"),
};
const size_t activity_nlines = sizeof(activity_lines) / sizeof(activity_lines[0]);

/*
 * Further out than what decides: whose store it is, and that NCCL waits for the GPU in an operation
 * of its own. The first line that fits any such frame, in this order.
 */
const struct activity_line activity_better[] = {
	DECIDES(INIT, "ncclCommInit*", NULL, NULL),
	DECIDES(INIT, "ncclCommSplit*", NULL, NULL),
	DECIDES(INIT, "gloo::rendezvous::*", NULL, "init"),
	DECIDES(INIT, "*init_process_group", C10D_PY, "init_process_group"),
	DECIDES(INIT, "*_process_group_helper", C10D_PY, "new_group"),
	DECIDES(INIT, "*new_group*", C10D_PY, "new_group"),
	DECIDES(INIT, "*init_device_mesh", "torch/distributed/device_mesh.py", "init_device_mesh"),
	DECIDES(P2P, "ncclSend*", NULL, NULL),
	DECIDES(P2P, "ncclRecv*", NULL, NULL),
	DECIDES(P2P, "*recv*", C10D_PY, NULL),
	DECIDES(P2P, "*send*", C10D_PY, NULL),
	DECIDES(COLLECTIVE, NULL, "libnccl.so*", NULL),
	DECIDES(COLLECTIVE, NULL, "librccl.so*", NULL),
};
const size_t activity_nbetter = sizeof(activity_better) / sizeof(activity_better[0]);
