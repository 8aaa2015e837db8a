/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order matters. What can be done at leisure comes first (maps, files, finding Python), then
 * what must be of one moment, then the walks, which only fill the excerpt.
 *
 * If the process calls exec in between, its auxiliary vector shows it, which holds addresses that
 * the kernel draws anew for each image: then all is done again, once.
 */
#include "proc/threads/capture.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/str.h"
#include "proc/argarea.h"
#include "proc/ns.h"
#include "proc/peek.h"
#include "proc/symbols/python-find.h"
#include "proc/threads/hold.h"
#include "proc/threads/permit.h"
#include "proc/threads/runner.h"
#include "proc/threads/walk.h"

#define CAPTURE_STOP_MS	  20 /* defaults of struct capture_options: stop_ms, */
#define CAPTURE_STACK_CAP (1u << 20) /* stack_cap, */
#define CAPTURE_THREADS	  4096 /* threads_cap */
#define CAPTURE_MAPS_CAP  (64u << 20) /* bytes of /proc/PID/maps */
#define CAPTURE_RAW	  32768	      /* bytes of each stack that raw_stacks keeps, */
#define CAPTURE_RAW_TOTAL (32u << 20) /* but no more than this of all together */
#define CAPTURE_TRIES	  2 /* one more if it calls exec meanwhile */
#define CAPTURE_LISTS	  8 /* tries to read Python's threads while they come and go */

/* One capture_take() at work. */
struct capture {
	struct proc_id id;
	uint32_t via; /* through which of its threads its files and memory are reached */
	const struct capture_options *options;
	struct images *images;
	struct snapshot *into;
	struct threads threads;
	struct peek peek;
	struct hold hold;
	struct livemem *livemem;
	struct stack_maps maps;
	struct str auxv, missing;
	bool python_read;
	bool barred; /* it is known where its arguments lie, and these are barred */
};

/* --- Before ----------------------------------------------------------------------------------- */

/* True if the process has not called exec since its auxiliary vector was read. */
static bool capture_is_same_image(const struct capture *capture)
{
	struct str now = {0};
	bool same;

	(void)proc_read(capture->via, "auxv", &now, NULL);
	same = now.len == capture->auxv.len &&
	       (!now.len || !memcmp(now.text, capture->auxv.text, now.len));
	str_release(&now);
	return same;
}

/*
 * Chooses the thread through which files are read. The main thread may have ended before the
 * others: then its files are empty, and theirs are not.
 */
static void capture_find_way(struct capture *capture)
{
	const struct peek_thread *thread;
	uint32_t other = 0;

	capture->via = capture->id.pid;
	array_for_each(&capture->peek.all, thread) {
		bool lives = thread->facts.state != 'Z' && thread->facts.state != 'X';

		if (thread->facts.tid == capture->id.pid && lives)
			return;
		if (!other && lives)
			other = thread->facts.tid;
	}
	if (other)
		capture->via = other;
}

/* Fills in what is of the process as a whole. */
static void capture_describe(struct capture *capture)
{
	struct snapshot *into = capture->into;
	struct str status = {0};

	into->exe = into->maps = into->missing = "";
	into->pid = into->own = capture->id.pid;
	into->start_time = proc_start_time(capture->id.pid);
	into->sample = capture->options->sample;
	into->mode = capture->options->mode;
	into->mute = capture->options->no_logs;
	into->when = clock_realtime_ns();
	if (capture->threads.nested &&
		proc_read(capture->id.pid, "status", &status, NULL) == 0 &&
		proc_ns_innermost(str_text(&status)))
		into->own = proc_ns_innermost(str_text(&status));
	str_release(&status);
}

/* Reads exe and maps, and parses the maps. */
static void capture_read_files(struct capture *capture)
{
	struct snapshot *into = capture->into;
	char path[64], link[PATH_MAX];
	struct str text = {0};
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%u/exe", capture->via);
	len = readlink(path, link, sizeof(link));
	if (len > 0)
		into->exe = arena_text_max(&into->arena, link, (size_t)len);
	snprintf(path, sizeof(path), "/proc/%u/maps", capture->via);
	(void)file_read(path, CAPTURE_MAPS_CAP, &text, NULL);
	into->maps = arena_text_max(&into->arena, str_text(&text), text.len);
	str_release(&text);
	stack_maps_parse(&capture->maps, into->maps, strlen(into->maps));
	if (capture->maps.cut)
		str_printf(&capture->missing, "its maps are more than %d: the rest was left out\n",
			STACK_MAPS_CAP);
}

