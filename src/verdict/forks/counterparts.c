/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a stray is found. Groups have kinds, by their shape. Ranks are sorted by the kinds of their
 * groups, and by their seats where these matter, so that counterparts lie together. In each such
 * class the longest row is the measure. If one other row leaves it, that rank strays; if all others
 * that come as far leave it, and agree with each other, the longest itself strays.
 */
#include "verdict/forks/counterparts.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "job/forks.h"
#include "job/names.h"
#include "job/rank-row.h"
#include "job/rollcall.h"
#include "job/shapes.h"

#define ANCHOR_DEPTH 64        /* ops at a row's start that are looked for in the other row */
#define MOST_OPS     (1 << 23) /* ops of a job; rows of more would take more memory than all else */

/* A seat of a rank as its counterparts must have it, too. */
struct place {
	int kind;      /* kind of the group */
	uint32_t seat; /* 0 where only the group matters */
};

/* All that one rank launched, and where it sits. */
struct row {
	struct rank_index rank;
	struct place *places; /* by kind */
	size_t nplaces;
	size_t class; /* the same for counterparts, once all rows are in order */
	struct rank_row ops;
};

struct comparison {
	const struct inquiry *q;
	int *kinds;   /* per group */
	bool *sends;  /* per kind: its members send to each other */
	ARRAY(struct row) rows;
};

/* Gives each group its kind, and finds of which kinds the members send to each other. */
static void find_kinds(struct comparison *c)
{
	const struct job *job = c->q->job;

	shapes_find_kinds(job, c->kinds);
	for (size_t i = 0; i < job->nmembers; i++)
		if (job->members[i].np2p)
			c->sends[c->kinds[job->members[i].group]] = true;
}

/* -- rows -------------------------------------------------------------------------------------- */

/* True if all that was launched in this seat is known, and in which order. */
static bool tells_all(const struct inquiry *q, const struct job_member *m)
{
	const struct job_op *last = m->nops ? &m->ops[m->nops - 1] : NULL;

	if (!m->p2p_whole && !(job_rank(q->job, m->rank)->knows & JOB_KNOWS_RING))
		return false;
	if (m->saw_capture || m->from_any || q->job->groups[m->group].unordered ||
		(m->head && (!last || last->index != m->head)))
		return false;
	for (size_t i = 0; i < m->nops; i++)
		if (!m->ops[i].order)
			return false;
	for (size_t i = 0; i < m->np2p; i++)
		if (!m->p2p[i].order)
			return false;
	return true;
}

static int compare_places(const void *va, const void *vb)
{
	const struct place *a = va, *b = vb;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return a->seat < b->seat ? -1 : a->seat > b->seat;
}

/* True if ops of several groups were launched at once: they have no order that may be compared. */
static bool is_tied(const struct rank_row *ops)
{
	for (size_t i = 1; i < ops->n; i++)
		if (ops->items[i].op->order == ops->items[i - 1].op->order &&
			ops->items[i].group != ops->items[i - 1].group)
			return true;
	return false;
}

/* Adds the rank's row, unless something that it did, or its order, may be unknown. */
static void add_row(struct comparison *c, struct rank_index rank)
{
	const struct by_rank *seats = &c->q->seats;
	size_t first = seats->first[rank.i], n = seats->first[rank.i + 1] - first;
	struct row row = {.rank = rank};

	if (!n || inquiry_lost_ops(c->q, rank))
		return;
	by_rank_each(seats, rank, i)
		if (!tells_all(c->q, &c->q->job->members[seats->at[i]]))
			return;
	row.places = alloc_zeroed(n, sizeof(*row.places));
	by_rank_each(seats, rank, i) {
		const struct job_member *m = &c->q->job->members[seats->at[i]];
		int kind = c->kinds[m->group];

		row.places[row.nplaces++] =
			(struct place){kind, c->sends[kind] ? m->seat.n : 0};
	}
	array_sort_items(row.places, row.nplaces, sizeof(*row.places), compare_places);
	row.ops = rank_row_make(c->q->job, seats->at + first, n);
	if (is_tied(&row.ops)) {
		free(row.places);
		rank_row_release(&row.ops);
		return;
	}
	*array_add(&c->rows) = row;
}

