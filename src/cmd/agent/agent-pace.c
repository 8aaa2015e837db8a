/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/agent/agent-pace.h"

#include "cmd/agent/agent.h"
#include "verdict/verdict.h"

/*
 * ns between looks at most while a verdict stands and changes: its bundle is at most 5 s old then,
 * since a look and the write fit in between.
 */
#define SLOWEST_NS (3500 * CLOCK_NS_PER_MS)
/* Verdicts that have stood this long are looked at as rarely as the bundle's age allows. */
#define OLD_NEWS_NS (20 * CLOCK_NS_PER_S)
/* How often the census is read, and /proc sampled; and how often while only old news stand. */
#define SCAN_NS		       (300 * CLOCK_NS_PER_MS)
#define SAMPLE_NS	       CLOCK_NS_PER_S
#define STILL_SCAN_NS	       CLOCK_NS_PER_S
#define STILL_SAMPLE_LEAST_NS  (3 * CLOCK_NS_PER_S)
#define STILL_SAMPLE_MOST_NS   (10 * CLOCK_NS_PER_S)
/* By then a hang that nobody has seen yet is seen, whatever a look costs. */
#define UNSEEN_NS (8 * CLOCK_NS_PER_S)
/*
 * Looking takes at most this part of one core (one in so many), except for that, and when somebody
 * has just died.
 */
#define COST_RATIO 20
/* The same part where a look may be put off, within the bounds below. */
#define PUT_OFF_RATIO	 100
#define STILL_SOONEST_NS (20 * CLOCK_NS_PER_S)
#define STILL_LATEST_NS	 (60 * CLOCK_NS_PER_S)
#define WELL_SOONEST_NS	 (10 * CLOCK_NS_PER_S)
#define WELL_LATEST_NS	 (20 * CLOCK_NS_PER_S)

static int64_t bounded(int64_t value, int64_t least, int64_t most)
{
	return value < least ? least : value > most ? most : value;
}

bool agent_goes_by_stacks(const struct agent *agent)
{
	return agent->by_stacks || (agent->announce.stands && agent->said_by_stacks);
}

bool agent_may_put_off(struct agent *agent, int64_t now)
{
	struct pulse_news news = pulse_take(
		&agent->pulse, agent->fellows.folders.items, agent->fellows.folders.nr);
	int64_t dear = agent->look_cost * PUT_OFF_RATIO, since = now - agent->looked;

	if (!agent->looked || now < agent->eager_until || news.others ||
		agent_goes_by_stacks(agent))
		return false;
	if (agent->announce.stands)
		return !news.moved && now - agent->said > OLD_NEWS_NS &&
			since < bounded(dear, STILL_SOONEST_NS, STILL_LATEST_NS);
	return agent->well && news.moved && !news.still &&
		since < bounded(dear, WELL_SOONEST_NS, WELL_LATEST_NS);
}

bool agent_calls_well(const struct verdicts *verdicts)
{
	const struct verdict_early *early = &verdicts->early;

	return verdicts->at[0].class == VERDICT_HEALTHY ||
	       (verdicts->at[0].class == VERDICT_TOO_EARLY &&
		       early->threshold - early->age > WELL_LATEST_NS + AGENT_LOOK_NS);
}

/*
 * True while nothing but old news stand. Samples may be rare then: ends are told by a descriptor,
 * and a standing rank stands in each sample.
 */
static bool has_old_news(const struct agent *agent, int64_t now)
{
	return agent->announce.stands && now - agent->said > OLD_NEWS_NS && !agent->by_stacks &&
	       !agent->announce.unexplained && now >= agent->eager_until;
}

int64_t agent_scan_interval(const struct agent *agent, int64_t now)
{
	return has_old_news(agent, now) ? STILL_SCAN_NS : SCAN_NS;
}

int64_t agent_sample_interval(const struct agent *agent, int64_t now)
{
	return has_old_news(agent, now) ? bounded(agent->sample_cost * PUT_OFF_RATIO,
						  STILL_SAMPLE_LEAST_NS, STILL_SAMPLE_MOST_NS)
					: SAMPLE_NS;
}

bool agent_wants_stacks(const struct agent *agent, int64_t now)
{
	return !agent->announce.stands || agent->announce.unexplained ||
	       agent_goes_by_stacks(agent) || now - agent->said <= OLD_NEWS_NS;
}

/*
 * Four looks are due while a wait grows to hang_after, within bounds, and fewer where they cost
 * much.
 */
int64_t agent_look_interval(const struct agent *agent, int64_t now, bool put_off)
{
	int64_t dear = agent->look_cost * COST_RATIO, interval;

	if (now < agent->eager_until)
		return AGENT_EAGER_NS;
	interval = bounded(agent->options.hang_after / 4, AGENT_EAGER_NS, AGENT_LOOK_NS);
	if (interval < dear)
		interval = dear;
	if (!agent->announce.stands)
		return bounded(interval, 0, put_off ? AGENT_LOOK_NS : UNSEEN_NS);
	return interval > SLOWEST_NS || now - agent->said > OLD_NEWS_NS ? SLOWEST_NS : interval;
}
