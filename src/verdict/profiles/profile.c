/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles are made in one pass per kind of fact, each adding what it alone can see. Only then is
 * each rank compared with its peers, and last its death with theirs (profile-deaths.c), since a
 * cause is told from an effect by what the others did.
 *
 * PROGRESS is asked of the whole family, the rank and its descendants: compilers, loaders and
 * checkpoint writers work in children while the rank itself sleeps. The family moves if it used CPU
 * above a small share of the time, or a child or a compile span just began or ended. It does not
 * move if there was nothing of all that for long enough. Between the two, and where samples lack,
 * it is unknown, never "no".
 */
#include "verdict/profiles/profile.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/clock.h"
#include "job/calls.h"
#include "job/rollcall.h"
#include "job/spans.h"
#include "verdict/profiles/last-words.h"

/*
 * A family that uses less CPU than this part of the time does not work: that is a sampler thread,
 * or polling.
 */
#define WORK_SHARE 50 /* a fiftieth */

/* A span or child that began or ended within so many ns is a sign of life. */
#define RECENT (5 * CLOCK_NS_PER_S)

/* A rank that uses at least this part of the time, a quarter, computes. */
#define BUSY_SHARE 4

/* So much, a twentieth, may be all that one gets that is found running, on a crowded machine. */
#define CROWDED_SHARE 20

/* A rank that was stopped for less, ns, may have been stopped by what ended it. */
#define STOPPED_AT_LEAST (2 * CLOCK_NS_PER_S)

/* Fewer bytes than these are lines of a log, and no checkpoint. */
#define WRITES_AT_LEAST 4096

static void keep_max(int64_t *into, int64_t value)
{
	if (value > *into)
		*into = value;
}

/* -- spans, marks, logs ------------------------------------------------------------------------ */

/* Finds the newest open span of each kind: what the rank says that it is doing. */
static void look_at_spans(const struct job *job, struct rank_index rank, struct profile *p)
{
	p->compile = compiles_open(job, rank);
	p->input = spans_open(job, rank, JOB_SPAN_INPUT);
	p->checkpoint = spans_open(job, rank, JOB_SPAN_CHECKPOINT);
	p->user = spans_open(job, rank, JOB_SPAN_USER);
}

static bool is_empty(const struct job_shard *shard)
{
	return !shard->rows || !shard->elements;
}

/* A batch may be taken so many batches before it is worked on. */
#define BATCHES_AHEAD 2

/* True if an empty batch was one of the loader's latest. (A new pass may count from 0 again.) */
static bool is_empty_lately(const struct job_shard *shard)
{
	if (!shard->empty)
		return false;
	return shard->emptied <= shard->index ? shard->index - shard->emptied <= BATCHES_AHEAD
					      : shard->index < BATCHES_AHEAD;
}

/* Looks at the marks of batches and steps. Of several loaders the one that gave nothing is kept. */
static void look_at_marks(const struct job *job, struct rank_index rank, struct profile *p)
{
	struct spans_range shards = shards_of(job, rank), steps = steps_of(job, rank);

	for (size_t i = shards.from; i < shards.to; i++) {
		const struct job_shard *shard = &job->shards[i];

		if (is_empty(shard) && !p->empty_now) {
			p->empty_now = true;
			p->shard = shard;
		}
		if (shard->empty && !p->empty_once) {
			p->empty_once = true;
			p->shard = p->empty_now ? p->shard : shard;
		}
		if (!p->shard)
			p->shard = shard;
		p->empty_lately |= is_empty_lately(shard);
	}
	p->empty_once |= p->empty_now;
	p->empty_lately |= p->empty_now;
	for (size_t i = steps.from; i < steps.to; i++)
		p->step = &job->steps[i];
}

/*
 * Returns the end of the rank's latest pass if that gave no batch, on the rank's own word; or NULL.
 * *ret_before: earlier passes gave some.
 */
