/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thousand ranks make a handful of rows, since ranks that differ only in since when share one.
 * The culprits' rows come first, then by first rank.
 *
 *	ranks -> rows (fill_row, add_rank) -> which columns are worth their room -> lines
 *
 * All cells are texts in one arena. They are escaped when they are made, as whatever a rank said
 * may hold anything. Width is counted in columns of the terminal, not in bytes; a cell that does
 * not fit is cut, and columns that have no room at all are left out.
 */
#include "report/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/str.h"
#include "job/caches.h"
#include "job/names.h"
#include "job/spans.h"
#include "words/doing.h"
#include "words/escape.h"
#include "words/last-quotes.h"
#include "words/rank-names.h"

/* The most columns that a set of ranks gets. */
#define RANKS_WIDTH 14

/* Columns, from left to right. */
enum column {
	COLUMN_RANK,
	COLUMN_STATE,
	COLUMN_SINCE,
	COLUMN_OP,
	COLUMN_DIED,
	COLUMN_CACHE,
	COLUMN_SHARD,
	COLUMN_STEP,
	COLUMN_LOG,
	COLUMNS
};

/*
 * Titles. A column for what ranks should have in common is shown only where they differ
 * (if_differs).
 */
static const struct {
	const char *title;
	bool if_differs;
} columns[COLUMNS] = {
	[COLUMN_RANK] = {"RANK", false},
	[COLUMN_STATE] = {"STATE", false},
	[COLUMN_SINCE] = {"SINCE", false},
	[COLUMN_OP] = {"IN", false},
	[COLUMN_DIED] = {"ENDED UTC", false},
	[COLUMN_CACHE] = {"CACHE", true},
	[COLUMN_SHARD] = {"SHARD", true},
	[COLUMN_STEP] = {"STEP", true},
	[COLUMN_LOG] = {"LAST USEFUL LOG LINE", false},
};

/* A row: ranks that are in the same state. */
struct row {
	bool culprit;
	int64_t since; /* for how long the longest of its ranks has been so, in ns; JOB_UNKNOWN */
	ARRAY(struct rank_index) ranks;
	const char *cell[COLUMNS]; /* escaped; "" nothing */
};

/* A table that is being made. */
struct table {
	const struct verdicts *verdicts;
	struct by_rank seats; /* by rank: its members of groups */
	bool utf8;
	struct arena arena;
	ARRAY(struct row) rows;
	size_t *slots; /* 1 + a row each, by what it says; 0 free. While ranks are added */
	size_t nslots; /* a power of two */
	bool shown[COLUMNS]; /* which columns have a place in the lines */
	size_t widths[COLUMNS]; /* of the widest cell, the title included */
	int64_t most_files; /* in the fullest compile cache of any rank */
};

/* Returns a text that is safe to print, in the table's arena. */
static const char *escaped(struct table *table, const char *text)
{
	struct str safe = {0};
	const char *kept;

	escape_text(&safe, text, table->utf8);
	kept = arena_text(&table->arena, str_text(&safe));
	str_release(&safe);
	return kept;
}

/*
 * Returns the time of day of a death, in UTC since the nodes of a job may be anywhere; "" where it
 * is not known.
 */
static const char *clock_of_day(struct table *table, int64_t realtime)
{
	time_t seconds = realtime / CLOCK_NS_PER_S;
	struct tm parts;
	char text[16];

	if (realtime == JOB_UNKNOWN || !gmtime_r(&seconds, &parts))
		return "";
	strftime(text, sizeof(text), "%H:%M:%S", &parts);
	return arena_text(&table->arena, text);
}

/*
 * Returns the shape of the rank's latest batch, else its rows; with several loaders that of the
 * first.
 */
static const char *shard_of(struct table *table, const struct job *job, struct rank_index rank)
{
	struct spans_range shards = shards_of(job, rank);
	const struct job_shard *shard = &job->shards[shards.from];
	char *text;

	if (shards.from == shards.to)
		return "";
	if (!shard->ndim)
		return arena_printf(&table->arena, "%" PRIu64, shard->rows);
	text = arena_printf(&table->arena, "%" PRIu64, shard->dims[0]);
	for (unsigned d = 1; d < shard->ndim && d < 8; d++)
		text = arena_printf(&table->arena, "%sx%" PRIu64, text, shard->dims[d]);
	return text;
}

