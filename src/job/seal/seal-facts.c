/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The facts that hang on a process: spans, shards, steps, notes, traits, signals, logs, caches,
 * losses.
 * Facts about processes of no rank are left out; those of a rank's children count for the rank.
 * A macro sorts each kind, since all are treated alike: resolve, sort, join equals.
 */
#include <stdlib.h>
#include <string.h>

#include "job/seal/seal.h"

#define SAME_PROCESS(a, b)                                                                         \
	do {                                                                                       \
		int who_ = seal_compare_who(&(a)->about.who, &(b)->about.who);                     \
		if (who_)                                                                          \
			return who_;                                                               \
	} while (0)

/* -- order: first what makes two facts the same thing (KEY), then all the rest ----------------- */

static int key_spans(const struct raw_span *a, const struct raw_span *b)
{
	SAME_PROCESS(a, b);
	SEAL_ORDER(a->fact.begun, b->fact.begun);
	SEAL_ORDER(a->fact.kind, b->fact.kind);
	SEAL_ORDER_TEXT(a->fact.name, b->fact.name);
	SEAL_ORDER_TEXT(a->fact.detail, b->fact.detail);
	return 0;
}

static int rest_spans(const struct raw_span *a, const struct raw_span *b)
{
	SEAL_ORDER(a->fact.ended, b->fact.ended);
	SEAL_ORDER_TEXT(a->fact.cite, b->fact.cite);
	return 0;
}

static void join_spans(struct raw_span *into, const struct raw_span *from)
{
	if (!from->fact.open)
		into->fact.open = false;
	SEAL_KEEP_MAX(into->fact.ended, from->fact.ended);
	SEAL_KEEP_MAX(into->fact.cpu_at_begin, from->fact.cpu_at_begin);
	SEAL_KEEP_MAX(into->fact.cpu_at_end, from->fact.cpu_at_end);
	into->fact.cite = from->fact.cite;
}

static int key_shards(const struct raw_shard *a, const struct raw_shard *b)
{
	SAME_PROCESS(a, b);
	SEAL_ORDER_TEXT(a->fact.loader, b->fact.loader);
	return 0;
}

static int rest_shards(const struct raw_shard *a, const struct raw_shard *b)
{
	SEAL_ORDER(a->about.when, b->about.when);
	SEAL_ORDER(a->fact.batches, b->fact.batches);
	SEAL_ORDER(a->fact.index, b->fact.index);
	SEAL_ORDER(a->fact.when, b->fact.when);
	SEAL_ORDER(a->fact.rows, b->fact.rows);
	SEAL_ORDER(a->fact.elements, b->fact.elements);
	SEAL_ORDER(a->fact.ndim, b->fact.ndim);
	SEAL_ORDER_TEXT(a->fact.cite, b->fact.cite);
	return 0;
}

static void join_shards(struct raw_shard *into, const struct raw_shard *from)
{
	bool empty = into->fact.empty || from->fact.empty;
	struct job_shard older = into->fact;

	into->fact = from->fact;
	into->fact.empty = empty;
	if (!into->fact.ndim && older.ndim) {
		into->fact.ndim = older.ndim;
		memcpy(into->fact.dims, older.dims, sizeof(older.dims));
	}
}

static int key_steps(const struct raw_step *a, const struct raw_step *b)
{
	SAME_PROCESS(a, b);
	return 0;
}

static int rest_steps(const struct raw_step *a, const struct raw_step *b)
{
	SEAL_ORDER(a->fact.n, b->fact.n);
	SEAL_ORDER(a->fact.events, b->fact.events);
	SEAL_ORDER(a->fact.when, b->fact.when);
	SEAL_ORDER_TEXT(a->fact.cite, b->fact.cite);
	return 0;
}

static void join_steps(struct raw_step *into, const struct raw_step *from)
{
	into->fact = from->fact;
}

static int key_notes(const struct raw_note *a, const struct raw_note *b)
{
	SAME_PROCESS(a, b);
	SEAL_ORDER(a->fact.when, b->fact.when);
	SEAL_ORDER_TEXT(a->fact.text, b->fact.text);
	return 0;
}

static int rest_notes(const struct raw_note *a, const struct raw_note *b)
{
	SEAL_ORDER(a->fact.exception, b->fact.exception);
	SEAL_ORDER_TEXT(a->fact.cite, b->fact.cite);
	return 0;
}

