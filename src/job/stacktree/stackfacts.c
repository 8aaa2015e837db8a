/* SPDX-License-Identifier: Apache-2.0 */
#include "job/stacktree/stackfacts.h"

#include <ctype.h>
#include <string.h>

#include "job/spans.h"

/*
 * Matches greedily, with one place to go back to: of several stars only the last one can have taken
 * too little.
 */
bool stackfacts_fits(const char *text, const char *pattern)
{
	const char *star = NULL, *retry = NULL;

	if (!pattern)
		return true;
	while (*text) {
		if (*pattern == '*') {
			star = pattern++;
			retry = text;
		} else if (*pattern == *text) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star + 1;
			text = ++retry;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

/* True if the path fits, or what stands behind any of its slashes. */
static bool path_fits(const char *path, const char *pattern)
{
	const char *slash;

	while (!stackfacts_fits(path, pattern)) {
		slash = strchr(path, '/');
		if (!slash)
			return false;
		path = slash + 1;
	}
	return true;
}

bool stackfacts_is_at(const struct job_frame *frame, const struct stackfacts_place *place)
{
	if (!stackfacts_fits(frame->function, place->function))
		return false;
	if (!place->where)
		return true;
	return path_fits(frame->file, place->where) || stackfacts_fits(frame->module, place->where);
}

void stackfacts_of_rank(
	const struct job *job, struct rank_index rank, size_t *ret_from, size_t *ret_to)
{
	struct spans_range range = SPANS_RANGE(job, stacks, rank);

	*ret_from = range.from;
	*ret_to = range.to;
}

/* Returns the main thread's stack in the rank's own process, or that of thread `tid`; NULL. */
static const struct job_stack *find_own(
	const struct job *job, struct rank_index rank, bool main, uint32_t tid)
{
	int process = job_rank(job, rank)->process;
	size_t from, to;

	if (process == JOB_NONE)
		return NULL;
	/* A process of several ranks has its stacks with the first of them. */
	stackfacts_of_rank(job, job->processes[process].rank, &from, &to);
	for (size_t i = from; i < to; i++) {
		const struct job_stack *stack = &job->stacks[i];

		if (stack->process == process && (main ? stack->main : stack->tid == tid))
			return stack;
	}
	return NULL;
}

const struct job_stack *stackfacts_main(const struct job *job, struct rank_index rank)
{
	return find_own(job, rank, true, 0);
}

const struct job_stack *stackfacts_thread(
	const struct job *job, struct rank_index rank, uint32_t tid)
{
	return find_own(job, rank, false, tid);
}

const struct job_snapshot *stackfacts_snapshot(const struct job *job, int process)
{
	struct spans_range range = SPANS_RANGE(job, snapshots, job->processes[process].rank);

	for (size_t i = range.from; i < range.to; i++)
		if (job->snapshots[i].process == process)
			return &job->snapshots[i];
	return NULL;
}

const struct job_frame *stackfacts_frame(
	const struct job *job, const struct job_stack *stack, size_t i)
{
	return i < stack->nframes ? &job->frames[stack->frames[i]] : NULL;
}

long stackfacts_find(const struct job *job, const struct job_stack *stack, size_t from,
	const struct stackfacts_place *places, size_t nr)
{
	for (size_t i = from; i < stack->nframes; i++)
		for (size_t k = 0; k < nr; k++)
			if (stackfacts_is_at(&job->frames[stack->frames[i]], &places[k]))
				return (long)i;
	return -1;
}

long stackfacts_python(const struct job *job, const struct job_stack *stack)
{
	for (size_t i = 0; i < stack->nframes; i++)
		if (job->frames[stack->frames[i]].kind == JOB_FRAME_PYTHON)
			return (long)i;
	return -1;
}

/*
 * True if the path has "/lib/python3.11/" in it, of any version, and in any folder whose name
 * begins with lib.
 */
static bool is_in_lib(const char *file)
{
	for (const char *at = file; (at = strstr(at, "/python3.")) != NULL;) {
		const char *folder = at;

		at += strlen("/python3.");
		while (isdigit((unsigned char)*at))
			at++;
		at += *at == 't'; /* without GIL */
		while (folder > file && folder[-1] != '/')
			folder--;
		if (*at == '/' && !strncmp(folder, "lib", 3))
			return true;
	}
	return false;
}

static bool is_package(const char *file)
{
	return strstr(file, "/site-packages/") || strstr(file, "/dist-packages/");
}

bool stackfacts_is_stdlib(const char *file)
{
	return is_in_lib(file) && !is_package(file);
}

/*
 * True if torch.compile wrote the file: "zo/czov6ailwcw6....py", a hash in base 32 behind a 'c', in
 * a folder of the hash's first two characters, wherever the cache is.
 */
static bool is_compiled(const char *file)
{
	const char *slash = strrchr(file, '/'), *name;

	if (!slash || slash - file < 3 || slash[-3] != '/')
		return false;
	name = slash + 1;
	return name[0] == 'c' && !strncmp(slash - 2, name + 1, 2) &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyz234567") == 52 && !strcmp(name + 52, ".py");
}

/* True if the file is PyTorch's, also in a checkout of its own, or code that its compiler made. */
static bool is_torch(const char *file)
{
	static const char *const parts[] = {"/torch/_", "/torch/nn/", "/torch/distributed/",
		"/torch/utils/", "/torch/autograd/", "/torch/optim/", "/torch/cuda/", "/torch/fx/",
		"/torch/amp/", "/torch/serialization.py", "/torch/functional.py",
		"/torchinductor_"};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strstr(file, parts[i]))
			return true;
	return false;
}

/* True if somebody typed the code; false if some library made it. */
static bool is_typed(const char *file)
{
	return stackfacts_fits(file, "<stdin>") || stackfacts_fits(file, "<string>") ||
	       stackfacts_fits(file, "<ipython-input-*") || stackfacts_fits(file, "<console>");
}

/* True if the file is not of the program itself: see stackfacts_program(). */
static bool is_library(const char *file)
{
	return !*file || (*file == '<' && !is_typed(file)) || is_package(file) || is_in_lib(file) ||
	       is_torch(file) || is_compiled(file);
}

long stackfacts_program(const struct job *job, const struct job_stack *stack)
{
	for (size_t i = 0; i < stack->nframes; i++) {
		const struct job_frame *frame = &job->frames[stack->frames[i]];

		if (frame->kind == JOB_FRAME_PYTHON && !is_library(frame->file))
			return (long)i;
	}
	return -1;
}
