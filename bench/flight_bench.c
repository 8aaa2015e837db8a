/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flight_bench.c: dumps of PyTorch's Flight Recorder, 2,000 entries each as its ring holds by
 * default, from bytes to entries: without and with stacks of 30 frames as C++ writes them, the same
 * by way of Python, and as JSON. One thread, its own time. Once with all 1,024 dumps of a job kept,
 * whose memory is then all fresh: what the system takes to give it is in that figure.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench/figure.h"
#include "decode/flight/flight-dump.h"
#include "tests/unit/flight-emit.h"

#define ENTRIES 2000
#define FRAMES  30
#define PLACES  60 /* in the program that ops come from */
#define ROUNDS  201
#define RANKS   1024

static const char *const names[] = {"nccl:all_reduce", "nccl:_all_gather_base",
	"nccl:_reduce_scatter_base", "nccl:all_to_all", "nccl:send 0->1"};
static const char *const shapes[] = {"[[4096, 5120]]", "[[32768, 5120]]", "[[1]]"};

static void frames_make(struct arena *arena, struct emit_frame *frames)
{
	for (int i = 0; i < PLACES + FRAMES; i++)
		frames[i] = (struct emit_frame){arena_printf(arena, "function_%d", i % PLACES),
			arena_printf(arena, "/opt/lib/python3.12/site-packages/torch/module_%d.py",
				i % 17),
			100 + i};
}

static struct str dump_make(bool stacks, enum emit_writer writer)
{
	struct emit_dump dump = {.version = "2.10", .library = "2.27.3"};
	struct emit_frame frames[PLACES + FRAMES];
	struct str bytes;

	frames_make(&dump.arena, frames);
	emit_group(&dump, "0", "default_pg", "[0, 1, 2, 3, 4, 5, 6, 7]");
	emit_group(&dump, "1", "mesh_tp", "[0, 1]");
	emit_status(&dump, 0, ENTRIES, -1, ENTRIES - 1);
	emit_status(&dump, 1, ENTRIES, -1, ENTRIES - 1);
	for (int i = 0; i < ENTRIES; i++) {
		struct emit_entry *entry = emit_entry(&dump, i % 3 == 0, names[i % 5], i);

		entry->record += 80000;
		entry->inputs = shapes[i % 3];
		entry->outputs = shapes[i % 2];
		entry->state = "completed";
		entry->retired = true;
		entry->completed = entry->created + 1000;
		entry->frames = stacks ? frames + i % PLACES : NULL;
		entry->nframes = stacks ? FRAMES : 0;
	}
	bytes = emit_bytes(&dump, writer);
	emit_release(&dump);
	return bytes;
}

static void must_read(const struct str *bytes, struct flight_dump *dump)
{
	if (flight_dump_read((const uint8_t *)bytes->text, bytes->len, NULL, dump, NULL) < 0 ||
		dump->nentries != ENTRIES || *dump->damage) {
		puts("a dump is not read");
		exit(1);
	}
}

static void measure(const char *name, bool stacks, enum emit_writer writer, double bar)
{
	struct figure figure = {.name = name, .unit = "MB/s", .bar = bar, .sense = FIGURE_AT_LEAST};
	struct str bytes = dump_make(stacks, writer);
	double samples[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		double begun = figure_own_ns();
		struct flight_dump dump;

		must_read(&bytes, &dump);
		flight_dump_release(&dump);
		samples[i] = (double)bytes.len * 1e3 / (figure_own_ns() - begun);
	}
	figure.median = figure_median(samples, ROUNDS);
	figure_print(&figure);
	str_release(&bytes);
}

static void measure_job(const char *name, bool stacks)
{
	struct figure figure = {.name = name, .unit = "s", .bar = 1};
	struct flight_dump *dumps = calloc(RANKS, sizeof(*dumps));
	struct str bytes = dump_make(stacks, EMIT_CPP);
	double begun = figure_own_ns();

	for (int i = 0; i < RANKS; i++)
		must_read(&bytes, &dumps[i]);
	figure.median = (figure_own_ns() - begun) / 1e9;
	printf("%d dumps of %.2f MB\n", RANKS, (double)bytes.len / 1e6);
	figure_print(&figure);
	for (int i = 0; i < RANKS; i++)
		flight_dump_release(&dumps[i]);
	free(dumps);
	str_release(&bytes);
}

int main(void)
{
	puts("== Flight Recorder dumps");
	measure("pickle of C++", false, EMIT_CPP, 400);
	measure("pickle of C++, with stacks", true, EMIT_CPP, 400);
	measure("pickle of Python 4, with stacks", true, EMIT_PYTHON4, 0);
	measure("JSON", false, EMIT_JSON, 0);
	measure_job("1,024 ranks x 2,000 entries, all kept", false);
	measure_job("the same with stacks", true);
	return 0;
}