static const struct job_trait *empty_pass(
	const struct job *job, struct rank_index rank, bool *ret_before)
{
	struct spans_range traits = traits_of(job, rank), shards = shards_of(job, rank);
	const struct job_trait *end = NULL;

	*ret_before = false;
	for (size_t i = traits.from; i < traits.to; i++)
		if (!strcmp(job->traits[i].key, "input-end") && job->traits[i].number == 0)
			end = &job->traits[i];
	for (size_t i = shards.from; end && i < shards.to; i++) {
		if (strcmp(job->shards[i].loader, end->text) != 0)
			continue;
		if (job->shards[i].when > end->when)
			return NULL;
		*ret_before = true;
	}
	return end;
}

/* True if the pass to which this batch belongs has not ended. */
static bool is_under_way(const struct job *job, const struct job_shard *shard)
{
	struct spans_range traits = traits_of(job, shard->rank);

	for (size_t i = traits.from; i < traits.to; i++)
		if (!strcmp(job->traits[i].key, "input-end") &&
			!strcmp(job->traits[i].text, shard->loader) &&
			job->traits[i].when >= shard->when)
			return false;
	return true;
}

/*
 * Finds ranks that got no batch at all in a pass of which others have some: zero is an amount, too.
 */
static void look_at_empty_passes(const struct job *job, struct profile *profiles)
{
	job_for_each_rank(job, rank) {
		bool before, others = false;
		const struct job_trait *end = empty_pass(job, rank, &before);

		for (size_t k = 0; end && k < job->nshards && !others; k++)
			others = !same_rank(job->shards[k].rank, rank) &&
				 !is_empty(&job->shards[k]) &&
				 !strcmp(job->shards[k].loader, end->text) &&
				 (!before || is_under_way(job, &job->shards[k]));
		if (!others)
			continue;
		profiles[rank.i].no_batch = end;
		profiles[rank.i].empty_now = profiles[rank.i].empty_once = true;
		profiles[rank.i].empty_lately = true;
	}
}

/*
 * Compares the ranks' batches: that a batch is empty means nothing if half of the ranks got empty
 * ones, too.
 */
static void compare_shards(const struct job *job, struct profile *profiles)
{
	size_t now = 0, once = 0, marked = 0;

	look_at_empty_passes(job, profiles);
	job_for_each_rank(job, rank) {
		now += profiles[rank.i].empty_now;
		once += profiles[rank.i].empty_once;
		marked += profiles[rank.i].shard || profiles[rank.i].no_batch;
	}
	job_for_each_rank(job, rank) {
		if (marked < 2 || 2 * now > marked) {
			profiles[rank.i].empty_now = false;
			profiles[rank.i].no_batch = NULL;
		}
		if (marked < 2 || 2 * once > marked)
			profiles[rank.i].empty_once = false;
	}
}

/*
 * True if the rank itself may have said it. A living rank that has only left a file has not: a
 * program that it started, even another launcher, writes into the same file.
 */
static bool is_its_own(const struct profile *p, const struct job_note *note)
{
	return !note->by_file || !p->process || p->process->end > JOB_ALIVE;
}

/* Keeps the latest note of each kind. */
static void look_at_note(const struct job_note *note, struct profile *p)
{
	switch (words_of_note(note->text)) {
	case WORDS_THREAD:
		p->thread_exception = note;
		break;
	case WORDS_HANDLING:
		p->handling = note;
		break;
	case WORDS_POOL:
		p->pool = note;
		break;
	case WORDS_OTHER:
		break;
	}
}

/* Finds the first exception, since what follows is its echo; of logs one that names an error. */
static void look_at_words(const struct job *job, struct rank_index rank, struct profile *p)
{
	struct spans_range notes = notes_of(job, rank), logs = logs_of(job, rank);

	for (size_t i = notes.from; i < notes.to && !p->exception; i++)
		if (job->notes[i].exception && is_its_own(p, &job->notes[i]))
			p->exception = &job->notes[i];
	for (size_t i = notes.from; i < notes.to; i++)
		look_at_note(&job->notes[i], p);
	for (size_t i = logs.from; i < logs.to; i++)
		if (!p->log || *job->logs[i].error)
			p->log = &job->logs[i];
}

