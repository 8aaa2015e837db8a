/* SPDX-License-Identifier: Apache-2.0 */
/* How activities and places in code are called. */
#include <ctype.h>
#include <string.h>

#include "verdict/backend.h"
#include "verdict/activities.h"

/* Behind the last folder that says no more than where Python lies. */
static const char *short_path(const char *path)
{
	static const char *const roots[] = {"/site-packages/", "/dist-packages/"};
	const char *slash = strrchr(path, '/');

	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		const char *at = strstr(path, roots[i]);

		if (at)
			return at + strlen(roots[i]);
	}
	return slash ? slash + 1 : path;
}

const char *activities_place(
	struct arena *arena, const struct job *job, const struct job_stack *stack, long at)
{
	const struct job_frame *frame;
	const char *function;

	if (at < 0 || (size_t)at >= stack->nframes)
		return "";
	frame = stackfacts_frame(job, stack, (size_t)at);
	function = *frame->function ? frame->function : "unknown code";
	if (*frame->file && frame->line)
		return arena_printf(
			arena, "%s:%d in %s", short_path(frame->file), frame->line, function);
	if (frame->kind == JOB_FRAME_KERNEL || !*frame->module)
		return arena_printf(arena, "%s", function);
	return arena_printf(arena, "%s of %s", function, frame->module);
}

bool activities_on_gpu(const struct job *job, const struct job_stack *stack)
{
	static const struct stackfacts_place places[] = {{NULL, "libcuda.so*"},
		{NULL, "libcudart.so*"}, {NULL, "libamdhip64.so*"}, {NULL, "libhsa-runtime64.so*"},
		{NULL, "torch/cuda/*"}, {"c10::cuda::*", NULL}};

	for (size_t i = 0; i < stack->nframes; i++)
		for (size_t k = 0; backends[k]; k++)
			if (backend_fits(stackfacts_frame(job, stack, i)->module,
				    backends[k]->on_gpu))
				return true;
	return stackfacts_find(job, stack, 0, places, sizeof(places) / sizeof(places[0])) >= 0;
}

const char *activities_call(const struct posture *p)
{
	static const char *const names[ACTIVITIES] = {[ACTIVITY_COLLECTIVE] = "a collective",
		[ACTIVITY_P2P] = "a send or receive",
		[ACTIVITY_INIT] = "init",
		[ACTIVITY_STORE] = "the store",
		[ACTIVITY_DEVICE] = "a wait for the GPU"};

	return *p->call ? p->call : names[p->activity] ? names[p->activity] : "";
}

/* The next letter of a call's name, as all who make it spell it; 0 at its end. */
static int next_letter(const char **at)
{
	while (**at == '_')
		(*at)++;
	return **at ? tolower((unsigned char)*(*at)++) : 0;
}

/* Without what its backend puts before it. */
static const char *without_maker(const char *call)
{
	for (size_t i = 0; backends[i]; i++)
		for (const char *const *prefix = backends[i]->prefixes; prefix && *prefix; prefix++)
			if (!strncmp(call, *prefix, strlen(*prefix)))
				return call + strlen(*prefix);
	return call;
}

bool activities_may_be_one_call(const struct posture *a, const struct posture *b)
{
	const char *mine = without_maker(a->call), *other = without_maker(b->call);
	int letter;

	if (!*mine || !*other)
		return true;
	do {
		letter = next_letter(&mine);
		if (letter != next_letter(&other))
			return false;
	} while (letter);
	return true;
}
