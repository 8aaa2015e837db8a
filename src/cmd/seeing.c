/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/seeing.h"

#include <stdio.h>

#include "cmd/cmd.h"
#include "proc/sight.h"

void seeing_command(struct str *into, const char *verb, const char *const *names, size_t nr)
{
	str_add(into, verb);
	for (size_t i = 0; i < nr; i++)
		str_printf(into, " %s", names[i]);
}

/* Appends what is to be said where /proc is of no use; nothing if it is. */
static void add_blindness(const char *command, struct str *into)
{
	enum proc_sight sight = proc_sight();

	if (sight == PROC_SIGHT_NONE || sight == PROC_SIGHT_FOREIGN)
		proc_sight_words(sight, command, into);
}

int seeing_check(const char *command)
{
	struct str words = {0};
	int status = CMD_FINE;

	add_blindness(command, &words);
	if (words.len) {
		cmd_complain("%s", str_text(&words));
		status = CMD_UNREADABLE;
	}
	str_release(&words);
	return status;
}

int seeing_check_gather(const char *key, bool text)
{
	struct str command = {0}, words = {0};
	int status;

	str_printf(&command, "attach %s", key);
	add_blindness(str_text(&command), &words);
	if (words.len && text) {
		printf("INQ:fail %s\n", str_text(&words));
		fflush(stdout);
	}
	status = seeing_check(str_text(&command));
	str_release(&command);
	str_release(&words);
	return status;
}

bool seeing_add_hidden(const char *before, const char *command, struct str *into)
{
	enum proc_sight sight = proc_sight();

	if (sight == PROC_SIGHT_ALL)
		return false;
	str_add(into, before);
	proc_sight_words(sight, command, into);
	return true;
}

bool seeing_is_hidden(uint32_t pid)
{
	char command[32];
	struct str words = {0};

	if (!proc_is_unseen((struct proc_id){.pid = pid}))
		return false;
	snprintf(command, sizeof(command), "attach %u", pid);
	proc_sight_words(proc_sight(), command, &words);
	if (words.len)
		cmd_complain("process %u is not seen: %s", pid, str_text(&words));
	str_release(&words);
	return true;
}
