/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/agent/agent-packages.h"

#include <errno.h>
#include <poll.h>

#include "base/clock.h"
#include "cmd/agent/agent.h"
#include "evidence/gather/packages.h"

#define FIRST_PAUSE CLOCK_NS_PER_S
#define LAST_PAUSE  (600 * CLOCK_NS_PER_S)
#define WAIT_MOST   (10 * CLOCK_NS_PER_S)
#define WHOLE	    'W' /* begins an answer that has all */
#define PART	    'P' /* begins one that lacks something */
#define MESSAGE_NS  (CLOCK_NS_PER_S / 5) /* how long is waited for the rest of a message that has
					  * begun */
#define RANKS_MOST  8 /* ranks that are asked: those of a host mostly have one environment */

/* The ranks that are asked, by the pids that we see. */
struct asked {
	uint32_t pids[RANKS_MOST];
	size_t n;
};

/* Lists the packages. Runs in the helper. */
static void list_packages(int out, void *arg)
{
	const struct asked *asked = arg;
	struct str list = {0};
	char whole = packages_list(asked->pids, asked->n, &list) ? WHOLE : PART;

	helper_send(out, &whole, 1, str_text(&list), list.len);
	str_release(&list);
}

/*
 * Keeps the new list, unless the old one is better. A rank that has imported nothing yet, or not
 * any more, takes nothing back; nor does a list that is known to lack something, or is of fewer
 * ranks.
 */
static void keep(struct agent_packages *packages, const char *list, bool whole)
{
	if (packages->list.len && (!whole || packages->ranks < packages->most))
		return;
	str_cut(&packages->list, 0);
	str_add(&packages->list, list);
	packages->cut = !whole;
	packages->most = packages->ranks;
}

/* Takes in what the helper has sent, and ends it if it is done or takes too long. */
static void take(struct agent_packages *packages, int64_t now)
{
	struct pollfd answers = {.fd = packages->helper.fd, .events = POLLIN};
	struct str found = {0};
	int got = -ETIMEDOUT;

	if (poll(&answers, 1, 0) == 1)
		got = helper_receive(&packages->helper, now + MESSAGE_NS, &found);
	if (got == 1 && found.len > 1)
		keep(packages, found.text + 1, found.text[0] == WHOLE);
	if (got == -ETIMEDOUT && now - packages->helper.begun <= WAIT_MOST) {
		str_release(&found);
		return;
	}
	/* Storage that does not answer is not asked again: each helper would get stuck there. */
	if (got == -ETIMEDOUT)
		packages->due = INT64_MAX;
	helper_end(&packages->helper);
	str_release(&found);
}

void agent_packages_turn(struct agent *agent, int64_t now)
{
	struct agent_packages *packages = &agent->packages;
	const struct exits_watched *watched;
	struct asked asked = {0};

	if (packages->helper.pid)
		take(packages, now);
	if (packages->helper.pid || now < packages->due)
		return;
	array_for_each (&agent->exits.watched, watched)
		if (watched->lives && !watched->ended && asked.n < RANKS_MOST)
			asked.pids[asked.n++] = watched->watch.id.pid;
	if (!asked.n)
		return;
	packages->pause = packages->pause ? 2 * packages->pause : FIRST_PAUSE;
	if (packages->pause > LAST_PAUSE)
		packages->pause = LAST_PAUSE;
	packages->due = now + packages->pause;
	packages->ranks = asked.n;
	helper_start(&packages->helper, list_packages, &asked);
}

void agent_packages_release(struct agent_packages *packages)
{
	if (packages->helper.pid)
		helper_end(&packages->helper);
	str_release(&packages->list);
}
