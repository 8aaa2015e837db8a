/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/exhibits/texts.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/clock.h"
#include "base/str.h"
#include "decode/exhibits/joblog-apart.h"
#include "decode/exhibits/log-plain.h"
#include "decode/kinds.h"

#define RANKS_MOST  65536
/*
 * The clock by which files are dated may be so far behind the ranks', and a rank may launch
 * operations for so long after another one has ended, ns.
 */
#define BEHIND (60 * CLOCK_NS_PER_S)
#define DIGITS_MOST  18 /* digits of a line's number */
/*
 * The pid of rank 0 if only a text knows it, rank 1's is one more, ...: greater than any pid of
 * Linux.
 */
#define SEAT_PID 0x40000000u

bool texts_made(const struct decode_process *process)
{
	return process->who.pid >= SEAT_PID || process->fact.by_texts;
}

/* True if anything but texts tells of ranks. */
static bool has_other_ranks(const struct decode_context *context)
{
	for (size_t i = 0; i < context->processes.nr; i++)
		if (!texts_made(context->processes.items[i]) &&
			context->processes.items[i]->who.pid)
			return true;
	return context->flights.nr > 0;
}

/* Finds the processes of ranks, before texts make any. */
static void find_ranks(struct texts *texts)
{
	texts->ranks = alloc_zeroed(RANKS_MOST, sizeof(*texts->ranks));
	texts->shared = alloc_zeroed(RANKS_MOST, sizeof(*texts->shared));
	for (size_t i = 0; i < texts->context->processes.nr; i++) {
		struct decode_process *process = texts->context->processes.items[i];
		int rank = process->identity.world_rank.n;

		if (rank < 0 || rank >= RANKS_MOST)
			continue;
		texts->shared[rank] = texts->ranks[rank];
		texts->ranks[rank] = process;
	}
}

/*
 * Returns the time before which the rank's run cannot have ended, ns; JOB_UNKNOWN. Who computes for
 * long may call its next operation long after others have ended: but the run had begun by the first
 * one in its dump.
 */
static int64_t not_over_before(const struct decode_process *process)
{
	int64_t last = checked_sub(process->dump_last, BEHIND);

	if (process->dump_last == JOB_UNKNOWN)
		return process->fact.born == JOB_UNKNOWN
			       ? JOB_UNKNOWN
			       : checked_sub(process->fact.born, BEHIND);
	return process->dump_first != JOB_UNKNOWN && process->dump_first < last
		       ? process->dump_first
		       : last;
}

/* Finds when the ranks that other evidence knows had begun, and were seen. */
static void find_times(struct texts *texts)
{
	texts->seen_from = texts->seen_to = texts->dumps_written = JOB_UNKNOWN;
	for (size_t i = 0; i < texts->context->processes.nr; i++) {
		const struct decode_process *process = texts->context->processes.items[i];
		bool dumped = process->dump_last != JOB_UNKNOWN;
		int64_t from = not_over_before(process);
		int64_t to = dumped ? process->dump_last : process->alive_at;

		texts->misdated |= dumped && process->dump_when &&
				   process->dump_when < checked_sub(process->dump_last, BEHIND);
		if (process->identity.world_rank.n < 0 || from == JOB_UNKNOWN)
			continue;
		texts->ndumps += dumped;
		if (dumped && (texts->dumps_written == JOB_UNKNOWN ||
				      process->dump_when > texts->dumps_written))
			texts->dumps_written = process->dump_when;
		if (texts->seen_from == JOB_UNKNOWN || from < texts->seen_from)
			texts->seen_from = from;
		texts->seen_to = to > texts->seen_to ? to : texts->seen_to;
	}
	if (texts->seen_to < texts->seen_from)
		texts->seen_to = texts->seen_from;
}

/* Makes a process a rank of which only texts of that kind are known. */
static struct decode_process *made(struct decode_process *process, unsigned kind)
{
	process->identity.promoted = true;
	process->fact.role = JOB_ROLE_RANK;
	process->fact.by_texts |= kind;
	return process;
}

struct decode_process *texts_process(struct texts *texts, int rank, unsigned kind)
{
	struct decode_process *process;

	if (rank < 0 || rank >= RANKS_MOST)
		return NULL;
	process = texts->shared[rank] ? NULL : texts->ranks[rank];
	if (process && !texts_made(process))
		return process;
	if (!process && !texts->make && rank >= texts->context->dumped)
		return NULL;
	if (!process)
		process = context_process(texts->context, "", SEAT_PID + (uint32_t)rank, 0);
	texts->ranks[rank] = process;
	process->identity.world_rank = world_rank(rank);
	return made(process, kind);
}

