/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pystack PID [merge|nofiles]: prints the Python threads of a process, nobody being stopped:
 *
 *	place VERSION REFUSED		for each runtime; REFUSED "-" or why
 *	gil KNOWN LOCKED HOLDER
 *	thread TID INTERPRETER HOLDS CUT	CUT "-" or why
 *	frame LINE FUNCTION\tFILE		innermost first
 * "error WORDS" where that is not in good order, or a walk over its packed record ends otherwise;
 * with `nofiles` as if no mapped file could be read; with `merge` also
 *
 *	waits TID				it waits for the GIL, by its futex
 *	merged TID MERGED EVALS LEFT WRONG	of its stack merged with the native one: calls of
 *						the evaluation loop on it; those of them that got no
 *						Python frames; Python frames in the place of others
 *	partial					the loop's symbol covers little of it: WRONG is not
 *						known then, and 0
 *	named TID				it waits for the GIL, by a function's name
 *	native FUNCTION\tPYTHON			each of its frames, what is not plumbing; in
 *						order, one of the two "-"
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/file.h"
#include "proc/symbols/image.h"
#include "proc/symbols/python-find.h"
#include "proc/symbols/symbols.h"
#include "proc/threads/livemem.h"
#include "proc/threads/threads.h"
#include "stack/excerpt.h"
#include "stack/merge.h"
#include "stack/python-frames.h"
#include "stack/unwind.h"

/* A loop of fewer bytes has most of its code elsewhere, where a stripped file has no symbol. */
#define EVAL_SMALLEST 8192

/* Of the process. */
static struct {
	uint32_t pid;
	struct stack_maps maps;
	struct images *images;
	struct livemem *live;
	struct stack_memory *memory;
	struct unwinder *unwinder;
	struct arena arena;
	uint64_t eval_start, eval_end; /* of the place being looked at */
	bool merge;
} process;

static void process_open(uint32_t pid, bool files)
{
	char path[64];
	struct str text = {0};

	process.pid = pid;
	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	if (file_read(path, 16u << 20, &text, NULL) < 0) {
		fprintf(stderr, "pystack: cannot read %s\n", path);
		exit(2);
	}
	stack_maps_parse(&process.maps, str_text(&text), text.len);
	str_release(&text);
	process.images = images_new();
	process.live = livemem_new(pid);
	process.memory = livemem_memory(process.live);
	if (files)
		images_open(process.images, pid, &process.maps, process.memory, NULL);
	process.unwinder =
		unwinder_new(&process.maps, images_modules(process.images), process.memory);
}

static void process_close(void)
{
	unwinder_free(process.unwinder);
	images_free(process.images);
	livemem_free(process.live);
	stack_maps_release(&process.maps);
	arena_release(&process.arena);
}

/* The evaluation loop of the runtime, by its symbol; whatever the version. */
static void find_eval(const struct python_place *place)
{
	const struct modules *modules = images_modules(process.images);
	const struct stack_map *map;
	uint64_t bias, at, size;

	process.eval_start = process.eval_end = 0;
	array_for_each(&process.maps.all, map) {
		const struct module *module = modules_find(modules, map);
		int fd = module ? images_file(process.images, module) : -1;

		if (fd < 0 || !module_bias(module, map, &bias) ||
			symbols_value(fd, "_PyRuntime", &at, &size) < 0 ||
			bias + at != place->runtime ||
			symbols_value(fd, "_PyEval_EvalFrameDefault", &at, &size) < 0)
			continue;
		process.eval_start = bias + at;
		process.eval_end = bias + at + size;
	}
}

/* The address of the module at which the frame's function is looked up. */
static uint64_t lookup_in_module(const struct unwind_stack *stack, size_t i)
{
	return unwind_lookup_pc(stack, i) - (stack->frames[i].pc - stack->frames[i].module_pc);
}

static const char *native_name(const struct unwind_stack *stack, size_t i)
{
	const struct module_symbol *symbol;

	if (!stack->frames[i].module)
		return "?";
	symbol = module_symbol_at(stack->frames[i].module, lookup_in_module(stack, i));
	return symbol && symbol->function[0] ? symbol->function : "?";
}

