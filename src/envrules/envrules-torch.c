/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variables that PyTorch reads. "PG" is torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp, which
 * lists its own, and the page "ProcessGroupNCCL Environment Variables" of PyTorch's manual.
 */
#include <string.h>

#include "base/env.h"
#include "envrules/envrules-lists.h"

#define HEARTBEAT_LEAST_S 120 /* a quarter of PyTorch's own 480 s */
#define FLIGHT_ON_SINCE	  207 /* PyTorch 2.7 records by default; 2000 entries */

/*
 * True if a compile takes longer, as far as one is known; else if it is shorter than what is usual.
 */
static bool is_shorter_than_compiles(const struct envrules_launch *launch, const char *value)
{
	int64_t seconds = envrules_number(value);

	if (seconds < 0)
		return false;
	return seconds < (launch->compile_s >= 0 ? launch->compile_s : HEARTBEAT_LEAST_S);
}

/* True for a number of 1, which means that communicators are torn down. */
static bool is_teardown(const struct envrules_launch *launch, const char *value)
{
	(void)launch;
	return envrules_number(value) == 1;
}

/* True for a number of 0. */
static bool is_zero(const struct envrules_launch *launch, const char *value)
{
	(void)launch;
	return envrules_number(value) == 0;
}

/* True if the Flight Recorder is off by itself, in a PyTorch that is known to be old. */
static bool is_off_by_default(const struct envrules_launch *launch, const char *value)
{
	return !value && launch->torch >= 0 && launch->torch < FLIGHT_ON_SINCE &&
		!env_value(launch->env, "TORCH_FR_BUFFER_SIZE");
}

/* True for "DETAIL". */
static bool is_detail(const struct envrules_launch *launch, const char *value)
{
	(void)launch;
	return value && !strcasecmp(value, "DETAIL");
}

/* True if only the old name is set. */
static bool is_old_name(const struct envrules_launch *launch, const char *value)
{
	return value && !env_value(launch->env, "PYTORCH_ALLOC_CONF");
}

/* True if the old and the new name say different things. */
static bool is_overruled(const struct envrules_launch *launch, const char *value)
{
	const char *newer = env_value(launch->env, "PYTORCH_ALLOC_CONF");

	return value && newer && strcmp(newer, value) != 0;
}

/* True if all ranks' compilers are more than four for each processor. */
static bool is_too_many_compilers(const struct envrules_launch *launch, const char *value)
{
	int64_t threads = envrules_number(value);

	return threads > 1 && launch->ranks > 0 && launch->cpus > 0 &&
		threads * launch->ranks > 4 * (int64_t)launch->cpus;
}