struct decode_process *texts_stranger(struct texts *texts, int64_t pid, unsigned kind)
{
	if (!texts->make || pid <= 0 || pid >= SEAT_PID)
		return NULL;
	return made(context_process(texts->context, "", (uint32_t)pid, 0), kind);
}

void texts_add_slurm(struct texts *texts, long job, long task)
{
	for (int i = 0; i < texts->njobs; i++)
		if (texts->jobs[i].job == job && texts->jobs[i].task == task)
			return;
	if (job && texts->njobs < TEXTS_JOBS) {
		texts->jobs[texts->njobs].job = job;
		texts->jobs[texts->njobs++].task = task;
	}
}

/*
 * Takes a job's number from the name of its log: "slurm-41.out", "slurm-41_7.out" of an array's
 * task.
 */
static void add_slurm_of(struct texts *texts, const char *label)
{
	const char *name = strrchr(label, '/');
	long job = 0, task = -1;
	int end = 0;

	name = name ? name + 1 : label;
	if (sscanf(name, "slurm-%9ld.%n", &job, &end) == 1 && end)
		texts_add_slurm(texts, job, -1);
	else if (sscanf(name, "slurm-%9ld_%9ld.%n", &job, &task, &end) == 2 && end)
		texts_add_slurm(texts, job, task);
}

void texts_say(struct texts *texts, int rank, const struct job_saying *saying)
{
	static const struct job_who nobody = {"", 0, 0};
	struct decode_process *process = texts_process(texts, rank, 0);

	if (rank == JOB_NONE || process)
		job_add_saying(texts->builder, process ? process->who : nobody, saying);
}

/*
 * Returns the bytes of the number and the tab that the sieve puts before a line; 0: there are none.
 */
static size_t number_before(const char *line, int64_t *ret)
{
	size_t digits = strspn(line, "0123456789");

	if (!digits || digits > DIGITS_MOST || line[digits] != '\t')
		return 0;
	*ret = strtoll(line, NULL, 10);
	return digits + 1;
}

/* Returns the text with all lines plain. Those that were sieved keep their numbers. */
static const char *plain_text(struct arena *arena, const char *text)
{
	struct str plain = {0};
	const char *ret;
	int64_t number;

	for (const char *at = text; *at; at += *at == '\n') {
		size_t before = number_before(at, &number), len = strcspn(at + before, "\n");

		str_add_bytes(&plain, at, before);
		log_plain_line(&plain, at + before, len);
		at += before + len;
		if (*at)
			str_add_char(&plain, '\n');
	}
	ret = arena_text_max(arena, str_text(&plain), plain.len);
	str_release(&plain);
	return ret;
}

const char *texts_of(const struct texts *texts, const struct exhibit *exhibit)
{
	const char *text = arena_text_max(&texts->context->arena,
		exhibit->len ? (const char *)exhibit->bytes : "", exhibit->len);

	return exhibit->kind == EXHIBIT_JOB_LOG ? plain_text(&texts->context->arena, text) : text;
}

enum texts_doubt texts_doubt_of(const struct texts *texts, const struct exhibit *exhibit)
{
	const struct texts_doubted *one;

	array_for_each (&texts->doubtful, one)
		if (one->log == exhibit)
			return one->doubt;
	return TEXTS_SURE;
}

const char *texts_cite(struct texts *texts, const struct exhibit *exhibit, int64_t line)
{
	return arena_printf(&texts->context->arena, "%s:%lld",
		*exhibit->label ? exhibit->label : exhibit->kind_name, (long long)line);
}

void texts_each_line(const char *text, texts_line *visit, void *with)
{
	struct str line = {0};
	int64_t number = 0;

	for (const char *at = text; *at; at += *at == '\n') {
		size_t before = number_before(at, &number), len;

		number += !before;
		at += before;
		len = strcspn(at, "\n");
		str_cut(&line, 0);
		str_add_bytes(&line, at, len);
		visit(with, str_text(&line), number);
		at += len;
	}
	str_release(&line);
}

int texts_keep(const struct exhibit *exhibit, struct job_builder *builder,
	struct decode_context *context, struct complaint *why)
{
	(void)builder;
	(void)why;
	*array_add(&context->texts) = exhibit;
	return 0;
}

const struct decoder decode_joblog = {EXHIBIT_JOB_LOG, texts_keep};
const struct decoder decode_slurm_record = {EXHIBIT_SLURM_RECORD, texts_keep};
const struct decoder decode_kernel_log = {EXHIBIT_KERNEL_LOG, texts_keep};
const struct decoder decode_stack_text = {EXHIBIT_STACK_TEXT, texts_keep};
const struct decoder decode_ras = {EXHIBIT_RAS, texts_keep};
const struct decoder decode_served = {EXHIBIT_SERVED, texts_keep};
const struct decoder decode_compile_log = {EXHIBIT_COMPILE_LOG, texts_keep};

