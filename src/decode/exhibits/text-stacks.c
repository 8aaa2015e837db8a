/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads printed stacks: by "py-spy dump", one process behind the other, or by Python's
 * faulthandler.
 *
 *	Process 4711: python train.py
 *	Python v3.11.2 (/usr/bin/python3.11)
 *
 *	Thread 4711 (idle): "MainThread"
 *	    all_reduce (torch/distributed/distributed_c10d.py:2501)
 *	    <module> (train.py:88)
 *
 *	Thread 0x00007f3c04ff9700 (most recent call first):
 *	  File "/usr/lib/python3.11/threading.py", line 324 in wait
 *
 * The debug server of PyTorch prints both of all ranks, one behind the other (torch 2.15
 * distributed/debug/_debug_handlers.py):
 *
 *	=== Rank 2: http://m1:57799/handler/dump_traceback? ===
 *	Error: 408
 *
 * Ray Train's hang detector has a file for each worker, "rank_5.log": py-spy's words; or, if it has
 * none, Python's traceback of each thread, outermost first; or why there is neither
 * (ray-project/ray 057a6c42, train/v2/_internal/callbacks/nccl_ras.py). Its workers train in a
 * thread:
 *
 *	[py-spy unavailable: py-spy not installed; Python-only traceback follows]
 *
 *	# Thread 140285124914048
 *	  File "/env/ray/train/.../worker_group/thread_runner.py", line 51, in _run_target
 *	    result = target()
 *
 * Stacks are of one moment, and do not tell how long the process stood there.
 */
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/clock.h"
#include "base/str.h"
#include "decode/exhibits/texts.h"

#define FRAMES_MOST  256
#define THREADS_MOST 4096
#define NAME_MOST    300
/*
 * All evidence of one hang is taken within this time, ns; a file's clock may be so far behind a
 * rank's.
 */
#define TAKEN_WITHIN (3600 * CLOCK_NS_PER_S)
#define CLOCK_BEHIND (2 * CLOCK_NS_PER_S)

/* A thread of the process at hand. */
struct thread {
	uint32_t tid;
	bool main, fatal;
	bool reversed; /* outermost first */
	char state;
	const char *name;
	int64_t line;
	ARRAY(struct job_frame) frames;
};

/* What was read so far. */
struct reading {
	struct texts *texts;
	const struct exhibit *exhibit;
	struct decode_process *process; /* the process whose threads come */
	bool fatal;                     /* the interpreter printed its threads as it died */
	bool named;                     /* a process has the rank in the file's name */
	/* For the debug server: */
	int section; /* the rank that it prints; JOB_NONE */
	int sections;
	bool by_ray; /* Ray Train's hang detector wrote it, without py-spy */
	size_t strays; /* processes with stacks that are of no known rank */
	ARRAY(struct thread) threads;
};

static struct arena *arena_of(struct reading *reading)
{
	return &reading->texts->context->arena;
}

/* -- whose ------------------------------------------------------------------------------------- */

/* Returns the rank of all threads without a process, by the file's name; JOB_NONE none. */
static int rank_of_label(struct reading *reading)
{
	const char *label = reading->exhibit->label;
	size_t folder = roster_folder(label);

	if (!folder)
		return roster_rank_of_name(label);
	return roster_of_folder(
		&reading->texts->roster, arena_text_max(arena_of(reading), label, folder));
}

/* Returns the process of a pid, by section, roster, or the file's name; NULL none. */
static struct decode_process *process_of(struct reading *reading, int64_t pid)
{
	int rank = roster_of_pid(&reading->texts->roster, pid);

	if (reading->section != JOB_NONE)
		return texts_process(reading->texts, reading->section, TEXTS_STACKS);
	if (rank == JOB_NONE && !reading->named) {
		rank = rank_of_label(reading);
		reading->named = rank != JOB_NONE && pid;
	}
	return rank == JOB_NONE ? texts_stranger(reading->texts, pid, TEXTS_STACKS)
				: texts_process(reading->texts, rank, TEXTS_STACKS);
}

/* -- giving ------------------------------------------------------------------------------------ */

