/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All known ops of a group are laid side by side by index, and the first index at which they do not
 * agree is the fork. Of each seat only some ops are known (the first ones, powers of two, the
 * last), so two seats may share few indexes. What helps there are the running hash and the count of
 * empty ops: both tell of everything before, and the last place where they still agreed bounds the
 * fork from below (`agreed`).
 *
 *	index    #1   #2   #4   #8  ... #60  #61
 *	rank 0	   a    b    a    b        c    d
 *	rank 1	   a    b    a    b        c    e	the details differ: exact
 *	rank 2	   a    b    a    b*  ...		the hash differs: some place after #4
 *
 * Inside one launch NCCL lets each rank issue its ops in any order. There whole launches are
 * compared, as bags; hashes, which depend on the order, prove nothing.
 *
 * Behind a fork that completed all have gone on: wrong data, no hang. The place at which they stand
 * is then another fork. It is sought in the details alone, since from the first fork on hashes and
 * counts of empty ops differ everywhere.
 */
#include "job/forks.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/hash.h"
#include "job/align.h"
#include "job/names.h"
#include "job/rollcall.h"

/*
 * Reductions from this number on, up to those of MPI, are handles that each rank made for itself.
 */
#define FIRST_OWN_REDOP 5

/* An op whose details one member has. */
struct known_op {
	uint64_t index;
	int member;
	const struct job_op *op;
};

/* The search for the forks of one group. */
struct finder {
	const struct job *job;
	int group;
	bool trust_hashes;
	bool details_only;	    /* counts of empty ops, and hashes, prove nothing */
	ARRAY(struct known_op) ops; /* of the group, by index, then member */
};

/* -- what is the same -------------------------------------------------------------------------- */

/* Bytes of an element, by ncclDataType_t; 0 for types that came later. */
static unsigned dtype_size(uint8_t dtype)
{
	static const uint8_t sizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};

	return dtype < sizeof(sizes) ? sizes[dtype] : 0;
}

/* True if the rank made that reduction itself: its number need not be that of others. */
static bool is_own_redop(uint8_t redop)
{
	return redop >= FIRST_OWN_REDOP && !job_redop_name(redop);
}

/*
 * Returns the reduction, as far as ranks can agree on it: all user-made ones are one; 0 for ops
 * that only move data.
 */
static uint8_t plain_redop(const struct job_sig *sig)
{
	if (job_op_only_moves(sig->op))
		return 0;
	return is_own_redop(sig->redop) ? FIRST_OWN_REDOP : sig->redop;
}

/* Computes the bytes of an op. False if the size of its elements or its count is unknown. */
static bool bytes_of(const struct job_sig *sig, uint64_t *ret)
{
	unsigned size = sig->dtype == JOB_DTYPE_BYTES ? 1 : dtype_size(sig->dtype);

	*ret = sig->count * size;
	return size != 0 && sig->count != JOB_NO_COUNT;
}

/*
 * Compares the amounts of two ops of which one was seen by a route that tells only bytes. True
 * unless both are known and differ.
 */
static bool amounts_agree(const struct job_sig *a, const struct job_sig *b)
{
	uint64_t bytes_a, bytes_b;

	return !bytes_of(a, &bytes_a) || !bytes_of(b, &bytes_b) || bytes_a == bytes_b;
}

enum fork_kind forks_differ(const struct job_sig *a, const struct job_sig *b)
{
	bool moves = job_op_only_moves(a->op);
	bool typed = a->dtype != JOB_DTYPE_UNTOLD && b->dtype != JOB_DTYPE_UNTOLD;
	bool counted = a->count != JOB_NO_COUNT && b->count != JOB_NO_COUNT;