/* Orders rows by the places of their ranks: 0 for counterparts. */
static int compare_seats(const struct row *a, const struct row *b)
{
	if (a->nplaces != b->nplaces)
		return a->nplaces < b->nplaces ? -1 : 1;
	for (size_t i = 0; i < a->nplaces; i++) {
		int order = compare_places(&a->places[i], &b->places[i]);

		if (order)
			return order;
	}
	return 0;
}

/* Orders rows so that counterparts lie together, the longest row first. */
static int compare_rows(const void *va, const void *vb)
{
	const struct row *a = va, *b = vb;
	int order = compare_seats(a, b);

	if (order)
		return order;
	if (a->ops.n != b->ops.n)
		return a->ops.n > b->ops.n ? -1 : 1;
	return a->rank.i < b->rank.i ? -1 : a->rank.i > b->rank.i;
}

/* Gives each row its class. */
static void sort_rows(struct comparison *c)
{
	array_sort(&c->rows, compare_rows);
	for (size_t i = 1; i < c->rows.nr; i++) {
		struct row *row = &c->rows.items[i];

		row->class = row[-1].class + (compare_seats(&row[-1], row) != 0);
	}
}

/* -- where two rows part ----------------------------------------------------------------------- */

/* Two rows laid side by side: a[i] against b[i]. */
struct pair {
	const struct comparison *c;
	const struct usual_op *a, *b;
	size_t na, nb;
	size_t skipped_a; /* how many ops of a's row come before a[0] */
	bool laid;        /* it is known which places of the two rows are the same */
};

/* True if the two are the same call of like groups, whatever their amounts. */
static bool same_call(const struct pair *p, const struct usual_op *a, const struct usual_op *b)
{
	struct job_sig x = a->op->sig, y = b->op->sig;

	if (p->c->kinds[a->group] != p->c->kinds[b->group])
		return false;
	if (job_op_is_p2p(x.op) || job_op_is_p2p(y.op))
		return x.op == y.op && same_group_rank(x.peer, y.peer);
	x.count = y.count = JOB_NO_COUNT;
	return forks_differ(&x, &y) == FORK_NONE;
}

/*
 * True if the two are the same call by the same number. Numbers of sends tell nothing here: sends
 * count from the first one that is known.
 */
static bool same_number(const struct pair *p, const struct usual_op *a, const struct usual_op *b)
{
	return a->op->index == b->op->index && !job_op_is_p2p(a->op->sig.op) && same_call(p, a, b);
}

/* Looks for one of the first ops of b in a, by what it is and its number. */
static bool find_anchor(const struct pair *p, size_t *ret_a, size_t *ret_b)
{
	for (size_t k = 0; k < p->nb && k < ANCHOR_DEPTH; k++)
		for (size_t i = 0; i < p->na; i++)
			if (same_number(p, &p->a[i], &p->b[k])) {
				*ret_a = i;
				*ret_b = k;
				return true;
			}
	return false;
}

/* Lays two rows side by side, by a common start or a common op. */
static struct pair lay(const struct comparison *c, const struct row *a, const struct row *b)
{
	struct pair p = {.c = c,
		.a = a->ops.items,
		.b = b->ops.items,
		.na = a->ops.n,
		.nb = b->ops.n,
		.laid = a->ops.from_start && b->ops.from_start};
	struct pair turned = {.c = c, .a = p.b, .b = p.a, .na = p.nb, .nb = p.na};
	size_t from_a = 0, from_b = 0;

	if (!p.laid)
		p.laid = find_anchor(&p, &from_a, &from_b) ||
			 find_anchor(&turned, &from_b, &from_a);
	p.skipped_a = from_a;
	/* A rank that made no call has no list: nothing may be added to NULL. */
	p.a = p.na ? p.a + from_a : p.a;
	p.na -= from_a;
	p.b = p.nb ? p.b + from_b : p.b;
	p.nb -= from_b;
	return p;
}

