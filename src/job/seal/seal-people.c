/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes hosts and processes. One process is (host, pid, start time); facts that lack the start time
 * go to the newest process of that pid. Of several readings the later known value of each field
 * wins, and of equally late ones the larger; but an end, once known, stands: the dead do not rise.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "job/seal/seal.h"

int seal_compare_who(const struct job_who *a, const struct job_who *b)
{
	SEAL_ORDER_TEXT(a->host, b->host);
	SEAL_ORDER(a->pid, b->pid);
	SEAL_ORDER(a->start_time, b->start_time);
	return 0;
}

static int compare_whos(const void *a, const void *b)
{
	return seal_compare_who(a, b);
}

/* -- hosts ------------------------------------------------------------------------------------- */

static int compare_hosts(const void *va, const void *vb)
{
	const struct raw_host *a = va, *b = vb;

	SEAL_ORDER_TEXT(a->about.who.host, b->about.who.host);
	SEAL_ORDER(a->about.when, b->about.when);
	SEAL_ORDER(a->fact.gathered, b->fact.gathered);
	SEAL_ORDER(a->fact.guessed, b->fact.guessed);
	SEAL_ORDER(a->fact.agent_beat, b->fact.agent_beat);
	SEAL_ORDER(a->fact.agent_alive, b->fact.agent_alive);
	SEAL_ORDER(a->fact.over, b->fact.over);
	SEAL_ORDER(a->fact.oom_kills, b->fact.oom_kills);
	SEAL_ORDER(a->fact.clock_error, b->fact.clock_error);
	SEAL_ORDER_TEXT(a->fact.cite, b->fact.cite);
	SEAL_ORDER_TEXT(a->fact.cgroup_cite, b->fact.cgroup_cite);
	return 0;
}

/* Lays a later reading of a host over earlier ones; what it does not know stays. */
static void overlay_host(struct job_host *host, const struct job_host *newer)
{
	SEAL_KEEP_MAX(host->gathered, newer->gathered);
	host->guessed &= newer->guessed || newer->gathered == JOB_UNKNOWN;
	SEAL_KEEP_MAX(host->agent_beat, newer->agent_beat);
	if (newer->agent_alive != JOB_MAYBE)
		host->agent_alive = newer->agent_alive;
	host->over |= newer->over;
	SEAL_KEEP_MAX(host->oom_kills, newer->oom_kills);
	SEAL_KEEP_MAX(host->clock_error, newer->clock_error);
	if (*newer->cite)
		host->cite = newer->cite;
	if (*newer->cgroup_cite)
		host->cgroup_cite = newer->cgroup_cite;
}

/* Makes one job_host per name, ordered by name. Every host of a process has a raw fact by now. */
static void merge_hosts(struct seal *seal)
{
	struct job_builder *b = seal->b;
	size_t n = 0;

	array_sort(&b->hosts, compare_hosts);
	seal->hosts = arena_new_many(seal->arena, struct job_host, b->hosts.nr + 1);
	for (size_t i = 0; i < b->hosts.nr; i++) {
		const struct job_host *fact = &b->hosts.items[i].fact;

		if (!n || strcmp(seal->hosts[n - 1].name, fact->name) != 0) {
			seal->hosts[n] = job_host_unknown;
			seal->hosts[n].guessed = true;
			seal->hosts[n++].name = fact->name;
		}
		overlay_host(&seal->hosts[n - 1], fact);
	}
	seal->job->hosts = seal->hosts;
	seal->job->nhosts = n;
	seal->job->gathered = JOB_UNKNOWN;
	for (size_t i = 0; i < n; i++) {
		struct job_host *host = &seal->hosts[i];

		SEAL_KEEP_MAX(seal->job->gathered, host->gathered);
		if (!*host->cite)
			host->cite = arena_printf(seal->arena, "gather:%s", host->name);
		if (!*host->cgroup_cite)
			host->cgroup_cite = host->cite;
	}
}

/* Returns the index of the host of that name; JOB_NONE. */
static int seal_find_host(const struct seal *seal, const char *name)
{
	size_t n = seal->job->nhosts;
	size_t place = bisect(0, n, i, strcmp(seal->hosts[i].name, name) < 0);

	return place < n && !strcmp(seal->hosts[place].name, name) ? (int)place : JOB_NONE;
}

