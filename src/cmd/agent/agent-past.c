/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/agent/agent-past.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "evidence/format/folder.h"
#include "evidence/gather/liveness.h"
#include "ring/census-read.h"
#include "ring/census-write.h"
#include "ring/ring-snapshot.h"
#include "ring/ring.h"

#define GROUPS_MOST 256u
/*
 * Once so many later attempts have begun, nothing is told any more of ranks that were killed in
 * this one: attempts_at() tells of the last attempt.
 */
#define ATTEMPTS_TOLD 2
/* If more places than this are taken, a process that comes next could find none. */
#define PLACES_KEPT (CENSUS_SLOTS / 2)

/* A process that has, or had, a ring; or another one, which only shows that the job goes on. */
struct member {
	uint32_t slot;
	struct census_slot is;
	bool dead;
	bool elsewhere; /* in another pid namespace than the agent, whose id is then in its
			 * ring's name */
	size_t set; /* index of the first member of the set that it belongs to */
};

/* A member's seat in a communicator. */
struct seat {
	uint64_t key;
	uint32_t size;
	size_t member;
};

/* What one search for past ranks knows. */
struct past {
	const struct jobdir *dir;
	struct folder folder;
	ARRAY(struct member) members;
	ARRAY(struct seat) seats; /* ordered by key */
	size_t taken;             /* places of the census that nobody else would be given */
	int64_t looked; /* when the last look began, realtime ns */
};

/* --- Who -------------------------------------------------------------------------------------- */

static bool has_ring(const struct census_slot *slot)
{
	return slot->generation >= 1 || (slot->flags & CENSUS_F_HAS_RING);
}

/*
 * True for a shell or a launcher, which never was a rank nor of a rank: it got a ring to note
 * deaths.
 */
static bool is_launcher(const struct member *member)
{
	return member->is.rank < 0 && member->is.generation < 1 &&
	       !(member->is.flags & CENSUS_F_WAS_RANK) && member->is.state != CENSUS_RANK;
}

static int64_t end_of(const struct member *member)
{
	return (int64_t)member->is.end_realtime;
}

/* Lists the processes of the census. */
static void take_members(struct past *past)
{
	struct proc_ns_seen seen = {0};
	struct census_view view;
	struct census_slot slot;
	void *bytes = NULL;
	size_t size = 0;

	if (census_snapshot(past->dir->census_fd, &bytes, &size) < 0)
		return;
	if (census_view_open(&view, bytes, size) == 0)
		for (uint32_t i = 0; i < view.slots; i++) {
			struct liveness liveness;
			size_t set = past->members.nr;

			if (census_view_slot(&view, i, &slot) <= 0)
				continue;
			past->taken += !census_is_spent(slot.head);
			liveness = liveness_of_slot(
				&seen, past->dir->census_fd, i, &slot);
			*array_add(&past->members) = (struct member){.slot = i,
				.is = slot,
				.dead = !liveness_is_alive(&liveness),
				.elsewhere = slot.pid_ns && view.header.agent_pid_ns &&
					     slot.pid_ns != view.header.agent_pid_ns,
				.set = set};
		}
	proc_ns_seen_release(&seen);
	free(bytes);
}

/* Writes the name of a process' ring of that generation. */
static void name_ring(const struct member *member, uint32_t generation, struct str *into)
{
	str_cut(into, 0);
	if (member->elsewhere)
		str_printf(into, CENSUS_RING_ELSEWHERE, member->is.pid,
			(unsigned long long)member->is.start_time, generation,
			(unsigned long long)member->is.pid_ns);
	else
		str_printf(into, CENSUS_RING_FORMAT, member->is.pid,
			(unsigned long long)member->is.start_time, generation);
}

/* Adds the seats that the ring in this file tells of. */
static void read_seats(struct past *past, size_t which, int fd)
{
	struct ring_header header;
	struct ring_group group;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header))
		return;
	for (uint64_t i = 0; i < GROUPS_MOST && ring_glance_group(fd, &header, i, &group); i++)
		*array_add(&past->seats) = (struct seat){group.key, group.size, which};
}

static int compare_seats(const void *a, const void *b)
{
	const struct seat *left = a, *right = b;

	if (left->key != right->key)
		return left->key < right->key ? -1 : 1;
	return (left->member > right->member) - (left->member < right->member);
}

