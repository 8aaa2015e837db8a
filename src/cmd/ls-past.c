/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/ls-past.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <string.h>
#include <sys/stat.h>

#include "report/json-parts.h"
#include "words/receipt-words.h"
#include "words/wording.h"

/* True if a job folder has that id. */
static bool is_listed(const struct jobs *jobs, const struct receipt *receipt)
{
	for (size_t i = 0; i < jobs->nr; i++)
		if (!strcmp(jobs->items[i].id, receipt->launch.job))
			return true;
	return false;
}

void ls_past_find(struct receipts *past, const struct jobs *jobs)
{
	struct stat about;
	size_t n = 0;

	past->quiet = past->no_bundles = true;
	if (stat(receipts_folder(), &about) == 0 && S_ISDIR(about.st_mode))
		receipts_add(past, receipts_folder());
	receipts_sort(past);
	for (size_t i = 0; i < past->all.nr; i++)
		if (!is_listed(jobs, &past->all.items[i]))
			past->all.items[n++] = past->all.items[i];
	past->all.nr = n;
}

/* Of a run that is over no rank lives; of another run only how many there should be is known. */
void ls_past_ranks(struct str *into, const struct receipt *receipt)
{
	if (receipt->ended != JOB_UNKNOWN)
		str_add(into, "0/");
	else
		str_add(into, "?/");
	if (receipt->world_size != JOB_UNKNOWN)
		str_printf(into, "%" PRId64, receipt->world_size);
	else
		str_add(into, receipt->nranks || receipt->ended == JOB_UNKNOWN ? "?" : "0");
}

static void put_text(struct json_object *object, const char *key, const char *text)
{
	json_object_object_add(object, key, *text ? json_text(text) : NULL);
}

static void put_number(struct json_object *object, const char *key, int64_t n)
{
	json_object_object_add(object, key, n == JOB_UNKNOWN ? NULL : json_object_new_int64(n));
}

/*
 * Adds what kind of an end it was: a status, a signal as a shell tells it, or none that was
 * recorded.
 */
static void put_error(struct json_object *object, const struct receipt *receipt)
{
	struct str words = {0};

	if (receipt->lost)
		str_add(&words, "no end recorded");
	else if (receipt->exit_status > 128 && receipt->exit_status < 128 + 65)
		wording_signal(&words, receipt->exit_status - 128);
	else if (receipt->exit_status > 0)
		str_printf(&words, "status %" PRId64, receipt->exit_status);
	put_text(object, "error", str_text(&words));
	str_release(&words);
}

int64_t ls_past_steps(const struct receipt *receipt)
{
	int64_t most = JOB_UNKNOWN;

	for (size_t i = 0; i < receipt->nranks; i++)
		if (receipt->ranks[i].steps > most)
			most = receipt->ranks[i].steps;
	return most;
}

struct json_object *ls_past_object(const struct receipt *receipt)
{
	struct json_object *object = json_object_new_object();
	const char *state = receipt->lost		      ? "lost"
			    : !strcmp(receipt->state, "error") ? "failed"
							       : receipt->state;

	put_text(object, "id", receipt->launch.job);
	put_text(object, "name", receipt->launch.name);
	put_text(object, "host", receipt->launch.host);
	put_text(object, "state", state);
	put_error(object, receipt);
	put_number(object, "world_size", receipt->world_size);
	put_number(object, "exit_status", receipt->exit_status);
	put_number(object, "launched_ns", receipt->launch.launched);
	put_number(object, "ended_ns", receipt->ended);
	put_number(object, "seen_ns", receipt->seen);
	put_number(object, "steps", ls_past_steps(receipt));
	put_text(object, "verdict", receipt->verdict);
	put_text(object, "bundle", receipt->bundle);
	put_text(object, "receipt", receipt->path);
	return object;
}
