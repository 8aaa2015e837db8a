/* SPDX-License-Identifier: Apache-2.0 */
#include "words/receipt-table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "words/wording.h"

#define NOT_KNOWN "not known"
#define ROWS_MOST 16 /* rows of the page */

/* Appends blanks up to that column, one at least. */
static void pad(struct str *line, size_t column)
{
	do
		str_add_char(line, ' ');
	while (line->len < column);
}

/* Appends how a rank ended. */
static void add_end(struct str *row, const struct receipt_rank *rank)
{
	if (rank->end == JOB_EXITED && rank->status == 0)
		str_add(row, "ok");
	else if (rank->end == JOB_EXITED && rank->status != JOB_UNKNOWN)
		str_printf(row, "exit %" PRId64, rank->status);
	else if (rank->end == JOB_SIGNALED && rank->status != JOB_UNKNOWN)
		wording_signal(row, rank->status);
	else
		str_add(row, rank->end == JOB_ALIVE  ? "lived"
			     : rank->end == JOB_GONE ? "gone"
						     : "unknown");
}

/* Appends the median of a rank's steps, and between what most of them lie. */
static void add_steps(struct str *row, const struct receipt_rank *rank)
{
	if (rank->timed == JOB_UNKNOWN) {
		str_add(row, NOT_KNOWN);
		return;
	}
	receipt_add_span(row, rank->usual);
	str_add(row, " (");
	receipt_add_span(row, rank->low);
	str_add(row, "-");
	receipt_add_span(row, rank->high);
	str_add(row, ")");
}

/*
 * Appends the row of a rank, without whose it is and without memory, of which no two ranks have the
 * same.
 */
static void add_row(struct str *row, const struct receipt *r, const struct receipt_rank *rank)
{
	const char *cache = caches_state_name(receipt_cache(r, rank));

	str_add(row, cache ? cache : "?");
	pad(row, 8);
	add_end(row, rank);
	pad(row, 16);
	receipt_add_span(row, rank->compiling);
	pad(row, 26);
	receipt_add_span(row, rank->first_step);
	pad(row, 36);
	add_steps(row, rank);
	pad(row, 59);
}

/* Peak memory of the ranks of one row. */
struct peak {
	int64_t allocated, reserved, rss;
	bool sampled; /* the RSS was sampled, so its true peak may be higher */
};

/* Returns the peak memory of a rank. */
static struct peak peak_of(const struct receipt_rank *rank)
{
	return (struct peak){
		rank->allocated, rank->reserved, rank->rss, rank->rss_sampled == 1};
}

/* True if both are known and less than a tenth apart, or neither is known. */
static bool are_near(int64_t a, int64_t b)
{
	if (a == JOB_UNKNOWN || b == JOB_UNKNOWN)
		return a == b;
	return a - b <= b / 10 && b - a <= a / 10;
}

/* True if two peaks are near enough to share a row. */
static bool peak_is_near(const struct peak *a, const struct peak *b)
{
	return are_near(a->allocated, b->allocated) && are_near(a->reserved, b->reserved) &&
	       are_near(a->rss, b->rss) && a->sampled == b->sampled;
}

/* Takes over what is more. */
static void peak_take(struct peak *into, const struct peak *from)
{
	into->allocated = from->allocated > into->allocated ? from->allocated : into->allocated;
	into->reserved = from->reserved > into->reserved ? from->reserved : into->reserved;
	into->rss = from->rss > into->rss ? from->rss : into->rss;
}

/* Appends an amount of memory. */
static void add_bytes(struct str *into, int64_t bytes)
{
	if (bytes == JOB_UNKNOWN)
		str_add(into, NOT_KNOWN);
	else
		wording_bytes(into, bytes);
}

/* Appends peak memory: of the GPU where that is known, "allocated/reserved", else the RSS. */
static void add_peak(struct str *row, const struct peak *peak)
{
	if (peak->allocated != JOB_UNKNOWN || peak->reserved != JOB_UNKNOWN) {
		add_bytes(row, peak->allocated);
		str_add(row, "/");
		add_bytes(row, peak->reserved);
		return;
	}
	str_add(row, "RSS ");
	if (peak->sampled)
		str_add(row, ">=");
	add_bytes(row, peak->rss);
}

/*
 * Joins the rank at `first` with all behind it that read alike: marks them as told, lists their
 * numbers and sums up their memory. Returns how many they are.
 */
static size_t join_row(const struct receipt *r, size_t first, const struct str *row, bool *told,
	int64_t *numbers, struct peak *ret)
{
	const struct peak mine = peak_of(&r->ranks[first]);
	struct str other = {0};
	size_t n = 0;

	*ret = mine;
	for (size_t k = first; k < r->nranks; k++) {
		const struct receipt_rank *rank = &r->ranks[k];
		const struct peak its = peak_of(rank);

		str_cut(&other, 0);
		add_row(&other, r, rank);
		if (told[k] || !peak_is_near(&mine, &its) ||
			strcmp(str_text(row), str_text(&other)) != 0)
			continue;
		told[k] = true;
		peak_take(ret, &its);
		numbers[n++] = rank->number == JOB_UNKNOWN ? (int64_t)k : rank->number;
	}
	str_release(&other);
	return n;
}

void receipt_table(struct receipt_page *page, const struct receipt *r)
{
	bool *told = alloc_zeroed(r->nranks + 1, sizeof(*told));
	int64_t *numbers = alloc_zeroed(r->nranks + 1, sizeof(*numbers));
	struct str row = {0}, line = {0};

	if (r->nranks)
		*array_add(&page->table) = alloc_text("RANK   CACHE   END     COMPILED  1ST STEP  "
						      "STEP MEDIAN (10-90 %)  PEAK MEMORY");
	for (size_t i = 0; i < r->nranks && page->table.nr <= ROWS_MOST; i++) {
		struct peak peak;
		size_t n;

		if (told[i])
			continue;
		str_cut(&row, 0);
		add_row(&row, r, &r->ranks[i]);
		n = join_row(r, i, &row, told, numbers, &peak);
		receipt_add_ranks(&line, numbers, n);
		pad(&line, 7);
		str_add(&line, str_text(&row));
		add_peak(&line, &peak);
		*array_add(&page->table) = str_detach(&line);
	}
	str_release(&row);
	free(numbers);
	free(told);
}
