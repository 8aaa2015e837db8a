/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/agent/agent-parts.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/meter.h"
#include "base/str.h"
#include "cmd/agent/agent-cards.h"
#include "cmd/agent/agent.h"
#include "cmd/bundle-groups.h"
#include "cmd/cmd.h"
#include "evidence/format/bundle.h"

/* How many files are named one by one. */
#define FILES_MOST 8

static bool has_answered(const struct agent_rally *rally, const struct rally_other *other)
{
	return other->card.answered == rally->own.asked;
}

bool agent_parts_answered(
	const struct agent_rally *rally, const struct rally_other *other, int64_t now)
{
	if (!agent_card_is_ours(rally, other, now))
		return false;
	if (has_answered(rally, other))
		return *other->card.bundle;
	return other->lived && *other->card.bundle && !agent_card_lives(other, now);
}

/* Reads one part, in the helper. What cannot be read is missing, and what is too much is lost. */
static void read_part(const char *out, const char *name, struct evidence *into)
{
	struct str bytes = {0}, lost = {0};
	int fd = rally_open_bundle(out, name), err;

	if (fd < 0)
		return;
	err = file_drain(fd, evidence_room(into, BUNDLE_EXHIBIT_CAP), 0, &bytes);
	if (err == 0 && bytes.len) {
		bundle_unpack(bytes.text, bytes.len, into, NULL);
	} else if (err == EFBIG) {
		str_printf(&lost, "%s: " METER_REFUSED, name);
		evidence_add_gap(into, NULL, 0, lost.text);
	}
	close(fd);
	str_release(&bytes);
	str_release(&lost);
}

/*
 * Reads the last bundles of hosts that are gone. Hosts that answered are of one job; a host that is
 * gone may have been of an earlier one, or its ranks are elsewhere by now: its part is taken only
 * if it contradicts no other.
 */
static void read_left(const struct agent *agent, int64_t now, struct evidence *into)
{
	const struct agent_rally *rally = &agent->rally;
	struct bundle_groups groups = {0};
	const struct rally_other *other;
	struct meter *meter = into->meter;

	array_for_each (&rally->others, other) {
		struct evidence part = {.meter = meter};

		if (has_answered(rally, other) || !agent_parts_answered(rally, other, now))
			continue;
		if (!groups.parts.nr)
			bundle_groups_add(&groups, "", into);
		read_part(agent->options.output, other->card.bundle, &part);
		bundle_groups_add(&groups, other->card.bundle, &part);
	}
	into->meter = meter;
	if (groups.parts.nr)
		bundle_groups_settle_for(&groups, "", into);
	bundle_groups_release(&groups);
}

/* Judges once, in the helper, so that we know how long that takes. */
static void rehearse(struct evidence *evidence)
{
	struct look look = {.evidence = *evidence};

	look_judge(&look);
	*evidence = look.evidence;
	look.evidence = (struct evidence){0};
	look_release(&look);
}

void agent_parts_read(const void *what, struct evidence *into)
{
	const struct agent *agent = what;
	const struct agent_rally *rally = &agent->rally;
	struct meter meter = {.most = agent->options.max_memory};
	const struct rally_other *other;
	int64_t now = clock_monotonic_ns();

	into->meter = &meter;
	read_part(agent->options.output, rally->own.bundle, into);
	array_for_each (&rally->others, other)
		if (has_answered(rally, other) && agent_parts_answered(rally, other, now))
			read_part(agent->options.output, other->card.bundle, into);
	read_left(agent, now, into);
	if (rally->ending)
		rehearse(into);
	into->meter = NULL;
}

void agent_parts_point(const struct agent *agent)
{
	const struct agent_rally *rally = &agent->rally;
	const struct rally_other *other;
	int64_t now = clock_monotonic_ns();
	struct str files = {0};
	size_t nr = 1;

	str_add(&files, str_text(&agent->bundle));
	array_for_each (&rally->others, other)
		if (agent_parts_answered(rally, other, now) && nr++ < FILES_MOST)
			str_printf(&files, " %s/%s", agent->options.output, other->card.bundle);
	if (nr > FILES_MOST)
		cmd_complain(
			"bundles of %zu nodes: inquest diagnose %s", nr, agent->options.output);
	else if (nr > 1)
		cmd_complain("bundles of %zu nodes: inquest diagnose %s", nr, str_text(&files));
	str_release(&files);
}

size_t agent_parts_refused(const struct evidence *evidence)
{
	size_t nr = 0;

	for (size_t i = 0; i < evidence->ngaps; i++)
		nr += strstr(evidence->gaps[i].what, METER_REFUSED) != NULL;
	return nr;
}