/* -- processes --------------------------------------------------------------------------------- */

/*
 * A rank and its descendants: their CPU, the time it was counted in, how long all were idle (ns).
 */
struct family {
	int64_t cpu, span, idle;
	bool known, all_idle_known, stirred;
};

/*
 * Adds one process. A child's birth or death is a sign of life; CPU and idleness count for living
 * ones.
 */
static void add_relative(const struct job_process *process, int64_t now, struct family *f)
{
	bool lives = process->end <= JOB_ALIVE;

	if (now != JOB_UNKNOWN && process->role == JOB_ROLE_CHILD) {
		if (process->born != JOB_UNKNOWN && now - process->born < RECENT)
			f->stirred = true;
		if (process->ended != JOB_UNKNOWN && now - process->ended < RECENT)
			f->stirred = true;
	}
	if (!lives)
		return;
	if (process->cpu_delta != JOB_UNKNOWN && process->sample_span > 0) {
		f->cpu = checked_add(f->cpu, process->cpu_delta);
		keep_max(&f->span, process->sample_span);
		f->known = true;
	}
	if (process->idle_for == JOB_UNKNOWN)
		f->all_idle_known = false;
	else if (f->idle == JOB_UNKNOWN || process->idle_for < f->idle)
		f->idle = process->idle_for;
}

/* True if compiling began or ended something just now. */
static bool spans_stirred(const struct job *job, struct rank_index rank, int64_t now)
{
	struct spans_range range = spans_of(job, rank);

	for (size_t i = range.from; now != JOB_UNKNOWN && i < range.to; i++) {
		const struct job_span *span = &job->spans[i];

		if (span->kind != JOB_SPAN_COMPILE && span->kind != JOB_SPAN_DEVICE)
			continue;
		if (span->begun != JOB_UNKNOWN && now - span->begun < RECENT)
			return true;
		if (span->ended != JOB_UNKNOWN && now - span->ended < RECENT)
			return true;
	}
	return false;
}

/* True if a compiler began or ended just now, however short its life was. */
static bool tools_stirred(const struct profile *p, int64_t now)
{
	return p->tools && now != JOB_UNKNOWN && p->tools->when != JOB_UNKNOWN &&
	       now - p->tools->when < RECENT;
}

/* True if the process is stopped: by the freezer, a signal or a debugger. */
static bool is_stopped(const struct job_process *process)
{
	return process->end <= JOB_ALIVE && (process->frozen == JOB_YES ||
						    process->state == 'T' || process->state == 't');
}

static void look_at_traits(const struct job *job, struct rank_index rank, struct profile *p)
{
	struct spans_range range = traits_of(job, rank);

	for (size_t i = range.from; i < range.to; i++) {
		if (!strcmp(job->traits[i].key, "tools"))
			p->tools = &job->traits[i];
		if (!strcmp(job->traits[i].key, "exception-at"))
			p->raised_at = &job->traits[i];
		if (!strcmp(job->traits[i].key, "handling-at"))
			p->handled_at = &job->traits[i];
	}
}

/*
 * Returns the ns of CPU that waiting took where a library spins: of threads that were in its calls
 * all the time.
 */
static int64_t spun_in_calls(
	const struct job *job, const struct waits *waits, struct rank_index rank, int64_t span)
{
	struct spans_range range = threads_of(job, rank);
	int64_t now = waits->now[rank.i], spun = 0;

	for (size_t i = range.from; i < range.to && now != JOB_UNKNOWN; i++) {
		const struct job_thread *thread = &job->threads[i];

		if ((thread->state == JOB_THREAD_IN_CALL || thread->state == JOB_THREAD_IN_WAIT) &&
			call_is_on_host(thread->call) && thread->since != JOB_UNKNOWN &&
			now - thread->since >= span)
			spun = checked_add(spun, span);
	}
	return spun;
}

/*
 * Concludes whether the family moves. Two samples far enough apart are as good as the agent's long
 * watch. Who was idle for all of a short watch may have been so long before: that is no progress.
 * Where waiting uses a processor, that one was used is none, either.
 */
