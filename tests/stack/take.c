/* SPDX-License-Identifier: Apache-2.0 */
/*
 * take [never|blocked-fallback|consistent] [-n SAMPLES] [-p PAUSE_MS] [-d DEADLINE_MS] [-q]
 *	PID...
 *
 * Takes the stacks of processes as attach does, and prints what a reader of the exhibits sees:
 *
 *	process PID own OWN sample N threads NR longest_stop NS
 *	missing WORDS
 *	thread TID own OWN COMM STATE HOW error E syscall NR wchan W frames NR END
 *	  MODULE FUNCTION			a frame
 *	gap PID WORDS
 *	took MS ms, CPU MS ms
 *
 * -q: no threads and frames.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "evidence/format/stacks.h"
#include "evidence/gather/stacks-gather.h"
#include "stack/unwind.h"

static bool quiet;

static const char *const hows[] = {"peeked", "stopped", "unmoved", "running", "core", "failed"};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void print_frame(const struct unwind_stack *stack, size_t i)
{
	const struct unwind_frame *frame = &stack->frames[i];
	const struct module_symbol *symbol = NULL;
	uint64_t at = unwind_lookup_pc(stack, i);

	if (frame->module)
		symbol = module_symbol_at(frame->module, at - (frame->pc - frame->module_pc));
	printf("  %s %s\n", frame->module ? base_name(frame->module->path) : "?",
		symbol && *symbol->function ? symbol->function : "?");
}

static const char *print_stack(struct unwinder *unwinder, const struct snapshot_thread *thread,
	struct unwind_stack *stack)
{
	if (unwinder && thread->regs.known)
		unwinder_walk(unwinder, &thread->regs, stack);
	return stack->nframes ? *unwind_end_text(stack->end) ? unwind_end_text(stack->end) : "whole"
			      : "none";
}

static void print_thread(struct unwinder *unwinder, const struct snapshot_thread *thread)
{
	struct unwind_stack stack = {0};
	const char *end = print_stack(unwinder, thread, &stack);

	printf("thread %u own %u %s %c %s error %d syscall %" PRId64 " wchan %s moved %d "
	       "frames %zu %s\n",
		thread->tid, thread->own, *thread->comm ? thread->comm : "?",
		thread->state ? thread->state : '?', hows[thread->how], thread->error,
		thread->in_syscall ? thread->syscall : -2, *thread->wchan ? thread->wchan : "?",
		thread->moved, stack.nframes, end);
	for (size_t i = 0; i < stack.nframes; i++)
		print_frame(&stack, i);
	unwind_stack_release(&stack);
}

static void print_process(const struct exhibit *exhibit, const struct modules *modules)
{
	struct complaint why = {0};
	struct stack_maps maps = {0};
	struct unwinder *unwinder = NULL;
	struct snapshot snapshot;

	if (stacks_read(exhibit, &snapshot, &why) < 0)
		printf("unreadable: %s\n", complaint_text(&why));
	printf("process %u own %u sample %u threads %zu longest_stop %" PRId64, snapshot.pid,
		snapshot.own, snapshot.sample, snapshot.nthreads, snapshot.longest_stop);
	printf(" bytes %zu exe %s\n", exhibit->len, snapshot.exe);
	if (*snapshot.missing)
		printf("missing %s\n", snapshot.missing);
	stack_maps_parse(&maps, snapshot.maps, strlen(snapshot.maps));
	if (snapshot.memory)
		unwinder = unwinder_new(&maps, modules, excerpt_memory(snapshot.memory));
	for (size_t i = 0; i < snapshot.nthreads && !quiet; i++)
		print_thread(unwinder, &snapshot.threads[i]);
	unwinder_free(unwinder);
	stack_maps_release(&maps);
	snapshot_release(&snapshot);
	complaint_release(&why);
}

static void print_evidence(const struct evidence *evidence)
{
	struct excerpt **images = calloc(evidence->n + 1, sizeof(struct excerpt *));
	struct modules *modules = modules_new();
	struct complaint why = {0};

	for (size_t i = 0; i < evidence->n; i++)
		if (evidence->at[i].kind == EXHIBIT_MODULE &&
			stacks_read_module(&evidence->at[i], modules, &images[i], &why) < 0)
			printf("unreadable module: %s\n", complaint_text(&why));
	for (size_t i = 0; i < evidence->n; i++)
		if (evidence->at[i].kind == EXHIBIT_STACKS)
			print_process(&evidence->at[i], modules);
	for (size_t i = 0; i < evidence->ngaps; i++)
		printf("gap %u %s\n", evidence->gaps[i].pid, evidence->gaps[i].what);
	modules_free(modules);
	for (size_t i = 0; i < evidence->n; i++)
		excerpt_free(images[i]);
	free(images);
	complaint_release(&why);
}

static double cpu_ms(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
}

/* One word of the command line; how many were used. */
static int read_option(char **argv, struct stacks_options *options)
{
	if (!strcmp(argv[0], "-q"))
		quiet = true;
	else if (!strcmp(argv[0], "never"))
		options->mode = SNAPSHOT_NEVER;
	else if (!strcmp(argv[0], "blocked-fallback"))
		options->mode = SNAPSHOT_BLOCKED_FALLBACK;
	else if (!strcmp(argv[0], "consistent"))
		options->mode = SNAPSHOT_CONSISTENT;
	else if (!argv[1] || argv[0][0] != '-')
		return 0;
	else if (argv[0][1] == 'n')
		options->samples = (unsigned)atoi(argv[1]);
	else if (argv[0][1] == 'p')
		options->pause_ms = atoi(argv[1]);
	else if (argv[0][1] == 'd')
		options->deadline_ms = atoi(argv[1]);
	return argv[0][0] == '-' && argv[0][1] != 'q' ? 2 : 1;
}

int main(int argc, char **argv)
{
	struct stacks_options options = STACKS_OPTIONS_DEFAULT;
	struct stacks_target *targets;
	struct evidence evidence = {0};
	int64_t start;
	int at = 1, used;
	size_t nr;

	options.samples = 1;
	while (at < argc && (used = read_option(argv + at, &options)) > 0)
		at += used;
	nr = (size_t)(argc - at);
	targets = calloc(nr + 1, sizeof(*targets));
	for (size_t i = 0; i < nr; i++) {
		targets[i].id.pid = (uint32_t)atoi(argv[at + (int)i]);
		targets[i].rank = -1;
	}
	start = clock_monotonic_ns();
	stacks_gather(&evidence, "host", targets, nr, &options);
	start = clock_monotonic_ns() - start;
	print_evidence(&evidence);
	printf("took %.1f ms, CPU %.1f ms\n", (double)start / 1e6, cpu_ms(RUSAGE_CHILDREN));
	evidence_release(&evidence);
	free(targets);
	return 0;
}
