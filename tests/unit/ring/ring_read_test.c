/* SPDX-License-Identifier: Apache-2.0 */
#include "ring/ring-read.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ring/census-read.h"
#include "ring/census-write.h"
#include "tests/ring/fixture.h"
#include "tests/unit/unit.h"

/* --- The arithmetic of loss ------------------------------------------------------------------- */

static void every_ticket_is_accounted_for(void **state)
{
	struct fixture *f = fixture_new(2, RING_RANK);
	struct ring_lane *lane = ring_lane_claim(&f->w, 1, "t");
	uint64_t n = lane->n, seen = 0;
	struct ring_lane_view lv;
	struct ring_cursor c;
	struct ring_slot s;
	struct ring_view view;

	for (uint64_t i = 0; i < 3 * n + 10; i++) {
		struct ring_record r = sealed_record(i, 1);

		assert_int_equal(ring_put(&f->w, lane, sealed_tsc(i, 1), &r), i);
	}
	lane->head += 2;                                         /* reserved, never begun */
	f->w.slots[lane->first + 12].seq = 2 * (3 * n + 12) + 1; /* torn; its ticket is beyond */
	lane->head++;
	f->w.slots[lane->first + 100].seq += 2 * n; /* lapped */
	view = fixture_view(f);
	ring_view_lane(&view, 0, &lv);
	ring_cursor_open(&c, &lv);
	while (ring_cursor_next(&c, &s)) {
		assert_true(sealed(&s));
		assert_int_equal(s.index, ring_ticket(&s));
		assert_true(!seen || s.index > seen);
		seen = s.index;
	}
	assert_int_equal(c.tally.overwritten, 2 * n + 13);
	assert_int_equal(c.tally.unbegun, 2);
	assert_int_equal(c.tally.in_flight, 1);
	assert_int_equal(c.tally.lapped, 1);
	assert_int_equal(c.tally.read, n - 4);
	fixture_free(f);
}

static void a_ring_can_be_read_at_any_alignment(void **state)
{
	struct fixture *f = fixture_new(0, RING_CANDIDATE);
	uint8_t *shifted = malloc(f->layout.size + 3);
	struct walk straight, crooked;

	fixture_furnish(f);
	memcpy(shifted + 3, f->base, f->layout.size);
	assert_int_equal(walk_ring(f->base, f->layout.size, &straight), 0);
	assert_int_equal(walk_ring(shifted + 3, f->layout.size, &crooked), 0);
	assert_memory_equal(&straight, &crooked, sizeof(straight));
	assert_int_equal(straight.unsound, 0);
	assert_true(straight.records > 200);
	assert_true(straight.strings > 2);
	free(shifted);
	fixture_free(f);
}

/* --- Damage ----------------------------------------------------------------------------------- */

/* Law 4. The buffer ends where the file was cut, so that ASan sees a byte too far. */
static void a_ring_cut_anywhere_is_read_up_to_the_cut(void **state)
{
	struct fixture *f = fixture_new(0, RING_CANDIDATE);
	uint64_t records = 0, fewest = UINT64_MAX;
	struct walk walk;

	fixture_furnish(f);
	for (size_t size = f->layout.size; size > 0; size -= size > 6000 ? 7 : 1) {
		uint8_t *cut = malloc(size);
		int error;

		memcpy(cut, f->base, size);
		error = walk_ring(cut, size, &walk);
		assert_int_equal(error, size < sizeof(struct ring_header) ? RING_E_SHORT : 0);
		assert_int_equal(walk.unsound, 0);
		assert_true(walk.records <= fewest);
		fewest = error ? fewest : walk.records;
		records = walk.records > records ? walk.records : records;
		free(cut);
	}
	assert_true(records > 200);
	assert_int_equal(fewest, 0);
	fixture_free(f);
}

static unsigned test_seed(void)
{
	const char *given = getenv("RING_SEED");
	unsigned seed = given ? (unsigned)strtoul(given, NULL, 0)
			      : (unsigned)time(NULL) ^ (unsigned)getpid();

	printf("RING_SEED=%u\n", seed);
	return seed;
}