static void reverse(struct thread *thread)
{
	struct job_frame *frames = thread->frames.items;

	for (size_t i = 0, k = thread->frames.nr; i + 1 < k--; i++) {
		struct job_frame one = frames[i];

		frames[i] = frames[k];
		frames[k] = one;
	}
}

/* True for the thread in which a worker of Ray Train's trains. */
static bool is_training(const struct thread *thread)
{
	if (!strncmp(thread->name, "TrainingThread(", 15))
		return true;
	for (size_t i = 0; i < thread->frames.nr; i++)
		if (!strcmp(thread->frames.items[i].function, "_run_target") &&
			strstr(thread->frames.items[i].file, "worker_group/thread_runner.py"))
			return true;
	return false;
}

/*
 * Marks the thread that is judged as main: of a worker of Ray's the one that trains; of
 * faulthandler's threads the last.
 */
static void find_main(struct reading *reading)
{
	struct thread *trains = NULL, *thread;
	bool has_main = false;

	array_for_each(&reading->threads, thread) {
		has_main |= thread->main;
		if (!trains && is_training(thread))
			trains = thread;
	}
	array_for_each(&reading->threads, thread) {
		bool last = thread == &reading->threads.items[reading->threads.nr - 1];

		thread->main = trains ? thread == trains : thread->main || (!has_main && last);
	}
}

static void give(struct reading *reading, struct thread *thread)
{
	const struct job_stack stack = {.tid = thread->tid,
		.main = thread->main,
		.thread = thread->name,
		.how = thread->fatal ? JOB_STACK_FATAL : JOB_STACK_PEEKED,
		.cut = "",
		.wchan = "",
		.syscall = "",
		.handling = "",
		.state = thread->state,
		.cpu_delta = JOB_UNKNOWN,
		.samples = 1,
		.when = reading->exhibit->when,
		.cite = texts_cite(reading->texts, reading->exhibit, thread->line)};

	if (thread->reversed)
		reverse(thread);
	job_add_stack(reading->texts->builder, reading->process->who, &stack, thread->frames.items,
		thread->frames.nr);
}

/* Returns why the stacks do not tell where the rank that has that dump stands; NULL: they may. */
static const char *apart(const struct decode_process *process, int64_t when)
{
	if (process->dump_last != JOB_UNKNOWN && when < process->dump_last - CLOCK_BEHIND)
		return "its stacks were printed before the last operation of its dump, and are "
		       "left out";
	if (process->dump_when &&
		(checked_sub(when, process->dump_when) > TAKEN_WITHIN ||
			checked_sub(process->dump_when, when) > TAKEN_WITHIN))
		return "its stacks were printed an hour and more from its dump, and are left out";
	return NULL;
}

/* True if the stacks are of another moment than the rank's dump, which is told. */
static bool is_apart(struct reading *reading)
{
	const char *why = reading->process && reading->threads.nr
				  ? apart(reading->process, reading->exhibit->when)
				  : NULL;

	if (why)
		job_add_loss(reading->texts->builder, reading->process->who,
			&(const struct job_loss){.what = why,
				.count = JOB_UNKNOWN,
				.cite = texts_cite(reading->texts, reading->exhibit,
					reading->threads.items[0].line)});
	return why != NULL;
}

/* Gives the threads of one process, which are complete. */
static void flush(struct reading *reading)
{
	bool lost = is_apart(reading);

	reading->strays += !reading->process && reading->threads.nr;
	find_main(reading);
	for (size_t i = 0; i < reading->threads.nr; i++) {
		struct thread *thread = &reading->threads.items[i];

		if (reading->process && thread->frames.nr && !lost)
			give(reading, thread);
		array_release(&thread->frames);
	}
	array_release(&reading->threads);
}

/* -- lines ------------------------------------------------------------------------------------- */

static struct thread *begin(struct reading *reading, const char *number, int64_t line)
{
	struct thread *thread;

	if (reading->threads.nr >= THREADS_MOST)
		return NULL;
	thread = array_add(&reading->threads);
	thread->tid = (uint32_t)strtoull(number, NULL, 0);
	thread->line = line;
	thread->name = "";
	return thread;
}

