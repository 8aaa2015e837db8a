/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads what PyTorch's debug server writes beside stacks (torch 2.15 distributed/debug/
 * _debug_handlers.py), of all ranks in one file. "fr_trace_TIME.txt" has tables that its analyzer
 * made of their Flight Recorders, columns beside each other with two blanks between them:
 *
 *	=== FR Trace NCCL ===
 *	--- Collectives ---
 *	  id  ...  collective_seq_id  ...  pg_desc       collective_name  ...  missing_ranks
 *	   0  ...                  4  ...  0:default_pg  nccl:all_reduce  ...  {2}
 *
 * "c10d_health_check_TIME.txt" and TorchComms' have what each rank says of its watchdogs:
 *
 *	=== Rank 1: http://m1:57799/handler/c10d_health_check? ===
 *	{"healthy":false,"unhealthy_backends":["nccl"]}
 *
 * The tables are an analysis, and not what a rank said. Of NCCL they have open operations only, so
 * a rank that lacks there may be done; and ranks that they call unlike were compared with one rank.
 * So they are told, and accuse no rank. Rows that are not understood are counted.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "decode/exhibits/texts.h"
#include "job/backends.h"

#define RANKS_MOST 65536
#define TOLD_MOST  256 /* ranks of one row that are told */
#define TEXT_MOST  200
#define SAID_MOST  4096 /* sayings of one file; others are counted */

/* Where a column's title stands in its line. */
struct column {
	size_t from, to;
};

enum { COL_SEQ, COL_DESC, COL_NAME, COL_MISSING, COL_UNLIKE, COLUMNS };

static const char *const titles[COLUMNS] = {"collective_seq_id", "pg_desc", "collective_name",
	"missing_ranks", "mismatch_collectives"};

/* What was read so far. */
struct served {
	struct texts *texts;
	const struct exhibit *exhibit;
	int64_t line;
	bool titled;   /* the next line has the titles */
	bool in_table; /* the table of collectives, with all titles */
	bool open_only;
	int section; /* the rank whose section it is; JOB_NONE */
	int64_t lost;
	size_t said;
	struct column columns[COLUMNS];
};

static void say(struct served *served, int rank, const char *text)
{
	struct job_saying saying = {.kind = JOB_SAYS_SERVED,
		.text2 = "", .a = JOB_UNKNOWN, .b = JOB_UNKNOWN};

	if (served->said++ >= SAID_MOST) {
		served->lost++;
		return;
	}

	saying.text = arena_text_max(&served->texts->context->arena, text,
		strlen(text) < TEXT_MOST ? strlen(text) : TEXT_MOST);
	saying.cite = texts_cite(served->texts, served->exhibit, served->line);
	texts_say(served->texts, rank, &saying);
}

/* -- tables ------------------------------------------------------------------------------------ */

/* Finds a whole title in the line of titles. */
static bool find_title(const char *line, const char *title, struct column *ret)
{
	size_t len = strlen(title);

	for (const char *at = line; (at = strstr(at, title)); at += len) {
		if ((at > line && at[-1] != ' ') || (at[len] && at[len] != ' '))
			continue;
		*ret = (struct column){(size_t)(at - line), (size_t)(at - line) + len};
		return true;
	}
	return false;
}

static bool take_titles(struct served *served, const char *line)
{
	for (size_t i = 0; i < COLUMNS; i++)
		if (!find_title(line, titles[i], &served->columns[i]))
			return false;
	return true;
}

/* Gets the words that stand below a title, or begin or end there; "" none. */
static void cell(struct str *into, const char *line, size_t len, const struct column *column)
{
	size_t from = column->from, to;

	str_cut(into, 0);
	while (from < column->to && from < len && line[from] == ' ')
		from++;
	if (from >= column->to || from >= len)
		return;
	for (to = from; from && !(line[from - 1] == ' ' && (from < 2 || line[from - 2] == ' '));)
		from--;
	while (to < len && !(line[to] == ' ' && (to + 1 == len || line[to + 1] == ' ')))
		to++;
	str_add_bytes(into, line + from, to - from);
}

/* Reads "{1, 2}", and returns how many ranks are in it; 0 if it is no such set, or a larger one. */
static size_t read_set(const char *set, int ranks[static TOLD_MOST])
{
	if (*set != '{')
		return 0;
	for (size_t n = 0; n < TOLD_MOST;) {
		char *end;
		long rank = strtol(++set, &end, 10);

		if (end == set || rank < 0 || rank >= RANKS_MOST)
			return 0;
		ranks[n++] = (int)rank;
		if (*end == '}')
			return end[1] ? 0 : n;
		if (*end != ',')
			return 0;
		set = end;
	}
	return 0;
}

/* Tells `what` of each rank in a set; false if it is none. */
static bool tell_missing(struct served *served, const char *set, const char *what)
{
	int ranks[TOLD_MOST];
	size_t n = read_set(set, ranks);

	for (size_t i = 0; i < n; i++)
		say(served, ranks[i], what);
	return n > 0;
}

