/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads what NCCL's own look at a job says ("ncclras", or its port): text, or JSON since 2.28.7.
 *
 *	#0-0 (fa93daea854b060b) MISMATCH
 *	  Communicator ranks have different AllGather operation counts
 *	  2 ranks have launched up to operation 641
 *	  Rank 12 -- GPU 4 managed by process 323032 on node 10.137.190.124
 *
 * It tells which ranks it names, and not which is to blame: those it lists may be behind or ahead,
 * and a cold first operation is in no count. A rank of a communicator is one of the job if that
 * communicator has as many ranks as the job has GPUs. Up to 2.28.9 its JSON lacks a comma where a
 * rank is missing.
 */
#include <ctype.h>
#include <json.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "decode/exhibits/texts.h"
#include "evidence/format/json-get.h"

#define GROUPS_MOST 1024
#define RANKS_MOST  65536
#define TEXT_MOST   160

/* What was read so far. */
struct ras {
	struct texts *texts;
	const struct exhibit *exhibit;
	int64_t line;
	/* For text only: */
	bool in_summary, in_table;
	int64_t total;              /* GPUs of the job; 0 not told */
	int64_t first;              /* pid of rank 0 of the largest communicator; -1 there are
				     * several */
	int64_t sizes[GROUPS_MOST]; /* ranks of communicators, by group */
	char name[32];              /* name of the communicator, "#0-0"; "" outside */
	char heading[TEXT_MOST];    /* the sentence that ranks may follow */
	bool used;                  /* ranks followed it */
};

static void say(struct ras *ras, int rank, const char *text)
{
	struct job_saying saying = {
		.kind = JOB_SAYS_RAS, .text2 = "", .a = JOB_UNKNOWN, .b = JOB_UNKNOWN};

	saying.text = arena_text_max(&ras->texts->context->arena, text, TEXT_MOST);
	saying.cite = texts_cite(ras->texts, ras->exhibit, ras->line);
	texts_say(ras->texts, rank, &saying);
}

/* -- text -------------------------------------------------------------------------------------- */

/* True if the communicator at hand has all ranks of the job. */
static bool is_world(const struct ras *ras)
{
	int group;

	return sscanf(ras->name, "#%4d-", &group) == 1 && group >= 0 && group < GROUPS_MOST &&
	       ras->total > 0 && ras->sizes[group] == ras->total;
}

/* Ends a sentence; one that no rank followed is told of the job. */
static void end_heading(struct ras *ras)
{
	if (*ras->heading && !ras->used)
		say(ras, JOB_NONE, ras->heading);
	ras->heading[0] = '\0';
	ras->used = false;
}

/* Takes a rank that follows a sentence. */
static void take_rank(struct ras *ras, int rank, int64_t pid)
{
	char text[TEXT_MOST + 64];

	ras->used = true;
	if (is_world(ras)) {
		roster_add(&ras->texts->roster,
			&(const struct roster_entry){
				.rank = rank, .local = JOB_NONE, .pid = pid});
		say(ras, texts_process(ras->texts, rank, 0) ? rank : JOB_NONE, ras->heading);
		return;
	}
	snprintf(text, sizeof(text), "rank %d of communicator %s: %s", rank, ras->name,
		ras->heading);
	say(ras, JOB_NONE, text);
}

/*
 * Takes numbers of the summary (the last is the total of GPUs) and of the table of communicators.
 */
static void take_numbers(struct ras *ras, const char *line)
{
	long long n[6];
	int got = sscanf(
		line, " %lld %lld %lld %lld %lld %lld", &n[0], &n[1], &n[2], &n[3], &n[4], &n[5]);

	if (ras->in_summary && got == 5)
		ras->total = n[4];
	else if (ras->in_summary && got == 3 && n[2] >= n[0] && n[2] >= n[1])
		ras->total = n[2];
	else if (ras->in_table && got == 6 && n[0] >= 0 && n[0] < GROUPS_MOST)
		ras->sizes[n[0]] = n[4];
}

static void take_line(void *with, const char *line, int64_t number)
{
	struct ras *ras = with;
	long long pid;
	int rank;

	if (!strncmp(line, "Job summary", 11) || !strncmp(line, "Communicators", 13)) {
		ras->in_summary = *line == 'J';
		ras->in_table = !ras->in_summary;
	}
	take_numbers(ras, line);
	if (sscanf(line, "  Rank %7d -- GPU %*s managed by process %lld", &rank, &pid) == 2 &&
		*ras->heading) {
		ras->line = number;
		take_rank(ras, rank, pid);
		return;
	}
	end_heading(ras);
	ras->line = number;
	if (*line == '#' && sscanf(line, "%31s", ras->name) == 1)
		return;
	if (*ras->name && !strncmp(line, "  ", 2) && isalnum((unsigned char)line[2]))
		snprintf(ras->heading, sizeof(ras->heading), "%s", line + 2);
	else if (!*line)
		ras->name[0] = '\0';
}

/* -- JSON -------------------------------------------------------------------------------------- */

/*
 * Returns the document; if it is none, parses once more with a comma behind each number that lacks
 * it.
 */
static struct json_object *parse(const struct exhibit *exhibit, const char *text)
{
	struct json_object *document = json_get_document(exhibit, NULL);
	struct exhibit again = *exhibit;
	struct str mended = {0};

	if (document)
		return document;
	for (const char *at = text; *at;) {
		size_t len = strcspn(at, "0123456789");

		len += strspn(at + len, "0123456789");
		str_add_bytes(&mended, at, len);
		at += len;
		if (len && isdigit((unsigned char)at[-1]) && *at && strchr(" \t\r\n", *at) &&
			at[strspn(at, " \t\r\n")] == '"')
			str_add_char(&mended, ',');
	}
	again.len = mended.len;
	again.bytes = (uint8_t *)str_text(&mended);
	document = json_get_document(&again, NULL);
	str_release(&mended);
	return document;
}