/*
 * Returns where the rows part; SIZE_MAX: they do not, as far as both go, or nobody knows how they
 * lie.
 */
static size_t parting(const struct pair *p)
{
	for (size_t i = 0; p->laid && i < p->na && i < p->nb; i++)
		if (!same_call(p, &p->a[i], &p->b[i]))
			return i;
	return SIZE_MAX;
}

/* -- who strays -------------------------------------------------------------------------------- */

/* True if a[from_a..] and b[from_b..] are the same as far as both go, one op at least. */
static bool goes_on(const struct pair *p, size_t from_a, size_t from_b)
{
	size_t n = 0;

	for (; from_a + n < p->na && from_b + n < p->nb; n++)
		if (!same_call(p, &p->a[from_a + n], &p->b[from_b + n]))
			return false;
	return n > 0;
}

/* Finds how row b, the stray's, lies against row a from where they part. */
static void find_kind(const struct pair *p, size_t at, struct stray *stray)
{
	size_t skipped = 0, extra = 0, fitting = 0;

	for (size_t k = 1; !skipped && at + k < p->na && k < ANCHOR_DEPTH; k++)
		skipped = goes_on(p, at + k, at) ? k : 0;
	for (size_t k = 1; !extra && at + k < p->nb && k < ANCHOR_DEPTH; k++)
		extra = goes_on(p, at, at + k) ? k : 0;
	if (at + 1 < p->na && at + 1 < p->nb && same_call(p, &p->a[at], &p->b[at + 1]) &&
		same_call(p, &p->a[at + 1], &p->b[at])) {
		stray->kind = STRAY_TURNED;
		return;
	}
	fitting = (skipped > 0) + (extra > 0);
	if (goes_on(p, at + 1, at + 1)) {
		stray->kind = STRAY_OTHER;
		fitting++;
	}
	if (fitting != 1)
		stray->kind = STRAY_UNCLEAR;
	else if (skipped || extra)
		stray->kind = skipped ? STRAY_SKIPPED : STRAY_EXTRA;
	stray->n = fitting == 1 ? skipped + extra : 0;
}

/* Returns the group of that kind in which the rank sits; JOB_NONE. */
static int own_group(const struct comparison *c, struct rank_index rank, int kind)
{
	by_rank_each(&c->q->seats, rank, i) {
		int group = c->q->job->members[c->q->seats.at[i]].group;

		if (c->kinds[group] == kind)
			return group;
	}
	return JOB_NONE;
}

/* Tells whether the thread of that op launched all ops of row b. */
static enum job_known is_of_one_thread(const struct pair *p, const struct job_op *op)
{
	enum job_known all = JOB_YES;

	for (size_t i = 0; i < p->nb; i++) {
		enum job_known one = waits_of_one_thread(p->b[i].op, op);

		if (one == JOB_NO)
			return JOB_NO;
		all = one == JOB_MAYBE ? JOB_MAYBE : all;
	}
	return all;
}

/* Tells whether the thread of that op launched row b's last op in the group. */
static enum job_known is_last_in(const struct pair *p, int group, const struct job_op *op)
{
	for (size_t i = p->nb; i-- > 0;)
		if (p->b[i].group == group)
			return waits_of_one_thread(p->b[i].op, op);
	return JOB_NO;
}

/* Counterparts that are compared, as rows; the longest first. */
struct band {
	const struct row **rows;
	size_t n;
};

static int compare_places_of_rows(const void *va, const void *vb)
{
	const struct row *const *a = va, *const *b = vb;

	return *a < *b ? -1 : *a > *b;
}

static bool same_band(const struct band *a, const struct band *b)
{
	return a->n == b->n && !memcmp(a->rows, b->rows, a->n * sizeof(*a->rows));
}

