/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processes of the job that an agent watches over: those in the census of its folder, and where
 * it speaks for others (agent-fellows.h) those in their censuses, since their ends are news, too.
 */
#ifndef CMD_AGENT_PEOPLE_H
#define CMD_AGENT_PEOPLE_H

#include <stdbool.h>

struct agent;

/* Counts the ranks, and watches for the end of each. */
void agent_people_scan(struct agent *agent);

/*
 * Watches for the ends of ranks in the fellows' folders. An agent that is not the speaker watches
 * as well: it may become the speaker, and then it would be too late to learn how a rank ended.
 */
void agent_people_watch_fellows(struct agent *agent);

/*
 * Scans again after an end. Returns true if that is a reason to look at once. A clean exit is none:
 * a rank that waits for one that exited will wait for a while.
 */
bool agent_people_died(struct agent *agent);

/* Samples /proc of all living watched processes and their children. */
void agent_people_sample(struct agent *agent);

/* Counts ranks and processes of its own folder that outlived the command, into agent->living. */
void agent_people_count_left(struct agent *agent);

#endif