static const struct envrule rules[] = {
	{"TORCH_DISTRIBUTED_DEBUG", ENVRULE_WARN, is_detail,
		"each collective is first checked by a gloo group beside it: slow, and some "
		"versions "
		"hang or take the wrong device at init",
		"INFO", "PyTorch ProcessGroupWrapper.cpp; pytorch issues 129672, 178977"},
	{"TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC", ENVRULE_WARN, is_shorter_than_compiles,
		"a rank whose watchdog does not answer for so long is aborted: compiles and first "
		"loads of kernels take longer",
		"leave it at 480, or above the longest compile", "PG, default 480"},
	{"TORCH_NCCL_ENABLE_MONITORING", ENVRULE_WARN, envrules_is_off,
		"a watchdog that hangs itself is never noticed, and nothing is dumped", "unset it",
		"PG"},
	{"TORCH_NCCL_ASYNC_ERROR_HANDLING", ENVRULE_WARN, is_zero,
		"nobody ends a collective that failed or timed out: a hang lasts for ever",
		"unset it: 3", "PG"},
	{"TORCH_NCCL_ASYNC_ERROR_HANDLING", ENVRULE_WARN, is_teardown,
		"communicators are torn down at an error, which may end a dump of the Flight "
		"Recorder",
		"unset it: 3", "PG"},
	{"TORCH_NCCL_BLOCKING_WAIT", ENVRULE_WARN, envrules_is_on,
		"the host waits at each collective: nothing overlaps", "unset it", "PG"},
	{"TORCH_NCCL_HIGH_PRIORITY", ENVRULE_NOTE, envrules_is_on,
		"kernels of communication go before those of compute", NULL, "PG"},
	{"NCCL_ASYNC_ERROR_HANDLING", ENVRULE_WARN, envrules_is_set,
		"is an old name, and is overruled by the new one",
		"TORCH_NCCL_ASYNC_ERROR_HANDLING",
		"PG, since 2.2"},
	{"NCCL_BLOCKING_WAIT", ENVRULE_WARN, envrules_is_set,
		"is an old name, and is overruled by the new one", "TORCH_NCCL_BLOCKING_WAIT",
		"PG, since 2.2"},
	{"NCCL_DESYNC_DEBUG", ENVRULE_WARN, envrules_is_set,
		"is an old name, and is overruled by the new one", "TORCH_NCCL_DESYNC_DEBUG",
		"PG, since 2.2"},
	{"TORCH_NCCL_TRACE_BUFFER_SIZE", ENVRULE_WARN, is_zero,
		"the Flight Recorder is off: a hang leaves no dump", "unset it, or 2000", "PG"},
	{"TORCH_NCCL_TRACE_BUFFER_SIZE", ENVRULE_WARN, is_off_by_default,
		"is not set, and this PyTorch records nothing without it: a hang leaves no dump",
		"TORCH_NCCL_TRACE_BUFFER_SIZE=2000", "PG, default 0 up to 2.6"},
	{"TORCH_FR_BUFFER_SIZE", ENVRULE_WARN, is_zero,
		"the Flight Recorder is off: a hang leaves no dump", "unset it, or 2000",
		"PyTorch FlightRecorder.hpp, since 2.9"},
	{"TORCH_NCCL_DUMP_ON_TIMEOUT", ENVRULE_WARN, envrules_is_off,
		"the Flight Recorder's dump is not written at a timeout", "unset it",
		"PG, default on since 2.7"},
	{"TORCH_FR_DUMP_ON_TIMEOUT", ENVRULE_WARN, envrules_is_off,
		"the Flight Recorder's dump is not written at a timeout", "unset it",
		"PyTorch FlightRecorder.hpp, since 2.10"},
	{"PYTORCH_CUDA_ALLOC_CONF", ENVRULE_WARN, is_overruled,
		"is not read, since PYTORCH_ALLOC_CONF says something else", "set one of them",
		"PyTorch c10/core/AllocatorConfig.h, since 2.9"},
	{"PYTORCH_CUDA_ALLOC_CONF", ENVRULE_NOTE, is_old_name,
		"is the old name; the new one is not set, so it holds", NULL,
		"PyTorch c10/core/AllocatorConfig.h, since 2.9"},
	{"PYTORCH_NO_CUDA_MEMORY_CACHING", ENVRULE_WARN, envrules_is_set,
		"each allocation is asked of the driver, which waits for the device", "unset it",
		"PyTorch CUDACachingAllocator.cpp"},
	{"TORCH_COMPILE_DISABLE", ENVRULE_NOTE, envrules_is_on, "torch.compile does nothing", NULL,
		"PyTorch torch/_dynamo/config.py"},
	{"TORCHINDUCTOR_FORCE_DISABLE_CACHES", ENVRULE_WARN, envrules_is_on,
		"every rank compiles everything at each start", "unset it",
		"PyTorch torch/_inductor/config.py"},
	{"TORCHINDUCTOR_FX_GRAPH_CACHE", ENVRULE_WARN, envrules_is_off,
		"every rank compiles its graphs at each start", "unset it",
		"PyTorch torch/_inductor/config.py"},
	{"TORCHINDUCTOR_MAX_AUTOTUNE", ENVRULE_WARN, envrules_is_on,
		"each rank measures kernels by itself at first use: minutes, and not the same for "
		"all",
		"fill the cache first, by one rank", "PyTorch torch/_inductor/config.py"},
	{"TORCHINDUCTOR_COMPILE_THREADS", ENVRULE_WARN, is_too_many_compilers,
		"times the ranks is more than four for each processor: compiles crowd each other",
		"processors / ranks", "PyTorch torch/_inductor/config.py"},
};

const struct envrules_list envrules_of_torch = {rules, sizeof(rules) / sizeof(rules[0])};