/* Takes a line that begins a thread, in any of the three forms. */
static bool take_thread(struct reading *reading, const char *line, int64_t number)
{
	static const char current[] = "Current thread ", other[] = "Thread ", ray[] = "# Thread ";
	bool is_current = !strncmp(line, current, strlen(current));
	const char *at = line + strlen(is_current ? current : other), *name;
	struct thread *thread;

	if (!strncmp(line, ray, strlen(ray)) && reading->by_ray) {
		thread = begin(reading, line + strlen(ray), number);
		if (thread)
			thread->reversed = true;
		return true;
	}
	if ((!is_current && strncmp(line, other, strlen(other)) != 0) || *at < '0' || *at > '9' ||
		!strchr(at, '('))
		return false;
	thread = begin(reading, at, number);
	name = strstr(at, ": \"");
	if (!thread)
		return true;
	if (name)
		thread->name = arena_text_max(arena_of(reading), name + 3,
			strcspn(name + 3, "\"") < NAME_MOST ? strcspn(name + 3, "\"") : NAME_MOST);
	thread->main = !strcmp(thread->name, "MainThread");
	thread->state = strstr(at, "(active") ? 'R' : strstr(at, "(idle") ? 'S' : 0;
	thread->fatal = is_current && reading->fatal;
	return true;
}

static const char *piece(struct reading *reading, const char *at, size_t len)
{
	return arena_text_max(arena_of(reading), at, len < NAME_MOST ? len : NAME_MOST);
}

/* Reads ' File "/w/train.py", line 88 in step'. */
static bool read_own(struct reading *reading, const char *line, struct job_frame *frame)
{
	static const char start[] = "  File \"";
	const char *file = line + strlen(start), *end;

	if (strncmp(line, start, strlen(start)) != 0 || !(end = strstr(file, "\", line ")))
		return false;
	frame->file = piece(reading, file, (size_t)(end - file));
	frame->line = atoi(end + strlen("\", line "));
	end = strstr(end, " in ");
	frame->function = end ? piece(reading, end + 4, strlen(end + 4)) : "";
	return true;
}

/* Reads " step (train.py:88)"; of native code " ncclAllReduce (libnccl.so.2)". */
static bool read_spied(struct reading *reading, const char *line, struct job_frame *frame)
{
	size_t len = strlen(line);
	const char *open = NULL, *colon;

	if (strncmp(line, "    ", 4) != 0 || line[4] == ' ' || !len || line[len - 1] != ')')
		return false;
	for (const char *at = line; (at = strstr(at, " (")); at++)
		open = at;
	if (!open || open < line + 5)
		return false;
	frame->function = piece(reading, line + 4, (size_t)(open - line - 4));
	open += 2;
	colon = strrchr(open, ':');
	if (colon && strspn(colon + 1, "0123456789") + 1 == strlen(colon + 1)) {
		frame->line = atoi(colon + 1);
		frame->file = piece(reading, open, (size_t)(colon - open));
	} else {
		frame->file = "";
		frame->module = piece(reading, open, strlen(open) - 1);
	}
	if (*frame->module || !strstr(frame->file, ".py"))
		frame->kind = JOB_FRAME_NATIVE;
	return true;
}

static void take_frame(struct reading *reading, const char *line)
{
	struct job_frame frame = {
		.kind = JOB_FRAME_PYTHON, .function = "", .module = "", .file = ""};
	struct thread *thread;

	if (!reading->threads.nr)
		return;
	thread = &reading->threads.items[reading->threads.nr - 1];
	if (thread->frames.nr < FRAMES_MOST &&
		(read_own(reading, line, &frame) || read_spied(reading, line, &frame)))
		*array_add(&thread->frames) = frame;
}

/* Returns the rank behind the words, and where in the line its number ends; JOB_NONE none. */
static int rank_behind(const char *line, const char *words, size_t *ret_end)
{
	size_t len = strlen(words), digits;

	if (strncmp(line, words, len) != 0)
		return JOB_NONE;
	digits = strspn(line + len, "0123456789");
	*ret_end = len + digits;
	return digits && digits < 8 ? atoi(line + len) : JOB_NONE;
}