/* Returns how full the rank's compile cache was beside the others', when the rank came to it. */
static const char *cache_of(const struct table *table, struct rank_index rank)
{
	struct cache_found found = caches_found(table->verdicts->job, rank);
	const char *name = caches_state_name(caches_state(&found, table->most_files));

	return name ? name : "";
}

/* Returns the step that the rank completed last. */
static const char *step_of(struct table *table, const struct job *job, struct rank_index rank)
{
	struct spans_range steps = steps_of(job, rank);

	if (steps.from == steps.to)
		return "";
	return arena_printf(&table->arena, "%" PRIu64, job->steps[steps.from].n);
}

/* Returns the last words of all ranks in the row. */
static const char *log_of(struct table *table, struct verdict_ranks ranks)
{
	struct str words = {0};
	const char *kept;

	last_words_add(&words, table->verdicts->job, ranks);
	kept = escaped(table, str_text(&words));
	str_release(&words);
	return kept;
}

/*
 * Returns what the rank itself entered as the operation that the verdict is about, if that is not
 * known to be complete; NULL: nothing.
 */
static const struct job_op *verdict_op(const struct table *table, struct rank_index rank)
{
	const struct verdict *verdict = &table->verdicts->at[0];
	const struct job *job = table->verdicts->job;

	by_rank_each(&table->seats, rank, m) {
		const struct job_member *member = &job->members[table->seats.at[m]];

		if (member->group != verdict->group)
			continue;
		for (size_t i = 0; i < member->nops; i++)
			if (member->ops[i].index == verdict->op_index &&
				member->ops[i].completed != JOB_YES)
				return &member->ops[i];
	}
	return NULL;
}

/*
 * Returns the operation that the rank is in. A thread that waits for a stream waits for the
 * verdict's operation before any later one.
 */
static const char *op_of(struct table *table, const struct doing *doing, struct rank_index rank)
{
	const struct job_op *op = doing->waits && table->verdicts->at[0].op_index
					  ? verdict_op(table, rank)
					  : NULL;

	if (op)
		return arena_printf(
			&table->arena, "%s #%" PRIu64, job_op_name(op->sig.op), op->index);
	return escaped(table, str_text(&doing->op));
}

/*
 * Returns the operation that keeps a rank waiting, where no call of the rank shows that it waits;
 * NULL: none.
 */
static const struct job_op *unseen_wait(const struct table *table, struct rank_index rank)
{
	const struct job_op *op = NULL;

	if (!ranks_have(table->verdicts->at[0].victims, rank))
		return NULL;
	op = verdict_op(table, rank);
	return op && op->completed == JOB_NO && op->returned != JOB_NO ? op : NULL;
}

/*
 * Returns for how long the rank has been in the operation that the verdict is about, by its
 * evidence; JOB_UNKNOWN.
 */
static int64_t age_of_op(const struct table *table, struct rank_index rank)
{
	const struct job *job = table->verdicts->job;
	const struct job_op *op = verdict_op(table, rank);
	int64_t now = job_looked_at(job, rank);

	return !op || op->entered == JOB_UNKNOWN || now == JOB_UNKNOWN || now < op->entered
		       ? JOB_UNKNOWN
		       : now - op->entered;
}

/*
 * Returns since when the rank has been so. If only its stack tells that it waits, that is known
 * from when on somebody looked; the record of its operation says how much longer it may have been
 * so, as the evidence below the table does.
 */
static int64_t since_of(
	const struct table *table, const struct doing *doing, struct rank_index rank)
{
	const struct posture *postures = table->verdicts->postures;
	int64_t age;

	if (!doing->told || !postures || postures[rank.i].activity != ACTIVITY_COLLECTIVE ||
		!ranks_have(table->verdicts->at[0].victims, rank))
		return doing->since;
	age = age_of_op(table, rank);
	return age > doing->since ? age : doing->since;
}