static bool is_true(const struct json_object *object, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(object, key, &value) && json_object_get_boolean(value);
}

/* Tells the ranks that RAS missed. */
static void take_missing(struct ras *ras, const struct json_object *of, bool world)
{
	size_t nr;
	struct json_object *list = json_get_list(of, "missing_ranks", &nr), *status;

	for (size_t i = 0; i < nr && i < RANKS_MOST; i++) {
		struct json_object *one = json_object_array_get_idx(list, i);
		const char *words = "gave it no answer";
		int64_t rank;

		if (!json_get_int(one, "rank", &rank) || rank < 0 || rank >= RANKS_MOST)
			continue;
		if (json_object_object_get_ex(one, "status", &status) &&
			is_true(status, "considered_dead"))
			words = "is taken for dead";
		say(ras, world ? (int)rank : JOB_NONE, words);
	}
}

/* Tells what each rank has launched of an operation that not all have launched as often. */
static void take_counts(
	struct ras *ras, struct json_object *list, size_t nr, const char *op, bool world)
{
	int64_t least = INT64_MAX, most = -1, count, rank;
	struct json_object *counts;
	char text[TEXT_MOST];

	for (size_t pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < nr && i < RANKS_MOST; i++) {
			struct json_object *one = json_object_array_get_idx(list, i);

			if (!json_object_is_type(one, json_type_object) ||
				!json_object_object_get_ex(one, "collective_counts", &counts) ||
				!json_get_int(counts, op, &count) || count < 0)
				continue;
			least = count < least ? count : least;
			most = count > most ? count : most;
			if (!pass || least == most || !json_get_int(one, "rank", &rank) || rank < 0)
				continue;
			snprintf(text, sizeof(text), "launched %s up to #%lld", op,
				(long long)count);
			say(ras, world && rank < RANKS_MOST ? (int)rank : JOB_NONE, text);
		}
}

/* Adds the pids of ranks to the roster. */
static void enrol(struct ras *ras, struct json_object *list, size_t nr)
{
	int64_t rank, pid;

	for (size_t i = 0; i < nr && i < RANKS_MOST; i++) {
		struct json_object *one = json_object_array_get_idx(list, i);

		if (json_get_int(one, "rank", &rank) && json_get_int(one, "pid", &pid) &&
			rank >= 0 && rank < RANKS_MOST)
			roster_add(&ras->texts->roster,
				&(const struct roster_entry){
					.rank = (int)rank, .local = JOB_NONE, .pid = pid});
	}
}

static void take_communicator(struct ras *ras, const struct json_object *one)
{
	static const char *const ops[] = {
		"Broadcast", "Reduce", "AllGather", "ReduceScatter", "AllReduce"};
	size_t nr;
	struct json_object *ranks = json_get_list(one, "ranks", &nr);
	int64_t size = -1;
	bool world = json_get_int(one, "size", &size) && size == ras->total && ras->first >= 0;

	if (world)
		enrol(ras, ranks, nr);
	take_missing(ras, one, world);
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		take_counts(ras, ranks, nr, ops[i], world);
}

/*
 * Visits the communicators, which stand somewhere below: each is an object that has a size and
 * ranks.
 */
static void walk(struct ras *ras, struct json_object *at, int depth,
	void (*visit)(struct ras *ras, const struct json_object *one))
{
	size_t nr = json_object_is_type(at, json_type_array) ? json_object_array_length(at) : 0;

	if (depth > 6)
		return;
	for (size_t i = 0; i < nr; i++)
		walk(ras, json_object_array_get_idx(at, i), depth + 1, visit);
	if (!json_object_is_type(at, json_type_object))
		return;
	if (json_object_object_get_ex(at, "size", NULL) &&
		json_object_object_get_ex(at, "ranks", NULL)) {
		visit(ras, at);
		return;
	}
	json_object_object_foreach(at, key, value)
	{
		(void)key;
		walk(ras, value, depth + 1, visit);
	}
}

/* Returns the pid of a communicator's rank 0; 0 not told. */
static int64_t first_of(const struct json_object *one)
{
	size_t nr;
	struct json_object *ranks = json_get_list(one, "ranks", &nr);
	int64_t rank, pid = 0;

	for (size_t i = 0; i < nr && i < RANKS_MOST; i++)
		if (json_get_int(json_object_array_get_idx(ranks, i), "rank", &rank) && !rank)
			json_get_int(json_object_array_get_idx(ranks, i), "pid", &pid);
	return pid;
}

/*
 * Finds the largest communicator, which has as many ranks as the job, unless several as large have
 * other ranks.
 */
static void measure(struct ras *ras, const struct json_object *one)
{
	int64_t size;

	if (!json_get_int(one, "size", &size) || size < ras->total)
		return;
	if (size > ras->total)
		ras->first = first_of(one);
	else if (ras->first != first_of(one))
		ras->first = -1;
	ras->total = size;
}

void texts_read_ras(struct texts *texts, const struct exhibit *exhibit)
{
	struct ras ras = {.texts = texts, .exhibit = exhibit, .line = 1};
	const char *text = texts_of(texts, exhibit);
	struct json_object *document;

	if (text[strspn(text, " \t\r\n")] != '{') {
		texts_each_line(text, take_line, &ras);
		end_heading(&ras);
	} else if ((document = parse(exhibit, text))) {
		walk(&ras, document, 0, measure);
		walk(&ras, document, 0, take_communicator);
		json_object_put(document);
	}
	if (ras.total > 0 && ras.total < RANKS_MOST)
		job_add_world_at_least(texts->builder, (int)ras.total);
}