	if (a->op != b->op)
		return FORK_OP;
	if (counted && !a->count != !b->count)
		return FORK_ZERO;
	if (!a->count || !b->count)
		return FORK_NONE;
	if (job_op_is_rooted(a->op) && !same_group_rank(a->peer, b->peer))
		return FORK_ROOT;
	if (counted && moves && a->dtype != b->dtype && dtype_size(a->dtype) &&
		dtype_size(b->dtype) &&
		a->count * dtype_size(a->dtype) == b->count * dtype_size(b->dtype))
		return FORK_NONE;
	if ((a->dtype == JOB_DTYPE_BYTES) != (b->dtype == JOB_DTYPE_BYTES)) {
		if (!amounts_agree(a, b))
			return FORK_COUNT;
	} else if (typed && a->dtype != b->dtype) {
		return FORK_DTYPE;
	} else if (counted && a->count != b->count) {
		return FORK_COUNT;
	}
	return plain_redop(a) != plain_redop(b) ? FORK_REDOP : FORK_NONE;
}

/*
 * The indexes of the launch that an op of the member belongs to, as far as its known ops go: they
 * stand by index, and those of one launch side by side.
 */
static void widen(
	const struct job_member *m, const struct job_op *op, uint64_t *low, uint64_t *high)
{
	const struct job_op *first = op, *last = op;

	if (!op->launch)
		return;
	while (first > m->ops && first[-1].launch == op->launch)
		first--;
	while (last + 1 < m->ops + m->nops && last[1].launch == op->launch)
		last++;
	*low = first->index < *low ? first->index : *low;
	*high = last->index > *high ? last->index : *high;
}

/*
 * True if every op of `a` in [low, high] has its like among those of `b`: launches of up to 64 ops.
 */
static bool same_bag(
	const struct job_member *a, const struct job_member *b, uint64_t low, uint64_t high)
{
	bool used[64] = {false};

	if (high - low >= 64)
		return false;
	for (uint64_t i = low; i <= high; i++) {
		const struct job_op *mine = rollcall_op(a, i);
		bool found = false;

		for (uint64_t k = low; mine && !found && k <= high; k++) {
			const struct job_op *theirs = rollcall_op(b, k);

			if (!theirs || used[k - low] || forks_differ(&mine->sig, &theirs->sig))
				continue;
			used[k - low] = found = true;
		}
		if (!found)
			return false;
	}
	return true;
}

/*
 * Returns in what two ops of one index differ. Ops of one launch are unordered: there it compares
 * the whole launches around the place.
 */
static enum fork_kind differ_at(
	const struct finder *f, const struct known_op *a, const struct known_op *b)
{
	const struct job_member *ma = &f->job->members[a->member];
	const struct job_member *mb = &f->job->members[b->member];
	enum fork_kind kind = forks_differ(&a->op->sig, &b->op->sig);
	uint64_t low = a->index, high = a->index;

	if (kind == FORK_NONE || (!a->op->launch && !b->op->launch))
		return kind;
	widen(ma, a->op, &low, &high);
	widen(mb, b->op, &low, &high);
	return same_bag(ma, mb, low, high) ? FORK_NONE : kind;
}

/* -- the first place --------------------------------------------------------------------------- */

static int compare_known(const void *va, const void *vb)
{
	const struct known_op *a = va, *b = vb;

	if (a->index != b->index)
		return a->index < b->index ? -1 : 1;
	return a->member < b->member ? -1 : a->member > b->member;
}

/* True if the op may be like several that differ: its type or its amount is not told. */
static bool is_vague(const struct job_op *op)
{
	return op->sig.dtype == JOB_DTYPE_UNTOLD || op->sig.count == JOB_NO_COUNT;
}

/*
 * Leaves out a vague op where another one of that index tells all and is like it: there may be
 * others like it, and of which camp its member is, nobody knows.
 */
