/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent-people.h: who is in the job that an agent watches over, by the census of its folder, and
 * where it speaks for others (agent-fellows.h) by theirs: their ends are news, too.
 */
#ifndef CMD_AGENT_PEOPLE_H
#define CMD_AGENT_PEOPLE_H

#include <stdbool.h>

struct agent;

/* Counts ranks, and watches for the end of each. */
void agent_people_scan(struct agent *agent);

/*
 * Watches for the ends of ranks in its fellows' folders. An agent that does not speak for them
 * watches as well: it may have to speak, and then it is too late to learn how one ended.
 */
void agent_people_watch_fellows(struct agent *agent);

/*
 * Scans again, now that somebody has ended: is that a reason to look at once? A clean exit is none:
 * who waits for such a one waits for a while.
 */
bool agent_people_died(struct agent *agent);

/* Samples /proc of all that live of those watched; their children come along. */
void agent_people_sample(struct agent *agent);

/* Counts ranks and processes of its own folder that outlived the command: agent->living. */
void agent_people_count_left(struct agent *agent);

#endif