static void conclude_progress(const struct family *f, bool stirred, struct profile *p)
{
	p->cpu = f->known ? f->cpu : JOB_UNKNOWN;
	p->cpu_span = f->known ? f->span : JOB_UNKNOWN;
	p->idle = f->all_idle_known ? f->idle : JOB_UNKNOWN;
	if (f->known && checked_mul(checked_sub(f->cpu, p->spun), WORK_SHARE) >= f->span) {
		p->progress = PROGRESS_YES;
		return;
	}
	if (p->idle == JOB_UNKNOWN && f->known)
		p->idle = f->span;
	if (stirred || f->stirred)
		p->progress = PROGRESS_YES;
	else if (p->idle != JOB_UNKNOWN && p->idle >= RECENT)
		p->progress = PROGRESS_NO;
	else if (f->all_idle_known && f->idle != JOB_UNKNOWN && f->idle < CLOCK_NS_PER_S &&
		f->idle < f->span && !p->spun)
		p->progress = PROGRESS_YES;
}

/* True if a child died badly: one that was told to end did not. */
static bool died_badly(const struct job_process *process)
{
	return process->end == JOB_SIGNALED &&
	       (process->status == SIGKILL || profile_is_fault_signal(process->status) ||
		       process->status == SIGABRT);
}

/* Looks at the processes of all ranks in one pass. */
static void look_at_processes(
	const struct job *job, const struct waits *waits, struct profile *profiles)
{
	struct family *families = alloc_zeroed(job->nranks + 1, sizeof(*families));

	for (size_t i = 0; i < job->nranks; i++)
		families[i] = (struct family){.idle = JOB_UNKNOWN, .all_idle_known = true};
	for (size_t i = 0; i < job->nprocesses; i++) {
		const struct job_process *process = &job->processes[i];
		struct profile *p;

		if (!is_rank(process->rank))
			continue;
		p = &profiles[process->rank.i];
		add_relative(process, waits->now[process->rank.i], &families[process->rank.i]);
		if (process->role == JOB_ROLE_CHILD && died_badly(process) && !p->dead_child)
			p->dead_child = process;
		if (process->role == JOB_ROLE_CHILD && is_stopped(process) && !p->stopped_child)
			p->stopped_child = process;
	}
	for (size_t i = 0; i < job->nranks; i++) {
		if (families[i].known)
			profiles[i].spun = spun_in_calls(
				job, waits, rank_index((int)i), families[i].span);
		conclude_progress(&families[i],
			spans_stirred(job, rank_index((int)i), waits->now[i]) ||
				tools_stirred(&profiles[i], waits->now[i]),
			&profiles[i]);
	}
	free(families);
}

/*
 * Returns the ns for which it had been stopped when it was ended; JOB_UNKNOWN: it was not, or not
 * for long. (What ends a job looks at its ranks one after the other.)
 */
static int64_t stopped_until_end(const struct job_process *process)
{
	if (process->end <= JOB_ALIVE || process->stopped_since == JOB_UNKNOWN ||
		process->ended == JOB_UNKNOWN ||
		process->ended - process->stopped_since < STOPPED_AT_LEAST)
		return JOB_UNKNOWN;
	return process->ended - process->stopped_since;
}

/*
 * Forgets stops if all were stopped: the whole job was suspended, which tells nothing of any rank.
 */
static void compare_stops(const struct job *job, struct profile *profiles)
{
	size_t stopped = 0, seen = 0;

	job_for_each_rank(job, rank) {
		stopped += profiles[rank.i].stopped_for != JOB_UNKNOWN;
		seen += profiles[rank.i].process != NULL;
	}
	job_for_each_rank(job, rank)
		if (stopped == seen)
			profiles[rank.i].stopped_for = JOB_UNKNOWN;
}

/* Finds whether the process ended, is frozen (by cgroup or by a stop signal), and wrote. */
static void look_at_own_process(struct profile *p)
{
	const struct job_process *process = p->process;

	p->written = p->stopped_for = JOB_UNKNOWN;
	if (!process)
		return;
	p->ended = process->end > JOB_ALIVE;
	p->frozen = is_stopped(process);
	p->traced = p->frozen && process->state == 't';
	p->written = process->write_delta;
	p->stopped_for = stopped_until_end(process);
}

