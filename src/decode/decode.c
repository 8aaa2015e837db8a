/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes the exhibits of an evidence in an order of their own (kind, host, process, label, time,
 * bytes), never in that of their arrival: kinds first, as the table lists them, since clocks,
 * census and who lives come before what needs them. Of several readings of one thing the latest
 * undamaged one counts; samples of /proc all count, that is what they are for.
 */
#include "decode/decode.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/str.h"
#include "decode/ahead.h"
#include "decode/context.h"
#include "decode/kinds.h"
#include "decode/set-clocks.h"

static const struct decoder *const decoders[] = {
	&decode_gather,
	&decode_identity,
	&decode_census,
	&decode_liveness,
	&decode_module,
	&decode_rings,
	&decode_proc_stat,
	&decode_proc_status,
	&decode_proc_wchan,
	&decode_proc_io,
	&decode_proc_call,
	&decode_proc_locks,
	&decode_cgroup,
	&decode_exits,
	&decode_receipt,
	&decode_manifest,
	&decode_stderr,
	&decode_joblog,
	&decode_slurm_record,
	&decode_kernel_log,
	&decode_stack_text,
	&decode_ras,
	&decode_served,
	&decode_compile_log,
	&decode_history,
	&decode_error_file,
	&decode_stack_samples,
	&decode_flight,
	&decode_coverage,
};

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

#define DECODERS (sizeof(decoders) / sizeof(decoders[0]))

/* An exhibit, and the place of its decoder in the table; kinds without one come last. */
struct turned {
	const struct exhibit *exhibit;
	size_t turn;
};

static struct turned exhibit_turned(const struct exhibit *exhibit)
{
	struct turned turned = {exhibit, 0};

	while (turned.turn < DECODERS && decoders[turned.turn]->kind != exhibit->kind)
		turned.turn++;
	return turned;
}

static size_t turn_of(const void *turned)
{
	return ((const struct turned *)turned)->turn;
}

/* Returns the exhibit's decoder; NULL if its kind has none. */
static const struct decoder *decoder_of(const struct exhibit *exhibit)
{
	size_t turn = exhibit_turned(exhibit).turn;

	return turn < DECODERS ? decoders[turn] : NULL;
}

/* Compares what two exhibits of one turn are of: equal for two readings of one thing. */
static int compare_things(const struct exhibit *a, const struct exhibit *b)
{
	int order = a->kind == b->kind && a->kind != EXHIBIT_UNKNOWN_KIND
			    ? 0
			    : strcmp(a->kind_name, b->kind_name);

	if (!order)
		order = strcmp(a->host, b->host);
	if (!order)
		order = COMPARE(a->pid, b->pid);
	if (!order)
		order = COMPARE(a->start_time, b->start_time);
	return order ? order : strcmp(a->label, b->label);
}

/*
 * Compares bytes, which makes the order total: which of two readings of one moment counts must not
 * depend on their arrival.
 */
static int compare_bytes(const struct exhibit *a, const struct exhibit *b)
{
	size_t len = a->len < b->len ? a->len : b->len;
	int order = len ? memcmp(a->bytes, b->bytes, len) : 0;

	return order ? order : COMPARE(a->len, b->len);
}

/*
 * Orders exhibits of one turn. Of readings of one thing the one that counts comes last: undamaged
 * ones after damaged ones, then by time.
 */
static int compare_exhibits(const void *va, const void *vb)
{
	const struct exhibit *a = ((const struct turned *)va)->exhibit;
	const struct exhibit *b = ((const struct turned *)vb)->exhibit;
	int order = compare_things(a, b);

	if (!order)
		order = COMPARE(b->damaged, a->damaged);
	if (!order)
		order = COMPARE(a->when, b->when);
	return order ? order : compare_bytes(a, b);
}

/* True for kinds of which every reading counts, and not only the latest. */
static bool exhibit_is_sample(const struct exhibit *exhibit)
{
	return exhibit->kind == EXHIBIT_PROC_STAT || exhibit->kind == EXHIBIT_PROC_IO ||
	       exhibit->kind == EXHIBIT_GATHER || exhibit->kind == EXHIBIT_CGROUP;
}

/* True if the next exhibit is a better reading of the same thing. */
static bool exhibit_is_outdated(const struct exhibit *this, const struct exhibit *next)
{
	if (!next || compare_things(this, next))
		return false;
	if (exhibit_is_sample(this))
		return this->when == next->when && !compare_bytes(this, next);
	return true;
}

/* Adds a loss of unknown extent; `of_ops` if it may hide operations. */
static void add_loss(struct job_builder *builder, const struct job_who *who, const char *what,
	bool of_ops, const char *cite)
{
	const struct job_loss loss = {
		.what = what, .count = JOB_UNKNOWN, .of_ops = of_ops, .cite = cite};

	job_add_loss(builder, *who, &loss);
}

/* Returns the name of an exhibit in a cite: "ring:3", "proc-stat:p4711", "receipt:hostA". */
static const char *exhibit_cite(struct decode_context *context, const struct exhibit *exhibit)
{
	if (!exhibit->pid)
		return arena_printf(
			&context->arena, "%s:%s", exhibit->kind_name, exhibit->host);
	return arena_printf(&context->arena, "%s:%s", exhibit->kind_name,
		context_name(context,
			context_process(
				context, exhibit->host, exhibit->pid, exhibit->start_time)));
}