static void leave_out_vague(struct finder *f)
{
	size_t n = 0;

	for (size_t from = 0, to; from < f->ops.nr; from = to) {
		const struct job_op *clear = NULL;

		for (to = from; to < f->ops.nr &&
				f->ops.items[to].index == f->ops.items[from].index;
			to++)
			if (!clear && !is_vague(f->ops.items[to].op))
				clear = f->ops.items[to].op;
		for (size_t i = from; i < to; i++) {
			const struct known_op op = f->ops.items[i];

			if (!clear || !is_vague(op.op) ||
				forks_differ(&op.op->sig, &clear->sig) != FORK_NONE)
				f->ops.items[n++] = op;
		}
	}
	f->ops.nr = n;
}

/*
 * Collects the group's ops by index, and finds whether its hashes prove anything: not where order,
 * handles or words may lawfully differ.
 */
static void collect_ops(struct finder *f)
{
	const struct job_group *g = &f->job->groups[f->group];
	size_t in_bytes = 0;

	f->trust_hashes = true;
	for (uint32_t seat = 0; seat < g->size; seat++) {
		int member = g->first_member + (int)seat;
		const struct job_member *m = &f->job->members[member];

		for (size_t i = 0; i < m->nops; i++) {
			const struct job_op *op = &m->ops[i];

			if (is_own_redop(op->sig.redop) && !job_op_only_moves(op->sig.op))
				f->trust_hashes = false;
			if (op->launch && i && m->ops[i - 1].launch == op->launch)
				f->trust_hashes = false;
			in_bytes += op->sig.dtype == JOB_DTYPE_BYTES;
			*array_add(&f->ops) = (struct known_op){op->index, member, op};
		}
	}
	/* Routes that describe the same op differently hash it differently. */
	if (in_bytes && in_bytes != f->ops.nr)
		f->trust_hashes = false;
	array_sort(&f->ops, compare_known);
	leave_out_vague(f);
}

/*
 * Returns in what the ops at [from, to), all of one index, differ: by details, else by what came
 * before them.
 */
static enum fork_kind differ_among(const struct finder *f, size_t from, size_t to)
{
	const struct known_op *first = &f->ops.items[from];
	enum fork_kind hidden = FORK_NONE;

	for (size_t i = from + 1; i < to; i++) {
		const struct known_op *other = &f->ops.items[i];
		enum fork_kind kind = differ_at(f, first, other);

		if (kind)
			return kind;
		if (f->details_only)
			continue;
		if (first->op->zeros != other->op->zeros)
			hidden = FORK_ZERO;
		else if (!hidden && f->trust_hashes && first->op->hash && other->op->hash &&
			 first->op->hash != other->op->hash)
			hidden = FORK_HIDDEN;
	}
	return hidden;
}

/* -- the camps --------------------------------------------------------------------------------- */

/*
 * True if two ops at the fork did the same, by what shows the fork: counts of empty ops, hashes, or
 * details.
 */
static bool same_camp(const struct finder *f, enum fork_kind hidden, const struct known_op *a,
	const struct known_op *b)
{
	if (hidden == FORK_ZERO)
		return a->op->zeros == b->op->zeros;
	if (hidden == FORK_HIDDEN)
		return a->op->hash == b->op->hash;
	return differ_at(f, a, b) == FORK_NONE;
}

/*
 * The camps of one fork by what their ops did, so that each op is compared with few of them,
 * however many there are: with those of its own bucket, and with those of bucket 0, which may be
 * like any. An op of bucket 0 is compared with all.
 */
struct camp_index {
	const struct finder *finder;
	enum fork_kind hidden;
	size_t nbuckets;
	int *first, *last; /* per bucket: its camps, the oldest first; JOB_NONE */
	int *next;	   /* per camp: the next one of its bucket; JOB_NONE */
};

/*
 * Returns a number that two ops of one camp have in common; 0: such an op may be like ops with any
 * number, since a launch has no order, and bytes may not be known.
 */