/* Adds the seats of all members that have a ring. */
static void take_seats(struct past *past)
{
	struct str name = {0};

	for (size_t i = 0; i < past->members.nr; i++) {
		const struct member *member = &past->members.items[i];
		int fd;

		if (member->is.generation < 1)
			continue;
		name_ring(member, member->is.generation, &name);
		fd = folder_open_file(&past->folder, name.text, NULL);
		if (fd < 0)
			continue;
		read_seats(past, i, fd);
		close(fd);
	}
	array_sort(&past->seats, compare_seats);
	str_release(&name);
}

/* --- Sets ------------------------------------------------------------------------------------- */

/* Returns the first member of the set. */
static size_t set_of(struct past *past, size_t member)
{
	while (past->members.items[member].set != member)
		member = past->members.items[member].set;
	return member;
}

/* Makes one set of two. */
static void unite(struct past *past, size_t a, size_t b)
{
	size_t one = set_of(past, a), other = set_of(past, b);

	if (one != other)
		past->members.items[one > other ? one : other].set = one > other ? other : one;
}

/* Puts a launcher into the set of the processes that it started. */
static void join_launcher(struct past *past, size_t launcher)
{
	const struct census_slot *is = &past->members.items[launcher].is;

	for (size_t i = 0; i < past->members.nr; i++) {
		const struct census_slot *child = &past->members.items[i].is;

		if (child->ppid == is->pid && child->pid_ns == is->pid_ns &&
			child->start_time >= is->start_time && has_ring(child))
			unite(past, launcher, i);
	}
}

/* Puts members of one communicator into one set, and launchers with rings to their children. */
static void join_sets(struct past *past)
{
	for (size_t i = 1; i < past->seats.nr; i++)
		if (past->seats.items[i - 1].key == past->seats.items[i].key)
			unite(past, past->seats.items[i - 1].member, past->seats.items[i].member);
	for (size_t i = 0; i < past->members.nr; i++)
		if (past->members.items[i].dead && has_ring(&past->members.items[i].is) &&
			is_launcher(&past->members.items[i]))
			join_launcher(past, i);
}

/*
 * True if all seats of all communicators of the set are here. False for ranks that had come to
 * none: nobody knows who may be waiting for them.
 */
static bool is_whole(struct past *past, size_t set)
{
	bool any = false;

	for (size_t i = 0, end; i < past->seats.nr; i = end) {
		const struct seat *seat = &past->seats.items[i];
		size_t here = 1;

		for (end = i + 1; end < past->seats.nr && past->seats.items[end].key == seat->key;
			end++)
			here += past->seats.items[end].member != past->seats.items[end - 1].member;
		if (set_of(past, seat->member) != set)
			continue;
		if (!seat->size || here < seat->size)
			return false;
		any = true;
	}
	return any;
}

/* True if a later attempt has the same rank. */
static bool has_successor(const struct past *past, const struct member *member)
{
	for (size_t i = 0; i < past->members.nr; i++) {
		const struct census_slot *other = &past->members.items[i].is;

		if (member->is.rank >= 0 && other->rank == member->is.rank &&
			other->restart > member->is.restart && has_ring(other))
			return true;
	}
	return false;
}

/* True if a process with a ring, outside of this set, has begun after that. */
static bool has_younger(struct past *past, size_t set, int64_t end)
{
	for (size_t i = 0; i < past->members.nr; i++) {
		const struct census_slot *other = &past->members.items[i].is;

		if (has_ring(other) && (int64_t)other->birth_realtime > end &&
			set_of(past, i) != set)
			return true;
	}
	return false;
}

/* True if nobody needs the rings of this set any more. */
static bool is_past(struct past *past, size_t set)
{
	bool succeeded = true;
	int64_t last = 0;

	for (size_t i = 0; i < past->members.nr; i++) {
		const struct member *member = &past->members.items[i];
		int64_t end = end_of(member);

		if (set_of(past, i) != set)
			continue;
		if (!member->dead || !has_ring(&member->is))
			return false;
		/* A killed process told no end: it ended after it began, and before we look now. */
		if (!end)
			end = (int64_t)member->is.birth_realtime;
		last = end > last ? end : last;
		succeeded = succeeded && (is_launcher(member) || has_successor(past, member));
	}
	return last < past->looked && has_younger(past, set, last) &&
		(succeeded || is_whole(past, set));
}

/* --- Letting go ------------------------------------------------------------------------------- */