/* Marks the rows that part from the one at `measure`. Returns how many do. */
static size_t sort_out(
	const struct comparison *c, const struct band *band, size_t measure, bool *leaves)
{
	size_t n = 0;

	for (size_t i = 0; i < band->n; i++) {
		struct pair p = lay(c, band->rows[measure], band->rows[i]);

		leaves[i] = i != measure && parting(&p) != SIZE_MAX;
		n += leaves[i];
	}
	return n;
}

/*
 * Adds the ranks whose row goes along with the measure's beyond place `at` of it, and the measure's
 * own.
 */
static void find_agreeing(const struct comparison *c, const struct band *band, size_t measure,
	size_t at, const bool *leaves, struct rank_list *agree)
{
	for (size_t i = 0; i < band->n; i++) {
		struct pair p = lay(c, band->rows[measure], band->rows[i]);

		if (!leaves[i] && p.laid && at >= p.skipped_a && at - p.skipped_a < p.nb)
			rank_list_add(agree, band->rows[i]->rank);
	}
	rank_list_settle(agree);
}

/*
 * Returns the number that the call which its counterparts made would have for the stray: that of
 * its next call in that group, or towards that peer, whatever it is.
 */
static uint64_t number_of_like(const struct pair *p, size_t at, const struct stray *stray)
{
	const struct job_sig *like = &stray->like.op->sig;
	uint64_t before = 0;

	for (size_t i = 0; i < p->nb; i++) {
		const struct job_sig *sig = &p->b[i].op->sig;

		if (p->b[i].group != stray->group ||
			job_op_is_p2p(sig->op) != job_op_is_p2p(like->op) ||
			(job_op_is_p2p(like->op) &&
				(sig->op != like->op || !same_group_rank(sig->peer, like->peer))))
			continue;
		if (i >= at)
			return p->b[i].op->index;
		before = p->b[i].op->index;
	}
	return before + 1;
}

/* True if the member in that seat made the other half of that send or receive of the seat `of`. */
static bool made_half(const struct job_member *m, const struct job_sig *half, uint64_t number,
	struct group_rank of)
{
	for (size_t i = 0; i < m->np2p; i++)
		if (m->p2p[i].sig.op != half->op && m->p2p[i].index == number &&
			same_group_rank(m->p2p[i].sig.peer, of))
			return true;
	return false;
}

/*
 * True if members of the stray's own group made the call that its counterparts made. If none did,
 * the group does something of its own, and nobody in it strays.
 */
static bool fellows_made_it(const struct pair *p, size_t at, const struct stray *stray)
{
	const struct job *job = p->c->q->job;
	const struct job_group *g = &job->groups[stray->group];
	const struct job_sig *like = &stray->like.op->sig;
	uint64_t number = number_of_like(p, at, stray);
	struct group_rank own = NO_GROUP_RANK;

	for (uint32_t seat = 0; seat < g->size; seat++)
		if (same_rank(job->members[g->first_member + (int)seat].rank, stray->rank))
			own = group_rank(seat);
	for (uint32_t seat = 0; seat < g->size; seat++) {
		const struct job_member *m = &job->members[g->first_member + (int)seat];
		const struct job_op *op = rollcall_op(m, number);
		struct usual_op theirs = {stray->group, op};

		if (seat == own.n)
			continue;
		if (!job_op_is_p2p(like->op) && op && same_call(p, &theirs, &stray->like))
			return true;
		if (job_op_is_p2p(like->op) && seat == like->peer.n &&
			made_half(m, like, number, own))
			return true;
	}
	return false;
}

/*
 * Tells whether another thread of the rank may yet launch what is missing from its row; MAYBE where
 * its threads are not known.
 */
static enum job_known may_yet_come(const struct pair *p, const struct stray *stray)
{
	enum job_known one = is_of_one_thread(p, stray->did.op);
	enum job_known last = is_last_in(p, stray->group, stray->did.op);

	if (one == JOB_YES || last == JOB_YES)
		return JOB_NO;
	return one == JOB_MAYBE || last == JOB_MAYBE ? JOB_MAYBE : JOB_YES;
}

