/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/exhibits/joblog-spawn.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define ENDED       " terminated with "
#define TRACE_START "Traceback (most recent call last)"
#define QUOTE_MOST  160 /* of what is said, as a page has room */

/* Where the number of the process stands. */
static const char *const before[] = {"ProcessExitedException: process ", "-- Process "};

/* Reads the number of the process; returns what stands behind it, NULL if the line is another. */
static const char *read_number(const char *line, int64_t *ret_number)
{
	for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++) {
		const char *at = strstr(line, before[i]);
		char *end;

		if (!at || !isdigit((unsigned char)at[strlen(before[i])]))
			continue;
		*ret_number = strtoll(at + strlen(before[i]), &end, 10);
		if (!strncmp(end, ENDED, strlen(ENDED)))
			return end + 1;
	}
	return NULL;
}

/*
 * Takes a line of the traceback; where one error led to another, or was passed on, the last counts.
 */
static void take_trace(struct joblog_spawn *spawn, const char *line)
{
	if (strstr(line, TRACE_START)) {
		spawn->expects = true;
	} else if (spawn->expects && isalpha((unsigned char)*line)) {
		spawn->expects = false;
		str_cut(&spawn->how, 0);
		str_add(&spawn->how, line);
	}
}

const char *joblog_spawn_code(const char *line)
{
	static const char launcher[] = "[launch.py:", exits[] = " exits with return code = ";
	const char *at = strstr(line, launcher), *code = at ? strstr(at, exits) : NULL;

	code = code ? code + strlen(exits) : NULL;
	return code && isdigit((unsigned char)code[*code == '-']) ? code : NULL;
}

/* Keeps who it is about, and where it says so; how it ended is to come. */
static void begin(struct joblog_spawn *spawn, int64_t process, int64_t number)
{
	spawn->known = true;
	spawn->number = process;
	spawn->line = number;
	spawn->expects = false;
	str_cut(&spawn->how, 0);
}

void joblog_spawn_take(struct joblog_spawn *spawn, const char *line, int64_t number)
{
	int64_t process;
	const char *how = read_number(line, &process), *code = joblog_spawn_code(line);

	if (code) {
		begin(spawn, -1, number);
		spawn->traces = false;
		str_printf(&spawn->how, "return code %d", atoi(code));
	} else if (how) {
		begin(spawn, process, number);
		spawn->traces = how[strcspn(how, ":")] == ':';
		str_add_bytes(&spawn->how, how, strcspn(how, ":"));
	} else if (spawn->traces) {
		take_trace(spawn, line);
	}
}

struct job_saying joblog_spawn_saying(
	const struct joblog_spawn *spawn, struct arena *arena, const char *cite)
{
	bool names = spawn->number >= 0;

	return (struct job_saying){.kind = names ? JOB_SAYS_SPAWN : JOB_SAYS_LAUNCHER,
		.text = arena_text_max(arena, str_text(&spawn->how), QUOTE_MOST),
		.text2 = "",
		.a = names ? spawn->number : JOB_UNKNOWN,
		.b = JOB_UNKNOWN,
		.cite = cite};
}

void joblog_spawn_forget(struct joblog_spawn *spawn)
{
	str_release(&spawn->how);
	*spawn = (struct joblog_spawn){0};
}
