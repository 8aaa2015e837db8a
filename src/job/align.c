/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each side's known ops, as far as its members agree, are laid in a row by index. Then it is tried
 * by which shifts the one row is the other: none (only the op at the fork differs), k left out, k
 * too many. Several may fit where a step is short or its ops are alike; then those win that leave
 * both sides at one op, since hung ranks of one program stand at one place of it.
 */
#include "job/align.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "job/rollcall.h"
#include "job/usual.h"

#define ALIGN_BACK    1024 /* places before the fork that are looked at, */
#define ALIGN_AHEAD   256  /* and from it on */
#define ALIGN_MOST    64   /* ops left out or too many, at most */
#define ALIGN_OTHERS  16   /* ops in a row that differ from theirs, at most, before all is alike
			    * again */
#define ALIGN_MEMBERS 8    /* members of a camp whose ops are looked at: the others did the same */

/* One side's ops by index: row[i] is op #first + i, known for i < n. */
struct side {
	struct usual_op row[ALIGN_BACK + ALIGN_AHEAD];
	uint64_t first;
	size_t n;
	bool cut; /* from row[n] on its members differ from each other */
};

struct sides {
	struct side mine, theirs;
	size_t fork;   /* the fork's place in both rows */
	size_t period; /* length of a step in `theirs` (job/usual.h); 0 unknown */
};

/* What speaks for one shift. */
struct fit {
	size_t shift;
	size_t seen;  /* recorded ops of both that agree */
	bool refuted; /* two known ops differ */
	bool meets;   /* both sides then end at the same op */
};

/* -- rows -------------------------------------------------------------------------------------- */

/* Puts a member's op into the row; a place where members of one side differ ends what it tells. */
static void place(struct side *side, const struct job_op *op, int group, size_t *limit)
{
	struct usual_op item = {group, op};
	size_t at = (size_t)(op->index - side->first);

	if (!side->row[at].op)
		side->row[at] = item;
	else if (!usual_same(&side->row[at], &item) && at < *limit)
		*limit = at;
}

/* Lays the ops of a camp's first members out as a row around the fork. */
static void fill(const struct job *job, const struct fork *fork, const struct fork_camp *camp,
	struct side *side)
{
	size_t limit = ALIGN_BACK + ALIGN_AHEAD;

	side->first = fork->index > ALIGN_BACK ? fork->index - ALIGN_BACK : 1;
	for (size_t i = 0; i < camp->n && i < ALIGN_MEMBERS; i++) {
		const struct job_member *m = &job->members[camp->members[i]];

		for (size_t k = 0; k < m->nops; k++)
			if (m->ops[k].index >= side->first && m->ops[k].index - side->first < limit)
				place(side, &m->ops[k], fork->group, &limit);
	}
	side->cut = limit < ALIGN_BACK + ALIGN_AHEAD;
	for (side->n = limit; side->n && !side->row[side->n - 1].op; side->n--)
		;
}

/* Returns their op at a place: the recorded one, else the one that is usual there. */
static struct usual_op theirs_at(const struct sides *s, size_t at, bool *ret_recorded)
{
	*ret_recorded = at < s->theirs.n;
	if (*ret_recorded)
		return s->theirs.row[at];
	return usual_next(s->theirs.row, s->theirs.n, s->period, at - s->theirs.n + 1);
}

/* -- shifts ------------------------------------------------------------------------------------ */

/* Compares my row from `mine` on with theirs from `theirs` on, place by place. */
static struct fit try_shift(const struct sides *s, size_t shift, size_t mine, size_t theirs)
{
	struct fit fit = {.shift = shift,
		.meets = s->mine.n + theirs == s->theirs.n + mine && mine < s->mine.n &&
			 !s->mine.cut && !s->theirs.cut};

	for (; mine < s->mine.n && !fit.refuted; mine++, theirs++) {
		bool recorded;
		struct usual_op other = theirs_at(s, theirs, &recorded);

		if (!s->mine.row[mine].op || !other.op)
			continue;
		if (!usual_same(&s->mine.row[mine], &other))
			fit.refuted = true;
		else
			fit.seen += recorded;
	}
	return fit;
}

/* True if the shift is sure: two recorded ops agree, or one does and both sides end at one op. */
static bool is_enough(const struct fit *fit)
{
	return !fit->refuted && (fit->seen > 1 || (fit->seen && fit->meets));
}

