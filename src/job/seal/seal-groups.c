/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes groups and their seats. A seat known from several readings keeps the furthest state of
 * each. All seats of a group exist; those without evidence are UNSEEN. In a group as large as the
 * job the unseen seats are those of the ranks that have no seat there; elsewhere nobody knows who
 * sits in an unseen seat. A group whose size nobody tells has the seats that were seen, and perhaps
 * others.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "job/backends.h"
#include "job/names.h"
#include "job/ranks.h"
#include "job/seal/seal.h"

/* -- groups ------------------------------------------------------------------------------------ */

/* Orders members by group, then seat; of one seat the later reading is last, so that it wins. */
static int compare_by_key(const void *va, const void *vb)
{
	const struct raw_member *a = va, *b = vb;

	SEAL_ORDER(a->group.key, b->group.key);
	SEAL_ORDER(a->fact.seat.n, b->fact.seat.n);
	SEAL_ORDER(a->about.when, b->about.when);
	return seal_compare_who(&a->about.who, &b->about.who);
}

/* How many seats of one group were seen, if only as the peer of another. */
struct seen_seats {
	uint64_t key;
	uint32_t seats;
};

static int compare_seen(const void *va, const void *vb)
{
	const struct seen_seats *a = va, *b = vb;

	SEAL_ORDER(a->key, b->key);
	return 0;
}

/*
 * Orders groups by size, the largest first, as people think of a job; then by key, which all ranks
 * agree on.
 */
static int compare_groups(const void *va, const void *vb)
{
	const struct job_group *a = va, *b = vb;

	SEAL_ORDER(b->size, a->size);
	SEAL_ORDER(a->key, b->key);
	return 0;
}

/* Drops members of processes that are of no rank (earlier attempts, strangers). */
static void keep_members_of_ranks(struct seal *seal)
{
	struct job_builder *b = seal->b;
	size_t kept = 0;

	for (size_t i = 0; i < b->members.nr; i++) {
		int process = seal_find_process(seal, b->members.items[i].about.who);

		if (process != JOB_NONE && is_rank(seal->people[process].rank))
			array_keep(b->members.items, kept, i);
	}
	b->members.nr = kept;
	array_sort(&b->members, compare_by_key);
}

/*
 * Joins two sizes: one that somebody says goes before one that is guessed; of two of a kind the
 * larger stands.
 */
static void join_size(struct job_group *into, const struct job_group *from)
{
	enum job_sized said = from->size && !from->sized ? JOB_SIZE_SAID : from->sized;

	if (!into->size || (from->size && said > into->sized)) {
		into->size = from->size;
		into->sized = from->size ? said : JOB_SIZE_UNKNOWN;
	} else if (said == into->sized) {
		SEAL_KEEP_MAX(into->size, from->size);
	}
}

/* Adds to a group what another member knows of it. Of texts the smaller one stands. */
static void join_group(struct job_group *into, const struct job_group *from)
{
	join_size(into, from);
	SEAL_KEEP_MAX(into->alias, from->alias);
	SEAL_KEEP_MAX(into->parent, from->parent);
	SEAL_KEEP_MAX(into->made_as, from->made_as);
	if (*from->name && (!*into->name || strcmp(from->name, into->name) < 0))
		into->name = from->name;
	if (*from->ranks && (!*into->ranks || strcmp(from->ranks, into->ranks) < 0))
		into->ranks = from->ranks;
	if (*from->maker && (!*into->maker || strcmp(from->maker, into->maker) < 0))
		into->maker = from->maker;
	if (*from->cite && (!*into->cite || strcmp(from->cite, into->cite) < 0))
		into->cite = from->cite;
}

/*
 * Settles how many seats the group gets: as many as were said, where that is possible; else those
 * seen. `total`: seats of the groups before it.
 */
static void settle_size(struct seal *seal, struct job_group *group, uint32_t seen, size_t total)
{
	struct job_loss loss = {.what = "a group of impossible size: its unseen seats are left out",
		.count = 1,
		.cite = group->cite};

	if (group->size && group->size >= seen && group->size <= SEAL_MAX_SEATS &&
		total + group->size <= SEAL_MAX_TOTAL_SEATS + 4 * seal->b->members.nr)
		return;
	if (group->size > SEAL_MAX_SEATS)
		job_add_loss(seal->b, (struct job_who){.host = ""}, &loss);
	group->size = seen;
	group->sized = JOB_SIZE_UNKNOWN;
}

/*
 * Counts as seen the seats that somebody sent to or wanted to receive from: no size may say that
 * they are there.
 */
static void see_peers(const struct seal *seal, struct seen_seats *seen, size_t n)
{
	const struct raw_op *op;

	array_for_each (&seal->b->ops, op) {
		struct seen_seats wanted = {.key = op->seen.group_key}, *found;

		if (!job_op_is_p2p(op->seen.fact.sig.op) ||
			op->seen.fact.sig.peer.n >= SEAL_MAX_SEATS)
			continue;
		found = n ? bsearch(&wanted, seen, n, sizeof(*seen), compare_seen) : NULL;
		if (found)
			SEAL_KEEP_MAX(found->seats, op->seen.fact.sig.peer.n + 1);
	}
}