/* -- who is there ------------------------------------------------------------------------------ */

struct whos {
	ARRAY(struct job_who) list;
};

/*
 * Adds a process to the list. Facts come in runs about one process: comparing with the last one
 * keeps the list short.
 */
static void note_who(struct whos *whos, const struct job_who *who)
{
	size_t n = whos->list.nr;

	if (!who->pid && !who->start_time)
		return;
	if (!n || seal_compare_who(&whos->list.items[n - 1], who) != 0)
		*array_add(&whos->list) = *who;
}

#define NOTE_WHOS(whos, array)                                                                     \
	do {                                                                                       \
		for (size_t i_ = 0; i_ < (array)->nr; i_++)                                        \
			note_who((whos), &(array)->items[i_].about.who);                           \
	} while (0)

/* Collects every process that any fact speaks of, even if nothing else is known of it. */
static void collect_whos(const struct job_builder *b, struct whos *whos)
{
	NOTE_WHOS(whos, &b->processes);
	NOTE_WHOS(whos, &b->threads);
	NOTE_WHOS(whos, &b->members);
	NOTE_WHOS(whos, &b->ops);
	NOTE_WHOS(whos, &b->spans);
	NOTE_WHOS(whos, &b->shards);
	NOTE_WHOS(whos, &b->steps);
	NOTE_WHOS(whos, &b->notes);
	NOTE_WHOS(whos, &b->traits);
	NOTE_WHOS(whos, &b->signals);
	NOTE_WHOS(whos, &b->logs);
	NOTE_WHOS(whos, &b->caches);
	NOTE_WHOS(whos, &b->stacks);
	NOTE_WHOS(whos, &b->snapshots);
	array_sort(&whos->list, compare_whos);
}

static bool same_pid(const struct job_who *a, const struct job_who *b)
{
	return a->pid == b->pid && strcmp(a->host, b->host) == 0;
}

/*
 * Makes people of the list, each once; one without start time gives way to those of the same pid
 * that have one. Returns how many.
 */
static size_t fill_people(struct seal *seal, const struct whos *whos)
{
	size_t n = 0, nr = whos->list.nr;
	const struct job_who *list = whos->list.items;

	for (size_t i = 0; i < nr; i++) {
		if (i + 1 < nr && seal_compare_who(&list[i], &list[i + 1]) == 0)
			continue;
		if (!list[i].start_time && i + 1 < nr && same_pid(&list[i], &list[i + 1]))
			continue;
		seal->people[n] =
			(struct seal_person){.who = list[i], .parent = JOB_NONE, .rank = NO_RANK};
		seal->people[n++].identity =
			(struct job_identity){.world_rank = NO_WORLD_RANK, .local_rank = JOB_NONE};
	}
	return n;
}

/*
 * Returns the last process of that host and pid that did not start later; without a start time, the
 * newest; JOB_NONE.
 */
static int last_until(const struct seal *seal, const struct job_who *who)
{
	struct job_who key = *who;
	size_t behind;

	if (!key.start_time)
		key.start_time = UINT64_MAX;
	behind = bisect(0, seal->job->nprocesses, i,
		seal_compare_who(&seal->people[i].who, &key) <= 0);
	return behind && same_pid(&seal->people[behind - 1].who, who) ? (int)behind - 1 : JOB_NONE;
}

/* Finds a process by bisection: seal_find_process() without the memory of the last one. */
static int search_process(const struct seal *seal, const struct job_who *who)
{
	int found = last_until(seal, who);

	if (found != JOB_NONE && who->start_time &&
		seal->people[found].who.start_time != who->start_time)
		return JOB_NONE;
	return found;
}

/* Hosts are compared as the builder keeps them, each once: no other text is looked at. */
static bool is_exactly(const struct job_who *a, const struct job_who *b)
{
	return a->pid == b->pid && a->start_time == b->start_time && a->host == b->host;
}

/* Facts come in runs about one process, and much that is sorted goes on with the next one. */
int seal_find_process(struct seal *seal, struct job_who who)
{
	int next = seal->last_process + 1;

	if (!who.pid && !who.start_time)
		return JOB_NONE;
	if (is_exactly(&seal->last_who, &who))
		return seal->last_process;
	seal->last_who = who;
	if (!who.start_time || (size_t)next >= seal->job->nprocesses ||
		!is_exactly(&seal->people[next].who, &who))
		next = search_process(seal, &who);
	seal->last_process = next;
	return next;
}

