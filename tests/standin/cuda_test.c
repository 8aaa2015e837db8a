/* SPDX-License-Identifier: Apache-2.0 */
/* Streams, events, memory, capture and the driver's values, within one process. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda.h"
#include "cuda_runtime_api.h"
#include "nccl.h"
#include "tests/unit/unit.h"

static void wait_for_go(void *go)
{
	while (!atomic_load((atomic_int *)go))
		usleep(1000);
}

static void add_one(void *sum)
{
	atomic_fetch_add((atomic_int *)sum, 1);
}

static void a_stream_runs_in_order_and_a_host_waits_for_it(void **state)
{
	static atomic_int go;
	int steps[3] = { 0 }, seen = 7;
	cudaStream_t stream;

	assert_int_equal(cudaStreamCreate(&stream), cudaSuccess);
	assert_int_equal(cudaStreamQuery(stream), cudaSuccess);
	assert_int_equal(cudaLaunchHostFunc(stream, wait_for_go, &go), cudaSuccess);
	assert_int_equal(cudaMemsetAsync(steps, 1, sizeof(steps), stream), cudaSuccess);
	assert_int_equal(cudaMemcpyAsync(&seen, &steps[2], sizeof(seen), cudaMemcpyDefault, stream),
			 cudaSuccess);
	assert_int_equal(cudaStreamQuery(stream), cudaErrorNotReady);
	assert_int_equal(seen, 7);
	assert_int_equal(cudaGetLastError(), cudaSuccess);
	atomic_store(&go, 1);
	assert_int_equal(cudaStreamSynchronize(stream), cudaSuccess);
	assert_int_equal(seen, 0x01010101);
	assert_int_equal(cudaStreamDestroy(stream), cudaSuccess);
}

static void a_destroyed_stream_still_finishes(void **state)
{
	static atomic_int go, sum;
	cudaStream_t stream;

	assert_int_equal(cudaStreamCreate(&stream), cudaSuccess);
	cudaLaunchHostFunc(stream, wait_for_go, &go);
	cudaLaunchHostFunc(stream, add_one, &sum);
	assert_int_equal(cudaStreamDestroy(stream), cudaSuccess);
	assert_int_equal(atomic_load(&sum), 0);
	atomic_store(&go, 1);
	while (!atomic_load(&sum))
		usleep(1000);
}

static void events_mark_points_and_tie_streams(void **state)
{
	static atomic_int go, sum;
	cudaStream_t a, b;
	cudaEvent_t start, end, bare;
	float ms = -1;

	cudaStreamCreate(&a);
	cudaStreamCreate(&b);
	assert_int_equal(cudaEventCreate(&start), cudaSuccess);
	assert_int_equal(cudaEventCreate(&end), cudaSuccess);
	assert_int_equal(cudaEventCreateWithFlags(&bare, cudaEventDisableTiming), cudaSuccess);
	assert_int_equal(cudaEventQuery(start), cudaSuccess);
	cudaEventRecord(start, a);
	cudaEventSynchronize(start);
	cudaLaunchHostFunc(a, wait_for_go, &go);
	cudaEventRecord(end, a);
	assert_int_equal(cudaEventQuery(end), cudaErrorNotReady);
	assert_int_equal(cudaStreamWaitEvent(b, end, 0), cudaSuccess);
	cudaLaunchHostFunc(b, add_one, &sum);
	usleep(20000);
	assert_int_equal(atomic_load(&sum), 0);
	assert_int_equal(cudaEventElapsedTime(&ms, start, end), cudaErrorNotReady);
	atomic_store(&go, 1);
	assert_int_equal(cudaStreamSynchronize(b), cudaSuccess);
	assert_int_equal(atomic_load(&sum), 1);
	assert_int_equal(cudaEventSynchronize(end), cudaSuccess);
	assert_int_equal(cudaEventElapsedTime(&ms, start, end), cudaSuccess);
	assert_true(ms >= 20);
	assert_int_equal(cudaEventElapsedTime(&ms, start, bare), cudaErrorInvalidResourceHandle);
	cudaEventDestroy(start);
	cudaEventDestroy(end);
	cudaEventDestroy(bare);
	cudaStreamDestroy(a);
	cudaStreamDestroy(b);
}

static void the_legacy_stream_waits_for_blocking_streams_only(void **state)
{
	static atomic_int go, never, sum;
	cudaStream_t before, after, apart;

	cudaStreamCreate(&before);
	cudaStreamCreate(&after);
	cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking);
	cudaLaunchHostFunc(apart, wait_for_go, &never);
	cudaLaunchHostFunc(before, wait_for_go, &go);
	assert_int_equal(cudaLaunchHostFunc(NULL, add_one, &sum), cudaSuccess);
	cudaLaunchHostFunc(after, add_one, &sum);
	usleep(20000);
	/* the legacy stream is behind `before`, and `after` behind the legacy stream */
	assert_int_equal(atomic_load(&sum), 0);
	assert_int_equal(cudaStreamQuery(after), cudaErrorNotReady);
	atomic_store(&go, 1);
	assert_int_equal(cudaStreamSynchronize(NULL), cudaSuccess);
	assert_int_equal(cudaStreamSynchronize(after), cudaSuccess);
	assert_int_equal(atomic_load(&sum), 2);
	assert_int_equal(cudaStreamQuery(apart), cudaErrorNotReady);
	atomic_store(&never, 1);
	assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
	assert_int_equal(cudaStreamQuery(apart), cudaSuccess);
	cudaStreamDestroy(before);
	cudaStreamDestroy(after);
	cudaStreamDestroy(apart);
}

