/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots as exhibits: what is packed is read again, and any bytes at all are read safely. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>


#include "base/alloc.h"
#include "base/clock.h"
#include "evidence/format/stacks.h"
#include "evidence/format/unpack.h"
#include "evidence/gather/workers.h"
#include "evidence/gather/stacks-module.h"
#include "proc/read.h"
#include "proc/helper.h"
#include "proc/threads/livemem.h"

static const char maps_text[] = "7f0000000000-7f0000001000 rw-p 00000000 00:00 0 \n"
				"7f0000002000-7f0000003000 r-xp 00000000 08:01 77 /odd\377name\n";

/* One thread of each kind, with everything set somewhere. */
static void fill_threads(struct snapshot *snapshot)
{
	struct snapshot_thread *threads =
		arena_new_many(&snapshot->arena, struct snapshot_thread, 4);

	for (size_t i = 0; i < 4; i++) {
		threads[i].tid = 100 + (uint32_t)i;
		threads[i].own = 1 + (uint32_t)i;
		threads[i].wchan = threads[i].kernel = "";
	}
	memcpy(threads[0].comm, "fifteen letters", 16);
	threads[0].state = 'S';
	threads[0].how = SNAPSHOT_PEEKED;
	threads[0].wchan = "futex_wait_queue";
	threads[0].kernel = "[<0>] futex_wait_queue+0x60/0x90\n[<0>] do_syscall_64+0x1/0x2";
	threads[0].in_syscall = true;
	threads[0].syscall = 202;
	threads[0].args[0] = UINT64_MAX;
	threads[0].args[5] = 7;
	threads[0].regs.known = 1u << UNWIND_SP | 1u << UNWIND_IP;
	threads[0].regs.value[UNWIND_SP] = 0x7f0000000100;
	threads[0].regs.value[UNWIND_IP] = 0x7f0000002100;
	threads[1].how = SNAPSHOT_STOPPED;
	threads[1].in_syscall = true;
	threads[1].syscall = -1;
	threads[1].stopped_ns = 12345;
	threads[1].regs.known = (1u << UNWIND_REGS) - 1;
	for (size_t i = 0; i < UNWIND_REGS; i++)
		threads[1].regs.value[i] = (uint64_t)1 << (i * 3);
	threads[2].how = SNAPSHOT_RUNNING;
	threads[2].state = 'R';
	threads[2].error = EAGAIN;
	threads[2].cpu_ticks = 42;
	threads[2].run_count = 1ull << 40;
	threads[2].run_ns = 9;
	threads[2].wait_ns = 10;
	threads[2].moved = true;
	threads[3].how = SNAPSHOT_FAILED;
	threads[3].error = EPERM;
	snapshot->threads = threads;
	snapshot->nthreads = 4;
}

static void fill(struct snapshot *snapshot)
{
	static const uint8_t stack[300] = {1, 2, 3, [299] = 9};

	memset(snapshot, 0, sizeof(*snapshot));
	snapshot->pid = 4711;
	snapshot->own = 17;
	snapshot->start_time = 1234567890123;
	snapshot->sample = 2;
	snapshot->when = 1790000000123456789;
	snapshot->mode = SNAPSHOT_BLOCKED_FALLBACK;
	snapshot->longest_stop = 777;
	snapshot->exe = "/usr/bin/python3.11";
	snapshot->maps = maps_text;
	snapshot->missing = "something: do this";
	snapshot->signo = 11;
	snapshot->fault_addr = 0xdead;
	snapshot->fault_tid = 101;
	snapshot->places = arena_new_many(&snapshot->arena, struct python_place, 2);
	snapshot->nplaces = 2;
	snapshot->places[0] = (struct python_place){.runtime = 0x1000, .version = 0x030b02f0};
	snapshot->places[1] = (struct python_place){1, 2, 3, 4, 5, 6};
	snapshot->memory = excerpt_new(NULL);
	assert_int_equal(excerpt_put(snapshot->memory, 0x7f0000000100, stack, 300), 0);
	fill_threads(snapshot);
}