static uint64_t number_of(const struct known_op *op, enum fork_kind hidden)
{
	const struct job_sig *sig = &op->op->sig;
	uint64_t bytes, number = hash_mix(HASH_START, sig->op);

	if (hidden)
		return hash_mix(HASH_START, hidden == FORK_ZERO ? op->op->zeros : op->op->hash);
	if (op->op->launch)
		return 0;
	if (!sig->count)
		return number;
	if (!bytes_of(sig, &bytes))
		return 0;
	number = hash_mix(hash_mix(number, bytes), plain_redop(sig));
	return job_op_is_rooted(sig->op) ? hash_mix(number, sig->peer.n) : number;
}

static size_t bucket_of(const struct camp_index *index, const struct known_op *op)
{
	uint64_t number = number_of(op, index->hidden);

	return number ? 1 + number % (index->nbuckets - 1) : 0;
}

/* Returns the oldest camp of a bucket that did the same; JOB_NONE: none did. */
static int find_in_bucket(const struct camp_index *index, const struct fork *fork, size_t bucket,
	const struct known_op *op)
{
	for (int i = index->first[bucket]; i != JOB_NONE; i = index->next[i]) {
		struct known_op first = {op->index, fork->camps[i].members[0], fork->camps[i].op};

		if (same_camp(index->finder, index->hidden, &first, op))
			return i;
	}
	return JOB_NONE;
}

/* Returns the oldest camp that did the same; JOB_NONE: none did. */
static int find_camp(
	const struct camp_index *index, const struct fork *fork, const struct known_op *op)
{
	size_t own = bucket_of(index, op);
	int oldest = find_in_bucket(index, fork, 0, op);

	for (size_t i = own ? own : 1; i < (own ? own + 1 : index->nbuckets); i++) {
		int found = find_in_bucket(index, fork, i, op);

		if (found != JOB_NONE && (oldest == JOB_NONE || found < oldest))
			oldest = found;
	}
	return oldest;
}

/* Makes a camp of what that op did. */
static int add_camp(struct camp_index *index, struct fork *fork, const struct known_op *op)
{
	size_t bucket = bucket_of(index, op);
	int camp = (int)fork->ncamps++;

	if (!(camp & (camp - 1)))
		fork->camps = alloc_resize(
			fork->camps, camp ? 2 * (size_t)camp : 1, sizeof(*fork->camps));
	fork->camps[camp] = (struct fork_camp){.sig = op->op->sig,
		.op = op->op,
		.zero = !index->hidden && op->op->sig.count == 0};
	index->next[camp] = JOB_NONE;
	if (index->first[bucket] == JOB_NONE)
		index->first[bucket] = camp;
	else
		index->next[index->last[bucket]] = camp;
	index->last[bucket] = camp;
	return camp;
}

/* Adds a member to the first camp that did the same, or to a new one. Members come in order. */
static void join_camp(struct camp_index *index, struct fork *fork, const struct known_op *op)
{
	int found = find_camp(index, fork, op);
	struct fork_camp *camp;

	if (found == JOB_NONE)
		found = add_camp(index, fork, op);
	camp = &fork->camps[found];
	if (!(camp->n & (camp->n - 1)))
		camp->members = alloc_resize(
			camp->members, camp->n ? 2 * camp->n : 1, sizeof(*camp->members));
	camp->members[camp->n++] = op->member;
}

/*
 * Divides the ops [from, to) of f->ops into camps. Buckets beside bucket 0 are an odd number: most
 * amounts are multiples of some power of two, and so of what divides an even one.
 */
static void make_camps(
	struct finder *f, struct fork *fork, size_t from, size_t to, enum fork_kind hidden)
{
	struct camp_index index = {
		.finder = f, .hidden = hidden, .nbuckets = 2 * (to - from) + 2};

	index.first = alloc_zeroed(index.nbuckets, sizeof(*index.first));
	index.last = alloc_zeroed(index.nbuckets, sizeof(*index.last));
	index.next = alloc_zeroed(to - from, sizeof(*index.next));
	for (size_t i = 0; i < index.nbuckets; i++)
		index.first[i] = JOB_NONE;
	for (size_t i = from; i < to; i++)
		join_camp(&index, fork, &f->ops.items[i]);
	free(index.first);
	free(index.last);
	free(index.next);
}

