/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/agent/agent-last.h"

#include <sys/wait.h>

#include "base/clock.h"
#include "cmd/outlet.h"
#include "evidence/agent/own-words.h"
#include "words/escape.h"
#include "words/wording.h"

/* Adds how the command ended. */
static void add_end(struct str *line, const struct agent *agent, int wait_status)
{
	str_add(line, "the job ended ");
	if (WIFSIGNALED(wait_status))
		wording_signal(line, WTERMSIG(wait_status));
	else
		str_printf(line, "with status %d", agent->exit_status);
}

/* Adds when the answer was told, of which attempt, and whether it still held. */
static void add_when(struct str *line, const struct agent *agent)
{
	const struct announce *announce =
		agent->rally.announce.stands ? &agent->rally.announce : &agent->announce;
	char text[CLOCK_TEXT_SIZE];

	str_printf(line, ", %s after this was said",
		clock_format(clock_monotonic_ns() - agent->said, text));
	if (announce->attempt && announce->attempt < agent->attempt)
		str_printf(line, " of attempt %d of %d", announce->attempt, agent->attempt);
	else if (!announce->stands)
		str_add(line, " (then it had moved again)");
}

void agent_say_last(const struct agent *agent, int wait_status)
{
	struct str line = {0};

	if (!agent->answer)
		return;
	str_add(&line, "\n" OWN_WORDS_SAYS);
	add_end(&line, agent, wait_status);
	add_when(&line, agent);
	str_printf(&line, ": %s", agent->answer);
	if (agent->bundle.len) {
		str_add(&line, "; saved ");
		escape_text(&line, agent->bundle.text, outlet_is_utf8());
	}
	str_add_char(&line, '\n');
	outlet_say(&line);
	str_release(&line);
}