static void same_threads(const struct snapshot_thread *a, const struct snapshot_thread *b)
{
	assert_int_equal(a->tid, b->tid);
	assert_int_equal(a->own, b->own);
	assert_string_equal(a->comm, b->comm);
	assert_int_equal(a->state, b->state);
	assert_int_equal(a->how, b->how);
	assert_int_equal(a->error, b->error);
	assert_string_equal(a->wchan, b->wchan);
	assert_string_equal(a->kernel, b->kernel);
	assert_int_equal(a->in_syscall, b->in_syscall);
	assert_int_equal(a->syscall, b->syscall);
	assert_memory_equal(a->args, b->args, sizeof(a->args));
	assert_int_equal(a->cpu_ticks, b->cpu_ticks);
	assert_int_equal(a->run_count, b->run_count);
	assert_int_equal(a->run_ns, b->run_ns);
	assert_int_equal(a->wait_ns, b->wait_ns);
	assert_int_equal(a->stopped_ns, b->stopped_ns);
	assert_int_equal(a->moved, b->moved);
	assert_int_equal(a->regs.known, b->regs.known);
	for (size_t i = 0; i < UNWIND_REGS; i++)
		if (a->regs.known >> i & 1)
			assert_int_equal(a->regs.value[i], b->regs.value[i]);
}

static void same_snapshots(const struct snapshot *a, const struct snapshot *b)
{
	assert_int_equal(a->pid, b->pid);
	assert_int_equal(a->own, b->own);
	assert_int_equal(a->start_time, b->start_time);
	assert_int_equal(a->sample, b->sample);
	assert_int_equal(a->when, b->when);
	assert_int_equal(a->mode, b->mode);
	assert_int_equal(a->longest_stop, b->longest_stop);
	assert_string_equal(a->exe, b->exe);
	assert_string_equal(a->maps, b->maps);
	assert_string_equal(a->missing, b->missing);
	assert_int_equal(a->signo, b->signo);
	assert_int_equal(a->fault_addr, b->fault_addr);
	assert_int_equal(a->fault_tid, b->fault_tid);
	assert_int_equal(a->nplaces, b->nplaces);
	if (a->nplaces)
		assert_memory_equal(a->places, b->places, a->nplaces * sizeof(*a->places));
	assert_int_equal(a->nthreads, b->nthreads);
	for (size_t i = 0; i < a->nthreads; i++)
		same_threads(&a->threads[i], &b->threads[i]);
}

static void what_was_packed_is_read_again(void **state)
{
	struct evidence evidence = {0};
	struct snapshot snapshot, again;
	uint8_t byte = 0;

	(void)state;
	fill(&snapshot);
	stacks_add(&evidence, "host", 3, &snapshot);
	assert_int_equal(evidence.at[0].kind, EXHIBIT_STACKS);
	assert_string_equal(evidence.at[0].label, "2");
	assert_int_equal(evidence.at[0].rank, 3);
	assert_int_equal(evidence.at[0].pid, 17);
	assert_int_equal(stacks_read(&evidence.at[0], &again, NULL), 0);
	same_snapshots(&snapshot, &again);
	assert_int_equal(excerpt_size(again.memory), 300);
	assert_int_equal(
		stack_memory_read(excerpt_memory(again.memory), 0x7f000000022b, &byte, 1), 0);
	assert_int_equal(byte, 9);
	/* And the second generation is the first, byte for byte. */
	stacks_add(&evidence, "host", 3, &again);
	assert_int_equal(evidence.at[0].len, evidence.at[1].len);
	assert_memory_equal(evidence.at[0].bytes, evidence.at[1].bytes, evidence.at[0].len);
	snapshot_release(&snapshot);
	snapshot_release(&again);
	evidence_release(&evidence);
}