/*
 * Returns how many of the band may yet come to where the rows part, and do as either: they have not
 * come so far, live, and are not known to wait elsewhere.
 */
static size_t count_undecided(
	const struct comparison *c, const struct band *band, const struct stray *stray)
{
	size_t n = 0;

	for (size_t i = 0; i < band->n; i++) {
		struct rank_index rank = band->rows[i]->rank;

		n += !same_rank(rank, stray->rank) && !rank_list_has(&stray->agree, rank) &&
		     !c->q->profiles[rank.i].ended && !inquiry_has_gone_elsewhere(c->q, rank);
	}
	return n;
}

/*
 * Describes the stray at row `odd`, measured by the row `measure`, with which others agree; NO_RANK
 * if it does not stray for certain.
 */
static struct stray describe(const struct comparison *c, const struct band *band, size_t measure,
	size_t odd, const bool *leaves)
{
	struct stray stray = {.rank = NO_RANK};
	struct pair p = lay(c, band->rows[measure], band->rows[odd]);
	size_t at = parting(&p);
	enum job_known yet;

	find_agreeing(c, band, measure, at + p.skipped_a, leaves, &stray.agree);
	if (stray.agree.list.nr < 2 || stray.agree.list.nr < 2 + inquiry_unreadable(c->q))
		return stray;
	stray.rank = band->rows[odd]->rank;
	if (stray.agree.list.nr < 2 + count_undecided(c, band, &stray)) {
		stray.rank = NO_RANK;
		return stray;
	}
	stray.did = p.b[at];
	stray.like = p.a[at];
	stray.group = own_group(c, stray.rank, c->kinds[stray.like.group]);
	for (size_t i = 0; i < at; i++)
		stray.usual |= p.b[i].group == stray.did.group;
	find_kind(&p, at, &stray);
	yet = may_yet_come(&p, &stray);
	/* Dumps tell no threads: what they tell is taken for the program's order. */
	if (yet == JOB_MAYBE && !waits_are_by_dump(job_rank(c->q->job, stray.rank)))
		stray.usual = false;
	if (stray.group == JOB_NONE || yet == JOB_YES ||
		!rollcall_lists_all(&c->q->job->groups[stray.group]) ||
		!fellows_made_it(&p, at, &stray))
		stray.rank = NO_RANK;
	return stray;
}

/* Finds the one of these counterparts that strays; the first row must be the longest. */
static struct stray find_among(const struct comparison *c, const struct band *band)
{
	bool *leaves = alloc_zeroed(band->n + 1, sizeof(*leaves));
	struct stray stray = {.rank = NO_RANK};
	size_t n = band->n < 3 ? 0 : sort_out(c, band, 0, leaves), other = 0;

	while (n && !leaves[other])
		other++;
	if (n == 1)
		stray = describe(c, band, 0, other, leaves);
	else if (n > 1 && sort_out(c, band, other, leaves) == 1 && leaves[0])
		stray = describe(c, band, other, 0, leaves);
	free(leaves);
	return stray;
}

/* -- whether somebody waits there -------------------------------------------------------------- */

/*
 * True if others wait in the group whose op the stray left out, or the stray waits in what it did
 * instead.
 */
static bool is_waited_for(const struct inquiry *q, const struct stray *stray)
{
	for (size_t i = 0; i < q->waits->n; i++) {
		const struct wait *wait = &q->waits->at[i];

		if (wait->member == JOB_NONE ||
			(wait->kind != WAIT_COLLECTIVE && wait->kind != WAIT_P2P))
			continue;
		if (same_rank(wait->rank, stray->rank)) {
			if (wait->op == stray->did.op)
				return true;
		} else if (q->job->members[wait->member].group == stray->group) {
			return true;
		}
	}
	return false;
}

struct strays {
	struct stray first;
	size_t n;
};