/*
 * Fills in, by key, up to which seat each group was seen; returns how many groups there are.
 * Members must be sorted by key.
 */
static size_t see_seats(const struct seal *seal, struct seen_seats *seen)
{
	const struct raw_member *member;
	size_t n = 0;

	array_for_each (&seal->b->members, member) {
		if (!n || seen[n - 1].key != member->group.key)
			seen[n++] = (struct seen_seats){.key = member->group.key};
		if (member->fact.seat.n < SEAL_MAX_SEATS)
			SEAL_KEEP_MAX(seen[n - 1].seats, member->fact.seat.n + 1);
	}
	return n;
}

/* Makes one group per key. */
static void make_groups(struct seal *seal)
{
	struct job_builder *b = seal->b;
	struct seen_seats *seen = alloc_zeroed(b->members.nr + 1, sizeof(*seen));
	size_t n = 0, total = 0;

	see_peers(seal, seen, see_seats(seal, seen));
	seal->groups = arena_new_many(seal->arena, struct job_group, b->members.nr + 1);
	for (size_t i = 0, next; i < b->members.nr; i = next) {
		struct job_group group = b->members.items[i].group;

		if (group.size && !group.sized)
			group.sized = JOB_SIZE_SAID;
		for (next = i;
			next < b->members.nr && b->members.items[next].group.key == group.key;
			next++)
			join_group(&group, &b->members.items[next].group);
		settle_size(seal, &group, seen[n].seats, total);
		if (!*group.maker)
			group.maker = backend_usual();
		if (!*group.cite)
			group.cite = arena_printf(
				seal->arena, "group:%08x", (unsigned)(group.key >> 32));
		group.made_name = group.name;
		total += group.size;
		seal->groups[n++] = group;
	}
	free(seen);
	array_sort_items(seal->groups, n, sizeof(*seal->groups), compare_groups);
	seal->job->groups = seal->groups;
	seal->job->ngroups = n;
}

struct key_index {
	uint64_t key;
	int group;
};

static int compare_keys(const void *va, const void *vb)
{
	const struct key_index *a = va, *b = vb;

	SEAL_ORDER(a->key, b->key);
	return 0;
}

/* Indexes groups by key: they are sorted for people, and facts come by key. */
static void index_groups(struct seal *seal)
{
	size_t n = seal->job->ngroups;
	struct key_index *index = alloc_zeroed(n + 1, sizeof(*index));

	seal->by_key = alloc_zeroed(n + 1, sizeof(*seal->by_key));
	for (size_t i = 0; i < n; i++)
		index[i] = (struct key_index){seal->groups[i].key, (int)i};
	array_sort_items(index, n, sizeof(*index), compare_keys);
	for (size_t i = 0; i < n; i++)
		seal->by_key[i] = index[i].group;
	free(index);
}

int seal_find_group(const struct seal *seal, uint64_t key)
{
	size_t n = seal->job->ngroups;
	size_t place = bisect(0, n, i, seal->groups[seal->by_key[i]].key < key);

	return place < n && seal->groups[seal->by_key[place]].key == key ? seal->by_key[place]
									 : JOB_NONE;
}

/* -- seats ------------------------------------------------------------------------------------- */

/*
 * Joins two readings of a seat. Counters and states of a seat only ever go up, so the furthest
 * stands.
 */
static void join_member(struct job_member *into, const struct job_member *from)
{
	SEAL_KEEP_MAX(into->state, from->state);
	into->aborted |= from->aborted;
	into->nonblocking |= from->nonblocking;
	into->saw_capture |= from->saw_capture;
	into->from_any |= from->from_any;
	into->unordered |= from->unordered;
	SEAL_KEEP_MAX(into->init_since, from->init_since);
	SEAL_KEEP_MAX(into->ready_at, from->ready_at);
	SEAL_KEEP_MAX(into->splits, from->splits);
	SEAL_KEEP_MAX(into->timeout, from->timeout);
	into->p2p_whole |= from->p2p_whole;
	into->keeps_newest |= from->keeps_newest;
	if (from->head_known) {
		if (!into->head_known || from->head > into->head)
			into->zeros = from->zeros;
		else if (from->head == into->head)
			SEAL_KEEP_MAX(into->zeros, from->zeros);
		SEAL_KEEP_MAX(into->head, from->head);
		into->head_known = true;
	}
	if (from->done_known) {
		SEAL_KEEP_MAX(into->done, from->done);
		into->done_known = true;
	}
	if (from->begun_known) {
		SEAL_KEEP_MAX(into->begun, from->begun);
		into->begun_known = true;
	}
	if (strcmp(from->cite, into->cite) > 0)
		into->cite = from->cite;
}

/*
 * Returns the rank in a seat. In a process that holds several seats of one group, each is another
 * rank.
 */
static struct rank_index rank_of_seat(struct seal *seal, const struct raw_member *member)
{
	int process = seal_find_process(seal, member->about.who);