/* Names for all frames of all stacks, each module in one pass. */
static void find_names(const struct unwind_stack *stacks, size_t nr)
{
	struct modules *modules = images_modules(process.images);

	for (size_t m = 0; m < modules_count(modules); m++) {
		struct module *module = modules_at(modules, m);
		ARRAY(uint64_t) addresses = {0};

		for (size_t k = 0; k < nr; k++)
			for (size_t i = 0; i < stacks[k].nframes; i++)
				if (stacks[k].frames[i].module == module)
					*array_add(&addresses) = lookup_in_module(&stacks[k], i);
		if (addresses.nr)
			symbols_find(module, images_file(process.images, module), NULL,
				addresses.items, addresses.nr, &process.arena);
		array_release(&addresses);
	}
}

/* Below these a thread waits for the GIL; compilers add ".constprop.0" and the like. */
static bool is_gil_wait(const char *function)
{
	static const char *const names[] = {"take_gil", "_PyEval_AcquireLock",
		"PyEval_RestoreThread", "PyEval_AcquireThread", "PyEval_AcquireLock",
		"_PyThreadState_Attach"};
	size_t len = strcspn(function, ".");

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == len && !memcmp(function, names[i], len))
			return true;
	return false;
}

static bool is_eval(const struct unwind_stack *native, size_t i)
{
	uint64_t pc = unwind_lookup_pc(native, i);

	return pc >= process.eval_start && pc < process.eval_end;
}

static void print_merged(
	const struct unwind_stack *native, uint64_t tid, const struct merged_stack *merged)
{
	bool *left = calloc(native->nframes + 1, sizeof(*left));
	uint64_t eval = process.eval_end - process.eval_start;
	bool partial = eval && eval < EVAL_SMALLEST;
	size_t evals = 0, unserved = 0, wrong = 0, waits = 0;

	for (size_t i = 0; i < merged->nframes; i++)
		if (merged->frames[i].native)
			left[merged->frames[i].index] = true;
	for (size_t i = 0; i < native->nframes; i++) {
		evals += is_eval(native, i);
		unserved += is_eval(native, i) && left[i];
		wrong += !partial && !is_eval(native, i) && !left[i];
		waits += is_gil_wait(native_name(native, i));
	}
	printf("merged %" PRIu64 " %d %zu %zu %zu\n", tid, merged->merged, evals, unserved, wrong);
	if (partial)
		printf("partial\n");
	if (waits)
		printf("named %" PRIu64 "\n", tid);
	for (size_t i = 0; i < merged->nframes; i++) {
		const struct merged_frame *frame = &merged->frames[i];
		const char *name = frame->native ? native_name(native, frame->index) : "-";

		if (!merge_is_plumbing(name))
			printf("native %s\t%s\n", name,
				frame->python ? frame->python->function : "-");
	}
	free(left);
}

static bool waits_for_gil(const struct snapshot_thread *facts, const struct python_stacks *stacks)
{
	return facts->in_syscall && facts->syscall == SYS_futex &&
	       facts->args[0] >= stacks->gil_at && facts->args[0] < stacks->gil_end;
}

/* The native stack of a thread that is blocked; else an empty one. */
static void walk_thread(const struct threads *threads, const struct python_stacks *stacks,
	uint64_t tid, struct unwind_stack *native)
{
	struct snapshot_thread facts = {.tid = (uint32_t)tid};

	if (!tid || threads_read(threads, &facts, &process.arena) < 0 || !facts.regs.known)
		return;
	if (waits_for_gil(&facts, stacks))
		printf("waits %" PRIu64 "\n", tid);
	unwinder_walk(process.unwinder, &facts.regs, native);
}

/* The stack of a thread, which may be known to several interpreters. */
static void merge_thread(const struct python_stacks *stacks, size_t first,
	const struct unwind_stack *native, const struct python_place *place)
{
	const struct python_thread *same[8];
	struct merged_stack merged;
	size_t nr = 0;

	for (size_t i = 0; i < stacks->nthreads && nr < 8; i++)
		if (stacks->threads[i].tid == stacks->threads[first].tid) {
			if (i < first)
				return;
			same[nr++] = &stacks->threads[i];
		}
	merge_stacks_of_all(native, same, nr, place, &merged);
	print_merged(native, stacks->threads[first].tid, &merged);
	merged_stack_release(&merged);
}