/* -- what they are ----------------------------------------------------------------------------- */

static int compare_processes(const void *va, const void *vb)
{
	const struct raw_process *a = va, *b = vb;
	int order = seal_compare_who(&a->about.who, &b->about.who);

	if (order)
		return order;
	SEAL_ORDER(a->about.when, b->about.when);
	return 0;
}

static void keep_text_max(const char **into, const char *from)
{
	if (strcmp(from, *into) > 0)
		*into = from;
}

/*
 * Returns how much a word about an end weighs: the dead do not rise, and a known manner beats none.
 */
static int end_weight(enum job_end end)
{
	static const int weight[] = {
		[JOB_END_UNKNOWN] = 0,
		[JOB_ALIVE] = 1,
		[JOB_GONE] = 2,
		[JOB_EXITED] = 3,
		[JOB_SIGNALED] = 3,
	};

	return weight[end];
}

static bool end_is_better(const struct job_process *than, const struct job_process *end)
{
	if (end_weight(end->end) != end_weight(than->end))
		return end_weight(end->end) > end_weight(than->end);
	if (end->end != than->end)
		return end->end > than->end;
	if (end->status != than->status)
		return end->status > than->status;
	return strcmp(end->end_cite, than->end_cite) > 0;
}

static void take_end(struct job_process *into, const struct job_process *from)
{
	int64_t ended = into->ended;

	if (end_is_better(into, from)) {
		into->end = from->end;
		into->status = from->status;
		into->end_cite = from->end_cite;
	}
	SEAL_KEEP_MAX(ended, from->ended);
	into->ended = ended;
}

/* Takes one reading of locks as a whole: who has a lock belongs to what is waited for. */
static void take_lock(struct job_process *into, const struct job_process *from)
{
	into->lock = from->lock;
	into->lock_pid = from->lock_pid;
	into->lock_start = from->lock_start;
	into->lock_by = from->lock_by;
	into->lock_held = from->lock_held;
	into->lock_open = from->lock_open;
	into->locks_read = from->locks_read;
	into->lock_cite = from->lock_cite;
}

/*
 * Keeps, of two readings of locks at one moment, the one that tells more: by its holder, then by
 * its file.
 */
static void keep_lock_max(struct job_process *into, const struct job_process *from)
{
	int order = from->locks_read - into->locks_read;

	if (!order)
		order = (from->lock_pid > into->lock_pid) - (from->lock_pid < into->lock_pid);
	if (!order)
		order = strcmp(from->lock, into->lock);
	if (!order)
		order = strcmp(from->lock_held, into->lock_held);
	if (order > 0)
		take_lock(into, from);
}

/*
 * Joins two readings of the same moment: the larger value of each field; unknown is the smallest.
 */
static void join_process(struct job_process *into, const struct job_process *from)
{
	take_end(into, from);
	SEAL_KEEP_MAX(into->ppid, from->ppid);
	SEAL_KEEP_MAX(into->role, from->role);
	SEAL_KEEP_MAX(into->restart, from->restart);
	SEAL_KEEP_MAX(into->born, from->born);
	SEAL_KEEP_MAX(into->state, from->state);
	SEAL_KEEP_MAX(into->frozen, from->frozen);
	SEAL_KEEP_MAX(into->tracer, from->tracer);
	SEAL_KEEP_MAX(into->cpu_used, from->cpu_used);
	SEAL_KEEP_MAX(into->cpu_delta, from->cpu_delta);
	SEAL_KEEP_MAX(into->sample_span, from->sample_span);
	SEAL_KEEP_MAX(into->idle_for, from->idle_for);
	SEAL_KEEP_MAX(into->runs, from->runs);
	SEAL_KEEP_MAX(into->asleep_since, from->asleep_since);
	SEAL_KEEP_MAX(into->stopped_since, from->stopped_since);
	SEAL_KEEP_MAX(into->write_delta, from->write_delta);
	SEAL_KEEP_MAX(into->rss, from->rss);
	SEAL_KEEP_MAX(into->rss_before, from->rss_before);
	SEAL_KEEP_MAX(into->rss_most, from->rss_most);
	SEAL_KEEP_MAX(into->seen, from->seen);
	SEAL_KEEP_MAX(into->looked, from->looked);
	into->age_unknown |= from->age_unknown;
	into->other_run |= from->other_run;
	keep_text_max(&into->comm, from->comm);
	keep_text_max(&into->was, from->was);
	keep_text_max(&into->was_cite, from->was_cite);
	keep_text_max(&into->what, from->what);
	keep_text_max(&into->wchan, from->wchan);
	keep_text_max(&into->call, from->call);
	keep_text_max(&into->on, from->on);
	keep_text_max(&into->on_cite, from->on_cite);
	keep_lock_max(into, from);
	keep_text_max(&into->oom_cite, from->oom_cite);
	into->by_texts |= from->by_texts;
	into->failed_first |= from->failed_first;
	into->end_by_text |= from->end_by_text;
	into->end_in_doubt |= from->end_in_doubt;
	keep_text_max(&into->cite, from->cite);
	keep_text_max(&into->sample_cite, from->sample_cite);
}