static void an_empty_snapshot_is_one_too(void **state)
{
	struct snapshot snapshot = {.exe = "", .maps = "", .missing = ""}, again;
	struct evidence evidence = {0};

	(void)state;
	stacks_add(&evidence, "host", -1, &snapshot);
	assert_int_equal(stacks_read(&evidence.at[0], &again, NULL), 0);
	same_snapshots(&snapshot, &again);
	assert_null(again.memory);
	snapshot_release(&again);
	evidence_release(&evidence);
}

/* Cut at any byte, what stands before the cut is there, and nothing that was not. */
static void cut_anywhere_it_gives_what_stands_before(void **state)
{
	struct evidence evidence = {0};
	struct snapshot snapshot, again;
	size_t threads = 0, memory = 0;

	(void)state;
	fill(&snapshot);
	stacks_add(&evidence, "host", 3, &snapshot);
	for (size_t len = 0; len < evidence.at[0].len; len++) {
		/* Of its own size, so that the sanitizer sees who reads behind it. */
		uint8_t *bytes = alloc_copy(evidence.at[0].bytes, len);
		struct exhibit cut = {.bytes = bytes, .len = len};
		struct complaint why = {0};

		assert_true(stacks_read(&cut, &again, &why) < 0);
		assert_non_null(why.words);
		assert_true(again.nthreads >= threads);
		assert_true(again.nthreads <= snapshot.nthreads);
		threads = again.nthreads;
		for (size_t i = 0; i + 1 < again.nthreads; i++)
			same_threads(&snapshot.threads[i], &again.threads[i]);
		memory = again.memory ? excerpt_size(again.memory) : 0;
		snapshot_release(&again);
		complaint_release(&why);
		free(bytes);
	}
	assert_int_equal(threads, snapshot.nthreads);
	assert_int_equal(memory, 0); /* its only run is cut */
	snapshot_release(&snapshot);
	evidence_release(&evidence);
}

static void of_a_cut_memory_the_whole_runs_are_kept(void **state)
{
	struct evidence evidence = {0};
	struct snapshot snapshot, again;
	struct exhibit cut;

	(void)state;
	fill(&snapshot);
	excerpt_put(snapshot.memory, 0x7f0000010000, maps_text, 64);
	stacks_add(&evidence, "host", 3, &snapshot);
	cut = evidence.at[0];
	cut.len -= 10;
	assert_true(stacks_read(&cut, &again, NULL) < 0);
	assert_non_null(again.memory);
	assert_int_equal(excerpt_size(again.memory), 300);
	snapshot_release(&again);
	snapshot_release(&snapshot);
	evidence_release(&evidence);
}

static void flipped_anywhere_it_is_read_safely(void **state)
{
	struct evidence evidence = {0};
	struct snapshot snapshot, again;

	(void)state;
	fill(&snapshot);
	stacks_add(&evidence, "host", 3, &snapshot);
	for (size_t at = 0; at < evidence.at[0].len; at++) {
		for (unsigned value = 0; value < 256; value += 5) {
			uint8_t was = evidence.at[0].bytes[at];

			evidence.at[0].bytes[at] = (uint8_t)value;
			(void)stacks_read(&evidence.at[0], &again, NULL);
			for (size_t i = 0; i < again.nthreads; i++)
				assert_true(again.threads[i].how <= SNAPSHOT_FAILED &&
					    again.threads[i].comm[15] == '\0' &&
					    again.threads[i].regs.known >> UNWIND_REGS == 0);
			assert_true(again.mode <= SNAPSHOT_OF_CORE);
			snapshot_release(&again);
			evidence.at[0].bytes[at] = was;
		}
	}
	snapshot_release(&snapshot);
	evidence_release(&evidence);
}

