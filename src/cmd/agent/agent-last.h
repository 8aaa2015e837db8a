/* SPDX-License-Identifier: Apache-2.0 */
/* agent-last.h: the line with which the agent ends a job's log. */
#ifndef CMD_AGENT_LAST_H
#define CMD_AGENT_LAST_H

#include "cmd/agent/agent.h"

/*
 * Repeats the answer, of whichever attempt it was, and says how the job ended. Nothing where no
 * verdict was told.
 */
void agent_say_last(const struct agent *agent, int wait_status);

#endif
