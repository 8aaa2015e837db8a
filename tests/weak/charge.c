/* SPDX-License-Identifier: Apache-2.0 */
#include "charge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"
#include "job/waitfor/waits.h"
#include "plant.h"
#include "report/report.h"
#include "verdict/inquiry.h"

struct bench {
	const struct whole *whole;
	const struct job *job;
	const struct verdicts *verdicts;
	struct job *moment; /* all evidence of an earlier moment; NULL: not asked */
	enum charge_kind kind;
	struct str *wrong;
	bool right;
};

static void __attribute__((format(printf, 3, 4)))
object(struct bench *bench, const char *law, const char *format, ...)
{
	va_list args;

	str_printf(bench->wrong, "%s%s: ", bench->right ? "" : "; ", law);
	va_start(args, format);
	str_vprintf(bench->wrong, format, args);
	va_end(args);
	bench->right = false;
}

/* --- Culprits --------------------------------------------------------------------------------- */

static void add_ranks(struct str *into, const struct job *job, const struct verdict_ranks *ranks)
{
	for (size_t i = 0; i < ranks->n; i++)
		str_printf(into, "%s%d", i ? "," : "", job_rank(job, ranks->at[i])->world_rank.n);
}

/* The whole's number of a rank; -1 where it knows no such process. */
static int whole_number(const struct bench *bench, const struct job_rank *rank)
{
	const struct job_process *process =
		rank->process == JOB_NONE ? NULL : &bench->job->processes[rank->process];

	if (!rank->numberless)
		return rank->world_rank.n;
	return process ? whole_rank_of_process(
				 bench->whole, NULL, process->pid, process->start_time)
		       : -1;
}

/* True if the whole has it that the rank compiled at that moment, and was done later. */
static bool compiled_then(const struct bench *bench, int world_rank)
{
	const struct job *whole = bench->whole->job;
	int64_t then = bench->job->coverage.to;

	for (size_t i = 0; i < whole->nspans; i++) {
		const struct job_span *span = &whole->spans[i];

		if (span->kind == JOB_SPAN_COMPILE && span->begun <= then && span->ended > then &&
			job_rank(whole, span->rank)->world_rank.n == world_rank)
			return true;
	}
	return false;
}

/* The whole's op of a rank that the verdict is about; NULL: the whole does not have it. */
static const struct job_op *op_in_whole(
	const struct bench *bench, const struct verdict *verdict, int world_rank)
{
	const struct job *whole = bench->whole->job;

	if (verdict->group == JOB_NONE || !verdict->op_index)
		return NULL;
	for (size_t i = 0; i < whole->nmembers; i++) {
		const struct job_member *member = &whole->members[i];

		if (whole->groups[member->group].key != bench->job->groups[verdict->group].key ||
			!is_rank(member->rank) ||
			job_rank(whole, member->rank)->world_rank.n != world_rank)
			continue;
		for (size_t k = 0; k < member->nops; k++)
			if (member->ops[k].index == verdict->op_index)
				return &member->ops[k];
	}
	return NULL;
}

/* True if all evidence of that moment has the rank wait in something. */
static bool waited_then(const struct bench *bench, int world_rank)
{
	struct waits *waits = waits_new(bench->moment, NULL);
	bool found = false;

	for (size_t i = 0; i < waits->n; i++) {
		const struct wait *wait = &waits->at[i];

		if ((wait->held || wait->sure) &&
			job_rank(bench->moment, wait->rank)->world_rank.n == world_rank)
			found = true;
	}
	waits_free(waits);
	return found;
}

/* True if that wait is in what the verdict is about. */
static bool is_in_it(const struct bench *bench, const struct verdict *verdict,
	const struct wait *wait)
{
	const struct job *moment = bench->moment;

	return wait->member != JOB_NONE && wait->index == verdict->op_index &&
	       moment->groups[moment->members[wait->member].group].key ==
		       bench->job->groups[verdict->group].key;
}