/*
 * Makes the excerpt keep what walks read and no more, unless raw stacks are asked for, and nothing
 * of arguments and environment at all.
 */
static void capture_keep_private(struct capture *capture)
{
	struct excerpt *memory = capture->into->memory;
	struct str stat = {0};

	(void)proc_read(capture->via, "stat", &stat, NULL);
	capture->barred = argarea_bar(memory, &capture->maps, &capture->auxv, &stat);
	if (!capture->options->raw_stacks)
		excerpt_be_reticent(memory);
	str_release(&stat);
}

/* Opens files and finds Python's runtimes: all that may take its time, before the moment. */
static void capture_prepare(struct capture *capture)
{
	struct snapshot *into = capture->into;
	struct python_place places[PYTHON_PLACES];
	struct stack_memory *memory;

	capture->livemem = livemem_new(capture->via);
	memory = livemem_memory(capture->livemem);
	capture_read_files(capture);
	images_open(capture->images, capture->via, &capture->maps, memory, &capture->missing);
	into->nplaces = python_find(
		capture->images, &capture->maps, memory, places, &capture->missing);
	into->places =
		arena_copy(&into->arena, places, into->nplaces * sizeof(struct python_place));
	livemem_forget(capture->livemem);
	into->memory = excerpt_new(memory);
	capture_keep_private(capture);
}

/* --- The moment ------------------------------------------------------------------------------- */

/*
 * Reads Python's frames. While threads come and go their list may be torn just where it is read,
 * and the main thread stands at its end. Then the list is read again, as long as nothing else was
 * recorded.
 */
static void capture_read_python(void *arg)
{
	struct capture *capture = arg;
	bool again = excerpt_size(capture->into->memory) == 0;

	for (int tries = CAPTURE_LISTS; !walk_python(capture->into) && again && --tries;) {
		livemem_refresh(capture->livemem);
		excerpt_forget(capture->into->memory);
	}
	capture->python_read = true;
}

/*
 * True if a thread runs. Only then Python's frames are read while all stand still, which takes
 * longer than all else: threads that are blocked wait on where they stood, once let go.
 */
static bool capture_somebody_runs(const struct capture *capture)
{
	const struct peek_thread *thread;

	array_for_each(&capture->peek.all, thread)
		if (thread->facts.error == EAGAIN)
			return true;
	return false;
}

/*
 * Returns, for each thread, whether peeking cannot read it whole: it ran, or its walk needs a
 * register. The caller frees it.
 */
static bool *capture_unread(struct capture *capture)
{
	struct unwinder *unwinder = unwinder_new(&capture->maps,
		images_modules(capture->images), livemem_memory(capture->livemem));
	bool *unread = alloc_zeroed(capture->peek.all.nr + 1, sizeof(*unread));

	for (size_t i = 0; i < capture->peek.all.nr; i++) {
		const struct snapshot_thread *facts = &capture->peek.all.items[i].facts;
		struct unwind_stack stack = {0};

		if (facts->how == SNAPSHOT_RUNNING ||
			(facts->how == SNAPSHOT_FAILED && facts->error == ENOSYS))
			unread[i] = true;
		if (facts->how != SNAPSHOT_PEEKED)
			continue;
		unwinder_walk(unwinder, &facts->regs, &stack);
		unread[i] = unwind_wants_registers(&stack);
		unwind_stack_release(&stack);
	}
	unwinder_free(unwinder);
	return unread;
}

/* Stops those threads, one by one. */
static void capture_fall_back(struct capture *capture)
{
	bool *unread = capture_unread(capture);

	hold_each(&capture->hold, unread);
	free(unread);
}

/*
 * Takes back where the running thread was if it is not there any more: asked before and after
 * Python's frames are read.
 */
static void capture_confirm(struct capture *capture)
{
	if (capture->into->nplaces)
		runner_confirm(&capture->peek, &capture->maps, images_modules(capture->images),
			capture->livemem);
}