/*
 * Orders camps by size, the largest first: the others left it. Of equal ones that with the first
 * member.
 */
static int compare_camps(const void *va, const void *vb)
{
	const struct fork_camp *a = va, *b = vb;

	if (a->n != b->n)
		return a->n > b->n ? -1 : 1;
	return a->members[0] < b->members[0] ? -1 : a->members[0] > b->members[0];
}

/*
 * Marks as zero, of camps that differ in their number of zero-count ops, all with more than the
 * least.
 */
static void mark_zero_camps(struct fork *fork)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < fork->ncamps; i++)
		if (fork->camps[i].op->zeros < least)
			least = fork->camps[i].op->zeros;
	for (size_t i = 0; i < fork->ncamps; i++)
		fork->camps[i].zero = fork->camps[i].op->zeros > least;
}

/* True if the op is complete, on its own seat's word. */
static bool is_done(const struct job_member *m, uint64_t index)
{
	const struct job_op *op = rollcall_op(m, index);

	return (m->done_known && m->done >= index) || (op && op->completed == JOB_YES);
}

/*
 * Counts the members that are in no camp though they came to the fork, or may have, and finds
 * whether all the others are beyond it.
 */
static void look_around(const struct finder *f, struct fork *fork)
{
	const struct job_group *g = &f->job->groups[fork->group];
	size_t placed = 0, absent = 0, ahead = 0, done = 0, told = 0;

	for (size_t i = 0; i < fork->ncamps; i++)
		told += fork->camps[i].n;
	for (uint32_t seat = 0; seat < g->size; seat++) {
		const struct job_member *m = &f->job->members[g->first_member + (int)seat];

		absent += rollcall_of(f->job, m, fork->index) == ROLL_ABSENT;
		if (!rollcall_op(m, fork->index))
			continue;
		placed++;
		done += is_done(m, fork->index);
		ahead += m->head > fork->index;
	}
	fork->unknown = g->size - told - absent + rollcall_unseen(f->job, g);
	fork->completed = done == placed;
	fork->passed = placed == ahead || fork->completed;
}

/* Returns the kind of a fork. That a camp brought nothing tells more than that counts differ. */
static enum fork_kind kind_of(const struct fork *fork, enum fork_kind found, bool hidden)
{
	if (hidden)
		return found;
	for (size_t i = 0; i < fork->ncamps; i++)
		if (fork->camps[i].zero &&
			forks_differ(&fork->camps[i].sig, &fork->camps[i ? 0 : 1].sig) == FORK_ZERO)
			return FORK_ZERO;
	return found;
}

/* Fills in the fork whose ops are [from, to) of f->ops. */
static void describe(struct finder *f, struct fork *fork, size_t from, size_t to)
{
	enum fork_kind found = differ_among(f, from, to);
	bool exact = false;

	for (size_t i = from + 1; i < to && !exact; i++)
		exact = differ_at(f, &f->ops.items[from], &f->ops.items[i]) != FORK_NONE;
	fork->exact = exact;
	fork->index = f->ops.items[from].index;
	make_camps(f, fork, from, to, exact ? FORK_NONE : found);
	array_sort_items(fork->camps, fork->ncamps, sizeof(*fork->camps), compare_camps);
	if (!exact && found == FORK_ZERO)
		mark_zero_camps(fork);
	fork->kind = kind_of(fork, found, !exact);
	look_around(f, fork);
	if (fork->ncamps == 2)
		fork->shift = align_camps(f->job, fork);
}

/* Returns where the ops of the index that begins at `from` end. */
static size_t end_of_index(const struct finder *f, size_t from)
{
	size_t to = from + 1;

	while (to < f->ops.nr && f->ops.items[to].index == f->ops.items[from].index)
		to++;
	return to;
}

/*
 * Finds the group's first fork. Returns where the ops of its index end in f->ops; 0: there is none,
 * and *fork holds no memory.
 */
