/* SPDX-License-Identifier: Apache-2.0 */
#include "words/last-quotes.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "job/spans.h"
#include "words/rank-names.h"
#include "words/source-places.h"

#define NUMBER_SIZE 16 /* room for an int as text */
#define PLACE_MOST  32 /* bytes of a place in the source code */

/*
 * Returns the log that tells most of a rank, which may have several processes: the first that names
 * an error, else the first with any words; NULL none.
 */
static const struct job_log *log_of(const struct job *job, struct rank_index rank)
{
	struct spans_range range = logs_of(job, rank);
	const struct job_log *log = NULL;

	for (size_t i = range.from; i < range.to; i++) {
		if (*job->logs[i].error)
			return &job->logs[i];
		if (!log && *job->logs[i].last_line)
			log = &job->logs[i];
	}
	return log;
}

const char *last_words_of(const struct job *job, struct rank_index rank)
{
	const struct job_log *log = log_of(job, rank);

	return !log ? NULL : *log->error ? log->error : log->last_line;
}

/*
 * Returns the length of the number that begins there, 0 where none does, and sets whether it is a
 * decimal one. "1.5" is one, "10.0.0.1" and "2b" are not.
 */
static size_t number_at(const char *text, size_t at, bool *ret_decimal)
{
	size_t len = strspn(text + at, "0123456789"), part;

	*ret_decimal = false;
	if (!len || (at && (isalnum((unsigned char)text[at - 1]) || strchr("._", text[at - 1]))))
		return 0;
	part = text[at + len] == '.' ? strspn(text + at + len + 1, "0123456789") : 0;
	if (!part)
		return isalnum((unsigned char)text[at + len]) || text[at + len] == '_' ? 0 : len;
	len += 1 + part;
	*ret_decimal = true;
	return text[at + len] == '.' && isdigit((unsigned char)text[at + len + 1]) ? 0 : len;
}

/* Returns the line with "#" for the rank's own number and for decimal ones. The caller frees it. */
static char *alike_of(const char *line, int world_rank)
{
	struct str alike = {0};
	char own[NUMBER_SIZE];
	bool decimal;

	snprintf(own, sizeof(own), "%d", world_rank);
	for (size_t at = 0; line[at];) {
		size_t len = number_at(line, at, &decimal);
		bool is_own = len && !decimal && len == strlen(own) && !memcmp(line + at, own, len);

		if (is_own || (len && decimal)) {
			str_add_char(&alike, '#');
			at += len;
			continue;
		}
		str_add_bytes(&alike, line + at, len ? len : 1);
		at += len ? len : 1;
	}
	return str_detach(&alike);
}

/* Ranks that say the same, but for such numbers. */
struct choir {
	char *alike; /* what they say, with "#" for the numbers */
	const char *line; /* what the first of them says */
	bool same;        /* true if all said just that */
	bool plain; /* true if they are one for that, and not for what is alike */
	bool error; /* true if it names an error */
	ARRAY(struct rank_index) ranks;
};

/* All that ranks said. */
struct choirs {
	ARRAY(struct choir) all;
};

/* True if what a rank says is what those say. A line that has been taken as it is stays so. */
static bool is_of(const struct choir *choir, const char *line, const char *alike)
{
	if (choir->same && !strcmp(choir->line, line))
		return true;
	return !choir->plain && !strcmp(choir->alike, alike);
}

/*
 * Adds a rank to those that say the same. Ranks 0 and 2 do that where both say "step 2", though
 * only for one of them that may be its own number.
 */
static void join(struct choirs *choirs, const struct job *job, struct rank_index rank)
{
	const struct job_log *log = log_of(job, rank);
	const char *line = last_words_of(job, rank);
	struct choir *choir;
	char *alike;

	if (!log)
		return;
	alike = alike_of(line, job_rank(job, rank)->world_rank.n);
	array_for_each (&choirs->all, choir)
		if (is_of(choir, line, alike)) {
			choir->plain |= strcmp(choir->alike, alike) != 0;
			choir->same &= !strcmp(choir->line, line);
			choir->error |= *log->error != '\0';
			*array_add(&choir->ranks) = rank;
			free(alike);
			return;
		}
	choir = array_add(&choirs->all);
	*choir = (struct choir){.alike = alike,
		.line = line,
		.same = true,
		.error = *log->error != '\0'};
	*array_add(&choir->ranks) = rank;
}

/*
 * Returns the group that tells most: an error before others, then what the fewest say, then the
 * first.
 */
static const struct choir *most_telling(const struct choirs *choirs)
{
	const struct choir *best = NULL, *choir;

	array_for_each (&choirs->all, choir)
		if (!best || (choir->error && !best->error) ||
			(choir->error == best->error && choir->ranks.nr < best->ranks.nr))
			best = choir;
	return best;
}

void last_words_add(struct str *into, const struct job *job, struct verdict_ranks ranks)
{
	const struct choir *best;
	struct choirs choirs = {0};
	struct choir *choir;

	for (size_t i = 0; i < ranks.n; i++)
		join(&choirs, job, ranks.at[i]);
	best = most_telling(&choirs);
	if (best) {
		struct verdict_ranks whose = {best->ranks.items, best->ranks.nr};

		if (choirs.all.nr > 1)
			str_add(into, "differ; ");
		if (whose.n < ranks.n) {
			ranks_add(into, job, whose);
			str_add(into, ": ");
		}
		str_add_char(into, '"');
		source_places_add(into, best->same ? best->line : best->alike, PLACE_MOST);
		str_add_char(into, '"');
	}
	array_for_each (&choirs.all, choir) {
		free(choir->alike);
		array_release(&choir->ranks);
	}
	array_release(&choirs.all);
}
