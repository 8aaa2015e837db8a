/* SPDX-License-Identifier: Apache-2.0 */
/* bystacks.h: stacks of real programs (torch 2.x, gloo), and jobs of which only stacks tell. */
#ifndef TESTS_UNIT_BYSTACKS_H
#define TESTS_UNIT_BYSTACKS_H

#include "tests/unit/unit.h"

#include <string.h>

#include "base/str.h"
#include "tests/unit/judged.h"
#include "words/wording.h"

#define TORCH  "/env/lib/python3.11/site-packages/torch/"
#define C10D   TORCH "distributed/distributed_c10d.py"
#define STDLIB "/usr/lib/python3.11/"
#define MAIN   " < main@/home/me/train.py:120"

#define ALL_REDUCE                                                                                 \
	"pthread_cond_wait@libc.so.6 < "                                                           \
	"c10d::Work::wait(std::chrono::duration<long>)@libtorch_cpu.so < "                         \
	"all_reduce@" C10D ":4181 < _exception_logger.<locals>.wrapper@" TORCH                     \
	"distributed/c10d_logger.py:83 < step@/home/me/train.py:88" MAIN
#define BARRIER                                                                                    \
	"pthread_cond_wait@libc.so.6 < c10d::Work::wait()@libtorch_cpu.so < barrier@" C10D         \
	":6614 < save@/home/me/train.py:99" MAIN
#define STORE_ID                                                                                   \
	"poll@libc.so.6 < c10d::TCPStore::doWait()@libtorch_cpu.so < "                             \
	"c10d::TCPStore::get()@libtorch_cpu.so < "                                                 \
	"c10d::ProcessGroupNCCL::broadcastUniqueNCCLID()@libtorch_cuda.so < "                      \
	"all_reduce@" C10D ":4181 < step@/home/me/train.py:88" MAIN
#define CONNECT                                                                                    \
	"clock_nanosleep@libc.so.6 < "                                                             \
	"c10d::detail::(anonymous namespace)::SocketConnectOp::tryConnect()@libtorch_cpu.so < "    \
	"c10d::TCPStore::TCPStore()@libtorch_cpu.so < _create_c10d_store@" TORCH                   \
	"distributed/rendezvous.py:215 < init_process_group@" C10D ":2714" MAIN
#define SLEEPS "clock_nanosleep@libc.so.6 < clean@/home/me/train.py:70" MAIN
#define LOADER                                                                                     \
	"poll@libc.so.6 < _PollLikeSelector.select@" STDLIB "selectors.py:415 < Queue.get@" STDLIB \
	"multiprocessing/queues.py:113 < _MultiProcessingDataLoaderIter._try_get_data@" TORCH      \
	"utils/data/dataloader.py:1293 < _BaseDataLoaderIter.__next__@" TORCH                      \
	"utils/data/dataloader.py:725" MAIN
#define DATASET                                                                                    \
	"read@libc.so.6 < load@" TORCH                                                             \
	"serialization.py:900 < Slow.__getitem__@/home/me/data.py:8 < "                            \
	"fetch@" TORCH "utils/data/_utils/fetch.py:54 < __next__@" TORCH                           \
	"utils/data/dataloader.py:725" MAIN
#define SAVE                                                                                       \
	"open64@libc.so.6 < caffe2::serialize::PyTorchStreamWriter::setup()@libtorch_cpu.so < "    \
	"_open_zipfile_writer_file.__init__@" TORCH "serialization.py:829 < save@" TORCH           \
	"serialization.py:1003 < save_state@/home/me/train.py:50" MAIN
#define COMPILE                                                                                    \
	"_is_view_op@" TORCH "fx/passes/reinplace.py:28 < codegen_and_compile@" TORCH              \
	"_inductor/compile_fx.py:1701 < CatchErrorsWrapper.__call__@" TORCH                        \
	"_dynamo/convert_frame.py:2714 < compile_wrapper@" TORCH                                   \
	"_dynamo/eval_frame.py:1265 < step@/home/me/train.py:80" MAIN
#define LOCKED                                                                                     \
	"sem_clockwait@libc.so.6 < PyThread_acquire_lock_timed@python3.11 < "                      \
	"log@/home/me/log.py:24" MAIN
#define GIL                                                                                        \
	"__futex_abstimed_wait_common@libc.so.6 < pthread_cond_timedwait@libc.so.6 < "             \
	"@python3.11 < work@/home/me/train.py:41" MAIN
#define HOLDER                                                                                     \
	"clock_nanosleep@libc.so.6 < sleep@libc.so.6 < ffi_call@libffi.so.8 < "                    \
	"hold@/home/me/ext.py:38 < Thread.run@" STDLIB "threading.py:975"

#define SITE  "/env/lib/python3.11/site-packages/"
#define TRAIN " < step@/home/me/train.py:88" MAIN

