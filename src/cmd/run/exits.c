/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/run/exits.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"

/*
 * A zombie that nobody waits for may stay for ever; after this long we stop asking for its status.
 */
#define SETTLE_NS (10 * CLOCK_NS_PER_S)

/* True if they are one process. */
static bool is_same(struct proc_id a, struct proc_id b)
{
	return a.pid == b.pid && a.start_time == b.start_time;
}

/* Adds an end, or its status to one that is there. A status that is known stays. */
static void add_end(
	struct exits *exits, const struct exits_watched *watched, bool known, int status)
{
	struct agent_exit *end = NULL;

	for (size_t i = 0; i < exits->ends.nr && !end; i++)
		if (exits->ends.items[i].pid == watched->inner_pid &&
			exits->ends.items[i].start_time == watched->watch.id.start_time)
			end = &exits->ends.items[i];
	if (!end)
		end = array_add(&exits->ends);
	if (end->waited)
		return;
	*end = (struct agent_exit){.pid = watched->inner_pid,
		.start_time = watched->watch.id.start_time,
		.when = watched->when,
		.waited = known,
		.wait_status = known ? status : 0};
}

void exits_watch(struct exits *exits, struct proc_id id, uint32_t inner_pid)
{
	struct exits_watched *watched;

	array_for_each (&exits->watched, watched)
		if (is_same(watched->watch.id, id))
			return;
	watched = array_add(&exits->watched);
	watched->inner_pid = inner_pid;
	if (proc_watch_open(&watched->watch, id) < 0)
		watched->watch = (struct proc_watch){.id = id, .fd = -1};
}

void exits_add_waited(struct exits *exits, struct proc_id id, int wait_status)
{
	struct exits_watched self = {
		.watch = {.id = id, .fd = -1}, .inner_pid = id.pid, .when = clock_realtime_ns()};
	struct exits_watched *watched;

	array_for_each (&exits->watched, watched) {
		if (!is_same(watched->watch.id, id))
			continue;
		if (watched->ended)
			self.when = watched->when;
		self.inner_pid = watched->inner_pid;
		watched->ended = watched->settled = true;
		watched->when = self.when;
	}
	add_end(exits, &self, true, wait_status);
}

/* Looks at one. True if there is something new to say of it. */
static bool look_at(struct exits *exits, struct exits_watched *watched)
{
	bool news = false, known;
	int status = 0;

	if (watched->settled)
		return false;
	if (!watched->ended) {
		if (!proc_watch_gone(&watched->watch))
			return false;
		watched->ended = news = true;
		watched->when = clock_realtime_ns();
	}
	known = proc_watch_status(&watched->watch, &status);
	if (known || clock_realtime_ns() - watched->when > SETTLE_NS)
		watched->settled = true;
	if (news || known)
		add_end(exits, watched, known, status);
	if (watched->settled)
		proc_watch_close(&watched->watch);
	return news || known;
}

/* Asks at once of all who have a descriptor whether they may have ended. */
static void ask_all(struct exits *exits)
{
	struct pollfd *set = alloc_zeroed(exits->watched.nr, sizeof(*set));
	nfds_t nr = 0;
	int ready;

	for (size_t i = 0; i < exits->watched.nr; i++)
		if (!exits->watched.items[i].ended && exits->watched.items[i].watch.fd >= 0)
			set[nr++] = (struct pollfd){
				.fd = exits->watched.items[i].watch.fd, .events = POLLIN};
	ready = nr ? poll(set, nr, 0) : 0;
	nr = 0;
	for (size_t i = 0; i < exits->watched.nr; i++) {
		struct exits_watched *watched = &exits->watched.items[i];

		watched->lives = !watched->ended && watched->watch.fd >= 0 &&
				 !set[nr++].revents && ready >= 0;
	}
	free(set);
}

int exits_look(struct exits *exits)
{
	struct exits_watched *watched;
	int news = 0;

	ask_all(exits);
	array_for_each (&exits->watched, watched)
		if (!watched->lives)
			news += look_at(exits, watched);
	return news;
}

void exits_unlist(struct exits *exits)
{
	struct exits_watched *watched;

	array_for_each (&exits->watched, watched)
		watched->listed = false;
}

void exits_note_listed(struct exits *exits, uint32_t inner_pid, uint64_t start_time)
{
	struct exits_watched *watched;

	array_for_each (&exits->watched, watched)
		if (watched->inner_pid == inner_pid && watched->watch.id.start_time == start_time)
			watched->listed = watched->was_listed = true;
}

void exits_note_goodbye(struct exits *exits, uint32_t inner_pid, uint64_t start_time)
{
	struct exits_watched *watched;

	array_for_each (&exits->watched, watched)
		if (watched->inner_pid == inner_pid && watched->watch.id.start_time == start_time)
			watched->goodbye = true;
}

bool exits_take_unclean(struct exits *exits)
{
	struct exits_watched *watched;
	bool any = false;

	array_for_each (&exits->watched, watched) {
		if (!watched->ended || watched->taken)
			continue;
		watched->taken = true;
		any = any || (!watched->goodbye && (watched->listed || !watched->was_listed));
	}
	return any;
}

/* True if nobody asks for that one any more. */
static bool is_forgettable(const struct exits_watched *watched)
{
	return watched->ended && watched->settled && watched->was_listed && !watched->listed;
}

void exits_forget(struct exits *exits)
{
	size_t kept = 0, ends = 0;

	for (size_t i = 0; i < exits->ends.nr; i++) {
		const struct agent_exit *end = &exits->ends.items[i];
		bool forgotten = false;

		for (size_t k = 0; k < exits->watched.nr && !forgotten; k++)
			forgotten = exits->watched.items[k].inner_pid == end->pid &&
				exits->watched.items[k].watch.id.start_time == end->start_time &&
				is_forgettable(&exits->watched.items[k]);
		if (!forgotten)
			exits->ends.items[ends++] = *end;
	}
	exits->ends.nr = ends;
	for (size_t i = 0; i < exits->watched.nr; i++)
		if (!is_forgettable(&exits->watched.items[i]))
			exits->watched.items[kept++] = exits->watched.items[i];
	exits->watched.nr = kept;
}

bool exits_has(const void *exits, struct proc_id id)
{
	const struct exits *all = exits;
	const struct exits_watched *watched;

	array_for_each (&all->watched, watched)
		if (is_same(watched->watch.id, id))
			return true;
	return false;
}

size_t exits_poll_set(
	const struct exits *exits, struct pollfd *set, size_t room, bool *ret_look)
{
	const struct exits_watched *watched;
	size_t nr = 0;

	*ret_look = false;
	array_for_each (&exits->watched, watched) {
		if (!watched->ended && watched->watch.fd >= 0 && nr < room)
			set[nr++] = (struct pollfd){.fd = watched->watch.fd, .events = POLLIN};
		*ret_look |= !watched->settled && (watched->ended || watched->watch.fd < 0);
	}
	return nr;
}

bool exits_any_alive(const struct exits *exits)
{
	const struct exits_watched *watched;

	array_for_each (&exits->watched, watched)
		if (!watched->ended)
			return true;
	return false;
}

void exits_release(struct exits *exits)
{
	struct exits_watched *watched;

	array_for_each (&exits->watched, watched)
		proc_watch_close(&watched->watch);
	array_release(&exits->watched);
	array_release(&exits->ends);
}