static void flipped_bytes_never_lead_astray(void **state)
{
	struct fixture *f = fixture_new(2, RING_RANK);
	size_t size = f->layout.size;
	unsigned seed = test_seed();
	uint8_t *bytes = malloc(size);
	struct walk walk;

	fixture_furnish(f);
	for (int round = 0; round < 3000; round++) {
		/* Half of the time where it hurts: in the header and the tables behind it. */
		size_t within = round % 2 ? size : RING_HEADER_SIZE + 17 * 256 + 4096;

		memcpy(bytes, f->base, size);
		for (int flips = 1 + rand_r(&seed) % 8; flips; flips--)
			bytes[(size_t)rand_r(&seed) % within] ^= (uint8_t)(1 << rand_r(&seed) % 8);
		if (!walk_ring(bytes, size, &walk))
			assert_int_equal(walk.unsound, 0);
	}
	free(bytes);
	fixture_free(f);
}

static void foreign_and_future_files_are_refused(void **state)
{
	struct fixture *f = fixture_new(0, RING_CANDIDATE);
	struct ring_header *h = f->w.header;
	struct ring_view view;
	size_t size = f->layout.size;

	assert_int_equal(ring_view_open(&view, "\177ELF\2\1\1\0", 8), RING_E_FOREIGN);
	assert_int_equal(ring_view_open(&view, "", 0), RING_E_SHORT);
	assert_int_equal(ring_view_open(&view, f->base, size), 0);
	h->version_minor = 9;
	assert_int_equal(ring_view_open(&view, f->base, size), 0);
	h->incompat_flags = 4;
	assert_int_equal(ring_view_open(&view, f->base, size), RING_E_FLAGS);
	h->version_major = 2;
	assert_int_equal(ring_view_open(&view, f->base, size), RING_E_VERSION);
	h->magic = 0;
	assert_int_equal(ring_view_open(&view, f->base, size), RING_E_UNFINISHED);
	h->magic = RING_MAGIC;
	h->version_major = 1, h->incompat_flags = 0, h->header_size = 10;
	assert_int_equal(ring_view_open(&view, f->base, size), RING_E_HEADER);
	for (int e = RING_E_HEADER; e < 0; e++)
		assert_string_not_equal(ring_strerror(e), "unknown error");
	fixture_free(f);
}

static void a_newer_writer_may_append(void **state)
{
	struct fixture *f = fixture_new(0, RING_CANDIDATE);
	struct ring_section *s = f->w.header->section;
	struct ring_view view;
	int last = 0;

	while (s[last].id)
		last++;
	s[last] = (struct ring_section){1000, 8, RING_HEADER_SIZE, 4};
	s[last + 1] = (struct ring_section){RING_S_LANES, 256, RING_HEADER_SIZE, 4};
	view = fixture_view(f);
	assert_int_equal(view.unknown_sections, 1);
	assert_int_equal(view.bad_sections, 1);
	assert_int_equal(ring_view_count(&view, RING_S_LANES), f->layout.lanes + 1);
	fixture_free(f);
}

/* A forger's header: sections beyond the file, lanes that all claim the same giant slots. */
static void forged_tables_cost_neither_memory_nor_time(void **state)
{
	struct fixture *f = fixture_new(2, RING_RANK);
	struct ring_header *h = f->w.header;
	struct walk walk;

	fixture_furnish(f);
	h->file_size = UINT64_MAX;
	for (int i = 0; i < RING_SECTIONS && h->section[i].id; i++)
		h->section[i].count = (UINT64_MAX >> 10) / h->section[i].elem_size;
	for (uint32_t i = 0; i <= f->layout.lanes; i++) {
		f->w.lanes[i].first = 0;
		f->w.lanes[i].n = 1ull << 40;
		f->w.lanes[i].head = UINT64_MAX - i;
	}
	for (int c = 0; c < RING_PINS; c++) {
		f->w.pinned[c].start = (uint64_t)c;
		f->w.pinned[c].first = f->w.pinned[c].latest = UINT32_MAX;
		f->w.pinned[c].next = UINT64_MAX - 7;
	}
	f->w.text->size = f->w.text->head = UINT64_MAX / 2;
	assert_int_equal(walk_ring(f->base, f->layout.size, &walk), 0);
	assert_int_equal(walk.unsound, 0);
	h->section[0].offset = UINT64_MAX - 63;
	h->section[1].offset = 8;
	h->section[2].elem_size = 0;
	assert_int_equal(walk_ring(f->base, f->layout.size, &walk), 0);
	fixture_free(f);
}