/* True if all evidence of that moment has somebody wait there for longer than is usual. */
static bool stood_then(const struct bench *bench, const struct verdict *verdict)
{
	struct inquiry *q = inquiry_new(bench->moment);
	bool found = false;

	for (size_t i = 0; i < q->waits->n && !found; i++)
		found = is_in_it(bench, verdict, &q->waits->at[i]) &&
			waitfor_stands(bench->moment, &q->waits->at[i], &q->given);
	arena_release(q->arena);
	free(q->arena);
	inquiry_free(q);
	return found;
}

/* True if the rank came to what the verdict is about after that moment. */
static bool came_later(const struct bench *bench, const struct verdict *verdict, int world_rank)
{
	const struct job_op *op = op_in_whole(bench, verdict, world_rank);

	return op && op->entered > bench->job->coverage.to;
}

/* True if no more is said of its names than that they had not come. */
static bool says_late(const struct verdict *verdict)
{
	return verdict->confidence < VERDICT_ESTABLISHED &&
	       (verdict->class == VERDICT_HOST_STALL || verdict->class == VERDICT_SLOW ||
		       verdict->class == VERDICT_NOT_STARTED);
}

/*
 * True if the rank was rightly called late: others had long stood in what it came to only after
 * that moment, and it waited for nobody. That it was dead, or would never come, was wrong.
 */
static bool was_late(const struct bench *bench, const struct verdict *verdict, int world_rank)
{
	return bench->moment && says_late(verdict) && came_later(bench, verdict, world_rank) &&
	       !waited_then(bench, world_rank) && stood_then(bench, verdict);
}

/*
 * True if the whole bears each of the verdict's names out. Of an earlier moment it knows what
 * became of it: ranks that compiled then, or came later to what others stood in, were rightly
 * waited for, whoever hung in the end.
 */
static bool all_named(const struct bench *bench, const struct verdict *verdict)
{
	for (size_t i = 0; i < verdict->culprits.n; i++) {
		int rank = whole_number(bench, job_rank(bench->job, verdict->culprits.at[i]));

		if (whole_names(bench->whole, rank))
			continue;
		if (bench->kind != CHARGE_EARLIER ||
			!(verdict->class == VERDICT_COMPILE_SKEW
					? compiled_then(bench, rank)
					: was_late(bench, verdict, rank)))
			return false;
	}
	return true;
}

static void hold_named(struct bench *bench, const struct verdict *verdict)
{
	struct str ranks = {0};

	if (verdict->confidence <= VERDICT_HYPOTHESIS || all_named(bench, verdict))
		return;
	add_ranks(&ranks, bench->job, &verdict->culprits);
	object(bench, "named", "%s %s of rank %s", verdict_confidence_name(verdict->confidence),
		verdict_class_name(verdict->class), str_text(&ranks));
	str_release(&ranks);
}

/* --- Certainty -------------------------------------------------------------------------------- */

static bool is_no_finding(enum verdict_class class)
{
	return class == VERDICT_HEALTHY || class == VERDICT_INCONCLUSIVE ||
	       class == VERDICT_SLOW || class == VERDICT_TOO_EARLY;
}

/* "uneven-shard, by an early exit": that there was an early exit is the same finding. */
static bool is_its_cause(const struct verdict *verdict, enum verdict_class class)
{
	return verdict->cause == VERDICT_BY_EARLY_EXIT && class == VERDICT_EARLY_EXIT;
}

static bool whole_has(const struct bench *bench, enum verdict_class class)
{
	for (size_t i = 0; i < bench->whole->verdicts->n; i++) {
		enum verdict_class other = bench->whole->verdicts->at[i].class;

		if (other == class || is_its_cause(&bench->whole->verdicts->at[i], class))
			return true;
		if (bench->kind == CHARGE_EARLIER &&
			!strcmp(verdict_family_name(other), verdict_family_name(class)))
			return true;
	}
	return false;
}