	if (!seal->people[process].shared)
		return seal->people[process].rank;
	for (size_t i = 0; i < seal->seat_ranks.nr; i++) {
		const struct seal_seat_rank *seat = &seal->seat_ranks.items[i];

		if (seat->process == process && seat->group_key == member->group.key &&
			same_group_rank(seat->seat, member->fact.seat))
			return seat->rank;
	}
	return NO_RANK;
}

/* Makes all seats of all groups, by group and seat; nothing is known of them yet. */
static void make_members(struct seal *seal)
{
	struct job *job = seal->job;
	size_t total = 0;

	for (size_t i = 0; i < job->ngroups; i++) {
		seal->groups[i].first_member = (int)total;
		total += seal->groups[i].size;
	}
	seal->members = arena_new_many(seal->arena, struct job_member, total + 1);
	for (size_t i = 0; i < job->ngroups; i++)
		for (uint32_t seat = 0; seat < seal->groups[i].size; seat++) {
			struct job_member *member =
				&seal->members[seal->groups[i].first_member + seat];

			*member = job_member_unknown;
			member->group = (int)i;
			member->seat = group_rank(seat);
			member->cite = seal->groups[i].cite;
		}
	job->members = seal->members;
	job->nmembers = total;
}

/* Fills in what is known of the seats that make_members() made. */
static void fill_members(struct seal *seal)
{
	struct job_builder *b = seal->b;

	for (size_t i = 0; i < b->members.nr; i++) {
		const struct raw_member *raw = &b->members.items[i];
		int group = seal_find_group(seal, raw->group.key);
		struct job_member *member;

		if (group == JOB_NONE || raw->fact.seat.n >= seal->groups[group].size)
			continue;
		member = &seal->members[seal->groups[group].first_member + (int)raw->fact.seat.n];
		if (member->state == JOB_MEMBER_UNSEEN && !is_rank(member->rank))
			member->cite = "";
		SEAL_KEEP_MAX(member->rank.i, rank_of_seat(seal, raw).i);
		join_member(member, &raw->fact);
		seal->groups[group].unordered |= raw->fact.unordered;
		if (!*member->cite)
			member->cite = seal->groups[group].cite;
	}
}

/* Returns which ranks have a seat in the group, one flag per rank; to be freed. */
static bool *seats_taken(struct seal *seal, const struct job_group *group)
{
	bool *seated = alloc_zeroed(seal->job->nranks + 1, sizeof(*seated));

	for (uint32_t seat = 0; seat < group->size; seat++) {
		struct rank_index rank = seal->members[group->first_member + (int)seat].rank;

		if (is_rank(rank))
			seated[rank.i] = true;
	}
	return seated;
}

/* Gives seats without evidence to ranks, by the list of ranks that a member gave. */
static void seat_the_listed(struct seal *seal, const struct job_group *group)
{
	struct job_member *members = seal->members + group->first_member;
	const char *text = group->ranks;
	unsigned long from, to;
	uint32_t seat = 0;
	bool *seated;

	if (!*text)
		return;
	seated = seats_taken(seal, group);
	while (ranks_next(&text, &from, &to) && to < SEAL_MAX_SEATS)
		for (; from <= to && seat < group->size; from++, seat++) {
			struct rank_index rank = ranks_find(seal->job, world_rank((int)from));

			if (is_rank(members[seat].rank) || !is_rank(rank) || seated[rank.i])
				continue;
			members[seat].rank = rank;
			seated[rank.i] = true;
		}
	free(seated);
}

/* In a group of all ranks, gives the seats without a rank to the ranks without a seat. */
static void seat_the_unseen(struct seal *seal, const struct job_group *group)
{
	struct job *job = seal->job;
	bool *seated = seats_taken(seal, group);
	size_t next = 0;

	/*
	 * First come ranks whose number is their seat's, as nearly all are; then the others in
	 * order.
	 */
	for (uint32_t seat = 0; seat < group->size; seat++) {
		struct job_member *member = &seal->members[group->first_member + (int)seat];

		if (is_rank(member->rank) || seated[seat] ||
			job->ranks[seat].world_rank.n != (int)seat)
			continue;
		member->rank = rank_index(seat);
		seated[seat] = true;
	}
	for (uint32_t seat = 0; seat < group->size; seat++) {
		struct job_member *member = &seal->members[group->first_member + (int)seat];

		if (is_rank(member->rank))
			continue;
		while (next < job->nranks && seated[next])
			next++;
		if (next < job->nranks) {
			member->rank = rank_index(next);
			seated[next] = true;
		}
	}
	free(seated);
}

void seal_groups(struct seal *seal)
{
	keep_members_of_ranks(seal);
	make_groups(seal);
	index_groups(seal);
	make_members(seal);
	fill_members(seal);
	seal_names(seal);
	for (size_t i = 0; i < seal->job->ngroups; i++) {
		seat_the_listed(seal, &seal->groups[i]);
		if (seal->groups[i].sized && seal->groups[i].size == seal->job->nranks)
			seat_the_unseen(seal, &seal->groups[i]);
	}
}