/* Other programs, and other ways to wait. */
#define S3_GET                                                                                     \
	"read@libc.so.6 < @libssl.so.3 < SSL_read_ex@libssl.so.3 < "                               \
	"@_ssl.cpython-311-x86_64-linux-gnu.so < SSLSocket.read@" STDLIB "ssl.py:1100 < "          \
	"HTTPResponse.read@" SITE "urllib3/response.py:567 < get_object@" SITE                     \
	"botocore/client.py:900 < fetch_shard@/home/me/data.py:31" MAIN
#define NCCL_COLD                                                                                  \
	"sched_yield@libc.so.6 < @libnccl.so.2 < ncclAllReduce@libnccl.so.2 < "                    \
	"c10d::ProcessGroupNCCL::allreduce()@libtorch_cuda.so < all_reduce@" C10D ":4181" TRAIN
#define CUDA_SYNC                                                                                  \
	"poll@libc.so.6 < @libcuda.so.1 < cudaStreamSynchronize@libcudart.so.12 < "                \
	"at::native::_local_scalar_dense_cuda()@libtorch_cuda.so" TRAIN
#define MPI_WAIT                                                                                   \
	"epoll_wait@libc.so.6 < opal_progress@libopen-pal.so.40 < PMPI_Allreduce@libmpi.so.40 < "  \
	"@MPI.cpython-311-x86_64-linux-gnu.so" TRAIN
#define JAX_WAIT                                                                                   \
	"futex_wait@libc.so.6 < @xla_extension.so < @xla_extension.so < "                          \
	"ArrayImpl._value@" SITE "jax/_src/array.py:640 < loss_of@/home/me/train.py:61" MAIN
#define QUEUE_GET                                                                                  \
	"sem_wait@libc.so.6 < PyThread_acquire_lock_timed@python3.11 < Condition.wait@" STDLIB     \
	"threading.py:327 < Queue.get@" STDLIB "queue.py:171 < drain@/home/me/pipe.py:14" MAIN
#define BACKWARD                                                                                   \
	"futex_wait@libc.so.6 < torch::autograd::Engine::execute()@libtorch_cpu.so < "             \
	"_engine_run_backward@" TORCH "autograd/graph.py:800 < step@/home/me/train.py:90" MAIN
#define AUTOGRAD_IDLE                                                                              \
	"pthread_cond_wait@libc.so.6 < torch::autograd::ReadyQueue::pop()@libtorch_cpu.so < "      \
	"torch::autograd::Engine::thread_main()@libtorch_cpu.so"
#define RAY_MAIN                                                                                   \
	"epoll_wait@libc.so.6 < @_raylet.so < ray::core::CoreWorker::RunTaskExecutionLoop()"       \
	"@_raylet.so < main_loop@" SITE "ray/_private/worker.py:935 < <module>@" SITE              \
	"ray/_private/workers/default_worker.py:297"
#define RAY_GIL                                                                                    \
	"__futex_abstimed_wait_common@libc.so.6 < pthread_cond_timedwait@libc.so.6 < "             \
	"@python3.11 < main_loop@" SITE "ray/_private/worker.py:1069 < <module>@" SITE             \
	"ray/_private/workers/default_worker.py:297"
#define RPC_WAIT                                                                                   \
	"pthread_cond_wait@libc.so.6 < torch::distributed::rpc::sync()@libtorch_cpu.so < "         \
	"rpc_sync@" TORCH "distributed/rpc/api.py:810 < ask@/home/me/train.py:44" MAIN
#define FUTURE_WAIT                                                                                \
	"pthread_cond_wait@libc.so.6 < c10::ivalue::Future::wait()@libtorch_cpu.so < "             \
	"step@/home/me/train.py:87" MAIN
#define FILE_LOCKED                                                                                \
	"flock@libc.so.6 < acquire@" SITE "filelock/_api.py:300 < __enter__@" SITE                 \
	"filelock/_api.py:376 < "
#define DATASETS(inner, line)                                                                      \
	inner "download_and_prepare@" SITE "datasets/builder.py:" line                             \
	      " < load_dataset@" SITE "datasets/load.py:2084 < prepare@/home/me/train.py:20" MAIN

/* A job of n ranks, nothing of ours in it; all but `odd` are in one all_reduce. */
static inline struct facts *foreign(int n, int odd, const char *frames)
{
	struct facts *f = facts_new(n);

	facts_no_probe(f);
	for (int i = 0; i < n; i++)
		facts_stack(f, i, i == odd ? frames : ALL_REDUCE);
	return f;
}

/* True if some fact of the first verdict reads so. */
static inline bool says(const struct verdicts *v, const char *words)
{
	bool found = false;

	for (size_t i = 0; i < v->at[0].nevidence && !found; i++) {
		struct str text = {0};

		wording_fact(&text, &v->at[0].evidence[i]);
		found = strstr(str_text(&text), words);
		str_release(&text);
	}
	return found;
}

static inline void expect_says(const struct judged *j, const char *words)
{
	if (says(j->v, words))
		return;
	for (size_t i = 0; i < j->v->at[0].nevidence; i++) {
		struct str text = {0};

		wording_fact(&text, &j->v->at[0].evidence[i]);
		print_message("    %s\n", str_text(&text));
		str_release(&text);
	}
	fail_msg("nothing says \"%s\"", words);
}

#endif