static void merge_threads(const struct python_stacks *stacks, const struct threads *threads,
	const struct python_place *place)
{
	struct unwind_stack *native = calloc(stacks->nthreads + 1, sizeof(*native));

	find_eval(place);
	for (size_t i = 0; i < stacks->nthreads; i++)
		walk_thread(threads, stacks, stacks->threads[i].tid, &native[i]);
	find_names(native, stacks->nthreads);
	for (size_t i = 0; i < stacks->nthreads; i++)
		if (native[i].nframes)
			merge_thread(stacks, i, &native[i], place);
	for (size_t i = 0; i < stacks->nthreads; i++)
		unwind_stack_release(&native[i]);
	free(native);
}

static void print_threads(const struct python_stacks *stacks)
{
	printf("gil %d %d %" PRIu64 "\n", stacks->gil_known, stacks->gil_locked,
		stacks->gil_holder);
	for (size_t i = 0; i < stacks->nthreads; i++) {
		const struct python_thread *thread = &stacks->threads[i];

		printf("thread %" PRIu64 " %" PRIu64 " %d %s\n", thread->tid, thread->interpreter,
			thread->holds_gil, thread->cut ? thread->cut : "-");
		for (size_t k = 0; k < thread->nframes; k++)
			printf("frame %u %s\t%s\n", thread->frames[k].line,
				thread->frames[k].function, thread->frames[k].file);
	}
}

static bool is_same(const struct python_stacks *a, const struct python_stacks *b)
{
	if (a->nthreads != b->nthreads || a->gil_holder != b->gil_holder)
		return false;
	for (size_t i = 0; i < a->nthreads; i++) {
		const struct python_thread *one = &a->threads[i], *other = &b->threads[i];

		if (one->tid != other->tid || one->nframes != other->nframes)
			return false;
		for (size_t k = 0; k < one->nframes; k++)
			if (strcmp(one->frames[k].file, other->frames[k].file) != 0 ||
				strcmp(one->frames[k].function, other->frames[k].function) != 0 ||
				one->frames[k].line != other->frames[k].line ||
				one->frames[k].anchor != other->frames[k].anchor)
				return false;
	}
	return true;
}

/* What a walk over a recording memory has read is all that a walk over the record needs. */
static void check_record(const struct python_place *place, const struct python_stacks *stacks)
{
	struct excerpt *excerpt = excerpt_new(process.memory), *packed;
	struct python_stacks again;
	struct str bytes = {0};

	python_stacks_read(excerpt_memory(excerpt), place, &again, NULL);
	python_stacks_release(&again);
	excerpt_pack(excerpt, &bytes);
	packed = excerpt_unpack(bytes.text, bytes.len, NULL);
	python_stacks_read(excerpt_memory(packed), place, &again, NULL);
	if (!is_same(stacks, &again))
		printf("error the walk over its packed record ends otherwise\n");
	python_stacks_release(&again);
	excerpt_free(packed);
	excerpt_free(excerpt);
	str_release(&bytes);
}

static void print_place(const struct python_place *place, const struct threads *threads)
{
	struct python_stacks stacks;
	struct complaint why = {0};

	if (python_stacks_read(process.memory, place, &stacks, &why) < 0)
		printf("error %s\n", complaint_text(&why));
	printf("place %x %s\n", stacks.version, stacks.refused ? stacks.refused : "-");
	print_threads(&stacks);
	check_record(place, &stacks);
	if (process.merge)
		merge_threads(&stacks, threads, place);
	python_stacks_release(&stacks);
	complaint_release(&why);
}

int main(int argc, char **argv)
{
	struct python_place places[PYTHON_PLACES];
	struct threads threads;
	struct str missing = {0};
	size_t nr;

	if (argc < 2)
		return 2;
	process.merge = argc > 2 && !strcmp(argv[2], "merge");
	process_open((uint32_t)strtoul(argv[1], NULL, 10), argc == 2 || process.merge);
	if (threads_open(&threads, process.pid) < 0)
		return 2;
	nr = python_find(process.images, &process.maps, process.memory, places, &missing);
	for (size_t i = 0; i < nr; i++)
		print_place(&places[i], &threads);
	printf("%s", str_text(&missing));
	str_release(&missing);
	threads_close(&threads);
	process_close();
	return 0;
}
