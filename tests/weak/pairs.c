/* SPDX-License-Identifier: Apache-2.0 */
#include "pairs.h"

#include "cmd/bundle-groups.h"
#include "evidence/format/bundle.h"
#include "steps.h"

/* bundle_groups_add() takes evidence over: a copy, weakened by steps. False: the steps do not
 * apply. */
static bool add(struct bundle_groups *groups, const struct whole *whole, const char *steps)
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
	bundle_groups_add(groups, whole->path, &copy);
	str_release(&bytes);
	heap_release(&heap);
	complaint_release(&why);
	return applies;
}

static bool settle(const struct whole *one, const struct whole *other, bool halves,
	struct evidence *into, size_t *ret_left)
{
	struct bundle_groups groups = {0};
	bool applies = add(&groups, one, halves ? "spread:2/hosts:0" : "");

	applies = add(&groups, other, halves ? "spread:2/hosts:1" : "") && applies;
	bundle_groups_settle(&groups, into);
	*ret_left = groups.left.nr;
	bundle_groups_release(&groups);
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

/* Whose process that rank is; NULL: of neither. */
static const struct whole *owner(const struct job *job, struct rank_index rank,
	const struct whole *one, const struct whole *other)
{
	int process = job_rank(job, rank)->process;
	const struct job_process *p = process == JOB_NONE ? NULL : &job->processes[process];

	if (p && whole_process(one, NULL, p->pid, p->start_time))
		return one;
	return p && whole_process(other, NULL, p->pid, p->start_time) ? other : NULL;
}

/* True if all its ranks have met, whatever became of them. */
static bool has_met(const struct whole *whole)
{
	for (size_t i = 0; i < whole->job->nmembers; i++) {
		const struct job_member *member = &whole->job->members[i];

		if (member->state >= JOB_MEMBER_READY &&
			whole->job->groups[member->group].size == whole->job->nranks)
			return true;
	}
	return false;
}

static bool is_about_both(const struct job *job, const struct verdict *verdict,
	const struct whole *one, const struct whole *other)
{
	size_t ones = 0, others = 0;

	for (size_t i = 0; i < verdict->culprits.n + verdict->victims.n; i++) {
		struct rank_index rank = i < verdict->culprits.n ? verdict->culprits.at[i]
						   : verdict->victims.at[i - verdict->culprits.n];
		const struct whole *whose = owner(job, rank, one, other);

		ones += whose == one;
		others += whose == other;
	}
	return ones && others;
}

static bool names_its_own(const struct job *job, const struct verdict *verdict,
	const struct whole *one, const struct whole *other)
{
	for (size_t i = 0; i < verdict->culprits.n; i++) {
		struct rank_index rank = verdict->culprits.at[i];
		const struct whole *whose = owner(job, rank, one, other);

		if (!whose || !whole_names(whose, job_rank(job, rank)->world_rank.n))
			return false;
	}
	return true;
}

bool pairs_halves(
	const struct whole *one, const struct whole *other, enum plant plant, struct str *wrong)
{
	bool apart = has_met(one) && has_met(other), right = true;
	struct evidence evidence = {0};
	struct verdicts *verdicts;
	struct job *job;
	size_t left;

	if (settle(one, other, true, &evidence, &left)) {
		verdicts = charge_judge(&evidence, plant, &job);
		for (size_t i = 0; i < verdicts->n && right; i++) {
			const struct verdict *verdict = &verdicts->at[i];

			if (verdict->confidence <= VERDICT_HYPOTHESIS)
				continue;
			right = names_its_own(job, verdict, one, other) &&
				!(apart && is_about_both(job, verdict, one, other));
			if (!right)
				str_printf(wrong, "mixed: %s of two jobs",
					verdict_class_name(verdict->class));
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
