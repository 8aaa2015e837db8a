/* SPDX-License-Identifier: Apache-2.0 */
/* What a wait is for, by the name of its key, and what a thread is for, by its own name. */
#include <string.h>

#include "job/waitfor/waits.h"

bool waits_is_watchdog(const char *name)
{
	static const char *const parts[] = {"watchdg", "watchdog", "heartbt", "heartbeat"};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (strcasestr(name, parts[i]))
			return true;
	return false;
}

bool waits_is_engine(const char *name)
{
	return strncmp(name, "pt_autograd", strlen("pt_autograd")) == 0;
}

bool waits_is_for(const struct wait *wait, const char *what)
{
	return wait->kind == WAIT_STORE && strcmp(wait->key, what) == 0;
}

bool waits_in_some_init(const struct wait *wait)
{
	return waits_is_for(wait, WAITS_SOME_INIT);
}

bool waits_is_told(const struct wait *wait)
{
	return wait->kind == WAIT_STORE && wait->thread == JOB_NONE;
}