static size_t find_first(struct finder *f, struct fork *fork)
{
	*fork = (struct fork){.group = f->group};
	for (size_t from = 0, to; from < f->ops.nr; from = to) {
		to = end_of_index(f, from);
		if (differ_among(f, from, to)) {
			describe(f, fork, from, to);
			return to;
		}
		if (to - from > 1)
			fork->agreed = f->ops.items[from].index;
	}
	return 0;
}

/* True if the next ops behind `from` that several seats know agree. */
static bool agree_behind(const struct finder *f, size_t from)
{
	for (size_t to; from < f->ops.nr; from = to) {
		to = end_of_index(f, from);
		if (to - from > 1)
			return !differ_among(f, from, to);
	}
	return false;
}

/* True if some member's device is known to be not beyond that op, however far its calls are. */
static bool is_held(const struct finder *f, uint64_t index)
{
	const struct job_group *g = &f->job->groups[f->group];

	for (uint32_t seat = 0; seat < g->size; seat++) {
		const struct job_member *m = &f->job->members[g->first_member + (int)seat];

		if (m->done_known && m->done < index && rollcall_op(m, index))
			return true;
	}
	return false;
}

/* Finds the first fork at or behind f->ops[from] that holds somebody; false where there is none. */
static bool find_standing(struct finder *f, size_t from, struct fork *fork)
{
	uint64_t agreed = 0;

	for (size_t to; from < f->ops.nr; from = to) {
		struct fork place = {.group = f->group, .index = f->ops.items[from].index};

		to = end_of_index(f, from);
		if (differ_among(f, from, to)) {
			look_around(f, &place);
			if (!place.passed || is_held(f, place.index)) {
				*fork = (struct fork){.group = f->group, .agreed = agreed};
				describe(f, fork, from, to);
				return true;
			}
		} else if (to - from > 1) {
			agreed = f->ops.items[from].index;
		}
	}
	return false;
}

/*
 * True if the fork is one place only: another op there, and behind it all do the same again,
 * unshifted.
 */
static bool is_of_one_place(const struct finder *f, const struct fork *fork, size_t behind)
{
	return (!fork->exact || fork->shift.kind == SHIFT_NONE) && agree_behind(f, behind);
}

/*
 * Finds the place at which members stand, behind a fork that all have passed in their calls and on
 * their devices. Behind a fork of kind ZERO none is sought: who brought nothing lacks that op from
 * there on.
 */
static bool find_second(struct finder *f, const struct fork *first, size_t behind, struct fork *at)
{
	f->details_only = true;
	if (!first->completed || first->kind == FORK_ZERO || !find_standing(f, behind, at))
		return false;
	at->second = !is_of_one_place(f, first, behind);
	return true;
}

/* Finds the forks of one group, at most two, into at[0] and at[1]; returns how many. */
static size_t find_forks(const struct job *job, int group, struct fork *at)
{
	struct finder f = {.job = job, .group = group};
	size_t n = 0, behind;

	if (job->groups[group].unordered)
		return 0;
	collect_ops(&f);
	behind = find_first(&f, at);
	if (behind)
		n = find_second(&f, at, behind, at + 1) ? 2 : 1;
	array_release(&f.ops);
	return n;
}

struct forks *forks_new(const struct job *job)
{
	struct forks *forks = alloc_zeroed(1, sizeof(*forks));

	forks->at = alloc_zeroed(2 * job->ngroups + 1, sizeof(*forks->at));
	for (size_t i = 0; i < job->ngroups; i++)
		forks->n += find_forks(job, (int)i, forks->at + forks->n);
	return forks;
}

void forks_free(struct forks *forks)
{
	if (!forks)
		return;
	for (size_t i = 0; i < forks->n; i++) {
		for (size_t k = 0; k < forks->at[i].ncamps; k++)
			free(forks->at[i].camps[k].members);
		free(forks->at[i].camps);
	}
	free(forks->at);
	free(forks);
}