/* A map of the schema and one more pair, whose bytes are given. */
static int read_forged(const void *pair, size_t len, struct snapshot *ret)
{
	static const char head[] = "\x82\xa6schema\xb0inquest-stacks/1";
	uint8_t bytes[256];
	struct exhibit exhibit = {.bytes = bytes, .len = sizeof(head) - 1 + len};

	memcpy(bytes, head, sizeof(head) - 1);
	memcpy(bytes + sizeof(head) - 1, pair, len);
	return stacks_read(&exhibit, ret, NULL);
}

#define FORGED(pair, ret) read_forged(pair, sizeof(pair) - 1, ret)

static void keys_of_later_versions_are_passed_over(void **state)
{
	struct snapshot again;

	(void)state;
	assert_int_equal(FORGED("\xa5later\x93\x81\x01\x92\x02\x03\xcb" "12345678" "\xc7\x01\x05x",
				 &again), 0);
	snapshot_release(&again);
	/* In a thread, too: {"new": [1, {}], "tid": 5, 7: 8} */
	assert_int_equal(
		FORGED("\xa7threads\x91\x83\xa3new\x92\x01\x80\xa3tid\x05\x07\x08", &again), 0);
	assert_int_equal(again.nthreads, 1);
	assert_int_equal(again.threads[0].tid, 5);
	snapshot_release(&again);
}

static void numbers_that_cannot_be_are_not_believed(void **state)
{
	struct snapshot again;

	(void)state;
	/* Four billion threads, arrays in arrays without end, a text longer than the exhibit. */
	assert_true(FORGED("\xa7threads\xdd\xff\xff\xff\xff\x80", &again) < 0);
	assert_int_equal(again.nthreads, 1);
	snapshot_release(&again);
	assert_true(FORGED("\xa5other\xdf\xff\xff\xff\xff\xdf\xff\xff\xff\xff", &again) < 0);
	snapshot_release(&again);
	assert_true(FORGED("\xa3""exe\xdb\xff\xff\xff\xf0/bin", &again) < 0);
	snapshot_release(&again);
	/* Numbers of the wrong sign and size, and registers that there are not. */
	assert_int_equal(FORGED("\xa3pid\xff", &again), 0);
	assert_int_equal(again.pid, 0);
	snapshot_release(&again);
	assert_int_equal(FORGED("\xa3pid\xcf\0\0\0\1\0\0\0\0", &again), 0);
	assert_int_equal(again.pid, 0);
	snapshot_release(&again);
	assert_int_equal(FORGED("\xa7threads\x91\x81\xa4regs\x92\xce\x80\0\0\0\x05", &again), 0);
	assert_int_equal(again.threads[0].regs.known, 0);
	snapshot_release(&again);
	assert_int_equal(FORGED("\xa7threads\x91\x81\xa4regs\x91\x03", &again), 0);
	assert_int_equal(again.threads[0].regs.known, 0);
	snapshot_release(&again);
	assert_true(FORGED("\xa6memory\xc4\x03" "abc", &again) < 0);
	assert_null(again.memory);
	snapshot_release(&again);
}

static void ten_thousand_nested_arrays_do_not_overflow(void **state)
{
	size_t len = 10000;
	uint8_t *bytes = alloc_zeroed(1, len);
	struct unpack unpack = unpack_of(bytes, len);
	struct unpack_item item;

	(void)state;
	memset(bytes, 0x91, len - 1);
	assert_true(unpack_next(&unpack, &item));
	assert_true(unpack_skip(&unpack, &item));
	assert_ptr_equal(unpack.at, unpack.end);
	free(bytes);
}

/* --- Modules ---------------------------------------------------------------------------------- */

static void add_symbols(struct module *module, uint64_t at, const char *function)
{
	const struct module_symbol symbols[] = {
		{.at = at, .start = at - 1, .function = function, .file = "a.c", .line = 7},
		{.at = 0x9000, .function = "", .file = ""},
	};

	module_set_symbols(module, symbols, 2);
}

/* This program as it is mapped, by its own image. */
static struct module *own_module(struct images *images, struct stack_maps *maps)
{
	struct livemem *memory = livemem_new((uint32_t)getpid());
	const struct stack_map *map;
	struct str text = {0};