/* What has ended, or never ends, stays so: nothing else comes of it later. */
static bool is_for_good(enum verdict_class class)
{
	return class == VERDICT_RANK_DEATH || class == VERDICT_EARLY_EXIT ||
	       class == VERDICT_COMPILE_STUCK;
}

/* True if by the whole other processes are those ranks: the job was restarted since. */
static bool are_replaced(const struct bench *bench, const struct verdict *verdict)
{
	for (size_t i = 0; i < verdict->culprits.n; i++) {
		const struct job_rank *rank = job_rank(bench->job, verdict->culprits.at[i]);
		const struct job_process *process =
			rank->process == JOB_NONE ? NULL : &bench->job->processes[rank->process];

		if (!process || whole_is_rank(bench->whole, process->pid, process->start_time))
			return false;
	}
	return true;
}

/* True if the names may have come to something else since. */
static bool may_change(const struct bench *bench, const struct verdict *verdict)
{
	return !is_for_good(verdict->class) || are_replaced(bench, verdict);
}

static void hold_sure(struct bench *bench, const struct verdict *verdict)
{
	if (verdict->confidence != VERDICT_ESTABLISHED || is_no_finding(verdict->class) ||
		whole_has(bench, verdict->class))
		return;
	/* A rank that stalls first, and is seen to die of it later, is right to be named. */
	if (bench->kind == CHARGE_EARLIER && may_change(bench, verdict) && verdict->culprits.n &&
		all_named(bench, verdict))
		return;
	object(bench, "sure", "established %s, which is not what the whole says",
		verdict_class_name(verdict->class));
}

static void hold_all_in(struct bench *bench, const struct verdict *verdict)
{
	if (verdict->confidence > VERDICT_HYPOTHESIS && verdict->class == VERDICT_TRANSPORT_STALL &&
		!whole_has(bench, VERDICT_TRANSPORT_STALL) && !whole_has(bench, VERDICT_GPU_STALL))
		object(bench, "all-in", "says that all have entered");
}

/* --- Well-being ------------------------------------------------------------------------------- */

/* True if anything was seen of the whole's rank. */
static bool was_seen(const struct bench *bench, int world_rank)
{
	job_for_each_rank(bench->job, at) {
		const struct job_rank *rank = job_rank(bench->job, at);

		if (whole_number(bench, rank) == world_rank)
			return rank->knows != 0;
	}
	return false;
}

static void hold_seen(struct bench *bench)
{
	const struct job *whole = bench->whole->job;
	int expected =
		whole->world_size > (int)whole->nranks ? whole->world_size : (int)whole->nranks;

	job_for_each_rank(whole, rank)
		if (!was_seen(bench, job_rank(whole, rank)->world_rank.n)) {
			object(bench, "well", "healthy, and rank %d was not seen",
				job_rank(whole, rank)->world_rank.n);
			return;
		}
	if (expected > (int)bench->job->nranks)
		object(bench, "well", "healthy, and %d of %d ranks were not seen",
			expected - (int)bench->job->nranks, expected);
}

static void hold_nobody_waits(struct bench *bench)
{
	struct waits *waits = waits_new(bench->job, NULL);

	for (size_t i = 0; i < waits->n; i++) {
		const struct wait *wait = &waits->at[i];

		if (!(wait->held || wait->sure) || wait->kind > WAIT_STORE || wait->age_unknown)
			continue;
		object(bench, "well", "healthy, and rank %d waits",
			job_rank(bench->job, wait->rank)->world_rank.n);
		break;
	}
	waits_free(waits);
}

/*
 * Data that went wrong without anybody waiting is nothing that less evidence would have to show. In
 * a job that is well somebody waits at each moment, for less than would be a hang.
 */
