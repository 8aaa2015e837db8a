/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "decode/context.h"
#include "decode/kinds.h"

/* The state of reading a group's text (see proc/cgroup.h), line by line. */
struct cgroup_text {
	struct str path; /* the folder of the counters that follow */
	enum job_known frozen;
};

/* Notes kills for memory in a group, at launch or later. Unknown values change nothing. */
static void find_cgroup(struct decode_context *context, struct decode_host *host, const char *path,
	int64_t before, int64_t after)
{
	struct decode_cgroup *cgroup = NULL;

	for (size_t i = 0; i < host->cgroups.nr && !cgroup; i++)
		if (!strcmp(host->cgroups.items[i].path, path))
			cgroup = &host->cgroups.items[i];
	if (!cgroup) {
		cgroup = array_add(&host->cgroups);
		cgroup->path = arena_text(&context->arena, path);
		cgroup->before = cgroup->after = JOB_UNKNOWN;
	}
	/* Counters only grow: the smallest is the oldest, the largest the newest. */
	if (before != JOB_UNKNOWN && (cgroup->before == JOB_UNKNOWN || before < cgroup->before))
		cgroup->before = before;
	if (after > cgroup->after)
		cgroup->after = after;
}

static void cgroup_line(struct cgroup_text *text, const char *line, struct decode_context *context,
	struct decode_host *host, bool at_launch)
{
	const char *value = strchr(line, ' ');

	if (!value)
		return;
	value++;
	if (!strncmp(line, "path ", 5)) {
		str_cut(&text->path, 0);
		str_add(&text->path, value);
	} else if (!strncmp(line, "memory.events.oom_kill ", 23)) {
		int64_t kills = strtoll(value, NULL, 10);

		find_cgroup(context, host, str_text(&text->path),
			at_launch ? kills : JOB_UNKNOWN, at_launch ? JOB_UNKNOWN : kills);
	} else if (!strncmp(line, "frozen ", 7)) {
		if (*value == '1')
			text->frozen = JOB_YES;
		else if (text->frozen == JOB_MAYBE)
			text->frozen = JOB_NO;
	}
}

/* Reads a group's text; returns whether it is frozen. */
static enum job_known cgroup_lines(struct decode_context *context, struct decode_host *host,
	const char *lines, bool at_launch)
{
	struct cgroup_text text = {{0}, JOB_MAYBE};
	struct str line = {0};

	while (*lines) {
		size_t len = strcspn(lines, "\n");

		str_cut(&line, 0);
		str_add_bytes(&line, lines, len);
		cgroup_line(&text, str_text(&line), context, host, at_launch);
		lines += len + (lines[len] == '\n');
	}
	str_release(&line);
	str_release(&text.path);
	return text.frozen;
}

void decode_cgroup_text(struct decode_context *context, struct decode_host *host, const char *text,
	bool at_launch)
{
	(void)cgroup_lines(context, host, text, at_launch);
}

/* Tells the processes in the first line, "processes PID:START ...", whether they are frozen. */
static void cgroup_members(struct decode_context *context, const struct exhibit *exhibit,
	const char *text, enum job_known frozen)
{
	const char *at = text;

	if (strncmp(text, "processes ", 10))
		return;
	for (at += 9; *at == ' ';) {
		char *next;
		unsigned long pid = strtoul(at + 1, &next, 10);
		unsigned long long start_time;

		if (next == at + 1 || *next != ':')
			return;
		start_time = strtoull(next + 1, &next, 10);
		context_process(context, exhibit->host, (uint32_t)pid, start_time)->fact.frozen =
			frozen;
		at = next;
	}
}

static int cgroup_decode(const struct exhibit *exhibit, struct job_builder *builder,
	struct decode_context *context, struct complaint *why)
{
	struct decode_host *host = context_host(context, exhibit->host);
	char *text = arena_text_max(&context->arena,
		exhibit->len ? (const char *)exhibit->bytes : "", exhibit->len);
	enum job_known frozen = cgroup_lines(context, host, text, false);

	(void)builder;
	(void)why;
	cgroup_members(context, exhibit, text, frozen);
	return 0;
}

const struct decoder decode_cgroup = {EXHIBIT_CGROUP, cgroup_decode};