	assert_int_equal(proc_read((uint32_t)getpid(), "maps", &text, NULL), 0);
	stack_maps_parse(maps, str_text(&text), text.len);
	images_open(images, (uint32_t)getpid(), maps, livemem_memory(memory), NULL);
	map = stack_maps_find(maps, (uint64_t)(uintptr_t)own_module);
	assert_non_null(map);
	livemem_free(memory);
	str_release(&text);
	return modules_find(images_modules(images), map);
}

static void modules_of_two_helpers_become_one(void **state)
{
	struct images *images = images_new();
	struct stack_maps maps = {0};
	struct module *module = own_module(images, &maps), *again;
	struct modules *modules = modules_new();
	struct evidence evidence = {0};
	struct excerpt *image;
	struct exhibit *exhibit;

	(void)state;
	assert_non_null(module);
	stacks_add_module(&evidence, "host", module, images_excerpt(images, module));
	exhibit = &evidence.at[0];
	add_symbols(module, 0x2000, "second");
	stacks_add_module(&evidence, "host", module, NULL);
	add_symbols(module, 0x1000, "first");
	stacks_add_module(&evidence, "host", module, images_excerpt(images, module));
	exhibit = &evidence.at[0];
	assert_int_equal(stacks_merge_module(exhibit, &evidence.at[1]), 0);
	assert_int_equal(stacks_merge_module(exhibit, &evidence.at[2]), 0);
	assert_int_equal(stacks_read_module(exhibit, modules, &image, NULL), 0);
	again = modules_at(modules, 0);
	assert_int_equal(again->dev, module->dev);
	assert_int_equal(again->ino, module->ino);
	assert_string_equal(again->path, module->path);
	assert_int_equal(again->build_id_len, module->build_id_len);
	assert_memory_equal(again->build_id, module->build_id, module->build_id_len);
	assert_int_equal(again->nloads, module->nloads);
	assert_int_equal(excerpt_size(image), excerpt_size(images_excerpt(images, module)));
	assert_int_equal(again->nsymbols, 3);
	assert_string_equal(module_symbol_at(again, 0x1000)->function, "first");
	assert_string_equal(module_symbol_at(again, 0x2000)->function, "second");
	assert_string_equal(module_symbol_at(again, 0x2000)->file, "a.c");
	assert_int_equal(module_symbol_at(again, 0x2000)->line, 7);
	modules_free(modules);
	excerpt_free(image);
	stack_maps_release(&maps);
	evidence_release(&evidence);
	images_free(images);
}

static void of_a_damaged_module_nothing_is_believed(void **state)
{
	struct images *images = images_new();
	struct stack_maps maps = {0};
	struct module *module = own_module(images, &maps);
	struct evidence evidence = {0};

	(void)state;
	add_symbols(module, 0x1000, "first");
	stacks_add_module(&evidence, "host", module, images_excerpt(images, module));
	for (size_t len = 0; len < evidence.at[0].len; len += 3) {
		uint8_t *bytes = alloc_copy(evidence.at[0].bytes, len);
		struct exhibit cut = {.bytes = bytes, .len = len};
		struct modules *modules = modules_new();
		struct excerpt *image;

		assert_true(stacks_read_module(&cut, modules, &image, NULL) < 0);
		assert_null(image);
		assert_true(stacks_merge_module(&cut, &evidence.at[0]) < 0);
		modules_free(modules);
		free(bytes);
	}
	for (size_t at = 0; at < evidence.at[0].len; at++) {
		struct modules *modules = modules_new();
		struct excerpt *image;

		evidence.at[0].bytes[at] ^= 0x81;
		(void)stacks_read_module(&evidence.at[0], modules, &image, NULL);
		evidence.at[0].bytes[at] ^= 0x81;
		modules_free(modules);
		excerpt_free(image);
	}
	stack_maps_release(&maps);
	evidence_release(&evidence);
	images_free(images);
}

