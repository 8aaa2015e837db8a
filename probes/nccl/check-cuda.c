/* SPDX-License-Identifier: Apache-2.0 */
/* check-cuda.c: our declarations against CUDA's real headers, as check-nccl.c does for NCCL's. */
#include <cuda.h>
#include <cuda_runtime_api.h>

#define PROBES_REAL_CUDA
#include "probes/nccl/cuda-abi.h"

#define hook_cudart                                          cudaError_t
#define hook_cuda                                            CUresult
#define CUDA_WAIT(name, params, args, result, event, stream) extern __typeof__(result params) name;
#define CUDA_POLL(name, params, args, result, event, stream)                                       \
	CUDA_WAIT(name, params, args, result, , )

#include "probes/nccl/cuda.def"

extern __typeof__(cudaError_t(cudaEvent_t, cudaStream_t)) cudaEventRecord;
extern __typeof__(cudaError_t(cudaEvent_t, cudaStream_t, unsigned)) cudaEventRecordWithFlags;
extern __typeof__(cudaError_t(cudaStream_t, cudaEvent_t, unsigned)) cudaStreamWaitEvent;
extern __typeof__(CUresult(CUstream, CUdeviceptr, cuuint64_t, unsigned)) cuStreamWriteValue64;
extern __typeof__(CUresult(void *, size_t, unsigned)) cuMemHostRegister;
extern __typeof__(CUresult(CUdeviceptr *, void *, unsigned)) cuMemHostGetDevicePointer;
extern __typeof__(CUresult(CUstream, CUstreamCaptureStatus *)) cuStreamIsCapturing;

#define SAME(a, b) _Static_assert((a) == (b), #a)

SAME(sizeof(cudaError_t), sizeof(int));
SAME(sizeof(CUresult), sizeof(int));
SAME(sizeof(CUstreamCaptureStatus), sizeof(int));
SAME(sizeof(CUdeviceptr), sizeof(uint64_t));
SAME(cudaErrorNotReady, CUDA_ABI_NOT_READY);
SAME((int)CUDA_ERROR_NOT_READY, CUDA_ABI_NOT_READY);
SAME(cudaErrorUnknown, CUDA_ABI_MISSING);
SAME(cudaStreamCaptureStatusNone, CUDA_ABI_CAPTURE_NONE);
SAME(CU_MEMHOSTREGISTER_PORTABLE, CUDA_ABI_HOST_PORTABLE);
SAME(CU_MEMHOSTREGISTER_DEVICEMAP, CUDA_ABI_HOST_DEVICEMAP);