/* --- The census ------------------------------------------------------------------------------- */

static const struct census_who me = {.pid = 10, .ppid = 1, .start_time = 777, .pid_ns = 4};

static void a_process_takes_over_its_slot_after_exec(void **state)
{
	uint8_t *base = calloc(1, CENSUS_SIZE);
	struct census_who other = me;
	struct census_view view;
	struct census_slot got;

	census_format(base);
	assert_int_equal(census_view_open(&view, base, CENSUS_SIZE), CENSUS_E_UNFINISHED);
	census_open(base);
	other.start_time++; /* the same pid, used again */
	assert_int_equal(census_claim(base, &other), 0);
	census_publish(base, 0, CENSUS_CANDIDATE);
	assert_int_equal(census_claim(base, &me), 1);
	assert_int_equal(census_view_open(&view, base, CENSUS_SIZE), 0);
	assert_int_equal(view.slots, 2);
	assert_int_equal(census_view_slot(&view, 1, &got), -1);
	census_publish(base, 1, CENSUS_RANK);
	assert_int_equal(census_claim(base, &me), 1);
	census_publish(base, 1, CENSUS_CANDIDATE);
	assert_int_equal(census_view_slot(&view, 1, &got), 1);
	assert_int_equal(got.flags & CENSUS_FLAGS, CENSUS_F_EXECED | CENSUS_F_WAS_RANK);
	free(base);
}

static void goodbyes_of_ranks_and_failures_stay(void **state)
{
	uint8_t *base = calloc(1, CENSUS_SIZE);
	struct census_who who = me;
	struct census_view view;
	struct census_slot got;

	census_format(base);
	census_open(base);
	for (int i = 0; i < 3; i++) {
		who.pid = (uint32_t)(100 + i);
		assert_int_equal(census_claim(base, &who), i);
		census_publish(base, i, i ? CENSUS_CANDIDATE : CENSUS_RANK);
		census_exit(base, i, i == 1 ? 3 : 0, 5000, 6000);
	}
	assert_int_equal(census_view_open(&view, base, CENSUS_SIZE), 0);
	assert_int_equal(census_view_slot(&view, 0, &got), 1);
	assert_int_equal(got.state, CENSUS_EXITED);
	assert_int_equal(got.flags & CENSUS_FLAGS, CENSUS_F_WAS_RANK);
	assert_int_equal(census_view_slot(&view, 1, &got), 1);
	assert_int_equal(got.exit_status, 3);
	assert_int_equal(census_view_slot(&view, 2, &got), 0);
	assert_int_equal(census_claim(base, &me), 2);
	free(base);
}

/* Exits before it is a rank, then a helper of its; somebody of no rank; a task's process. */
static void the_only_word_of_a_rank_stays(void **state)
{
	static const struct {
		int32_t rank;
		uint32_t flags;
		int stays;
	} cases[] = {{1, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {2, CENSUS_F_TASK, 0}, {2, CENSUS_F_TOOL, 0},
		{2, CENSUS_F_ALONE, 1}};
	uint8_t *base = calloc(1, CENSUS_SIZE);
	struct census_who who = me;

	census_format(base);
	census_open(base);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int slot;

		who.pid = (uint32_t)(100 + i);
		slot = census_claim(base, &who);
		census_slot_at(base, slot)->rank = cases[i].rank;
		census_flag(base, slot, cases[i].flags);
		census_publish(base, slot, CENSUS_CANDIDATE);
		census_exit(base, slot, 0, 5000, 6000);
		assert_int_equal(census_slot_at(base, slot)->state,
			cases[i].stays ? CENSUS_EXITED : CENSUS_FREE);
	}
	free(base);
	(void)state;
}