/* Takes "=== Rank 2: http://m1:57799/handler/dump_traceback? ===". */
static bool take_section(struct reading *reading, const char *line)
{
	size_t digits = 0;
	int rank = rank_behind(line, "=== Rank ", &digits);

	if (rank == JOB_NONE || strncmp(line + digits, ": http", 6) != 0)
		return false;
	flush(reading);
	reading->section = rank;
	reading->sections++;
	reading->process = texts_process(reading->texts, rank, TEXTS_STACKS);
	return true;
}

/*
 * Takes " Rank 2: Timeout: ...", which stands before all sections for each rank that gave no
 * answer.
 */
static bool take_refusal(struct reading *reading, const char *line, int64_t number)
{
	size_t digits = 0;
	int rank = reading->sections ? JOB_NONE : rank_behind(line, "  Rank ", &digits);

	if (rank == JOB_NONE || strncmp(line + digits, ": ", 2) != 0)
		return false;
	texts_say(reading->texts, rank,
		&(const struct job_saying){.kind = JOB_SAYS_UNANSWERED,
			.text = piece(reading, line + digits + 2, strlen(line + digits + 2)),
			.text2 = "PyTorch's debug server",
			.a = JOB_UNKNOWN,
			.b = JOB_UNKNOWN,
			.cite = texts_cite(reading->texts, reading->exhibit, number)});
	return true;
}

/*
 * Takes what Ray's hang detector writes if py-spy printed nothing: a reason, and threads behind it.
 */
static bool take_ray(struct reading *reading, const char *line, int64_t number)
{
	static const char *const reasons[] = {
		"timed out after ", "failed to launch: ", "failed to collect: "};

	if (number != 1)
		return false;
	reading->by_ray |= !strncmp(line, "[py-spy unavailable: ", 21);
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (!strncmp(line, reasons[i], strlen(reasons[i])))
			texts_say(reading->texts, rank_of_label(reading),
				&(const struct job_saying){.kind = JOB_SAYS_UNANSWERED,
					.text = piece(reading, line, strlen(line)),
					.text2 = "Ray's hang detector",
					.a = JOB_UNKNOWN,
					.b = JOB_UNKNOWN,
					.cite = texts_cite(
						reading->texts, reading->exhibit, number)});
	return reading->by_ray;
}

static void take_line(void *with, const char *line, int64_t number)
{
	struct reading *reading = with;
	long long pid;

	if (take_section(reading, line) || take_refusal(reading, line, number) ||
		take_ray(reading, line, number))
		return;
	if (sscanf(line, "Process %lld:", &pid) == 1) {
		flush(reading);
		reading->process = process_of(reading, pid);
	} else if (!strncmp(line, "Fatal Python error", 18)) {
		reading->fatal = true;
	} else if (!take_thread(reading, line, number)) {
		take_frame(reading, line);
	}
}

/*
 * Tells how many processes were left out, since their rank is not known, or nothing else names it.
 */
static void tell_strays(struct reading *reading)
{
	static const struct job_who nobody = {"", 0, 0};

	if (reading->strays)
		job_add_loss(reading->texts->builder, nobody,
			&(const struct job_loss){
				.what = "printed stacks of processes that nothing else knows, or "
					"whose rank is not told, are left out",
				.count = (int64_t)reading->strays,
				.cite = texts_cite(reading->texts, reading->exhibit, 1)});
}

void texts_read_stacks(struct texts *texts, const struct exhibit *exhibit)
{
	struct reading reading = {
		.texts = texts, .exhibit = exhibit, .section = JOB_NONE};

	reading.process = process_of(&reading, 0);
	texts_each_line(texts_of(texts, exhibit), take_line, &reading);
	flush(&reading);
	tell_strays(&reading);
	/*
	 * A file that was cut off looks like one of a smaller job: the number of sections is only
	 * the least.
	 */
	if (reading.sections)
		job_add_world_at_least(texts->builder, reading.sections);
}