/* Keeps a stray if somebody waits where it strays, and it is not the one that was found before. */
static void keep(const struct inquiry *q, struct stray stray, struct strays *found)
{
	bool waited = is_rank(stray.rank) && is_waited_for(q, &stray);

	if (waited && (!found->n || !same_rank(found->first.rank, stray.rank)) && !found->n++)
		found->first = stray;
	else
		array_release(&stray.agree.list);
}

/* Finds the counterparts of one group. */
static void find_fellows(const struct comparison *c, const struct job_group *g,
	const struct row *const *row_of, struct band *band)
{
	band->n = 0;
	for (uint32_t seat = 0; seat < g->size; seat++) {
		struct rank_index rank = c->q->job->members[g->first_member + (int)seat].rank;
		const struct row *row = is_rank(rank) ? row_of[rank.i] : NULL;

		/* A list of ranks that names one twice is a stranger's. */
		if (row && band->n < c->rows.nr &&
			(!band->n || band->rows[0]->class == row->class))
			band->rows[band->n++] = row;
	}
	array_sort_items(band->rows, band->n, sizeof(*band->rows), compare_places_of_rows);
}

/*
 * Compares the counterparts of each group among themselves: not all groups of a shape need do the
 * same. Groups of the same ranks often follow each other, and are compared once.
 */
static void look_in_groups(
	const struct comparison *c, const struct row *const *row_of, struct strays *found)
{
	const struct job *job = c->q->job;
	struct band bands[2] = {{alloc_zeroed(c->rows.nr + 1, sizeof(*bands[0].rows)), 0},
		{alloc_zeroed(c->rows.nr + 1, sizeof(*bands[1].rows)), 0}};
	int turn = 0;

	for (size_t i = 0; i < job->ngroups && !found->n; i++) {
		find_fellows(c, &job->groups[i], row_of, &bands[turn]);
		if (same_band(&bands[turn], &bands[!turn]))
			continue;
		keep(c->q, find_among(c, &bands[turn]), found);
		turn = !turn;
	}
	free(bands[0].rows);
	free(bands[1].rows);
}

/* Compares all counterparts; where they tell of nobody, those within one group. */
static void look_at_all(const struct comparison *c, struct strays *found)
{
	const struct job *job = c->q->job;
	const struct row **row_of = alloc_zeroed(job->nranks + 1, sizeof(*row_of));
	struct band band = {alloc_zeroed(c->rows.nr + 1, sizeof(*band.rows)), 0};

	for (size_t from = 0, to; from < c->rows.nr; from = to) {
		band.n = 0;
		for (to = from; to < c->rows.nr &&
				c->rows.items[to].class == c->rows.items[from].class;
			to++) {
			row_of[c->rows.items[to].rank.i] = &c->rows.items[to];
			band.rows[band.n++] = &c->rows.items[to];
		}
		keep(c->q, find_among(c, &band), found);
	}
	look_in_groups(c, row_of, found);
	free(band.rows);
	free(row_of);
}

static bool is_too_large(const struct job *job)
{
	size_t n = 0;

	for (size_t i = 0; i < job->nmembers; i++)
		n += job->members[i].nops + job->members[i].np2p;
	return n > MOST_OPS;
}

struct stray counterparts_find_stray(const struct inquiry *q)
{
	struct comparison c = {.q = q,
		.kinds = alloc_zeroed(q->job->ngroups + 1, sizeof(*c.kinds)),
		.sends = alloc_zeroed(q->job->ngroups + 1, sizeof(*c.sends))};
	struct strays found = {.first = {.rank = NO_RANK}};
	bool is_large = is_too_large(q->job);
	struct row *row;

	find_kinds(&c);
	for (struct rank_index at = {0}; job_has_rank(q->job, at) && !is_large; at.i++)
		add_row(&c, at);
	sort_rows(&c);
	look_at_all(&c, &found);
	array_for_each(&c.rows, row) {
		free(row->places);
		rank_row_release(&row->ops);
	}
	array_release(&c.rows);
	free(c.kinds);
	free(c.sends);
	if (found.n > 1)
		found.first.rank = NO_RANK;
	return found.first;
}