/* The process of a slot says goodbye, and leaves it; stopped at its begin and its end. */
static void leave(void *base)
{
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(77);
	raise(SIGSTOP);
	census_exit(base, 0, 0, 5000, 6000);
	raise(SIGSTOP);
	_exit(0);
}

/* Killed between any two instructions, it leaves a process, nothing, or what is being changed. */
static void who_is_killed_while_it_leaves_is_no_other(void **state)
{
	uint8_t *base = mmap(NULL, CENSUS_SIZE, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	size_t steps = 0, claiming = 0;
	struct census_view view;
	struct census_slot got;
	pid_t child;
	int status;

	assert_true(base != MAP_FAILED);
	census_format(base);
	census_open(base);
	assert_int_equal(census_claim(base, &me), 0);
	census_slot_at(base, 0)->rank = -1;
	census_publish(base, 0, CENSUS_CANDIDATE);
	child = fork();
	if (!child)
		leave(base);
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFEXITED(status)) {
		print_message("skipped: nobody may be traced here\n");
		skip();
	}
	assert_true(WIFSTOPPED(status));
	while (census_slot_at(base, 0)->state != CENSUS_FREE && steps++ < 1000000) {
		assert_int_equal(ptrace(PTRACE_SINGLESTEP, child, NULL, NULL), 0);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSTOPPED(status));
		assert_int_equal(census_view_open(&view, base, CENSUS_SIZE), 0);
		if (census_view_slot(&view, 0, &got) == 1)
			assert_int_equal(got.pid, me.pid);
		claiming += got.state == CENSUS_CLAIMING;
	}
	assert_int_equal(census_slot_at(base, 0)->state, CENSUS_FREE);
	assert_true(claiming > 10);
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	munmap(base, CENSUS_SIZE);
	(void)state;
}

static void a_full_census_counts_the_rest(void **state)
{
	uint8_t *base = calloc(1, CENSUS_SIZE);
	struct census_who who = me;
	struct census_view view;
	struct census_slot got;

	census_format(base);
	census_open(base);
	for (uint32_t i = 0; i < CENSUS_SLOTS; i++) {
		who.pid = 1000 + i;
		assert_int_equal(census_claim(base, &who), i);
	}
	who.pid = 1;
	assert_int_equal(census_claim(base, &who), -1);
	for (size_t size = 0; size <= CENSUS_SIZE; size += 101) {
		uint8_t *cut = malloc(size ? size : 1);
		int error;

		memcpy(cut, base, size);
		error = census_view_open(&view, cut, size);
		assert_int_equal(error, size < 256 ? CENSUS_E_SHORT : 0);
		for (uint32_t i = 0; !error && i < view.slots; i++)
			census_view_slot(&view, i, &got);
		if (!error)
			assert_int_equal(view.slots + view.cut, CENSUS_SLOTS);
		free(cut);
	}
	assert_int_equal(((struct census_header *)(void *)base)->lost, 1);
	free(base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_ticket_is_accounted_for),
		cmocka_unit_test(a_ring_can_be_read_at_any_alignment),
		cmocka_unit_test(a_ring_cut_anywhere_is_read_up_to_the_cut),
		cmocka_unit_test(flipped_bytes_never_lead_astray),
		cmocka_unit_test(foreign_and_future_files_are_refused),
		cmocka_unit_test(a_newer_writer_may_append),
		cmocka_unit_test(forged_tables_cost_neither_memory_nor_time),
		cmocka_unit_test(a_process_takes_over_its_slot_after_exec),
		cmocka_unit_test(goodbyes_of_ranks_and_failures_stay),
		cmocka_unit_test(the_only_word_of_a_rank_stays),
		cmocka_unit_test(who_is_killed_while_it_leaves_is_no_other),
		cmocka_unit_test(a_full_census_counts_the_rest),
	};

	return cmocka_run_group_tests_name("ring_read", tests, NULL, NULL);
}
