/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/activities/activity-names.h"

#include <ctype.h>
#include <string.h>

#include "verdict/activities/activity-line.h"
#include "verdict/backends/backend.h"

/* Returns what is behind the last dot of a qualified name. */
static const char *plain_name(const char *function)
{
	const char *dot = strrchr(function, '.');

	return dot ? dot + 1 : function;
}

static bool is_at_any(
	const struct job_frame *frame, const struct stackfacts_place *places, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (stackfacts_is_at(frame, &places[i]))
			return true;
	return false;
}

/* True if it is a function that programs call: of a backend, or of a GPU's runtime. */
static bool is_call(const struct job_frame *frame)
{
	static const struct stackfacts_place of_gpu[] = {{"*ynchronize", "torch/cuda/*"},
		{"cuda*", "libcudart.so*"}, {"cu*", "libcuda.so*"}};
	bool found = is_at_any(frame, of_gpu, N_OF(of_gpu));

	for (size_t i = 0; backends[i] && !found; i++)
		found = is_at_any(frame, backends[i]->calls, backends[i]->ncalls);
	return found;
}

const char *activity_name_call(const struct job *job, const struct posture *p)
{
	const char *name = "";

	for (size_t i = (size_t)p->telling; i < p->stack->nframes; i++) {
		const struct job_frame *frame = stackfacts_frame(job, p->stack, i);

		if (p->program >= 0 && (long)i >= p->program)
			break;
		if (*frame->function && is_call(frame))
			name = plain_name(frame->function);
	}
	return name;
}

/* True if the rank waits in the store for the id of a group, which rank 0 gives. */
static bool wants_id(const struct job *job, const struct posture *p)
{
	for (size_t i = 0; backends[i]; i++)
		if (backends[i]->nids && stackfacts_find(job, p->stack, (size_t)p->telling,
						 backends[i]->ids, backends[i]->nids) >= 0)
			return true;
	return false;
}

/*
 * Returns the first `better` line with that activity that fits any frame from the telling one
 * outwards; NULL none.
 */
static const struct activity_line *find_better(
	const struct job *job, const struct posture *p, enum activity activity)
{
	for (size_t i = 0; backends[i]; i++)
		for (size_t k = 0; k < backends[i]->nbetter; k++) {
			const struct activity_line *line = &backends[i]->better[k];

			if (line->activity == activity && stackfacts_find(job, p->stack,
							  (size_t)p->telling, &line->place, 1) >= 0)
				return line;
		}
	return NULL;
}

void activity_better(const struct job *job, struct posture *p)
{
	static const enum activity order[] = {ACTIVITY_INIT, ACTIVITY_P2P, ACTIVITY_COLLECTIVE};
	static const struct stackfacts_place opened[] = {{"c10d::TCPStore::waitForWorkers*", NULL}};
	static const struct stackfacts_place opens[] = {
		{"c10d::detail::*onnect*", NULL},
		{"c10d::tcputil::*onnect*", NULL},
		{"c10d::TCPStore::TCPStore*", NULL},
	};
	const struct activity_line *line = NULL;
	size_t from = (size_t)p->telling;

	if (p->activity == ACTIVITY_STORE) {
		bool for_id = wants_id(job, p);

		p->for_ranks = stackfacts_find(job, p->stack, from, opened, 1) >= 0;
		p->for_store = !p->for_ranks && stackfacts_find(job, p->stack, from, opens, 3) >= 0;
		p->for_zero = for_id || p->for_store;
		p->maybe_zero = (p->maybe_zero || p->for_zero) && !p->for_ranks;
		if (for_id) {
			p->call = CALL_STORE_ID;
			return;
		}
	}
	if (p->activity != ACTIVITY_STORE && p->activity != ACTIVITY_DEVICE &&
		p->activity != ACTIVITY_COLLECTIVE)
		return;
	for (size_t i = 0; i < N_OF(order) && !line; i++)
		line = find_better(job, p, order[i]);
	if (line) {
		p->activity = line->activity;
		p->call = line->call ? line->call : p->call;
	}
}

/* -- what names tell of two, or of the machine ------------------------------------------------- */

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

/*
 * Takes the next letter of a call's name, in lower case and without "_", which makers differ in; 0
 * at its end.
 */
static int next_letter(const char **at)
{
	while (**at == '_')
		(*at)++;
	return **at ? tolower((unsigned char)*(*at)++) : 0;
}

/* Returns the call's name without the prefix of its backend. */
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