static void memory_knows_whose_it_is(void **state)
{
	struct cudaPointerAttributes attributes;
	size_t free_before, free_after, total;
	char *device, *pinned, own[64];

	assert_int_equal(cudaMemGetInfo(&free_before, &total), cudaSuccess);
	assert_int_equal(cudaMalloc((void **)&device, 1 << 20), cudaSuccess);
	assert_int_equal(cudaMallocHost((void **)&pinned, 4096), cudaSuccess);
	cudaMemGetInfo(&free_after, &total);
	assert_int_equal(free_before - free_after, 1 << 20);
	assert_int_equal(cudaPointerGetAttributes(&attributes, device + 100), cudaSuccess);
	assert_int_equal(attributes.type, cudaMemoryTypeDevice);
	cudaPointerGetAttributes(&attributes, pinned);
	assert_int_equal(attributes.type, cudaMemoryTypeHost);
	cudaPointerGetAttributes(&attributes, own);
	assert_int_equal(attributes.type, cudaMemoryTypeUnregistered);
	assert_int_equal(cudaHostRegister(own, sizeof(own), 0), cudaSuccess);
	assert_int_equal(cudaHostRegister(own, sizeof(own), 0),
			 cudaErrorHostMemoryAlreadyRegistered);
	assert_int_equal(cudaHostUnregister(own), cudaSuccess);
	assert_int_equal(cudaHostUnregister(own), cudaErrorHostMemoryNotRegistered);
	cudaGetLastError();
	assert_int_equal(cudaMalloc((void **)&pinned, (size_t)1 << 50), cudaErrorMemoryAllocation);
	assert_int_equal(cudaGetLastError(), cudaErrorMemoryAllocation);
	assert_int_equal(cudaGetLastError(), cudaSuccess);
	assert_int_equal(cudaFree(device), cudaSuccess);
	assert_int_equal(cudaFree(device), cudaErrorInvalidValue);
	assert_int_equal(cudaFree(NULL), cudaSuccess);
}

static void rows_are_copied_by_pitch(void **state)
{
	char from[3][8] = { "abcdefg", "hijklmn", "opqrstu" }, to[3][4];

	assert_int_equal(cudaMemcpy2D(to, 4, from[0] + 2, 8, 4, 3, cudaMemcpyHostToDevice),
			 cudaSuccess);
	assert_memory_equal(to, "cdefjklmqrst", 12);
	assert_int_equal(cudaMemcpy2D(to, 3, from, 8, 4, 3, cudaMemcpyDefault),
			 cudaErrorInvalidValue);
}

static void devices_can_be_counted_and_chosen(void **state)
{
	struct cudaDeviceProp properties;
	int value;

	assert_int_equal(cudaGetDeviceCount(&value), cudaSuccess);
	assert_int_equal(value, 8);
	assert_int_equal(cudaSetDevice(8), cudaErrorInvalidDevice);
	assert_int_equal(cudaSetDevice(3), cudaSuccess);
	cudaGetDevice(&value);
	assert_int_equal(value, 3);
	assert_int_equal(cudaGetDeviceProperties(&properties, 3), cudaSuccess);
	assert_true(strlen(properties.name) > 0);
	assert_int_equal(properties.warpSize, 32);
	assert_int_equal(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 3), cudaSuccess);
	assert_int_equal(value, 32);
	setenv("STANDIN_DEVICES", "2", 1);
	cudaGetDeviceCount(&value);
	assert_int_equal(value, 2);
	unsetenv("STANDIN_DEVICES");
	cudaSetDevice(0);
	assert_string_equal(cudaGetErrorName(cudaErrorNotReady), "cudaErrorNotReady");
}