static bool whole_waits(const struct whole *whole)
{
	for (size_t i = 0; i < whole->verdicts->n; i++) {
		const struct verdict *verdict = &whole->verdicts->at[i];

		if (verdict->victims.n && !(whole->is_well && verdict->class == VERDICT_TOO_EARLY))
			return true;
	}
	return false;
}

static void hold_well(struct bench *bench, const struct verdict *verdict)
{
	if (verdict->class != VERDICT_HEALTHY)
		return;
	hold_seen(bench);
	hold_nobody_waits(bench);
	if (bench->kind == CHARGE_LESS && whole_waits(bench->whole))
		object(bench, "well", "healthy, of a job in which ranks wait");
}

/* --- Judging ---------------------------------------------------------------------------------- */

struct verdicts *charge_judge(
	const struct evidence *evidence, enum plant plant, struct job **ret_job)
{
	struct job *job = decode_job(evidence);
	struct verdicts *verdicts;

	plant_into_job(plant, job);
	verdicts = verdicts_of(job);
	plant_into_verdicts(plant, verdicts);
	*ret_job = job;
	return verdicts;
}

/* --- Clocks ----------------------------------------------------------------------------------- */

static void say(struct str *into, const struct job *job, const struct verdicts *verdicts)
{
	for (size_t i = 0; i < verdicts->n; i++) {
		const struct verdict *verdict = &verdicts->at[i];

		str_printf(into, "%s%s %s [", i ? ", " : "",
			verdict_confidence_name(verdict->confidence),
			verdict_class_name(verdict->class));
		add_ranks(into, job, &verdict->culprits);
		str_add(into, "]");
	}
}

static void hold_same(struct bench *bench, const struct evidence *as, enum plant plant)
{
	struct str before = {0}, after = {0};
	struct job *job;
	struct verdicts *verdicts = charge_judge(as, plant, &job);

	say(&before, job, verdicts);
	say(&after, bench->job, bench->verdicts);
	verdicts_free(verdicts);
	job_free(job);
	if (strcmp(str_text(&before), str_text(&after)) != 0)
		object(bench, "same", "%s became %s", str_text(&before), str_text(&after));
	str_release(&before);
	str_release(&after);
}

/* --- All of it -------------------------------------------------------------------------------- */

/* Nobody reads it: it must not crash. */
static void write_text(const struct verdicts *verdicts)
{
	static const struct report_options options = {0};
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	if (file) {
		report_text.write(file, verdicts, &options);
		fclose(file);
	}
	free(text);
}

bool charge(const struct whole *whole, const struct evidence *evidence, enum charge_kind kind,
	const struct evidence *as, enum plant plant, struct str *wrong)
{
	struct bench bench = {.whole = whole, .kind = kind, .wrong = wrong, .right = true};
	struct job *job;
	struct verdicts *verdicts = charge_judge(evidence, plant, &job);

	bench.job = job;
	bench.verdicts = verdicts;
	bench.moment = kind == CHARGE_EARLIER && as ? decode_job(as) : NULL;
	for (size_t i = 0; i < verdicts->n; i++) {
		hold_named(&bench, &verdicts->at[i]);
		hold_sure(&bench, &verdicts->at[i]);
		hold_all_in(&bench, &verdicts->at[i]);
		hold_well(&bench, &verdicts->at[i]);
	}
	if (kind == CHARGE_SAME)
		hold_same(&bench, as, plant);
	write_text(verdicts);
	verdicts_free(verdicts);
	job_free(bench.moment);
	job_free(job);
	return bench.right;
}

void charge_print(const struct evidence *evidence, enum plant plant)
{
	static const struct report_options options = {0};
	struct job *job;
	struct verdicts *verdicts = charge_judge(evidence, plant, &job);
	struct str json = {0};

	report_text.write(stdout, verdicts, &options);
	report_json_add(&json, verdicts);
	printf("\n%s\n", str_text(&json));
	str_release(&json);
	verdicts_free(verdicts);
	job_free(job);
}
