/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda-abi.h: the few declarations of CUDA that the probe needs, our own. check-cuda.c compares
 * them with real headers where configure finds them.
 */
#ifndef PROBES_CUDA_ABI_H
#define PROBES_CUDA_ABI_H

#include <stddef.h>
#include <stdint.h>

#define CUDA_ABI_NOT_READY	 600 /* cudaErrorNotReady, CUDA_ERROR_NOT_READY */
#define CUDA_ABI_MISSING	 999 /* cudaErrorUnknown, CUDA_ERROR_UNKNOWN */
#define CUDA_ABI_CAPTURE_NONE	 0   /* cudaStreamCaptureStatusNone */
#define CUDA_ABI_HOST_PORTABLE	 1   /* CU_MEMHOSTREGISTER_PORTABLE */
#define CUDA_ABI_HOST_DEVICEMAP	 2   /* CU_MEMHOSTREGISTER_DEVICEMAP */

#ifndef PROBES_REAL_CUDA
typedef int cudaError_t;
typedef int CUresult;
typedef struct CUstream_st *cudaStream_t;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUevent_st *CUevent;
enum cudaMemcpyKind { CUDA_ABI_MEMCPY_HOST_TO_HOST = 0, CUDA_ABI_MEMCPY_DEFAULT = 4 };
#endif

#endif