/*
 * Returns since when the rank has been in an operation that no call of its shows: since it entered
 * that. Another thread of the rank may have been outside of all calls for longer.
 */
static int64_t age_unseen(const struct table *table, struct rank_index rank, int64_t otherwise)
{
	int64_t age = age_of_op(table, rank);

	return age == JOB_UNKNOWN ? otherwise : age;
}

/* Fills a row for one rank alone. RANK, SINCE and the log are filled in when the row is whole. */
static void fill_row(struct table *table, struct row *row, struct rank_index rank)
{
	const struct job *job = table->verdicts->job;
	struct doing doing = {0};
	const struct job_op *op;

	doing_of(&doing, job, &table->seats, rank,
		table->verdicts->postures ? &table->verdicts->postures[rank.i] : NULL);
	*row = (struct row){.since = since_of(table, &doing, rank)};
	row->culprit = table->verdicts->n && ranks_have(table->verdicts->at[0].culprits, rank);
	for (int c = 0; c < COLUMNS; c++)
		row->cell[c] = "";
	row->cell[COLUMN_STATE] = escaped(table, str_text(&doing.name));
	row->cell[COLUMN_OP] = op_of(table, &doing, rank);
	op = doing.outside ? unseen_wait(table, rank) : NULL;
	if (op) {
		row->since = age_unseen(table, rank, row->since);
		row->cell[COLUMN_STATE] = DOING_WAITS;
		row->cell[COLUMN_OP] = arena_printf(
			&table->arena, "%s #%" PRIu64, job_op_name(op->sig.op), op->index);
	}
	row->cell[COLUMN_DIED] = clock_of_day(table, doing.ended);
	row->cell[COLUMN_CACHE] = cache_of(table, rank);
	row->cell[COLUMN_SHARD] = shard_of(table, job, rank);
	row->cell[COLUMN_STEP] = step_of(table, job, rank);
	doing_release(&doing);
}

/*
 * True if the two rows are one: they differ only in since when, when ranks died, and what they said
 * last.
 */
static bool same_row(const struct row *a, const struct row *b)
{
	if (a->culprit != b->culprit)
		return false;
	for (int c = COLUMN_STATE; c < COLUMN_LOG; c++)
		if (c != COLUMN_DIED && strcmp(a->cell[c], b->cell[c]))
			return false;
	return true;
}

static uint64_t hash_of(const struct row *row)
{
	uint64_t hash = hash_mix(HASH_START, row->culprit);

	for (int c = COLUMN_STATE; c < COLUMN_LOG; c++)
		if (c != COLUMN_DIED)
			hash = hash_mix(hash_text(hash, row->cell[c]), 0);
	return hash;
}

/* Returns where the row that says the same is noted, or where it belongs (0). */
static size_t *find_row(const struct table *table, const struct row *row)
{
	size_t at = hash_of(row) & (table->nslots - 1);

	while (table->slots[at] && !same_row(&table->rows.items[table->slots[at] - 1], row))
		at = (at + 1) & (table->nslots - 1);
	return &table->slots[at];
}

/* Adds a rank to the row that says the same, or as a new row. */
static void add_rank(struct table *table, struct rank_index rank)
{
	struct row row, *old;
	size_t *slot;

	fill_row(table, &row, rank);
	slot = find_row(table, &row);
	if (!*slot) {
		*array_add(&row.ranks) = rank;
		*array_add(&table->rows) = row;
		*slot = table->rows.nr;
		return;
	}
	old = &table->rows.items[*slot - 1];
	if (row.since > old->since)
		old->since = row.since;
	if (strcmp(row.cell[COLUMN_DIED], old->cell[COLUMN_DIED]) < 0)
		old->cell[COLUMN_DIED] = row.cell[COLUMN_DIED];
	*array_add(&old->ranks) = rank;
}