/* Tries that my side left out k ops at the fork. */
static struct fit try_skipped(const struct sides *s, size_t k)
{
	return try_shift(s, k, s->fork, s->fork + k);
}

/* Tries that my side has k ops too many at the fork. */
static struct fit try_extra(const struct sides *s, size_t k)
{
	return try_shift(s, k, s->fork + k, s->fork);
}

/* True if the shift is not excluded, and at least one recorded op speaks for it. */
static bool is_possible(const struct fit *fit)
{
	return !fit->refuted && fit->seen;
}

/*
 * Returns the smallest shift of that kind that is sure; one that meets goes before all others.
 * shift 0: none is. *ret_possible: any shift of that kind is possible.
 */
static struct fit find_shift(const struct sides *s,
	struct fit (*attempt)(const struct sides *s, size_t k), bool *ret_possible)
{
	struct fit found = {0};

	*ret_possible = false;
	for (size_t k = 1; k <= ALIGN_MOST && !found.meets; k++) {
		struct fit fit = attempt(s, k);

		*ret_possible |= is_possible(&fit);
		if (is_enough(&fit) && (!found.shift || fit.meets))
			found = fit;
	}
	return found;
}

/*
 * Tries that nothing is shifted: one op at the fork is another one, or up to ALIGN_OTHERS in a row
 * are, and then all goes on alike. Of several others it takes two recorded ops behind them as
 * evidence.
 */
static struct fit find_same(const struct sides *s)
{
	struct fit found = try_shift(s, 0, s->fork + 1, s->fork + 1);

	for (size_t k = 2; k <= ALIGN_OTHERS && found.refuted; k++) {
		struct fit fit = try_shift(s, 0, s->fork + k, s->fork + k);

		if (!fit.refuted && fit.seen > 1)
			found = fit;
	}
	return found;
}

/* Decides by recorded ops of both sides. Leaves *shift as it is where these do not suffice. */
static void align_by_sight(const struct sides *s, struct fork_shift *shift)
{
	struct fit none = find_same(s);
	bool may_skip, may_repeat;
	struct fit skipped = find_shift(s, try_skipped, &may_skip);
	struct fit extra = find_shift(s, try_extra, &may_repeat);
	bool same = is_enough(&none), meets = skipped.meets || extra.meets || (same && none.meets);

	if (meets) {
		same = same && none.meets;
		skipped.shift = skipped.meets ? skipped.shift : 0;
		extra.shift = extra.meets ? extra.shift : 0;
	}
	if (!same && !skipped.shift && !extra.shift)
		return;
	shift->seen = true;
	shift->alone = may_skip + may_repeat + is_possible(&none) == 1;
	if (same)
		shift->kind = skipped.shift || extra.shift ? SHIFT_UNTOLD : SHIFT_NONE;
	else if (skipped.shift && extra.shift)
		shift->kind = SHIFT_UNCLEAR;
	else
		shift->kind = skipped.shift ? SHIFT_SKIPPED : SHIFT_EXTRA;
	if (shift->kind == SHIFT_SKIPPED || shift->kind == SHIFT_EXTRA)
		shift->n = skipped.shift ? skipped.shift : extra.shift;
}

/* -- what is usual ----------------------------------------------------------------------------- */

/*
 * Returns how far ahead in their step my op at the fork comes, and all that follows with it; 0:
 * nowhere.
 */
static size_t find_ahead(const struct sides *s)
{
	for (size_t k = 1; k < s->period; k++)
		if (!try_skipped(s, k).refuted)
			return k;
	return 0;
}

/* Returns how many places back my ops from the fork on were done before; 0: they were not. */
static size_t find_behind(const struct sides *s)
{
	for (size_t k = 1; k < s->period && k <= s->fork; k++) {
		size_t at = s->fork;

		while (at < s->mine.n && at < s->fork + k &&
			usual_same(&s->mine.row[at], &s->theirs.row[at - k]))
			at++;
		if (at == s->mine.n || (at == s->fork + k && !try_extra(s, k).refuted))
			return k;
	}
	return 0;
}

/* Returns the kind of their op at a place; 0 unknown. */
static uint8_t kind_at(const struct sides *s, size_t at)
{
	bool recorded;
	struct usual_op item = theirs_at(s, at, &recorded);

	return item.op ? item.op->sig.op : 0;
}