/* Takes what must be of one moment, in the way that the mode says. */
static void capture_look(struct capture *capture)
{
	capture->hold.peek = &capture->peek;
	capture->hold.maps = &capture->maps;
	capture->hold.livemem = capture->livemem;
	capture->hold.deadline_ms = capture->options->stop_ms ? capture->options->stop_ms :
								CAPTURE_STOP_MS;
	if (capture->options->mode == SNAPSHOT_CONSISTENT) {
		if (capture_somebody_runs(capture))
			capture->hold.also = capture_read_python;
		capture->hold.arg = capture;
		hold_all(&capture->hold);
	}
	peek_stacks(&capture->peek, &capture->maps, capture->livemem);
	if (capture->options->mode == SNAPSHOT_BLOCKED_FALLBACK)
		capture_fall_back(capture);
	runner_look(
		&capture->peek, &capture->maps, images_modules(capture->images), capture->livemem);
	capture_confirm(capture);
	if (!capture->python_read)
		capture_read_python(capture);
	capture_confirm(capture);
	peek_check(&capture->peek);
	capture->into->longest_stop = capture->hold.longest;
}

/* --- After ------------------------------------------------------------------------------------ */

/* Keeps the first bytes of each stack as they are, for walkers to come, if that was asked for. */
static void capture_keep_raw(struct capture *capture)
{
	const struct peek_thread *thread;
	size_t cap = CAPTURE_RAW_TOTAL / (capture->peek.all.nr + 1);

	cap = cap < CAPTURE_RAW ? cap : CAPTURE_RAW;
	if (!capture->options->raw_stacks || !capture->barred)
		return;
	array_for_each(&capture->peek.all, thread)
		if (thread->stack.bytes)
			(void)excerpt_put(capture->into->memory, thread->stack.at,
				thread->stack.bytes,
				thread->stack.got < cap ? thread->stack.got : cap);
}

static int compare_tids(const void *va, const void *vb)
{
	const struct snapshot_thread *a = va, *b = vb;

	return (a->tid > b->tid) - (a->tid < b->tid);
}

/* Puts the facts of all threads into the snapshot, by tid. */
static void capture_keep_threads(struct capture *capture)
{
	struct snapshot *into = capture->into;
	const struct peek_thread *thread;

	into->threads = arena_new_many(
		&into->arena, struct snapshot_thread, capture->peek.all.nr);
	array_for_each(&capture->peek.all, thread) {
		into->threads[into->nthreads] = thread->facts;
		/*
		 * With facts_only, where a thread stands is known and its stack was not asked for.
		 */
		if (thread->facts.how == SNAPSHOT_FAILED && capture->options->facts_only)
			into->threads[into->nthreads].error =
				thread->facts.error ? thread->facts.error : ETIMEDOUT;
		into->nthreads++;
	}
	qsort(into->threads, into->nthreads, sizeof(*into->threads), compare_tids);
}

/* How many threads were seen; were denied to us; are such that this kernel does not tell of. */
struct capture_tally {
	size_t seen, denied, unasked;
};

static struct capture_tally capture_count(const struct snapshot *snapshot)
{
	struct capture_tally tally = {0};

	for (size_t i = 0; i < snapshot->nthreads; i++) {
		const struct snapshot_thread *thread = &snapshot->threads[i];

		tally.seen += thread->how != SNAPSHOT_FAILED;
		tally.unasked += thread->error == ENOSYS;
		tally.denied += thread->how == SNAPSHOT_FAILED &&
				(thread->error == EPERM || thread->error == EACCES);
	}
	return tally;
}

/*
 * Writes into `missing` what could not be had, and what to do. True if nothing may be read at all.
 */
static bool capture_say(struct capture *capture)
{
	struct capture_tally tally = capture_count(capture->into);
	bool refused = tally.denied || (capture->livemem && livemem_refused(capture->livemem));
	struct str *missing = &capture->missing;
	struct permit_facts permit;

	if (refused || capture->hold.refused) {
		permit_look(capture->id.pid, &permit);
		permit.pid = capture->options->means;
		str_add(missing, refused ? "its stacks may not be read: "
					 : "its threads may not be stopped: ");
		permit_words(&permit, missing);
		str_add_char(missing, '\n');
	}
	if (snapshot_of_ended(capture->into))
		str_add(missing, "ended, and not yet waited for by its parent\n");
	if (tally.unasked)
		str_add(missing, "this kernel does not tell where threads stand: "
				 "--stop=blocked-fallback asks them\n");
	if (capture->hold.late)
		str_printf(missing,
			"%zu thread(s) did not stop in time: asleep in the kernel, or without a "
			"processor\n",
			capture->hold.late);
	if (capture->peek.left_out)
		str_printf(missing, "%zu threads beyond the first %zu were left out\n",
			capture->peek.left_out, capture->peek.cap);
	return refused && !tally.seen;
}

