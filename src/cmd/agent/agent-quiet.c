/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/agent/agent-quiet.h"

#include "base/clock.h"
#include "base/hash.h"
#include "evidence/gather/live/live.h"
#include "job/step-told.h"

/*
 * ms between two of the three samples: who is still there in the third has stood for two seconds.
 */
#define SAMPLES_APART_MS 1100
#define SAMPLES_NS	 (2 * SAMPLES_APART_MS * CLOCK_NS_PER_MS)
#define ASK_MS	   100
/* A job that is silent for less is only between two operations. */
#define QUIET_NS    (2 * CLOCK_NS_PER_S)
#define SOONEST_NS  (3 * CLOCK_NS_PER_S)
#define LATEST_NS   (10 * CLOCK_NS_PER_S)
/* Taking stacks takes at most this part of one core: one in so many. */
#define COST_RATIO 20

/* --- What rings tell -------------------------------------------------------------------------- */

/*
 * A time that is read again from the same record differs by less, since clocks are compared anew
 * each time; a later time differs by more.
 */
#define SAME_NS (20 * CLOCK_NS_PER_MS)

/* Returns the latest time that any span, send or receive tells of; INT64_MIN where none does. */
static int64_t latest_of(const struct job *job)
{
	int64_t latest = INT64_MIN;

	for (size_t i = 0; i < job->nspans; i++) {
		if (job->spans[i].begun > latest)
			latest = job->spans[i].begun;
		if (job->spans[i].ended > latest)
			latest = job->spans[i].ended;
	}
	for (size_t i = 0; i < job->nmembers; i++) {
		const struct job_member *m = &job->members[i];

		if (m->np2p && m->p2p[m->np2p - 1].entered > latest)
			latest = m->p2p[m->np2p - 1].entered;
	}
	return latest;
}

/*
 * Returns a hash that changes with every operation, batch and step that rings tell of, and with who
 * is there.
 */
static uint64_t told_by(const struct job *job)
{
	uint64_t hash = HASH_START;

	hash = hash_mix(hash_mix(hash_mix(hash, job->nranks), job->ngroups), job->nspans);
	job_for_each_rank(job, rank)
		if (job_rank(job, rank)->process != JOB_NONE)
			hash = hash_mix(hash,
				job->processes[job_rank(job, rank)->process].start_time);
	for (size_t i = 0; i < job->nmembers; i++) {
		const struct job_member *m = &job->members[i];

		hash = hash_mix(hash_mix(hash, m->head), (uint64_t)m->state);
		hash = hash_mix(hash, m->np2p);
	}
	for (size_t i = 0; i < job->nspans; i++)
		hash = hash_mix(hash, job->spans[i].open);
	for (size_t i = 0; i < job->nshards; i++)
		hash = hash_mix(hash, job->shards[i].batches);
	for (size_t i = 0; i < job->nsteps; i++)
		hash = hash_mix(hash, job->steps[i].events);
	return hash;
}

/*
 * True if a log tells of a later step than any did before: a job that goes on may do nothing else
 * that is seen. A line about another thing, or about a step that stands, is no news.
 */
static bool goes_on(struct agent_quiet *quiet, const struct job *job)
{
	uint64_t before = quiet->step;

	for (size_t i = 0; i < job->nlogs; i++) {
		uint64_t step = step_told(job->logs[i].last_line);

		quiet->step = step > quiet->step ? step : quiet->step;
	}
	return quiet->step > before;
}

static int64_t bounded(int64_t value, int64_t least, int64_t most)
{
	return value < least ? least : value > most ? most : value;
}

/* Returns how often stacks are taken of a job that may hang. */
static int64_t usual_pause(int64_t hang_after)
{
	return bounded(hang_after / 4, SOONEST_NS, LATEST_NS);
}

/* Sets when stacks are taken next, but not too soon. */
static void take_at(struct agent_quiet *quiet, int64_t due)
{
	quiet->due = due > quiet->soonest ? due : quiet->soonest;
}

bool agent_quiet_see(
	struct agent_quiet *quiet, const struct job *job, int64_t now, int64_t hang_after)
{
	int64_t latest = latest_of(job);
	uint64_t told = told_by(job);
	bool on = goes_on(quiet, job);

	if (quiet->since && !on && told == quiet->told && latest <= quiet->latest + SAME_NS)
		return false;
	quiet->told = told;
	quiet->latest = latest;
	quiet->since = now;
	quiet->pause = usual_pause(hang_after);
	take_at(quiet, now + bounded(hang_after / 2 - SAMPLES_NS, QUIET_NS, INT64_MAX));
	return true;
}

void agent_quiet_next(struct agent_quiet *quiet, bool telling, int64_t waited, int64_t now,
	int64_t hang_after)
{
	int64_t left = waited == JOB_UNKNOWN ? 0 : hang_after - waited;

	quiet->pause = telling ? usual_pause(hang_after)
			       : bounded(2 * quiet->pause, SOONEST_NS,
					 bounded(hang_after, LATEST_NS, 60 * CLOCK_NS_PER_S));
	if (left > 0 && left < quiet->pause)
		take_at(quiet, now + bounded(left, SOONEST_NS, quiet->pause));
	else
		take_at(quiet, now + quiet->pause);
}

/* --- The helper ------------------------------------------------------------------------------- */

struct live_options agent_quiet_options(const struct agent_quiet_job *of)
{
	const struct live_options usual = LIVE_OPTIONS_STACKS;
	struct live_options options = of->options;

	options.stacks = usual.stacks;
	options.stacks.raw_stacks = of->options.stacks.raw_stacks;
	options.sample_pause_ms = 0;
	options.wary = true;
	options.read_ms = ASK_MS;
	return options;
}

/* Takes the stacks. Runs in the helper. */
static void take(const void *what, struct evidence *into)
{
	const struct agent_quiet_job *of = what;
	struct live_options options = agent_quiet_options(of);

	options.stacks.pause_ms = SAMPLES_APART_MS;
	options.ask_fellows = true;
	live_gather_stacks(of->folder, &options, into, NULL);
}

void agent_quiet_turn(struct agent_quiet *quiet, const struct agent_quiet_job *of, int64_t now)
{
	if (quiet->gatherer.helper.pid || !quiet->since || now < quiet->due)
		return;
	quiet->due = now + quiet->pause;
	gatherer_begin(&quiet->gatherer, take, of);
}

bool agent_quiet_fetch(struct agent_quiet *quiet, struct evidence *into)
{
	struct evidence stacks = {0};

	if (!gatherer_fetch(&quiet->gatherer, &stacks))
		return false;
	quiet->soonest = quiet->gatherer.helper.begun + quiet->gatherer.cost * COST_RATIO;
	/* Stacks that were begun before the job moved on mix both states. */
	if (!stacks.n || quiet->gatherer.helper.begun < quiet->since) {
		evidence_release(&stacks);
		return false;
	}
	evidence_release(into);
	*into = stacks;
	return true;
}

void agent_quiet_release(struct agent_quiet *quiet)
{
	gatherer_end(&quiet->gatherer);
}