/* Returns the rank whose digits end there; JOB_NONE none. */
static int rank_before(const char *begin, const char *end)
{
	const char *digits = end;

	while (digits > begin && isdigit((unsigned char)digits[-1]))
		digits--;
	return digits == end || end - digits > 5 ? JOB_NONE : atoi(digits);
}

/*
 * Tells the ranks in "{1: Collective(id=0, ..., input_sizes=[[8]], output_sizes=...), 3:
 * Collective(...)}".
 */
static bool tell_unlike(struct served *served, const char *all, const char *what)
{
	static const char key[] = ": Collective(", sizes[] = "input_sizes=";
	size_t told = 0;

	for (const char *at = all; (at = strstr(at, key)); at += strlen(key)) {
		const char *size = strstr(at, sizes), *end = strstr(at, ", output_sizes=");
		int rank = rank_before(all, at);
		struct str text = {0};

		if (rank == JOB_NONE || rank >= RANKS_MOST || told++ >= TOLD_MOST)
			return false;
		str_printf(&text, "%s is unlike that of the one rank it was held against", what);
		if (size && end && size < end)
			str_printf(&text, ": %.*s", (int)(end - size < 64 ? end - size : 64), size);
		say(served, rank, str_text(&text));
		str_release(&text);
	}
	return told > 0;
}

static bool is_ascii(const char *line)
{
	for (; *line; line++)
		if ((unsigned char)*line >= 0x80)
			return false;
	return true;
}

static bool tell_row(struct served *served, const struct str *cells)
{
	struct str what = {0}, lacks = {0};
	bool read = cells[COL_NAME].len && cells[COL_SEQ].len;

	str_printf(&what, "%.60s #%.20s %.60s", str_text(&cells[COL_NAME]),
		str_text(&cells[COL_SEQ]), str_text(&cells[COL_DESC]));
	str_printf(&lacks, "%s is %son others, and not there", str_text(&what),
		served->open_only ? "open " : "");
	if (read && cells[COL_MISSING].len)
		read = tell_missing(served, str_text(&cells[COL_MISSING]), str_text(&lacks));
	if (read && cells[COL_UNLIKE].len)
		read = tell_unlike(served, str_text(&cells[COL_UNLIKE]), str_text(&what));
	str_release(&what);
	str_release(&lacks);
	return read;
}

/*
 * Takes a row of the table; false if it is not understood. Columns are as wide as letters, so only
 * ASCII can be cut by bytes.
 */
static bool take_row(struct served *served, const char *line)
{
	struct str cells[COLUMNS] = {{0}};
	bool read;

	for (size_t i = 0; i < COLUMNS; i++)
		cell(&cells[i], line, strlen(line), &served->columns[i]);
	read = is_ascii(line) && tell_row(served, cells);
	for (size_t i = 0; i < COLUMNS; i++)
		str_release(&cells[i]);
	return read;
}

/* -- lines ------------------------------------------------------------------------------------- */

/*
 * Takes "=== FR Trace NCCL ===", "--- Collectives ---", "=== Rank 1: http://..."; false: no
 * heading.
 */
static bool take_heading(struct served *served, const char *line)
{
	const char *usual = backend_usual();
	int rank;

	if (strncmp(line, "=== ", 4) != 0 && strncmp(line, "--- ", 4) != 0)
		return false;
	served->titled = !strcmp(line, "--- Collectives ---");
	served->in_table = false;
	served->section = JOB_NONE;
	if (!strncmp(line, "=== FR Trace ", 13))
		served->open_only = !strncasecmp(line + 13, usual, strlen(usual));
	else if (sscanf(line, "=== Rank %6d: http", &rank) == 1 && rank >= 0)
		served->section = rank;
	return true;
}

static void take_line(void *with, const char *line, int64_t number)
{
	struct served *served = with;

	served->line = number;
	if (take_heading(served, line))
		return;
	if (served->titled) {
		served->titled = false;
		served->in_table = take_titles(served, line);
		served->lost += !served->in_table;
	} else if (!strncmp(line, "Failed to fetch", 15)) {
		say(served, JOB_NONE, line);
	} else if (served->in_table && *line) {
		served->lost += !take_row(served, line);
	} else if (served->section != JOB_NONE && strstr(line, "\"healthy\":false")) {
		say(served, served->section, line);
	}
}

void texts_read_served(struct texts *texts, const struct exhibit *exhibit)
{
	static const struct job_who nobody = {"", 0, 0};
	struct served served = {.texts = texts, .exhibit = exhibit, .section = JOB_NONE};

	texts_each_line(texts_of(texts, exhibit), take_line, &served);
	if (served.lost)
		job_add_loss(texts->builder, nobody,
			&(const struct job_loss){
				.what = "rows of a table of PyTorch's debug server are not "
					"understood",
				.count = served.lost,
				.cite = texts_cite(texts, exhibit, 1)});
}