/*
 * Ends the capture, after which nobody reads anything of the process. True if nothing may be read.
 */
static bool capture_finish(struct capture *capture)
{
	struct snapshot *into = capture->into;
	bool refused;

	capture_keep_threads(capture);
	if (into->memory) {
		capture_keep_raw(capture);
		walk_native(into, &capture->maps, capture->images);
		excerpt_close(into->memory);
	}
	refused = capture_say(capture);
	while (capture->missing.len && capture->missing.text[capture->missing.len - 1] == '\n')
		str_cut(&capture->missing, capture->missing.len - 1);
	into->missing = arena_text(&into->arena, str_text(&capture->missing));
	return refused;
}

/* --- All of it -------------------------------------------------------------------------------- */

/* Opens the process and lists its threads. Returns 0 or -errno. */
static int capture_list(struct capture *capture)
{
	const struct snapshot *before = capture->options->before;
	int error = threads_open(&capture->threads, capture->id.pid);

	capture->threads.clock = capture->options->clock;
	capture->peek.threads = &capture->threads;
	capture->peek.arena = &capture->into->arena;
	capture->peek.cap = capture->options->threads_cap ? capture->options->threads_cap :
							    CAPTURE_THREADS;
	capture->peek.stack_cap = capture->options->stack_cap ? capture->options->stack_cap :
								CAPTURE_STACK_CAP;
	if (error)
		return error;
	capture_describe(capture);
	if (!capture->into->start_time ||
		(capture->id.start_time && capture->into->start_time != capture->id.start_time))
		return -ESRCH;
	return peek_list(&capture->peek, before);
}

/* True if there is more to look at than facts. */
static bool capture_has_more(const struct capture *capture)
{
	const struct peek_thread *thread;

	if (capture->options->facts_only)
		return false;
	array_for_each(&capture->peek.all, thread)
		if (!thread->settled || thread->facts.error == ENOSYS)
			return true;
	return capture->options->mode == SNAPSHOT_CONSISTENT;
}

/* Makes one try. Returns 0 or -errno: -EAGAIN if the process called exec meanwhile. */
static int capture_once(struct capture *capture)
{
	int error = capture_list(capture);

	if (error)
		return error;
	if (capture_has_more(capture)) {
		capture_find_way(capture);
		(void)proc_read(capture->via, "auxv", &capture->auxv, NULL);
		capture_prepare(capture);
		capture_look(capture);
		if (!capture_is_same_image(capture))
			return -EAGAIN;
	}
	if (capture_finish(capture))
		return -EPERM;
	return 0;
}

static void capture_release(struct capture *capture)
{
	threads_close(&capture->threads);
	peek_release(&capture->peek);
	livemem_free(capture->livemem);
	stack_maps_release(&capture->maps);
	str_release(&capture->auxv);
	str_release(&capture->missing);
}

int capture_take(struct proc_id id, const struct capture_options *options, struct images *images,
	struct snapshot *ret, struct complaint *why)
{
	int error = -EAGAIN;

	memset(ret, 0, sizeof(*ret));
	for (int try = 0; try < CAPTURE_TRIES && error == -EAGAIN; try++) {
		struct capture capture = {.id = id, .options = options, .images = images};

		snapshot_release(ret);
		ret->exe = ret->maps = ret->missing = "";
		capture.into = ret;
		error = capture_once(&capture);
		capture_release(&capture);
	}
	if (error == -EPERM)
		complaint_set(why, "%s", ret->missing);
	else if (error == -EAGAIN && !proc_is_alive(id))
		error = -ESRCH;
	else if (error == -EAGAIN)
		complaint_set(why, "process %u calls exec again and again", id.pid);
	if (error == -ESRCH)
		complaint_set(why, "process %u is gone", id.pid);
	else if (error && error != -EPERM && error != -EAGAIN)
		complaint_errno(why, -error, "cannot look at process %u", id.pid);
	return error;
}