/*
 * True if the census' file has its size. Asked right before a store: in a file that the job has
 * cut, a store would end us.
 */
static bool census_is_whole(const struct past *past)
{
	struct stat about;

	return fstat(past->dir->census_fd, &about) == 0 && (size_t)about.st_size >= CENSUS_SIZE;
}

/*
 * Removes the rings of a member, in the folder and in /tmp. Returns false if there were none any
 * more.
 */
static bool remove_rings(const struct past *past, const struct member *member)
{
	struct census_header *census = past->dir->census;
	struct str name = {0}, spill = {0};
	bool removed = false;
	struct stat about;

	for (uint32_t i = 0; i <= member->is.generation; i++) {
		name_ring(member, i, &name);
		if (fstatat(past->folder.fd, name.text, &about, AT_SYMLINK_NOFOLLOW) == 0 &&
			unlinkat(past->folder.fd, name.text, 0) == 0) {
			if (census_is_whole(past))
				__atomic_fetch_sub(&census->ring_bytes, (uint64_t)about.st_size,
					__ATOMIC_RELAXED);
			removed = true;
		}
		str_cut(&spill, 0);
		str_printf(&spill, "/tmp/inquest-%u/%s/%s", (unsigned)geteuid(), past->dir->id,
			name.text);
		removed |= unlink(spill.text) == 0;
	}
	str_release(&name);
	str_release(&spill);
	return removed;
}

static bool ended_well(const struct member *member)
{
	return member->is.state == CENSUS_EXITED && !member->is.exit_status &&
	       !(member->is.flags & CENSUS_F_KILLED);
}

static int newest_attempt(const struct past *past)
{
	int newest = 0;

	for (size_t i = 0; i < past->members.nr; i++)
		if (has_ring(&past->members.items[i].is) && past->members.items[i].is.rank >= 0 &&
			past->members.items[i].is.restart > newest)
			newest = past->members.items[i].is.restart;
	return newest;
}

/* True if so many attempts have begun since that nothing is told of this one any more. */
static bool is_outlived(const struct past *past, const struct member *member)
{
	return newest_attempt(past) - member->is.restart >= ATTEMPTS_TOLD;
}

/* Frees the member's place in the census, unless somebody has taken it meanwhile. */
static bool free_slot(const struct past *past, const struct member *member)
{
	static const struct census_who nobody;

	if (!census_is_whole(past) ||
		census_take(past->dir->census, member->slot, member->is.head, &nobody))
		return false;
	census_publish(past->dir->census, (int)member->slot, CENSUS_FREE);
	return true;
}

/* Removes the rings of a set, and frees the places that are not needed. */
static unsigned let_go(struct past *past, size_t set)
{
	unsigned gone = 0;

	for (size_t i = 0; i < past->members.nr; i++) {
		const struct member *member = &past->members.items[i];
		bool removed;

		if (set_of(past, i) != set)
			continue;
		removed = remove_rings(past, member);
		/* A process that did not end well may still have something to tell. */
		gone += ((ended_well(member) || is_launcher(member) || is_outlived(past, member) ||
				 past->taken > PLACES_KEPT) &&
				free_slot(past, member)) ||
			removed;
	}
	return gone;
}

/* Frees the places of processes that were killed before they had a ring; others free their own. */
static unsigned let_go_bare(struct past *past)
{
	unsigned gone = 0;

	for (size_t i = 0; i < past->members.nr; i++) {
		const struct member *member = &past->members.items[i];

		if (member->dead && !has_ring(&member->is) && member->is.state != CENSUS_EXITED &&
			is_outlived(past, member))
			gone += free_slot(past, member);
	}
	return gone;
}

unsigned agent_past_let_go(const struct jobdir *dir, int64_t looked)
{
	struct past past = {.dir = dir, .folder = {.fd = -1}, .looked = looked};
	unsigned gone = 0;

	if (folder_open(&past.folder, dir->path.text, geteuid(), NULL) == 0) {
		take_members(&past);
		take_seats(&past);
		join_sets(&past);
		for (size_t i = 0; i < past.members.nr; i++)
			if (past.members.items[i].set == i && past.members.items[i].dead &&
				is_past(&past, i))
				gone += let_go(&past, i);
		gone += let_go_bare(&past);
	}
	array_release(&past.members);
	array_release(&past.seats);
	folder_close(&past.folder);
	return gone;
}
