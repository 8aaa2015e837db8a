/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core-show CORE: prints what is read of a core file, one line each:
 *
 *	died SIGNAL TID ADDRESS
 *	missing TEXT			for each line of it
 *	TID END PC...			of each thread
 *	python TID FUNCTION FILE:LINE	of each frame, innermost first; TID as the interpreter says
 *
 * All walks are made over the excerpts, when the core is closed again: as out of a bundle.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "proc/core/core.h"
#include "stack/python-frames.h"
#include "stack/unwind.h"

static void show_missing(const struct snapshot *snapshot)
{
	const char *line = snapshot->missing;

	while (*line) {
		int len = (int)strcspn(line, "\n");

		printf("missing %.*s\n", len, line);
		line += len + (line[len] == '\n');
	}
}

static const char *end_word(enum unwind_end end)
{
	static const char *const words[] = {
		[UNWIND_OUTERMOST] = "outermost",
		[UNWIND_NEEDS_REGISTER] = "needs-register",
		[UNWIND_NO_INFO] = "no-info",
		[UNWIND_NO_MEMORY] = "no-memory",
		[UNWIND_TOO_DEEP] = "too-deep",
	};

	return words[end];
}

static void show_threads(const struct snapshot *snapshot, struct images *images)
{
	struct stack_maps maps = {0};
	struct unwinder *unwinder;

	stack_maps_parse(&maps, snapshot->maps, strlen(snapshot->maps));
	unwinder = unwinder_new(&maps, images_modules(images), excerpt_memory(snapshot->memory));
	for (size_t i = 0; i < snapshot->nthreads; i++) {
		struct unwind_stack stack = {0};

		unwinder_walk(unwinder, &snapshot->threads[i].regs, &stack);
		printf("%u %s", snapshot->threads[i].tid, end_word(stack.end));
		for (size_t k = 0; k < stack.nframes; k++)
			printf(" %" PRIx64, stack.frames[k].pc);
		printf("\n");
		unwind_stack_release(&stack);
	}
	unwinder_free(unwinder);
	stack_maps_release(&maps);
}

static void show_python(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->nplaces; i++) {
		struct python_stacks stacks = {0};

		if (python_stacks_read(excerpt_memory(snapshot->memory), &snapshot->places[i],
			    &stacks, NULL) < 0)
			printf("missing an interpreter that can be read\n");
		for (size_t t = 0; t < stacks.nthreads; t++)
			for (size_t k = 0; k < stacks.threads[t].nframes; k++)
				printf("python %" PRIu64 " %s %s:%u\n", stacks.threads[t].tid,
					stacks.threads[t].frames[k].function,
					stacks.threads[t].frames[k].file,
					stacks.threads[t].frames[k].line);
		python_stacks_release(&stacks);
	}
}

int main(int argc, char **argv)
{
	struct images *images = images_new();
	struct complaint why = {0};
	struct snapshot snapshot;
	int error;

	if (argc != 2)
		return 2;
	error = core_take(argv[1], images, &snapshot, NULL, &why);
	if (error) {
		printf("refused %s\n", complaint_text(&why));
	} else {
		printf("died %d %u %" PRIx64 "\n", snapshot.signo, snapshot.fault_tid,
			snapshot.fault_addr);
		show_missing(&snapshot);
		show_threads(&snapshot, images);
		show_python(&snapshot);
	}
	complaint_release(&why);
	snapshot_release(&snapshot);
	images_free(images);
	return error ? 1 : 0;
}