/* The calling thread's; what was passed in when it cannot be asked for. */
static void *own_context(void *unused)
{
	CUcontext context;

	return cuCtxGetCurrent(&context) == CUDA_SUCCESS ? context : unused;
}

static void a_fresh_thread_has_no_context(void **state)
{
	pthread_t thread;
	void *context;

	assert_int_equal(pthread_create(&thread, NULL, own_context, state), 0);
	pthread_join(thread, &context);
	assert_null(context);
	cudaSetDevice(0);
	assert_non_null(own_context(NULL));
}

static CUdeviceptr address(void *at)
{
	return (CUdeviceptr)(uintptr_t)at;
}

static void values_are_written_and_awaited_in_order(void **state)
{
	static uint32_t flag, after;
	static uint64_t wide;
	CUstream stream;

	assert_int_equal(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
	assert_int_equal(cuStreamWaitValue32(stream, address(&flag), 5, CU_STREAM_WAIT_VALUE_GEQ),
			 CUDA_SUCCESS);
	assert_int_equal(cuStreamWriteValue32(stream, address(&after), 9, 0), CUDA_SUCCESS);
	assert_int_equal(cuStreamWriteValue64(stream, address(&wide), UINT64_C(1) << 40, 0),
			 CUDA_SUCCESS);
	assert_int_equal(cuStreamWriteValue32(stream, address(&flag) + 1, 9, 0),
			 CUDA_ERROR_INVALID_VALUE);
	usleep(10000);
	assert_int_equal(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
	assert_int_equal(__atomic_load_n(&after, __ATOMIC_ACQUIRE), 0);
	__atomic_store_n(&flag, 6, __ATOMIC_RELEASE);
	/* the same handle means the same queue to the runtime */
	assert_int_equal(cudaStreamSynchronize(stream), cudaSuccess);
	assert_int_equal(after, 9);
	assert_true(wide == UINT64_C(1) << 40);
	assert_int_equal(cuStreamDestroy(stream), CUDA_SUCCESS);
}

static void the_driver_finds_its_functions_by_name(void **state)
{
	enum cudaDriverEntryPointQueryResult found;
	CUdriverProcAddressQueryResult status;
	void *fn = NULL, *same = NULL;

	assert_int_equal(cuGetProcAddress("cuStreamWriteValue32", &fn, 13000, 0, &status),
			 CUDA_SUCCESS);
	assert_ptr_equal(fn, (void *)cuStreamWriteValue32);
	assert_int_equal(cudaGetDriverEntryPointByVersion("cuStreamWriteValue32", &same, 13000, 0,
							  &found), cudaSuccess);
	assert_ptr_equal(same, fn);
	assert_int_equal(found, cudaDriverEntryPointSuccess);
	assert_int_equal(cuGetProcAddress("cuNoSuchThing", &fn, 13000, 0, &status),
			 CUDA_ERROR_NOT_FOUND);
	assert_null(fn);
}

/* -- Capture ---------------------------------------------------------------------------------- */

static void a_captured_stream_runs_only_when_launched(void **state)
{
	static atomic_int sum;
	enum cudaStreamCaptureStatus status;
	cudaStream_t a, b;
	cudaEvent_t fork, join;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	size_t nodes;

	cudaStreamCreate(&a);
	cudaStreamCreate(&b);
	cudaEventCreate(&fork);
	cudaEventCreate(&join);
	assert_int_equal(cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal), cudaSuccess);
	cudaLaunchHostFunc(a, add_one, &sum);
	cudaEventRecord(fork, a);
	cudaStreamWaitEvent(b, fork, 0);
	cudaStreamIsCapturing(b, &status);
	assert_int_equal(status, cudaStreamCaptureStatusActive);
	cudaLaunchHostFunc(b, add_one, &sum);
	cudaEventRecord(join, b);
	cudaStreamWaitEvent(a, join, 0);
	assert_int_equal(cudaEventQuery(join), cudaErrorCapturedEvent);
	assert_int_equal(cudaStreamEndCapture(a, &graph), cudaSuccess);
	cudaStreamIsCapturing(b, &status);
	assert_int_equal(status, cudaStreamCaptureStatusNone);
	assert_int_equal(atomic_load(&sum), 0);
	assert_int_equal(cudaGraphGetNodes(graph, NULL, &nodes), cudaSuccess);
	assert_int_equal(nodes, 2);
	assert_int_equal(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
	assert_int_equal(cudaGraphDestroy(graph), cudaSuccess);
	for (int i = 0; i < 3; i++)
		assert_int_equal(cudaGraphLaunch(exec, a), cudaSuccess);
	assert_int_equal(cudaStreamSynchronize(a), cudaSuccess);
	assert_int_equal(atomic_load(&sum), 6);
	assert_int_equal(cudaGraphExecDestroy(exec), cudaSuccess);
	cudaEventDestroy(fork);
	cudaEventDestroy(join);
	cudaStreamDestroy(a);
	cudaStreamDestroy(b);
}

static void waiting_on_a_capturing_stream_spoils_the_capture(void **state)
{
	cudaStream_t stream;
	cudaGraph_t graph;
	void *memory;

	cudaStreamCreate(&stream);
	cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
	assert_int_equal(cudaMalloc(&memory, 64), cudaErrorStreamCaptureUnsupported);
	assert_int_equal(cudaStreamQuery(stream), cudaErrorStreamCaptureUnsupported);
	assert_int_equal(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
	assert_int_equal(cudaMalloc(&memory, 64), cudaSuccess);
	cudaFree(memory);
	cudaGetLastError();
	cudaStreamDestroy(stream);
}

static void a_captured_collective_runs_at_every_launch(void **state)
{
	enum { RANKS = 2, LAUNCHES = 4 };
	ncclComm_t comms[RANKS];
	cudaStream_t streams[RANKS];
	cudaGraphExec_t execs[RANKS];
	int values[RANKS] = { 1, 1 };

	assert_int_equal(ncclCommInitAll(comms, RANKS, NULL), ncclSuccess);
	for (int i = 0; i < RANKS; i++) {
		cudaSetDevice(i);
		cudaStreamCreate(&streams[i]);
		assert_int_equal(cudaStreamBeginCapture(streams[i],
							cudaStreamCaptureModeRelaxed), cudaSuccess);
	}
	ncclGroupStart();
	for (int i = 0; i < RANKS; i++)
		ncclAllReduce(&values[i], &values[i], 1, ncclInt, ncclSum, comms[i], streams[i]);
	assert_int_equal(ncclGroupEnd(), ncclSuccess);
	for (int i = 0; i < RANKS; i++) {
		cudaGraph_t graph;

		assert_int_equal(cudaStreamEndCapture(streams[i], &graph), cudaSuccess);
		assert_int_equal(cudaGraphInstantiate(&execs[i], graph, 0), cudaSuccess);
		cudaGraphDestroy(graph);
	}
	assert_int_equal(values[0], 1);
	for (int k = 0; k < LAUNCHES; k++) {
		for (int i = 0; i < RANKS; i++)
			assert_int_equal(cudaGraphLaunch(execs[i], streams[i]), cudaSuccess);
	}
	for (int i = 0; i < RANKS; i++) {
		assert_int_equal(cudaStreamSynchronize(streams[i]), cudaSuccess);
		assert_int_equal(values[i], 1 << LAUNCHES);
		cudaGraphExecDestroy(execs[i]);
		ncclCommDestroy(comms[i]);
		cudaStreamDestroy(streams[i]);
	}
	cudaSetDevice(0);
}

/* -- Many ------------------------------------------------------------------------------------- */

static void *thread_with_streams(void *sum)
{
	cudaStream_t stream;

	if (cudaStreamCreate(&stream))
		return NULL;
	cudaLaunchHostFunc(stream, add_one, sum);
	cudaLaunchHostFunc(cudaStreamPerThread, add_one, sum);
	cudaStreamSynchronize(cudaStreamPerThread);
	cudaStreamSynchronize(stream);
	cudaStreamDestroy(stream);
	return NULL;
}

static void two_hundred_threads_have_streams_of_their_own(void **state)
{
	static atomic_int sum;
	pthread_t threads[200];

	for (int i = 0; i < 200; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, thread_with_streams, &sum), 0);
	for (int i = 0; i < 200; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(atomic_load(&sum), 400);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stream_runs_in_order_and_a_host_waits_for_it),
		cmocka_unit_test(a_destroyed_stream_still_finishes),
		cmocka_unit_test(events_mark_points_and_tie_streams),
		cmocka_unit_test(the_legacy_stream_waits_for_blocking_streams_only),
		cmocka_unit_test(memory_knows_whose_it_is),
		cmocka_unit_test(rows_are_copied_by_pitch),
		cmocka_unit_test(devices_can_be_counted_and_chosen),
		cmocka_unit_test(a_fresh_thread_has_no_context),
		cmocka_unit_test(values_are_written_and_awaited_in_order),
		cmocka_unit_test(the_driver_finds_its_functions_by_name),
		cmocka_unit_test(a_captured_stream_runs_only_when_launched),
		cmocka_unit_test(waiting_on_a_capturing_stream_spoils_the_capture),
		cmocka_unit_test(a_captured_collective_runs_at_every_launch),
		cmocka_unit_test(two_hundred_threads_have_streams_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
