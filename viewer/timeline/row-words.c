/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words at the right of a row. What there is no room for is cut off behind a word, so the one
 * that says most is first: what it came with to the operation in which ranks parted, if it has left
 * that behind; what the worst of its ranks does, with those arguments in which others differ there,
 * then in which group, where there are several, then how much of what was recorded is lost.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "job/names.h"
#include "job/rollcall.h"
#include "viewer/state/rows-keys.h"

#define FEW 64 /* of so many ranks groups are compared */
#define APART_MOST 64 /* operations whose members are compared */

/* In what the members of one collective differ. */
struct apart {
	int group;
	uint64_t index;
	bool count, dtype, redop, peer;
	bool kind; /* they are not of one name */
};

/* What is kept for all rows. */
struct row_words {
	ARRAY(struct apart) apart; /* of those that were asked for */
	struct apart fork;	   /* of the operation that the verdict is about */
	const struct job_op **forks; /* each rank's part in it; NULL: none, or not kept */
};

/* Returns the rank of a row that is in the worst state. */
static struct rank_index worst_of(const struct tracks *tracks, const struct row *row)
{
	struct rank_index worst = row->ranks[0];

	for (size_t i = 1; i < row->n; i++)
		if (tracks->at[row->ranks[i].i].now > tracks->at[worst.i].now)
			worst = row->ranks[i];
	return worst;
}

/* True if all of them that are in that state do the same there. */
static bool is_same(const struct tracks *tracks, const struct row *row, const struct track *worst)
{
	for (size_t i = 0; i < row->n; i++) {
		const struct track *track = &tracks->at[row->ranks[i].i];

		/* Mostly it is one and the same text. */
		if (track->now == worst->now && track->doing != worst->doing &&
			strcmp(track->doing, worst->doing) != 0)
			return false;
	}
	return true;
}

/* Returns the group of what the rank is in now; JOB_NONE. */
static int group_of(const struct track *track)
{
	const struct track_span *last = track_last(track);

	return last && track->now != TRACK_DEAD ? last->group : JOB_NONE;
}

/* True if a group's name says something. */
static bool has_several_groups(const struct job *job)
{
	size_t n = 0;

	for (size_t i = 0; i < job->ngroups && n < 2; i++)
		n += !rollcall_is_bootstrap(&job->groups[i]);
	return n > 1;
}

/*
 * Appends the group where all have the same: two ranks that wait in the first AllReduce may wait
 * for different ones.
 */
static void add_group(struct str *into, const struct tracks *tracks, const struct row *row,
	const struct track *worst)
{
	int group = group_of(worst);

	if (group == JOB_NONE || row->n > FEW || !has_several_groups(tracks->job))
		return;
	for (size_t i = 0; i < row->n; i++)
		if (group_of(&tracks->at[row->ranks[i].i]) != group)
			return;
	str_printf(into, " %s", tracks->job->groups[group].name);
}

/* Appends the arguments in which others differ. */
static void add_args(struct str *into, const struct apart *apart, const struct job_sig *sig)
{
	if (apart->count && sig->count != JOB_NO_COUNT)
		str_printf(into, " count %" PRIu64, sig->count);
	if (apart->dtype && job_dtype_name(sig->dtype))
		str_printf(into, " %s", job_dtype_name(sig->dtype));
	if (apart->redop && job_redop_name(sig->redop))
		str_printf(into, " %s", job_redop_name(sig->redop));
	if (apart->peer && is_group_rank(sig->peer))
		str_printf(into, " root %" PRIu32, sig->peer.n);
}

/* Notes in what two differ. */
static void differ(struct apart *apart, const struct job_sig *a, const struct job_sig *b)
{
	apart->count |= a->count != b->count && a->count != JOB_NO_COUNT &&
			b->count != JOB_NO_COUNT;
	apart->dtype |= a->dtype != b->dtype;
	apart->redop |= a->redop != b->redop && a->redop != JOB_NO_REDOP &&
			b->redop != JOB_NO_REDOP;
	apart->peer |= !same_group_rank(a->peer, b->peer);
}

/*
 * Finds what each rank came with to the operation that the verdict is about, and in what they
 * differ.
 */
static void find_fork(
	struct row_words *kept, const struct tracks *tracks, const struct verdict *verdict)
{
	const struct job *job = tracks->job;
	const struct job_group *group;
	const struct job_op *first = NULL;

	if (verdict->group < 0 || (size_t)verdict->group >= job->ngroups || !verdict->op_index)
		return;
	group = &job->groups[verdict->group];
	kept->fork = (struct apart){.group = verdict->group, .index = verdict->op_index};
	for (uint32_t i = 0; i < group->size && group->first_member >= 0; i++) {
		const struct job_member *member = &job->members[group->first_member + (int)i];
		const struct job_op *op = rollcall_op(member, verdict->op_index);

		if (!op || !is_rank(member->rank))
			continue;
		kept->forks[member->rank.i] = op;
		first = first ? first : op;
		if (first->sig.op != op->sig.op)
			kept->fork.kind = true;
		else
			differ(&kept->fork, &first->sig, &op->sig);
	}
}