/* -- threads and seats ------------------------------------------------------------------------- */

/*
 * True if the thread that does the rank's work is proved to have stood still while this other one
 * left its call: a logger or a prefetcher that goes on with collectives of its own moves nobody who
 * waits for the rank.
 */
static bool is_aside(const struct posture *posture, const struct job_thread *thread, int64_t now)
{
	return posture->stack && posture->stands != JOB_UNKNOWN &&
	       thread->tid != posture->stack->tid && now != JOB_UNKNOWN &&
	       now - thread->since < posture->stands;
}

/*
 * Finds since when the rank has been outside of its calls, by the latest change on any board of a
 * thread that may do its work.
 */
static void look_at_threads(
	const struct job *job, const struct waits *waits, struct rank_index rank, struct profile *p)
{
	struct spans_range range = threads_of(job, rank);
	int64_t left = JOB_UNKNOWN, now = waits->now[rank.i];

	p->outside = JOB_UNKNOWN;
	p->outside_cite = p->process ? p->process->cite : "census";
	for (size_t i = range.from; i < range.to; i++) {
		const struct job_thread *thread = &job->threads[i];

		if (waits_is_watchdog(thread->name) || thread->since <= left ||
			is_aside(&p->posture, thread, now))
			continue;
		left = thread->since;
		p->outside_cite = thread->cite;
	}
	if (left != JOB_UNKNOWN && now != JOB_UNKNOWN)
		p->outside = now > left ? now - left : 0;
}

/*
 * Looks at ops of threads that have ended since, which are on no board: the rank was not outside
 * before such an op.
 */
static void look_at_past_threads(
	const struct job *job, const struct waits *waits, struct profile *profiles)
{
	for (size_t i = 0; i < job->nmembers; i++) {
		const struct job_member *m = &job->members[i];
		const struct job_op *last = m->nops ? &m->ops[m->nops - 1] : NULL;
		struct profile *p = is_rank(m->rank) ? &profiles[m->rank.i] : NULL;
		int64_t since;

		if (!p || p->outside == JOB_UNKNOWN || !last || last->thread != JOB_NONE ||
			last->returned != JOB_YES || last->entered == JOB_UNKNOWN)
			continue;
		since = checked_sub(waits->now[m->rank.i], last->entered);
		if (since < 0 || since >= p->outside)
			continue;
		p->outside = since;
		p->outside_cite = last->cite;
	}
}

static bool is_left(const struct job_member *m)
{
	return m->state == JOB_MEMBER_CLOSING || m->state == JOB_MEMBER_GONE;
}

/* The largest group that a rank is in and has not left; of several the one that it made last. */
struct largest {
	uint32_t size; /* 0: it is in none */
	int64_t init_since;
};

/* True if that group stands in the place of the other, or is larger. */
static bool succeeds(struct largest group, struct largest other)
{
	return group.size > other.size ||
	       (group.size == other.size && group.init_since > other.init_since);
}

static struct largest group_of(const struct job *job, const struct job_member *m)
{
	return (struct largest){job->groups[m->group].size, m->init_since};
}

/* Returns per rank its largest group; to be freed. */
static struct largest *find_largest(const struct job *job)
{
	struct largest *largest = alloc_zeroed(job->nranks + 1, sizeof(*largest));

	for (size_t i = 0; i < job->nmembers; i++) {
		const struct job_member *m = &job->members[i];
		struct largest group = group_of(job, m);

		if (is_rank(m->rank) && !is_left(m) &&
			(!largest[m->rank.i].size || succeeds(group, largest[m->rank.i])))
			largest[m->rank.i] = group;
	}
	return largest;
}

/*
 * Finds ranks that are done: they closed a group in good order. Who made another one in its place,
 * or has a larger one, does not leave the job.
 */
