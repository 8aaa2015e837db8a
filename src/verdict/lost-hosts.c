/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds hosts that fell silent with all of their ranks: the node is gone, and nobody there can
 * come. A host of which only the agent is gone, while its ranks were seen to live, is not lost.
 */
#include "base/alloc.h"
#include "base/clock.h"
#include "verdict/inquiry.h"

/* An agent says something every second; an agent silent for so many ns is gone. */
#define AGENT_SILENCE (30 * CLOCK_NS_PER_S)
#define AGENT_SLACK   (10 * CLOCK_NS_PER_S)

/* Returns when any rank of a host was last seen to do something; JOB_UNKNOWN. */
static int64_t last_act_on(const struct job *job, int host)
{
	int64_t last = JOB_UNKNOWN;

	for (size_t i = 0; i < job->nthreads; i++)
		if (job_rank(job, job->threads[i].rank)->host == host &&
			job->threads[i].since > last)
			last = job->threads[i].since;
	return last;
}

/*
 * Returns when ranks elsewhere began to wait, by standing waits and this host's clock; JOB_UNKNOWN.
 */
static int64_t first_wait_elsewhere(const struct inquiry *q, int host)
{
	int64_t first = JOB_UNKNOWN;

	for (size_t i = 0; i < q->waits->n; i++) {
		const struct wait *wait = &q->waits->at[i];
		int there = clocks_of_rank(q->clocks, wait->rank);
		int64_t since = clocks_move(q->clocks, wait->since, there, host);

		if (there == host || since == JOB_UNKNOWN ||
			clocks_error(q->clocks, there, host) > AGENT_SLACK ||
			!waitfor_stands(q->job, wait, &q->given))
			continue;
		if (first == JOB_UNKNOWN || since < first)
			first = since;
	}
	return first;
}

int64_t inquiry_silence(const struct inquiry *q, int host)
{
	int64_t silence = JOB_UNKNOWN;

	for (size_t i = 0; i < q->job->nhosts; i++) {
		int64_t seen = clocks_move(q->clocks, q->job->hosts[i].gathered, (int)i, host);

		if (clocks_error(q->clocks, (int)i, host) > AGENT_SLACK)
			continue;
		if (seen != JOB_UNKNOWN && q->job->hosts[host].agent_beat != JOB_UNKNOWN &&
			seen - q->job->hosts[host].agent_beat > silence)
			silence = seen - q->job->hosts[host].agent_beat;
	}
	return silence;
}

/*
 * True if a rank there was seen to live when its agent was gone or silent: the node is still there.
 */
static bool outlives_agent(const struct job *job, int host)
{
	const struct job_host *h = &job->hosts[host];

	if (h->guessed || h->gathered == JOB_UNKNOWN)
		return false;
	if (h->agent_alive != JOB_NO && h->gathered < h->agent_beat + AGENT_SILENCE)
		return false;
	job_for_each_rank(job, rank)
		if (job_rank(job, rank)->host == host && job_rank(job, rank)->process != JOB_NONE &&
			job->processes[job_rank(job, rank)->process].end == JOB_ALIVE)
			return true;
	return false;
}

/*
 * True if agent and ranks are silent together: the agent is known to be gone, or said nothing for
 * long; no rank there is known to have ended or to have done anything since; and the others' waits
 * began when the silence did. (A bundle that was merely taken earlier was taken during the waits,
 * not before them.)
 */
static bool is_lost(const struct inquiry *q, int host)
{
	const struct job *job = q->job;
	const struct job_host *h = &job->hosts[host];
	size_t ranks = 0;
	int64_t waits;

	if (h->agent_beat == JOB_UNKNOWN || h->agent_alive == JOB_YES)
		return false;
	if (h->agent_alive != JOB_NO && inquiry_silence(q, host) < AGENT_SILENCE)
		return false;
	/* All waits are gone through last: of many hosts few are silent. */
	if (outlives_agent(job, host))
		return false;
	waits = first_wait_elsewhere(q, host);
	if (waits == JOB_UNKNOWN || waits < h->agent_beat - AGENT_SLACK ||
		last_act_on(job, host) > h->agent_beat + AGENT_SLACK)
		return false;
	job_for_each_rank(job, rank) {
		if (job_rank(job, rank)->host != host)
			continue;
		ranks++;
		if (q->profiles[rank.i].ended || q->profiles[rank.i].death != DEATH_NONE)
			return false;
	}
	return ranks > 0 && ranks < job->nranks;
}

void inquiry_find_lost_hosts(struct inquiry *q)
{
	q->lost_hosts = alloc_zeroed(q->job->nhosts + 1, sizeof(*q->lost_hosts));
	for (size_t i = 0; q->job->nhosts > 1 && i < q->job->nhosts; i++)
		q->lost_hosts[i] = is_lost(q, (int)i);
	job_for_each_rank(q->job, rank) {
		int host = job_rank(q->job, rank)->host;

		if (host != JOB_NONE && q->lost_hosts[host]) {
			q->stands[rank.i] = WAITFOR_FINAL;
			q->stopped[rank.i] = true;
		}
	}
}