/* Divides the ranks into rows. */
static void add_ranks(struct table *table)
{
	const struct job *job = table->verdicts->job;

	for (table->nslots = 64; table->nslots < 2 * job->nranks;)
		table->nslots *= 2;
	table->slots = alloc_zeroed(table->nslots, sizeof(*table->slots));
	job_for_each_rank(job, rank)
		add_rank(table, rank);
	free(table->slots);
}

/* Orders culprits first, then by first rank, which no two rows share. */
static int compare_rows(const void *a, const void *b)
{
	const struct row *one = a, *two = b;

	if (one->culprit != two->culprit)
		return one->culprit ? -1 : 1;
	return one->ranks.items[0].i < two->ranks.items[0].i ? -1 : 1;
}

/* True if somebody has a value and, where that is asked, somebody has another one. */
static bool is_worth_showing(const struct table *table, int column)
{
	const char *first = "";
	const struct row *row;

	array_for_each (&table->rows, row) {
		const char *cell = row->cell[column];

		if (*cell && (!columns[column].if_differs || (*first && strcmp(cell, first))))
			return true;
		if (*cell)
			first = cell;
	}
	return false;
}

/* Returns the width of the widest cell, the title included. */
static size_t column_width(const struct table *table, int column)
{
	size_t width = strlen(columns[column].title);
	const struct row *row;

	array_for_each (&table->rows, row) {
		size_t own = escape_width(row->cell[column]);

		width = own > width ? own : width;
	}
	return width;
}

/* Fills in the cells that belong to the row as a whole, and decides which columns are shown. */
static void finish(struct table *table)
{
	const struct job *job = table->verdicts->job;
	struct row *row;

	array_for_each (&table->rows, row) {
		struct verdict_ranks ranks = {row->ranks.items, row->ranks.nr};
		char text[CLOCK_TEXT_SIZE];
		struct str name = {0};

		ranks_fit(&name, job, ranks, RANKS_WIDTH);
		row->cell[COLUMN_RANK] = arena_text(&table->arena, str_text(&name));
		row->cell[COLUMN_LOG] = log_of(table, ranks);
		str_release(&name);
		if (row->since != JOB_UNKNOWN)
			row->cell[COLUMN_SINCE] =
				arena_text(&table->arena, clock_format(row->since, text));
	}
	for (int c = 0; c < COLUMNS; c++) {
		table->shown[c] = is_worth_showing(table, c);
		table->widths[c] = column_width(table, c);
	}
}

/*
 * Returns one line; a NULL row is the header. A column that does not fit any more is cut. The
 * caller frees it.
 */
static char *line_of(const struct table *table, const struct row *row, size_t width)
{
	struct str line = {0};
	size_t at = 0, end = 0;

	for (int c = 0; c < COLUMNS; c++) {
		const char *text = row ? row->cell[c] : columns[c].title;
		size_t room = table->widths[c];

		if (!table->shown[c])
			continue;
		if (at >= width)
			break;
		if (*text) {
			while (end < at) {
				str_add_char(&line, ' ');
				end++;
			}
			end += escape_fit(&line, text, room < width - at ? room : width - at);
		}
		at += room + 2;
	}
	return str_detach(&line);
}

void table_of(struct table_lines *into, const struct verdicts *verdicts, size_t width, bool utf8)
{
	struct table table = {.verdicts = verdicts,
		.utf8 = utf8,
		.most_files = caches_most(verdicts->job)};
	struct row *row;

	by_rank_make(&table.seats, verdicts->job, members);
	add_ranks(&table);
	if (table.rows.nr) {
		array_sort(&table.rows, compare_rows);
		finish(&table);
		*array_add(&into->lines) = line_of(&table, NULL, width);
	}
	array_for_each (&table.rows, row) {
		*array_add(&into->lines) = line_of(&table, row, width);
		into->culprit_rows += row->culprit;
		array_release(&row->ranks);
	}
	array_release(&table.rows);
	by_rank_release(&table.seats);
	arena_release(&table.arena);
}

void table_release(struct table_lines *table)
{
	for (size_t i = 0; i < table->lines.nr; i++)
		free(table->lines.items[i]);
	array_release(&table->lines);
}
