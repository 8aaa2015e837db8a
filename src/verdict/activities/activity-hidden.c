/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/activities/activity-hidden.h"

#include <string.h>

#include "verdict/backends/backend.h"

#include "verdict/activities/activity-line.h"

/* True if the process has a module mapped that fits the pattern, as far as is known. */
static bool process_maps(const struct job_snapshot *snapshot, const char *pattern)
{
	const char *at = snapshot->modules, *end;

	for (; *at == '/' && (end = strchr(at + 1, '/')); at = end) {
		char name[256];
		size_t len = (size_t)(end - at) - 1;

		if (len >= sizeof(name))
			continue;
		memcpy(name, at + 1, len);
		name[len] = '\0';
		if (stackfacts_fits(name, pattern))
			return true;
	}
	return false;
}

/*
 * True if a process has a library mapped in which threads spin while they wait. (A spinning thread
 * shows no native frame unless it is stopped; but its libraries are known.) Only libraries count in
 * which a process must wait: a runtime for GPUs is also loaded where there is none.
 */
static bool maps_spinners(const struct job *job)
{
	static const char *const spinners[] = {
		"libcuda.so*", "libamdhip64.so*", "libucp.so*", "libpsm2.so*", "libfabric.so*"};

	for (size_t i = 0; i < job->nsnapshots; i++) {
		for (size_t k = 0; k < N_OF(spinners); k++)
			if (process_maps(&job->snapshots[i], spinners[k]))
				return true;
		for (size_t k = 0; backends[k]; k++)
			for (size_t s = 0; backends[k]->spins && backends[k]->spins[s]; s++)
				if (process_maps(&job->snapshots[i], backends[k]->spins[s]))
					return true;
	}
	return false;
}

bool hidden_may_spin(const struct job *job)
{
	static const struct stackfacts_place spinners[] = {{NULL, "libcuda.so*"},
		{NULL, "libcudart.so*"}, {NULL, "libamdhip64.so*"}, {NULL, "libhsa-runtime64.so*"},
		{NULL, "libascendcl.so*"}, {NULL, "libucp.so*"}, {NULL, "libuct.so*"},
		{NULL, "libucs.so*"}, {NULL, "libccl.so*"}, {NULL, "libfabric.so*"}};

	if (maps_spinners(job))
		return true;
	for (size_t i = 0; i < job->nframes; i++) {
		for (size_t k = 0; k < N_OF(spinners); k++)
			if (stackfacts_is_at(&job->frames[i], &spinners[k]))
				return true;
		for (size_t k = 0; backends[k]; k++)
			if (backend_fits(job->frames[i].module, backends[k]->spins))
				return true;
	}
	for (size_t i = 0; i < job->nstacks; i++)
		if (stackfacts_fits(job->stacks[i].thread, "cuda*"))
			return true;
	return false;
}

/* True if the frame's module is one in which processes wait for others, or is unknown. */
static bool may_be_a_wait(const struct job_frame *frame)
{
	static const char *const modules[] = {"xla_extension*", "libjax*", "_jax*", "libtpu*",
		"libtensorflow*", "_pywrap_tensorflow*", "libhorovod*", "_XLAC*", "", NULL};

	for (size_t i = 0; backends[i]; i++)
		if (backend_fits(frame->module, backends[i]->hides))
			return true;
	return backend_fits(frame->module, modules);
}

/* True if some frame of that module has a name, so that its waits would have names, too. */
static bool has_names(
	const struct job *job, const struct job_stack *stack, size_t n, const char *module)
{
	for (size_t i = 0; i < n; i++) {
		const struct job_frame *frame = stackfacts_frame(job, stack, i);

		if (*module && *frame->function && !strcmp(frame->module, module))
			return true;
	}
	return false;
}

/* True if one of the n innermost frames may be a wait for others that has no name. */
static bool has_nameless_wait(const struct job *job, const struct job_stack *stack, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct job_frame *frame = stackfacts_frame(job, stack, i);

		if (frame->kind == JOB_FRAME_NATIVE && !*frame->function && may_be_a_wait(frame) &&
			!has_names(job, stack, n, frame->module))
			return true;
	}
	return false;
}

/* True for system calls in which nobody waits for another rank. */
static bool is_harmless(const char *syscall)
{
	static const char *const calls[] = {"pause", "wait4", "waitid", "flock", "fsync",
		"fdatasync", "open", "openat", "stat", "newfstatat", "statx", "getdents64",
		"pread64", "write", "writev", "pwrite64", "pwritev"};

	for (size_t i = 0; i < N_OF(calls); i++)
		if (!strcmp(syscall, calls[i]))
			return true;
	return false;
}

/*
 * True if a wait may be hidden where native frames are missing, or the outermost ones. A thread
 * that runs may spin, unless samples saw it in other Python code before.
 */
static bool cut_may_wait(const struct job_stack *stack, long python, bool may_spin)
{
	if (python < 0 || !stack->rooted || stack->state != 'R')
		return true;
	return may_spin && (stack->samples < 2 || stack->nframes - (size_t)python <= stack->still);
}

/*
 * True if the innermost Python frame is of Python's own library: whatever C it calls, it waits for
 * nobody but for what its caller waits for.
 */
static bool is_in_stdlib(const struct job *job, const struct job_stack *stack, long python)
{
	return python >= 0 && (!*stack->cut || stack->rooted) &&
	       stackfacts_is_stdlib(stackfacts_frame(job, stack, (size_t)python)->file);
}

bool hidden_may_wait(const struct job *job, const struct job_stack *stack, long at, bool may_spin)
{
	long python = stackfacts_python(job, stack);

	if (is_harmless(stack->syscall) || is_in_stdlib(job, stack, python))
		return false;
	return has_nameless_wait(job, stack, (size_t)at) ||
	       (*stack->cut && cut_may_wait(stack, python, may_spin));
}
