/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Seals the facts that hang on a process: spans, shards, steps, notes, traits, signals, logs,
 * sayings, caches, losses. Facts about processes of no rank are left out; those of a rank's
 * children count for the rank. All kinds are treated alike by macros over fact-order.def: resolve
 * the process, sort, join equals.
 */
#include <stdlib.h>
#include <string.h>

#include "job/seal/seal.h"

/* -- order ----------------------------------------------------------------------------------- */

/*
 * Defines int key_spans(a, b), 0 where both are the same thing, int rest_spans(a, b), which orders
 * these, and so on.
 */
#define NUMBER(field) SEAL_ORDER(a->fact.field, b->fact.field);
#define TEXT(field)   SEAL_ORDER_TEXT(a->fact.field, b->fact.field);
#define SAID          SEAL_ORDER(a->about.when, b->about.when);
#define FACTS(kind, plural, taken, same, joined, sealed)                                           \
	static int key_##plural(const struct raw_##kind *a, const struct raw_##kind *b)            \
	{                                                                                          \
		int who = seal_compare_who(&a->about.who, &b->about.who);                          \
                                                                                                   \
		if (who)                                                                           \
			return who;                                                                \
		same return 0;                                                                     \
	}                                                                                          \
                                                                                                   \
	static int rest_##plural(const struct raw_##kind *a, const struct raw_##kind *b)           \
	{                                                                                          \
		joined return 0;                                                                   \
	}
#include "job/seal/fact-order.def"
#undef FACTS
#undef SAID
#undef TEXT
#undef NUMBER

/* Defines int final_spans(a, b) and so on: the order in the sealed job, by indexes now. */
#define NUMBER(field) SEAL_ORDER(a->field, b->field);
#define TEXT(field)   SEAL_ORDER_TEXT(a->field, b->field);
#define RANK          SEAL_ORDER(a->rank.i, b->rank.i);
#define FACTS(kind, plural, taken, same, joined, sealed)                                           \
	static int final_##plural(const void *va, const void *vb)                                  \
	{                                                                                          \
		const struct job_##kind *a = va, *b = vb;                                          \
                                                                                                   \
		sealed return 0;                                                                   \
	}
#include "job/seal/fact-order.def"
#undef FACTS
#undef RANK
#undef TEXT
#undef NUMBER

/* -- what two that are the same thing tell together ------------------------------------------ */

static void join_spans(struct raw_span *into, const struct raw_span *from)
{
	if (!from->fact.open)
		into->fact.open = false;
	SEAL_KEEP_MAX(into->fact.ended, from->fact.ended);
	SEAL_KEEP_MAX(into->fact.cpu_at_begin, from->fact.cpu_at_begin);
	SEAL_KEEP_MAX(into->fact.cpu_at_end, from->fact.cpu_at_end);
	into->fact.cite = from->fact.cite;
}

static void join_shards(struct raw_shard *into, const struct raw_shard *from)
{
	struct job_shard older = into->fact;

	into->fact = from->fact;
	if (!into->fact.empty && older.empty) {
		into->fact.empty = true;
		into->fact.emptied = older.emptied;
	}
	if (!into->fact.ndim && older.ndim) {
		into->fact.ndim = older.ndim;
		memcpy(into->fact.dims, older.dims, sizeof(older.dims));
	}
}

static void join_steps(struct raw_step *into, const struct raw_step *from)
{
	into->fact = from->fact;
}

static void join_notes(struct raw_note *into, const struct raw_note *from)
{
	into->fact.exception |= from->fact.exception;
}

/* The trait that was said later holds. */
static void join_traits(struct raw_trait *into, const struct raw_trait *from)
{
	into->fact = from->fact;
}

static void join_signals(struct raw_signal *into, const struct raw_signal *from)
{
	bool fatal = into->fact.fatal || from->fact.fatal;
	bool aborts = into->fact.abort_call || from->fact.abort_call;
	bool self = into->fact.from_self || from->fact.from_self;

	into->fact = from->fact;
	into->fact.fatal = fatal;
	into->fact.abort_call = aborts;
	into->fact.from_self = self;
}

static void join_logs(struct raw_log *into, const struct raw_log *from)
{
	const char *error = *from->fact.error ? from->fact.error : into->fact.error;
	const char *line = *from->fact.last_line ? from->fact.last_line : into->fact.last_line;

	into->fact = from->fact;
	into->fact.error = error;
	into->fact.last_line = line;
}

static void join_sayings(struct raw_saying *into, const struct raw_saying *from)
{
	SEAL_KEEP_MAX(into->fact.b, from->fact.b);
}

static void join_caches(struct raw_cache *into, const struct raw_cache *from)
{
	into->fact = from->fact;
}