#define TAKE_KNOWN(field, unknown)                                                                 \
	do {                                                                                       \
		if (newer->field != (unknown))                                                     \
			into->field = newer->field;                                                \
	} while (0)
#define TAKE_TEXT(field)                                                                           \
	do {                                                                                       \
		if (*newer->field)                                                                 \
			into->field = newer->field;                                                \
	} while (0)

/* Lays a later reading over earlier ones: what it does not know stays. */
static void overlay_process(struct job_process *into, const struct job_process *newer)
{
	take_end(into, newer);
	TAKE_KNOWN(ppid, 0);
	SEAL_KEEP_MAX(into->role, newer->role);
	SEAL_KEEP_MAX(into->restart, newer->restart);
	TAKE_KNOWN(born, JOB_UNKNOWN);
	TAKE_KNOWN(state, 0);
	TAKE_KNOWN(frozen, JOB_MAYBE);
	TAKE_KNOWN(tracer, 0);
	TAKE_KNOWN(cpu_used, JOB_UNKNOWN);
	TAKE_KNOWN(cpu_delta, JOB_UNKNOWN);
	TAKE_KNOWN(sample_span, JOB_UNKNOWN);
	TAKE_KNOWN(idle_for, JOB_UNKNOWN);
	if (newer->runs != JOB_UNKNOWN) {
		into->runs = newer->runs;
		into->asleep_since = newer->asleep_since;
	}
	if (newer->stopped_since != JOB_UNKNOWN || newer->cpu_used != JOB_UNKNOWN) /* sampled */
		into->stopped_since = newer->stopped_since;
	TAKE_KNOWN(write_delta, JOB_UNKNOWN);
	TAKE_KNOWN(rss, JOB_UNKNOWN);
	TAKE_KNOWN(rss_before, JOB_UNKNOWN);
	SEAL_KEEP_MAX(into->rss_most, newer->rss_most);
	if (newer->seen != JOB_UNKNOWN || newer->age_unknown) {
		into->seen = newer->seen;
		into->age_unknown = newer->age_unknown;
		into->other_run = newer->other_run;
	}
	TAKE_KNOWN(looked, JOB_UNKNOWN);
	TAKE_TEXT(comm);
	TAKE_TEXT(was);
	TAKE_TEXT(was_cite);
	TAKE_TEXT(what);
	TAKE_TEXT(wchan);
	TAKE_TEXT(call);
	TAKE_TEXT(on);
	TAKE_TEXT(on_cite);
	if (newer->locks_read)
		take_lock(into, newer);
	TAKE_TEXT(oom_cite);
	into->by_texts |= newer->by_texts;
	into->failed_first |= newer->failed_first;
	into->end_by_text |= newer->end_by_text;
	into->end_in_doubt |= newer->end_in_doubt;
	TAKE_TEXT(cite);
	TAKE_TEXT(sample_cite);
}

/* Keeps the surer of two numbers; of equally sure ones the larger. */
static void take_number(struct job_identity *into, const struct job_identity *from)
{
	unsigned unsure = JOB_NUMBER_OF_TASK | JOB_NUMBER_ALONE;
	unsigned held = into->number & unsure, told = from->number & unsure;

	if (!is_world_rank(from->world_rank))
		return;
	if (!is_world_rank(into->world_rank) || (held && !told) ||
		(!held == !told && from->world_rank.n > into->world_rank.n)) {
		into->world_rank = from->world_rank;
		into->number = from->number | (into->number & JOB_NUMBER_OTHER_TASK);
	}
	into->number |= from->number & JOB_NUMBER_OTHER_TASK;
}