static void join_notes(struct raw_note *into, const struct raw_note *from)
{
	into->fact.exception |= from->fact.exception;
}

static int key_traits(const struct raw_trait *a, const struct raw_trait *b)
{
	SAME_PROCESS(a, b);
	SEAL_ORDER_TEXT(a->fact.key, b->fact.key);
	return 0;
}

static int rest_traits(const struct raw_trait *a, const struct raw_trait *b)
{
	SEAL_ORDER(a->fact.when, b->fact.when);
	SEAL_ORDER(a->fact.number, b->fact.number);
	SEAL_ORDER_TEXT(a->fact.text, b->fact.text);
	SEAL_ORDER_TEXT(a->fact.cite, b->fact.cite);
	return 0;
}

/* What was said later holds. */
static void join_traits(struct raw_trait *into, const struct raw_trait *from)
{
	into->fact = from->fact;
}

static int key_signals(const struct raw_signal *a, const struct raw_signal *b)
{
	SAME_PROCESS(a, b);
	SEAL_ORDER(a->fact.when, b->fact.when);
	SEAL_ORDER(a->fact.signo, b->fact.signo);
	SEAL_ORDER_TEXT(a->fact.thread, b->fact.thread);
	return 0;
}

static int rest_signals(const struct raw_signal *a, const struct raw_signal *b)
{
	SEAL_ORDER(a->fact.fatal, b->fact.fatal);
	SEAL_ORDER(a->fact.sender, b->fact.sender);
	SEAL_ORDER(a->fact.code, b->fact.code);
	SEAL_ORDER(a->fact.tid, b->fact.tid);
	SEAL_ORDER_TEXT(a->fact.cite, b->fact.cite);
	return 0;
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

static int key_logs(const struct raw_log *a, const struct raw_log *b)
{
	SAME_PROCESS(a, b);
	return 0;
}

static int rest_logs(const struct raw_log *a, const struct raw_log *b)
{
	SEAL_ORDER(a->about.when, b->about.when);
	SEAL_ORDER(a->fact.when, b->fact.when);
	SEAL_ORDER_TEXT(a->fact.error, b->fact.error);
	SEAL_ORDER_TEXT(a->fact.last_line, b->fact.last_line);
	SEAL_ORDER_TEXT(a->fact.cite, b->fact.cite);
	return 0;
}

static void join_logs(struct raw_log *into, const struct raw_log *from)
{
	const char *error = *from->fact.error ? from->fact.error : into->fact.error;
	const char *line = *from->fact.last_line ? from->fact.last_line : into->fact.last_line;

	into->fact = from->fact;
	into->fact.error = error;
	into->fact.last_line = line;
}

static int key_caches(const struct raw_cache *a, const struct raw_cache *b)
{
	SAME_PROCESS(a, b);
	SEAL_ORDER_TEXT(a->fact.path, b->fact.path);
	return 0;
}

static int rest_caches(const struct raw_cache *a, const struct raw_cache *b)
{
	SEAL_ORDER(a->about.when, b->about.when);
	SEAL_ORDER(a->fact.files, b->fact.files);
	SEAL_ORDER(a->fact.bytes, b->fact.bytes);
	SEAL_ORDER_TEXT(a->fact.cite, b->fact.cite);
	return 0;
}

static void join_caches(struct raw_cache *into, const struct raw_cache *from)
{
	into->fact = from->fact;
}

static int key_losses(const struct raw_loss *a, const struct raw_loss *b)
{
	SAME_PROCESS(a, b);
	SEAL_ORDER_TEXT(a->fact.what, b->fact.what);
	SEAL_ORDER_TEXT(a->fact.cite, b->fact.cite);
	return 0;
}

static int rest_losses(const struct raw_loss *a, const struct raw_loss *b)
{
	SEAL_ORDER(a->fact.count, b->fact.count);
	SEAL_ORDER(a->fact.of_ops, b->fact.of_ops);
	return 0;
}

static void join_losses(struct raw_loss *into, const struct raw_loss *from)
{
	into->fact.count = from->fact.count;
	into->fact.of_ops |= from->fact.of_ops;
}

/* -- the one way all of them go ---------------------------------------------------------------- */

/* Whose fact it is; NO_RANK: nobody's, left out. */
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
				raw[n++] = raw[i];                                                 \
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

/* What the sender of a signal is in the job: by its pid on the same host, at that time. */
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

/* Compile workers come and go: of one that has ended nothing can be had, and nothing lacks. */
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
	helper = process != JOB_NONE && seal->processes[process].role == JOB_ROLE_CHILD;
	if (helper && !raw->fact.of_ops && is_of_the_past(&seal->processes[process], &raw->fact))
		return;
	/* What is lost of a helper is not lost of the rank itself. */
	if (helper)
		raw->fact.what = arena_printf(seal->arena, "of its child: %s", raw->fact.what);
	facts[seal->job->nlosses++] = raw->fact;
}