static void join_losses(struct raw_loss *into, const struct raw_loss *from)
{
	into->fact.count = from->fact.count;
	into->fact.of_ops |= from->fact.of_ops;
	into->fact.of_last |= from->fact.of_last;
	into->fact.of_p2p |= from->fact.of_p2p;
}

/* -- the one way all of them go ---------------------------------------------------------------- */

/* Returns the rank of a fact; NO_RANK: of none, and the fact is left out. */
static struct rank_index rank_of(struct seal *seal, const struct raw_about *about, int *ret_process)
{
	*ret_process = seal_find_process(seal, about->who);
	return seal_rank_of(seal, *ret_process);
}

static const char *cite_or(const struct seal *seal, const char *cite, int process)
{
	if (*cite)
		return cite;
	return process == JOB_NONE ? "job" : seal->processes[process].cite;
}

#define SEAL_FACTS(kind, plural)                                                                   \
	static int compare_##plural(const void *va, const void *vb)                                \
	{                                                                                          \
		int order = key_##plural(va, vb);                                                  \
                                                                                                   \
		return order ? order : rest_##plural(va, vb);                                      \
	}                                                                                          \
                                                                                                   \
	/* Leaves each fact once, with its rank, ascending by rank, then as sorted. */             \
	static void seal_##plural(struct seal *seal)                                               \
	{                                                                                          \
		struct raw_##kind *raw = seal->b->plural.items;                                    \
		size_t nr = seal->b->plural.nr, n = 0;                                             \
		struct job_##kind *facts;                                                          \
                                                                                                   \
		array_sort(&seal->b->plural, compare_##plural);                                    \
		for (size_t i = 0; i < nr; i++) {                                                  \
			if (n && key_##plural(&raw[n - 1], &raw[i]) == 0)                          \
				join_##plural(&raw[n - 1], &raw[i]);                               \
			else                                                                       \
				array_keep(raw, n, i);                                             \
		}                                                                                  \
		facts = arena_new_many(seal->arena, struct job_##kind, n + 1);                     \
		seal->job->plural = facts;                                                         \
		for (size_t i = 0; i < n; i++)                                                     \
			place_##kind(seal, &raw[i], facts);                                        \
		array_sort_items(facts, seal->job->n##plural, sizeof(*facts), final_##plural);     \
	}

/* Appends the fact to the job's, if it is a rank's. */
#define PLACE_FACT(kind, plural)                                                                   \
	static void place_##kind(                                                                  \
		struct seal *seal, struct raw_##kind *raw, struct job_##kind *facts)               \
	{                                                                                          \
		int process;                                                                       \
		struct rank_index rank = rank_of(seal, &raw->about, &process);                     \
                                                                                                   \
		if (!is_rank(rank))                                                                \
			return;                                                                    \
		raw->fact.rank = rank;                                                             \
		raw->fact.cite = cite_or(seal, raw->fact.cite, process);                           \
		facts[seal->job->n##plural++] = raw->fact;                                         \
	}

static void place_span(struct seal *seal, struct raw_span *raw, struct job_span *facts)
{
	int process;
	struct rank_index rank = rank_of(seal, &raw->about, &process);

	if (!is_rank(rank))
		return;
	raw->fact.rank = rank;
	raw->fact.process = process;
	raw->fact.cite = cite_or(seal, raw->fact.cite, process);
	facts[seal->job->nspans++] = raw->fact;
}

/*
 * Returns the role in the job of a signal's sender, found by its pid on the same host; JOB_NONE.
 * (Uses a copy of `seal`, so as not to change what was looked up last.)
 */
static int find_sender(const struct seal *seal, const struct raw_signal *raw)
{
	struct job_who who = {raw->about.who.host, raw->fact.sender, 0};
	struct seal mutable = *seal;
	int process;

	if (!who.pid)
		return JOB_NONE;
	mutable.last_process = JOB_NONE;
	mutable.last_who = (struct job_who){0};
	process = seal_find_process(&mutable, who);
	return process == JOB_NONE ? JOB_NONE : (int)seal->processes[process].role;
}

static void place_signal(struct seal *seal, struct raw_signal *raw, struct job_signal *facts)
{
	int process;
	struct rank_index rank = rank_of(seal, &raw->about, &process);

	if (!is_rank(rank))
		return;
	raw->fact.rank = rank;
	raw->fact.process = process;
	raw->fact.sender_role = find_sender(seal, raw);
	raw->fact.cite = cite_or(seal, raw->fact.cite, process);
	facts[seal->job->nsignals++] = raw->fact;
}

/*
 * True if a loss tells nothing: the helper (a compile worker, say) has ended, and of that nothing
 * can be had.
 */
static bool is_of_the_past(const struct job_process *helper, const struct job_loss *loss)
{
	static const char gone[] = " is gone";
	size_t len = strlen(loss->what), tail = strlen(gone);

	return helper->end > JOB_ALIVE || (len > tail && !strcmp(loss->what + len - tail, gone));
}

static void place_loss(struct seal *seal, struct raw_loss *raw, struct job_loss *facts)
{
	int process;
	bool helper;

	raw->fact.rank = rank_of(seal, &raw->about, &process);
	raw->fact.cite = cite_or(seal, raw->fact.cite, process);
	if (raw->fact.of_ops && !raw->about.who.pid)
		seal->job->census_whole = false;
	helper = process != JOB_NONE && seal->processes[process].role == JOB_ROLE_CHILD;
	if (helper && !raw->fact.of_ops && is_of_the_past(&seal->processes[process], &raw->fact))
		return;
	/* What is lost of a helper is not lost of the rank itself. */
	if (helper)
		raw->fact.what = arena_printf(seal->arena, "of its child: %s", raw->fact.what);
	if (!helper && is_rank(raw->fact.rank) &&
		(raw->fact.of_ops || raw->fact.of_last || raw->fact.of_p2p))
		seal->ranks[raw->fact.rank.i].loses = true;
	facts[seal->job->nlosses++] = raw->fact;
}

/*
 * True if the process is a rank's child. An exception that ends one says nothing of the rank: it
 * may have been expected.
 */
static bool is_childs(const struct seal *seal, int process)
{
	return process != JOB_NONE && seal->processes[process].role == JOB_ROLE_CHILD;
}

static void place_note(struct seal *seal, struct raw_note *raw, struct job_note *facts)
{
	int process;
	struct rank_index rank = rank_of(seal, &raw->about, &process);

	if (!is_rank(rank))
		return;
	raw->fact.rank = rank;
	raw->fact.exception = raw->fact.exception && !is_childs(seal, process);
	raw->fact.cite = cite_or(seal, raw->fact.cite, process);
	facts[seal->job->nnotes++] = raw->fact;
}

static void place_trait(struct seal *seal, struct raw_trait *raw, struct job_trait *facts)
{
	int process;
	struct rank_index rank = rank_of(seal, &raw->about, &process);

	if (!is_rank(rank))
		return;
	if (is_childs(seal, process) && !strcmp(raw->fact.key, "exception-at"))
		return;
	raw->fact.rank = rank;
	raw->fact.cite = cite_or(seal, raw->fact.cite, process);
	facts[seal->job->ntraits++] = raw->fact;
}

/*
 * Appends a saying, which may also be of the job. (A rank that only a dump knows has no pid, but a
 * start time.)
 */
static void place_saying(
	struct seal *seal, struct raw_saying *raw, struct job_saying *facts)
{
	bool whose = raw->about.who.pid || raw->about.who.start_time;
	int process = JOB_NONE;

	raw->fact.rank = whose ? rank_of(seal, &raw->about, &process) : NO_RANK;
	raw->fact.cite = cite_or(seal, raw->fact.cite, process);
	facts[seal->job->nsayings++] = raw->fact;
}

PLACE_FACT(shard, shards)
PLACE_FACT(step, steps)
PLACE_FACT(log, logs)
PLACE_FACT(cache, caches)

/* Defines seal_spans() and so on: the kinds of facts, each sealed alike. */
#define FACTS(kind, plural, taken, same, joined, sealed) SEAL_FACTS(kind, plural)
#include "job/seal/fact-order.def"
#undef FACTS

/*
 * Adds a loss for what a probe could not hook, since this version of a program lacks it: that is
 * not recorded.
 */
static void lose_missing(struct seal *seal)
{
	struct job_builder *b = seal->b;

	for (size_t i = 0; i < b->traits.nr; i++) {
		const struct raw_trait *raw = &b->traits.items[i];
		struct job_loss loss = {.count = JOB_UNKNOWN, .cite = raw->fact.cite};
		int process;

		if (strcmp(raw->fact.key, "missing") != 0 || !*raw->fact.text ||
			!is_rank(rank_of(seal, &raw->about, &process)))
			continue;
		loss.what = arena_printf(seal->arena, "not hooked: %s", raw->fact.text);
		job_add_loss(b, raw->about.who, &loss);
	}
}

void seal_facts(struct seal *seal)
{
	seal_spans(seal);
	seal_shards(seal);
	seal_steps(seal);
	seal_notes(seal);
	seal_traits(seal);
	lose_missing(seal);
	seal_signals(seal);
	seal_logs(seal);
	seal_sayings(seal);
	seal_caches(seal);
	seal_losses(seal);
}