/*
 * Decodes exhibit i, or adds a loss. A damaged one is not believed at all: its checksum says that
 * bytes are wrong, but not which, and one wrong byte can make an innocent rank the one that all
 * others wait for.
 */
static void decode_one(struct decode_context *context, struct job_builder *builder,
	struct ahead *ahead, size_t i)
{
	const struct exhibit *exhibit = ahead->exhibits[i];
	const struct job_who who = {exhibit->host, exhibit->pid, exhibit->start_time};
	bool of_ops = exhibit->kind == EXHIBIT_RING || exhibit->kind == EXHIBIT_CENSUS;
	const struct decoder *decoder = decoder_of(exhibit);
	struct complaint why = {0};
	struct str what = {0};

	job_add_reading(builder, exhibit->when);
	if (!exhibit->damaged && decoder &&
		(!ahead_has(ahead, decoder, context, i, &why) ||
			decoder->decode(exhibit, builder, context, &why) < 0)) {
		str_printf(&what, "%s: %s", exhibit->kind_name, complaint_text(&why));
		add_loss(builder, &who, what.text, of_ops, exhibit_cite(context, exhibit));
	}
	if (exhibit->damaged) {
		str_cut(&what, 0);
		str_printf(&what, "%s: damaged in the bundle", exhibit->kind_name);
		add_loss(builder, &who, what.text, of_ops, exhibit_cite(context, exhibit));
	}
	complaint_release(&why);
	str_release(&what);
}

/*
 * Adds a gap of the evidence as a loss. A gap names a pid at most: its start time is that of the
 * process known by that pid.
 */
static void decode_gap(struct decode_context *context, struct job_builder *builder,
	const struct exhibit_gap *gap)
{
	struct job_who who = {gap->host, gap->pid, 0};
	const char *cite =
		arena_printf(&context->arena, "gap:%s", *gap->host ? gap->host : "bundle");
	bool left_out = strstr(gap->what, EXHIBIT_LEFT_OUT) != NULL;
	bool of_ops = !left_out && (gap->pid == 0 || strstr(gap->what, "ring") != NULL);

	for (size_t i = 0; gap->pid && i < context->processes.nr; i++) {
		const struct decode_process *process = context->processes.items[i];

		if (process->who.pid != gap->pid || strcmp(process->who.host, gap->host))
			continue;
		who = process->who;
		cite = arena_printf(&context->arena, "gap:%s", context_name(context, process));
	}
	add_loss(builder, &who, gap->what, of_ops, cite);
}

/*
 * Finds each host's earliest reading, which stands in for T0 where no exhibit "gather" tells of it.
 * Exhibits of no moment, as a module is, do not count.
 */
static void guess_gatherings(
	struct decode_context *context, const struct exhibit *exhibits, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct decode_host *host = context_host(context, exhibits[i].host);

		if (exhibits[i].when > 0 && (host->earliest == JOB_UNKNOWN ||
						    exhibits[i].when < host->earliest))
			host->earliest = exhibits[i].when;
	}
}

/*
 * Returns all exhibits in the order of decoding, and NULL behind them. Files list hosts and
 * processes in order: within one turn there is little left to sort.
 */
static const struct exhibit **exhibits_in_order(const struct exhibit *exhibits, size_t n)
{
	const struct exhibit **sorted = alloc_zeroed(n + 1, sizeof(*sorted));
	struct turned *turned = alloc_zeroed(n, sizeof(*turned));

	for (size_t i = 0; i < n; i++)
		turned[i] = exhibit_turned(&exhibits[i]);
	array_group_items(turned, n, sizeof(*turned), DECODERS + 1, turn_of);
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from + 1; to < n && turned[to].turn == turned[from].turn;)
			to++;
		array_sort_items(turned + from, to - from, sizeof(*turned), compare_exhibits);
	}
	for (size_t i = 0; i < n; i++)
		sorted[i] = turned[i].exhibit;
	free(turned);
	return sorted;
}

/* Decodes everything into the builder, and seals it. */
static struct job *decode_into(struct job_builder *builder, const struct evidence *evidence)
{
	struct set_clocks clocks = {0};
	const struct exhibit *exhibits = set_clocks_date(&clocks, evidence);
	const struct exhibit **sorted = exhibits_in_order(exhibits, evidence->n);
	struct decode_context context = {.meter = evidence->meter, .clocks = &clocks};
	struct ahead ahead = {.exhibits = sorted};

	for (size_t i = 0; i < evidence->n; i++)
		context.rings += evidence->at[i].kind == EXHIBIT_RING;
	guess_gatherings(&context, exhibits, evidence->n);
	for (size_t i = 0; i < evidence->n; i++)
		if (!exhibit_is_outdated(sorted[i], sorted[i + 1]))
			sorted[ahead.n++] = sorted[i];
	for (size_t i = 0; i < ahead.n; i++)
		decode_one(&context, builder, &ahead, i);
	ahead_release(&ahead);
	for (size_t i = 0; i < evidence->ngaps; i++)
		decode_gap(&context, builder, &evidence->gaps[i]);
	context_finish(&context, builder);
	context_release(&context);
	set_clocks_release(&clocks);
	free(sorted);
	return job_seal(builder);
}

struct job *decode_job(const struct evidence *evidence)
{
	return decode_into(job_builder_new(), evidence);
}

struct job *decode_job_with_calls(const struct evidence *evidence)
{
	struct job_builder *builder = job_builder_new();

	job_want_calls(builder);
	return decode_into(builder, evidence);
}