/* --- Helpers ---------------------------------------------------------------------------------- */

static void say_two_things(int out, void *arg)
{
	helper_send(out, arg, strlen(arg), " and", 4);
	helper_send(out, "more", 4, NULL, 0);
}

static void say_one_and_die(int out, void *arg)
{
	(void)arg;
	helper_send(out, "one", 3, NULL, 0);
	raise(SIGKILL);
}

static void say_nothing(int out, void *arg)
{
	(void)out;
	(void)arg;
	for (;;)
		pause();
}

static void a_helper_reports_and_may_be_left_behind(void **state)
{
	int64_t soon = clock_monotonic_ns() + 60 * CLOCK_NS_PER_S;
	struct helper helper;
	struct str got = {0};

	(void)state;
	assert_int_equal(helper_start(&helper, say_two_things, (char *)"this"), 0);
	assert_int_equal(helper_receive(&helper, soon, &got), 1);
	assert_string_equal(str_text(&got), "this and");
	assert_int_equal(helper_receive(&helper, soon, &got), 1);
	assert_string_equal(str_text(&got), "more");
	assert_int_equal(helper_receive(&helper, soon, &got), 0);
	helper_end(&helper);
	assert_int_equal(helper_start(&helper, say_one_and_die, NULL), 0);
	assert_int_equal(helper_receive(&helper, soon, &got), 1);
	assert_int_equal(helper_receive(&helper, soon, &got), -EPIPE);
	helper_end(&helper);
	assert_int_equal(helper_start(&helper, say_nothing, NULL), 0);
	assert_int_equal(helper_receive(&helper, clock_monotonic_ns() + CLOCK_NS_PER_MS, &got),
		-ETIMEDOUT);
	helper_end(&helper);
	/* On a busy machine one that was killed may still be on its way; but none lives. */
	while (waitpid(-1, NULL, 0) > 0)
		continue;
	str_release(&got);
}

struct notes {
	unsigned exhibits, steps, lost, late, none;
};

/* Worker 0 dies in its second step and hangs in its third, once; worker 1 does all of its own. */
static void work_badly(void *arg, size_t worker, size_t step, int out)
{
	const struct notes *notes = arg;
	struct evidence found = {0};

	for (; step < 4; step++) {
		if (worker == 0 && step == 1)
			raise(SIGKILL);
		if (worker == 0 && step == 2 && !notes->late)
			say_nothing(out, NULL);
		evidence_add(&found, &(struct exhibit){.kind = EXHIBIT_STACKS, .pid = 7},
			alloc_copy("abc", 3), 3);
		evidence_add_gap(&found, NULL, 7, "some");
		parcel_send_all(out, &found);
		parcel_send_step(out, step);
	}
}

static void note_parcel(void *arg, size_t worker, size_t step, const struct parcel *parcel)
{
	struct notes *notes = arg;

	assert_true(worker < 2);
	if (parcel->what == PARCEL_EXHIBIT) {
		assert_int_equal(parcel->exhibit.kind, EXHIBIT_STACKS);
		assert_int_equal(parcel->exhibit.pid, 7);
		assert_int_equal(parcel->exhibit.len, 3);
		assert_memory_equal(parcel->exhibit.bytes, "abc", 3);
		notes->exhibits++;
	} else if (parcel->what == PARCEL_GAP) {
		assert_string_equal(parcel->exhibit.label, "some");
	} else {
		assert_int_equal(parcel->what, PARCEL_STEP);
		assert_int_equal(parcel->number, step);
		notes->steps++;
	}
}

/* The one that died is not tried again, the one that hung is. */
static bool note_lost(void *arg, size_t worker, size_t step, int error)
{
	struct notes *notes = arg;

	assert_int_equal(worker, 0);
	assert_int_equal(step, error == -ETIMEDOUT ? 2 : 1);
	notes->lost += error == -EPIPE;
	notes->late += error == -ETIMEDOUT;
	return error == -ETIMEDOUT;
}