/* Readers that tell who is who come before those that ask. */
static const struct {
	enum exhibit_kind kind;
	void (*read)(struct texts *texts, const struct exhibit *exhibit);
} readers[] = {
	{EXHIBIT_RAS, texts_read_ras},
	{EXHIBIT_ERROR_FILE, texts_read_error},
	{EXHIBIT_COMPILE_LOG, texts_read_compiles},
	{EXHIBIT_STACK_TEXT, texts_read_stacks},
	{EXHIBIT_SERVED, texts_read_served},
	{EXHIBIT_KERNEL_LOG, texts_read_kernel},
	{EXHIBIT_SLURM_RECORD, texts_read_slurm},
};

/*
 * Returns how well a file names a job, 0 the best: a log of all ranks; a file of a worker's is the
 * worst.
 */
static int name_weight(const struct exhibit *exhibit)
{
	if (roster_folder(exhibit->label))
		return 2;
	return exhibit->kind == EXHIBIT_JOB_LOG ? 0 : 1;
}

/* Names the job by a file, if nothing else does. */
static void name_job(struct texts *texts)
{
	const struct exhibit *best = NULL;

	for (size_t i = 0; i < texts->context->texts.nr; i++) {
		const struct exhibit *one = texts->context->texts.items[i];

		if (*one->label && (!best || name_weight(one) < name_weight(best)))
			best = one;
	}
	if (best && texts->make)
		job_add_identity(texts->builder, best->label, best->label);
}

/* Adds to the roster what other evidence knows of ranks' pids. */
static void enrol(struct texts *texts)
{
	for (size_t i = 0; i < texts->context->processes.nr; i++) {
		const struct decode_process *process = texts->context->processes.items[i];

		if (process->identity.world_rank.n >= 0 && process->who.pid < SEAT_PID)
			roster_add(&texts->roster,
				&(const struct roster_entry){.rank = process->identity.world_rank.n,
					.local = JOB_NONE,
					.host = *process->who.host ? process->who.host : NULL,
					.pid = process->who.pid});
	}
}

/* Leaves out logs and error files of other runs, which is told. */
static void drop_apart(struct texts *texts)
{
	static const struct job_who nobody = {"", 0, 0};
	struct decode_context *context = texts->context;
	size_t kept = 0;

	for (size_t i = 0; i < context->texts.nr; i++) {
		const struct exhibit *one = context->texts.items[i];
		bool asked = one->kind == EXHIBIT_JOB_LOG || one->kind == EXHIBIT_ERROR_FILE;
		enum texts_doubt doubt = TEXTS_SURE;
		const char *why = asked ? joblog_apart(texts, one, &doubt) : NULL;

		if (doubt != TEXTS_SURE)
			*array_add(&texts->doubtful) = (struct texts_doubted){one, doubt};
		if (!why)
			context->texts.items[kept++] = one;
		else
			job_add_loss(texts->builder, nobody,
				&(const struct job_loss){
					.what = arena_printf(&context->arena,
						"%s is left out: %s; judge it alone", one->label,
						why),
					.count = JOB_UNKNOWN,
					.cite = texts_cite(texts, one, 1)});
	}
	context->texts.nr = kept;
}

void texts_finish(struct decode_context *context, struct job_builder *builder)
{
	struct texts texts = {
		.context = context, .builder = builder, .make = !has_other_ranks(context)};

	if (!context->texts.nr)
		return;
	name_job(&texts);
	find_ranks(&texts);
	find_times(&texts);
	drop_apart(&texts);
	enrol(&texts);
	for (size_t i = 0; i < context->hosts.nr; i++)
		roster_add_host(&texts.roster, context->hosts.items[i]->name);
	for (size_t i = 0; i < context->texts.nr; i++)
		roster_add_file(&texts.roster, context->texts.items[i]->label);
	for (size_t i = 0; i < context->texts.nr; i++)
		if (context->texts.items[i]->kind == EXHIBIT_JOB_LOG)
			add_slurm_of(&texts, context->texts.items[i]->label);
	texts_read_joblogs(&texts);
	for (size_t r = 0; r < sizeof(readers) / sizeof(readers[0]); r++)
		for (size_t i = 0; i < context->texts.nr; i++)
			if (context->texts.items[i]->kind == readers[r].kind)
				readers[r].read(&texts, context->texts.items[i]);
	roster_release(&texts.roster);
	free(texts.ranks);
	free(texts.shared);
	array_release(&texts.doubtful);
}