/*
 * Returns how many calls of the program their ops [from, to) are. One call may reduce all
 * gradients, bucket by bucket, and is left out or made twice as a whole; so ops in a row of one
 * kind count as one call, but one by one where [from, to) holds only a part of such a row.
 */
static size_t count_calls(const struct sides *s, size_t from, size_t to)
{
	size_t calls = 0;

	for (size_t at = from, end; at < to; at = end) {
		uint8_t kind = kind_at(s, at);

		for (end = at + 1; end < to && kind_at(s, end) == kind; end++)
			;
		if ((at == from && at && kind_at(s, at - 1) == kind) ||
			(end == to && kind_at(s, end) == kind))
			calls += end - at;
		else
			calls++;
	}
	return calls;
}

/*
 * Decides by what the others usually do. An op that they never do in their step is another op; one
 * that they do was reached by leaving ops out, or by doing some again, whichever is much nearer.
 */
static void align_by_usage(const struct sides *s, struct fork_shift *shift)
{
	size_t ahead, behind, skipped, extra;

	if (!s->period)
		return;
	ahead = find_ahead(s);
	behind = find_behind(s);
	skipped = count_calls(s, s->fork, s->fork + ahead);
	extra = count_calls(s, s->fork - behind, s->fork);
	if (!ahead && !behind) {
		shift->kind = SHIFT_NONE;
		shift->alone = true;
	} else if (ahead && (!behind || 2 * skipped < extra)) {
		shift->kind = SHIFT_SKIPPED;
		shift->n = ahead;
	} else if (behind && (!ahead || 2 * extra < skipped)) {
		shift->kind = SHIFT_EXTRA;
		shift->n = behind;
	} else {
		shift->kind = SHIFT_UNCLEAR;
	}
}

/* -- which ones -------------------------------------------------------------------------------- */

/*
 * Fills in where the shifted ops may begin: before the fork, too, where ops in a row are alike. If
 * only hashes show the fork, that place is unknown, and all since the last agreement may be it.
 */
static void find_place(const struct sides *s, const struct fork *fork, struct fork_shift *shift)
{
	const struct side *longer = shift->kind == SHIFT_SKIPPED ? &s->theirs : &s->mine;
	const struct side *shorter = shift->kind == SHIFT_SKIPPED ? &s->mine : &s->theirs;
	size_t at = s->fork, n = (size_t)shift->n;

	shift->from = fork->agreed + 1;
	shift->to = fork->index;
	if (!fork->exact)
		return;
	while (at && at - 1 + n < longer->n &&
		usual_same(&shorter->row[at - 1], &longer->row[at - 1 + n]))
		at--;
	/* Ops before it that are not known may be more of the same. */
	if (!at ||
		(shorter->row[at - 1].op && at - 1 + n < longer->n && longer->row[at - 1 + n].op) ||
		shift->from > shorter->first + at)
		shift->from = shorter->first + at;
	shift->op = s->fork < longer->n ? longer->row[s->fork].op : NULL;
}

/*
 * Returns the first place from the fork on at which both sides are known and differ; the fork's own
 * place where there is none.
 */
static size_t find_difference(const struct sides *s)
{
	for (size_t at = s->fork; at < s->mine.n && at < s->theirs.n; at++)
		if (s->mine.row[at].op && s->theirs.row[at].op &&
			!usual_same(&s->mine.row[at], &s->theirs.row[at]))
			return at;
	return s->fork;
}

struct fork_shift align_camps(const struct job *job, const struct fork *fork)
{
	struct sides *s = alloc_zeroed(1, sizeof(*s));
	struct fork_shift shift = {.kind = SHIFT_UNTOLD};

	fill(job, fork, &fork->camps[0], &s->theirs);
	fill(job, fork, &fork->camps[1], &s->mine);
	s->fork = (size_t)(fork->index - s->mine.first);
	if (!fork->exact)
		s->fork = find_difference(s);
	s->period = usual_period(s->theirs.row, s->theirs.n);
	if (s->fork < s->mine.n && s->fork < s->theirs.n &&
		!usual_same(&s->mine.row[s->fork], &s->theirs.row[s->fork]))
		align_by_sight(s, &shift);
	if (!shift.seen && fork->exact && s->mine.n > s->fork)
		align_by_usage(s, &shift);
	if (shift.kind == SHIFT_SKIPPED || shift.kind == SHIFT_EXTRA)
		find_place(s, fork, &shift);
	free(s);
	return shift;
}