static void note_none(void *arg, size_t worker, size_t step, int error)
{
	(void)worker;
	(void)step;
	(void)error;
	((struct notes *)arg)->none++;
}

static void workers_go_on_behind_what_they_lost(void **state)
{
	static const struct workers_task task = {work_badly, note_parcel, note_lost, note_none};
	struct notes notes = {0};
	struct workers workers = {.task = &task, .arg = &notes, .deadline_ms = 2000, .nr = 2};

	(void)state;
	workers.all[0].steps = workers.all[1].steps = 4;
	workers_run(&workers);
	assert_int_equal(notes.lost, 1);
	assert_int_equal(notes.late, 1);
	assert_int_equal(notes.steps, 3 + 4);
	assert_int_equal(notes.exhibits, 3 + 4);
	assert_int_equal(notes.none, 0);
}

/* --- Copies ----------------------------------------------------------------------------------- */

static void copies_end_where_memory_ends(void **state)
{
	char *pages = mmap(
		NULL, 4 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t at = (uint64_t)(uintptr_t)pages;
	struct livemem_piece pieces[] = {
		{.at = at + 4096 + 100, .len = 100000}, /* reaches into the hole */
		{.at = at, .len = 8192},		/* overlaps the one before */
		{.at = at + 2 * 4096, .len = 10},	/* in the hole */
		{.at = at + 3 * 4096, .len = 4096},
	};
	struct livemem *livemem = livemem_new((uint32_t)getpid());
	char bytes[8];

	(void)state;
	assert_true(pages != MAP_FAILED);
	memset(pages, 'a', 4 * 4096);
	munmap(pages + 2 * 4096, 4096);
	assert_int_equal(livemem_copy(livemem, pieces, 4), 0);
	assert_int_equal(pieces[0].got, 4096 - 100);
	assert_int_equal(pieces[1].got, 4096 + 100);
	assert_int_equal(pieces[2].got, 0);
	assert_int_equal(pieces[3].got, 4096);
	/* What was copied stays as it was; the rest is read when it is asked for. */
	memset(pages, 'b', 2 * 4096);
	assert_int_equal(stack_memory_read(livemem_memory(livemem), at + 4190, bytes, 8), 0);
	assert_memory_equal(bytes, "aaaaaaaa", 8);
	assert_true(stack_memory_read(livemem_memory(livemem), at + 8188, bytes, 8) < 0);
	livemem_forget(livemem);
	assert_int_equal(stack_memory_read(livemem_memory(livemem), at + 4190, bytes, 8), 0);
	assert_memory_equal(bytes, "bbbbbbbb", 8);
	assert_true(stack_memory_read(livemem_memory(livemem), UINT64_MAX - 3, bytes, 8) < 0);
	livemem_free(livemem);
	munmap(pages, 2 * 4096);
	munmap(pages + 3 * 4096, 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(modules_of_two_helpers_become_one),
		cmocka_unit_test(of_a_damaged_module_nothing_is_believed),
		cmocka_unit_test(a_helper_reports_and_may_be_left_behind),
		cmocka_unit_test(workers_go_on_behind_what_they_lost),
		cmocka_unit_test(copies_end_where_memory_ends),
		cmocka_unit_test(what_was_packed_is_read_again),
		cmocka_unit_test(an_empty_snapshot_is_one_too),
		cmocka_unit_test(cut_anywhere_it_gives_what_stands_before),
		cmocka_unit_test(of_a_cut_memory_the_whole_runs_are_kept),
		cmocka_unit_test(flipped_anywhere_it_is_read_safely),
		cmocka_unit_test(keys_of_later_versions_are_passed_over),
		cmocka_unit_test(numbers_that_cannot_be_are_not_believed),
		cmocka_unit_test(ten_thousand_nested_arrays_do_not_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