static void look_at_seats(const struct job *job, struct profile *profiles)
{
	struct largest *largest = find_largest(job);

	for (size_t i = 0; i < job->nmembers; i++) {
		const struct job_member *m = &job->members[i];

		if (is_rank(m->rank) && !m->aborted && is_left(m) &&
			!rollcall_is_bootstrap(&job->groups[m->group]) &&
			!(largest[m->rank.i].size &&
				succeeds(largest[m->rank.i], group_of(job, m))))
			profiles[m->rank.i].leaving = true;
	}
	free(largest);
}

/*
 * True if the rank's compile waits for others: a compiler that waits for the GPU waits for all that
 * was launched there before.
 */
static bool is_device_victim(const struct profile *p, const struct wait *wait)
{
	return p->compile.device && wait->sure &&
	       (wait->kind == WAIT_COLLECTIVE || wait->kind == WAIT_P2P);
}

static void look_at_waits(const struct waits *waits, struct profile *profiles)
{
	for (size_t i = 0; i < waits->n; i++) {
		const struct wait *wait = &waits->at[i];

		if ((wait->lacking || wait->doubtful) && !wait->ahead)
			profiles[wait->rank.i].waits = true;
		if (is_device_victim(&profiles[wait->rank.i], wait))
			profiles[wait->rank.i].device_victim = true;
		if (wait->kind == WAIT_CLOSE)
			profiles[wait->rank.i].leaving = true;
	}
}

/* True if silence of this rank means anything: had it done something, that would be known. */
static bool is_readable(const struct job *job, const struct job_rank *rank)
{
	if (rank->process == JOB_NONE)
		return job->census_whole;
	if (rank->knows & JOB_KNOWS_BOARDS)
		return true;
	return rank->candidate_only && (rank->knows & JOB_KNOWS_CENSUS);
}

struct profile *profiles_new(const struct job *job, const struct waits *waits,
	const struct clocks *clocks, const struct posture *postures)
{
	struct profile *profiles = alloc_zeroed(job->nranks + 1, sizeof(*profiles));

	job_for_each_rank(job, at) {
		const struct job_rank *rank = job_rank(job, at);
		struct profile *p = &profiles[at.i];

		p->process = rank->process == JOB_NONE ? NULL : &job->processes[rank->process];
		p->posture = postures[at.i];
		p->readable = is_readable(job, rank);
		p->fault = JOB_UNKNOWN;
		look_at_spans(job, at, p);
		look_at_marks(job, at, p);
		look_at_words(job, at, p);
		look_at_traits(job, at, p);
		look_at_own_process(p);
		look_at_threads(job, waits, at, p);
	}
	look_at_past_threads(job, waits, profiles);
	look_at_processes(job, waits, profiles);
	compare_shards(job, profiles);
	compare_stops(job, profiles);
	look_at_seats(job, profiles);
	look_at_waits(waits, profiles);
	address_find(job, waits, profiles);
	profiles_judge_deaths(job, waits, clocks, profiles);
	return profiles;
}

/* True if the rank used at least that part of the time, what it spun away left aside. */
static bool uses_share(const struct profile *p, int64_t share)
{
	return p->cpu != JOB_UNKNOWN && p->cpu_span > 0 &&
	       checked_mul(checked_sub(p->cpu, p->spun), share) >= p->cpu_span;
}

/*
 * True if the rank wants a processor: on a crowded machine a rank that computes gets little of one,
 * and so may nobody who would look at its stacks.
 */
static bool wants_processor(const struct profile *p)
{
	if (p->posture.stack)
		return p->posture.stack->state == 'R' && p->posture.moved == JOB_YES;
	return p->process && p->process->state == 'R' && uses_share(p, CROWDED_SHARE);
}

bool profile_is_busy(const struct profile *p)
{
	return wants_processor(p) || uses_share(p, BUSY_SHARE);
}

bool profile_writes(const struct profile *p)
{
	return p->written != JOB_UNKNOWN && p->written >= WRITES_AT_LEAST;
}

void profiles_free(struct profile *profiles)
{
	free(profiles);
}