static void join_identity(struct job_identity *into, const struct job_identity *from)
{
	take_number(into, from);
	SEAL_KEEP_MAX(into->local_rank, from->local_rank);
	into->promoted |= from->promoted;
	SEAL_KEEP_MAX(into->run, from->run);
	SEAL_KEEP_MAX(into->master, from->master);
	into->knows |= from->knows;
	SEAL_KEEP_MAX(into->lost_records, from->lost_records);
}

/*
 * Makes each process of its readings: those of one moment are joined, and laid over earlier ones.
 */
static void merge_processes(struct seal *seal)
{
	struct job_builder *b = seal->b;

	array_sort(&b->processes, compare_processes);
	for (size_t i = 0; i < b->processes.nr;) {
		const struct raw_process *first = &b->processes.items[i];
		struct job_process moment = first->fact;
		int at = seal_find_process(seal, first->about.who);

		for (; i < b->processes.nr && !compare_processes(first, &b->processes.items[i]);
			i++) {
			join_process(&moment, &b->processes.items[i].fact);
			if (at != JOB_NONE)
				join_identity(&seal->people[at].identity,
					&b->processes.items[i].identity);
		}
		if (at != JOB_NONE)
			overlay_process(&seal->processes[at], &moment);
	}
}

/*
 * Returns the parent of a process: the youngest process of pid ppid on its host that is not younger
 * than the child; JOB_NONE.
 */
static int find_parent(const struct seal *seal, int child)
{
	const struct job_who *who = &seal->people[child].who;
	struct job_who parent = {who->host, seal->processes[child].ppid, who->start_time};

	return parent.pid && parent.pid != who->pid ? last_until(seal, &parent) : JOB_NONE;
}

/* Fills in host, pid, parent, and the cites that are still missing. */
static void place_processes(struct seal *seal)
{
	for (size_t i = 0; i < seal->job->nprocesses; i++) {
		struct job_process *process = &seal->processes[i];
		const struct job_who *who = &seal->people[i].who;

		process->host = seal_find_host(seal, who->host);
		process->pid = who->pid;
		process->start_time = who->pid ? who->start_time : 0;
		if (!*process->cite)
			process->cite =
				arena_printf(seal->arena, "process:%s:%u", who->host, who->pid);
		if (!*process->end_cite)
			process->end_cite = process->cite;
		if (!*process->sample_cite)
			process->sample_cite = process->cite;
		if (!*process->on_cite)
			process->on_cite = process->cite;
		if (!*process->lock_cite)
			process->lock_cite = process->cite;
		seal->people[i].parent = find_parent(seal, (int)i);
	}
}

/*
 * Where no host was gathered, takes the latest time that dumps tell of as the end of the evidence.
 */
static void find_end(struct seal *seal)
{
	if (seal->job->gathered != JOB_UNKNOWN)
		return;
	for (size_t i = 0; i < seal->job->nprocesses; i++)
		SEAL_KEEP_MAX(seal->job->gathered, seal->processes[i].seen);
}

void seal_people(struct seal *seal)
{
	struct whos whos = {0};
	size_t n;

	collect_whos(seal->b, &whos);
	seal->people = alloc_zeroed(whos.list.nr + 1, sizeof(*seal->people));
	n = fill_people(seal, &whos);
	array_release(&whos.list);
	seal->processes = arena_new_many(seal->arena, struct job_process, n + 1);
	for (size_t i = 0; i < n; i++) {
		struct job_host host = job_host_unknown;

		seal->processes[i] = job_process_unknown;
		host.name = seal->people[i].who.host;
		if (!*host.name && !seal->people[i].who.pid)
			continue;
		if (!i || strcmp(host.name, seal->people[i - 1].who.host) != 0)
			job_add_host(seal->b, &host);
	}
	seal->job->processes = seal->processes;
	seal->job->nprocesses = n;
	merge_hosts(seal);
	merge_processes(seal);
	place_processes(seal);
	find_end(seal);
}