/* An exception that ends a rank's child says nothing of the rank: it may have been expected. */
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

PLACE_FACT(shard, shards)
PLACE_FACT(step, steps)
PLACE_FACT(log, logs)
PLACE_FACT(cache, caches)

/* The order in the sealed job, by indexes now. */
static int final_spans(const void *va, const void *vb)
{
	const struct job_span *a = va, *b = vb;

	SEAL_ORDER(a->rank.i, b->rank.i);
	SEAL_ORDER(a->begun, b->begun);
	SEAL_ORDER(a->process, b->process);
	SEAL_ORDER(a->kind, b->kind);
	SEAL_ORDER_TEXT(a->name, b->name);
	SEAL_ORDER_TEXT(a->detail, b->detail);
	return 0;
}

static int final_shards(const void *va, const void *vb)
{
	const struct job_shard *a = va, *b = vb;

	SEAL_ORDER(a->rank.i, b->rank.i);
	SEAL_ORDER_TEXT(a->loader, b->loader);
	SEAL_ORDER_TEXT(a->cite, b->cite);
	return 0;
}

static int final_steps(const void *va, const void *vb)
{
	const struct job_step *a = va, *b = vb;

	SEAL_ORDER(a->rank.i, b->rank.i);
	SEAL_ORDER(a->n, b->n);
	SEAL_ORDER_TEXT(a->cite, b->cite);
	return 0;
}

static int final_notes(const void *va, const void *vb)
{
	const struct job_note *a = va, *b = vb;

	SEAL_ORDER(a->rank.i, b->rank.i);
	SEAL_ORDER(a->when, b->when);
	SEAL_ORDER_TEXT(a->text, b->text);
	return 0;
}

static int final_traits(const void *va, const void *vb)
{
	const struct job_trait *a = va, *b = vb;

	SEAL_ORDER(a->rank.i, b->rank.i);
	SEAL_ORDER_TEXT(a->key, b->key);
	SEAL_ORDER(a->when, b->when);
	SEAL_ORDER_TEXT(a->cite, b->cite);
	return 0;
}

static int final_signals(const void *va, const void *vb)
{
	const struct job_signal *a = va, *b = vb;

	SEAL_ORDER(a->when, b->when);
	SEAL_ORDER(a->process, b->process);
	SEAL_ORDER(a->signo, b->signo);
	SEAL_ORDER_TEXT(a->thread, b->thread);
	return 0;
}

static int final_logs(const void *va, const void *vb)
{
	const struct job_log *a = va, *b = vb;

	SEAL_ORDER(a->rank.i, b->rank.i);
	SEAL_ORDER(a->when, b->when);
	SEAL_ORDER_TEXT(a->cite, b->cite);
	return 0;
}

static int final_caches(const void *va, const void *vb)
{
	const struct job_cache *a = va, *b = vb;

	SEAL_ORDER(a->rank.i, b->rank.i);
	SEAL_ORDER_TEXT(a->path, b->path);
	return 0;
}

static int final_losses(const void *va, const void *vb)
{
	const struct job_loss *a = va, *b = vb;

	SEAL_ORDER(a->rank.i, b->rank.i);
	SEAL_ORDER_TEXT(a->what, b->what);
	SEAL_ORDER_TEXT(a->cite, b->cite);
	return 0;
}

/* static void seal_spans(struct seal *seal), and so on: the kinds of facts, each sealed alike. */
SEAL_FACTS(span, spans)
SEAL_FACTS(shard, shards)
SEAL_FACTS(step, steps)
SEAL_FACTS(note, notes)
SEAL_FACTS(trait, traits)
SEAL_FACTS(signal, signals)
SEAL_FACTS(log, logs)
SEAL_FACTS(cache, caches)
SEAL_FACTS(loss, losses)

/* What a probe could not hook, since this version of a program has it not, is not recorded. */
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
	seal_caches(seal);
	seal_losses(seal);
}