/* Returns in what all differ that are in the same operation now, of one name. */
static struct apart find_apart(
	struct row_words *kept, const struct tracks *tracks, const struct track *track)
{
	int group = group_of(track);
	struct apart apart = {.group = group, .index = track->op->index};
	struct apart *old;

	array_for_each (&kept->apart, old)
		if (old->group == group && old->index == track->op->index)
			return *old;
	if (kept->apart.nr == APART_MOST)
		return apart;
	for (size_t i = 0; i < tracks->n; i++) {
		const struct job_op *op = tracks->at[i].op;

		if (op && op->index == apart.index && op->sig.op == track->op->sig.op &&
			group_of(&tracks->at[i]) == group)
			differ(&apart, &track->op->sig, &op->sig);
	}
	*array_add(&kept->apart) = apart;
	return apart;
}

/* True if two came with the same. */
static bool is_alike(const struct job_sig *a, const struct job_sig *b)
{
	return a->op == b->op && a->count == b->count && a->dtype == b->dtype &&
	       a->redop == b->redop && same_group_rank(a->peer, b->peer);
}

/* True if the rank is in the operation now that the verdict is about. */
static bool is_in_fork(const struct row_words *kept, const struct track *track)
{
	return track->op && kept->fork.index && track->op->index == kept->fork.index &&
	       group_of(track) == kept->fork.group;
}

/* True if all of them are in it with the same arguments. */
static bool is_one(const struct tracks *tracks, const struct row *row, const struct job_op *op)
{
	for (size_t i = 0; i < row->n; i++) {
		const struct job_op *other = tracks->at[row->ranks[i].i].op;

		if (!other || !is_alike(&other->sig, &op->sig))
			return false;
	}
	return true;
}

/* Appends the arguments that differ, where others came to the same operation with others. */
static void add_apart(struct str *into, struct row_words *kept, const struct tracks *tracks,
	const struct row *row, const struct track *worst)
{
	struct apart apart;

	if (!worst->op || group_of(worst) == JOB_NONE || !is_one(tracks, row, worst->op))
		return;
	apart = is_in_fork(kept, worst) ? kept->fork : find_apart(kept, tracks, worst);
	add_args(into, &apart, &worst->op->sig);
}

/*
 * Appends, of who has gone on from where ranks parted, with what it had come there, if all of them
 * did so.
 */
static void add_fork(struct str *into, const struct row_words *kept, const struct tracks *tracks,
	const struct row *row, const struct track *worst)
{
	const struct apart *fork = &kept->fork;
	const struct job_op *op = kept->forks[worst->rank.i];

	if (!op || is_in_fork(kept, worst) || worst->now == TRACK_DEAD ||
		!(fork->kind || fork->count || fork->dtype || fork->redop || fork->peer))
		return;
	for (size_t i = 0; i < row->n; i++) {
		const struct job_op *other = kept->forks[row->ranks[i].i];

		if (!other || is_in_fork(kept, &tracks->at[row->ranks[i].i]) ||
			!is_alike(&op->sig, &other->sig))
			return;
	}
	if (fork->kind)
		str_printf(into, "%s ", job_op_name(op->sig.op));
	str_printf(into, "#%" PRIu64, op->index);
	add_args(into, fork, &op->sig);
	str_add(into, ", ");
}

/* Appends how much is lost of what was recorded. */
static void add_lost(struct str *into, const struct tracks *tracks, struct row *row)
{
	int64_t lost = 0;

	for (size_t i = 0; i < row->n; i++) {
		int64_t more = tracks->at[row->ranks[i].i].lost;

		row->loses |= tracks->at[row->ranks[i].i].loses;
		if (more == JOB_UNKNOWN || lost == JOB_UNKNOWN || more > INT64_MAX - lost)
			lost = JOB_UNKNOWN;
		else
			lost += more;
	}
	if (!row->loses)
		return;
	str_add(into, into->len ? ", lost" : "lost");
	if (lost > 0)
		str_printf(into, " %" PRId64, lost);
}

struct row_words *row_words_new(const struct tracks *tracks, const struct verdicts *verdicts)
{
	struct row_words *kept = alloc_zeroed(1, sizeof(*kept));

	kept->forks = alloc_zeroed(tracks->n + 1, sizeof(*kept->forks));
	if (verdicts->n)
		find_fork(kept, tracks, &verdicts->at[0]);
	return kept;
}

void row_words_free(struct row_words *kept)
{
	array_release(&kept->apart);
	free(kept->forks);
	free(kept);
}

void row_words_make(struct row_words *kept, struct arena *arena, const struct tracks *tracks,
	struct row *row)
{
	const struct track *worst;
	struct str text = {0};

	row->worst = worst_of(tracks, row);
	worst = &tracks->at[row->worst.i];
	add_fork(&text, kept, tracks, row, worst);
	if (is_same(tracks, row, worst))
		str_add(&text, worst->doing);
	else
		str_add(&text, rows_keys_without_ids(arena, worst));
	add_apart(&text, kept, tracks, row, worst);
	add_group(&text, tracks, row, worst);
	add_lost(&text, tracks, row);
	row->words = arena_text(arena, str_text(&text));
	str_release(&text);
}
