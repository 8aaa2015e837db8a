/* SPDX-License-Identifier: Apache-2.0 */
#include "pairs.h"

#include "cmd/sift.h"
#include "evidence/bundle.h"
#include "steps.h"

/* The sift takes evidence over: a copy, weakened by steps. False: the steps do not apply. */
static bool add(struct sift *sift, const struct whole *whole, const char *steps)
{
	struct evidence copy = {0};
	struct complaint why = {0};
	struct str bytes = {0};
	struct heap heap;
	bool applies;

	heap_fill(&heap, &whole->evidence);
	applies = steps_take(whole, &heap, steps, &why) == 0;
	bundle_pack(heap_set(&heap), &bytes);
	bundle_unpack(bytes.text, bytes.len, &copy, &why);
	sift_add(sift, whole->path, &copy);
	str_release(&bytes);
	heap_release(&heap);
	complaint_release(&why);
	return applies;
}

static bool settle(const struct whole *one, const struct whole *other, bool halves,
	struct evidence *into, size_t *ret_left)
{
	struct sift sift = {0};
	bool applies = add(&sift, one, halves ? "spread:2/hosts:0" : "");

	applies = add(&sift, other, halves ? "spread:2/hosts:1" : "") && applies;
	sift_settle(&sift, into);
	*ret_left = sift.left.nr;
	sift_release(&sift);
	return applies;
}

bool pairs_whole(
	const struct whole *one, const struct whole *other, enum plant plant, struct str *wrong)
{
	struct evidence evidence = {0};
	struct str first = {0}, second = {0};
	size_t left;
	bool right;

	settle(one, other, false, &evidence, &left);
	right = charge(one, &evidence, CHARGE_SAME, &one->evidence, plant, &first) ||
		charge(other, &evidence, CHARGE_SAME, &other->evidence, plant, &second);
	if (!right)
		str_printf(wrong, "mixed: not the first job (%s), nor the second (%s)",
			str_text(&first), str_text(&second));
	if (left != 1)
		str_printf(wrong, "%smixed: %zu jobs were left out", right ? "" : "; ", left);
	evidence_release(&evidence);
	str_release(&first);
	str_release(&second);
	return right && left == 1;
}

/* Whose rank it is: bit 0 of the first job, bit 1 of the second. */
static unsigned owner(
	const struct job *job, int rank, const struct whole *one, const struct whole *other)
{
	const struct job_process *process = job->ranks[rank].process == JOB_NONE
						    ? NULL
						    : &job->processes[job->ranks[rank].process];

	if (!process)
		return 0;
	return (whole_process(one, NULL, process->pid, process->start_time) ? 1u : 0u) |
	       (whole_process(other, NULL, process->pid, process->start_time) ? 2u : 0u);
}

static bool is_about_one(const struct job *job, const struct verdict *verdict,
	const struct whole *one, const struct whole *other)
{
	unsigned owners = 0;

	for (size_t i = 0; i < verdict->culprits.n; i++)
		owners |= owner(job, verdict->culprits.at[i], one, other);
	for (size_t i = 0; i < verdict->victims.n; i++)
		owners |= owner(job, verdict->victims.at[i], one, other);
	return owners != 3;
}

bool pairs_halves(
	const struct whole *one, const struct whole *other, enum plant plant, struct str *wrong)
{
	struct evidence evidence = {0};
	struct verdicts *verdicts;
	struct job *job;
	size_t left;
	bool right = true;

	if (settle(one, other, true, &evidence, &left)) {
		verdicts = charge_judge(&evidence, plant, &job);
		for (size_t i = 0; i < verdicts->n; i++)
			if (verdicts->at[i].confidence > VERDICT_HYPOTHESIS &&
				!is_about_one(job, &verdicts->at[i], one, other)) {
				str_printf(wrong, "mixed: %s is about ranks of both",
					verdict_class_name(verdicts->at[i].class));
				right = false;
			}
		verdicts_free(verdicts);
		job_free(job);
	}
	evidence_release(&evidence);
	return right;
}

void pairs_print(const struct whole *one, const struct whole *other, bool halves, enum plant plant)
{
	struct evidence evidence = {0};
	size_t left;

	settle(one, other, halves, &evidence, &left);
	charge_print(&evidence, plant);
	evidence_release(&evidence);
}
