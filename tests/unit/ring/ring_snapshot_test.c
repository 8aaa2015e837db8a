/* SPDX-License-Identifier: Apache-2.0 */
#include "ring/ring-snapshot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ring/census-read.h"
#include "ring/census-write.h"
#include "tests/ring/fixture.h"
#include "tests/unit/made_file.h"
#include "tests/unit/unit.h"

static void a_quiet_ring_is_copied_as_it_is(void **state)
{
	for (uint32_t profile = 0; profile < RING_PROFILES; profile++) {
		struct fixture *f = fixture_new(profile, RING_RANK);
		struct walk before, after;
		void *bytes;
		size_t size;
		int fd;

		fixture_furnish(f);
		fd = made_file(f->base, f->layout.size);
		assert_int_equal(ring_snapshot(fd, &bytes, &size), 0);
		assert_int_equal(size, f->layout.size);
		assert_memory_equal(bytes, f->base, size);
		assert_int_equal(walk_ring(f->base, size, &before), 0);
		assert_int_equal(walk_ring(bytes, size, &after), 0);
		assert_memory_equal(&before, &after, sizeof(before));
		free(bytes);
		close(fd);
		fixture_free(f);
	}
}

static void what_is_no_ring_is_copied_all_the_same(void **state)
{
	static const char text[] = "#!/bin/sh\nexit 0\n";
	int fd = made_file(text, sizeof(text)), empty = made_file("", 0), pipes[2];
	void *bytes;
	size_t size;

	assert_int_equal(ring_snapshot(fd, &bytes, &size), 0);
	assert_int_equal(size, sizeof(text));
	assert_string_equal(bytes, text);
	free(bytes);
	assert_int_equal(ring_snapshot(empty, &bytes, &size), 0);
	assert_int_equal(size, 0);
	free(bytes);
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(ring_snapshot(pipes[0], &bytes, &size), -EINVAL);
	assert_int_equal(ring_snapshot(-1, &bytes, &size), -EBADF);
	close(pipes[0]);
	close(pipes[1]);
	close(empty);
	close(fd);
}

static void a_cut_ring_gives_what_there_is(void **state)
{
	struct fixture *f = fixture_new(2, RING_RANK);
	struct walk walk;
	int fd;

	fixture_furnish(f);
	fd = made_file(f->base, f->layout.size);
	for (size_t cut = f->layout.size; cut > 5000; cut -= 4999) {
		void *bytes;
		size_t size;

		assert_int_equal(ftruncate(fd, (off_t)cut), 0);
		assert_int_equal(ring_snapshot(fd, &bytes, &size), 0);
		assert_int_equal(size, cut);
		assert_int_equal(walk_ring(bytes, size, &walk), 0);
		assert_int_equal(walk.unsound, 0);
		free(bytes);
	}
	close(fd);
	fixture_free(f);
}

/* Section tables that overlap and repeat must not make the copy long or large. */
static void a_forged_ring_is_copied_in_bounded_time(void **state)
{
	struct fixture *f = fixture_new(2, RING_RANK);
	struct ring_header *h = f->w.header;
	struct walk walk;
	void *bytes;
	size_t size;
	int fd;

	h->file_size = UINT64_MAX;
	for (int i = 0; i < RING_SECTIONS && h->section[i].id; i++) {
		h->section[i].count = (UINT64_MAX >> 10) / h->section[i].elem_size;
		h->section[i].offset = RING_HEADER_SIZE + (uint64_t)i * 8;
	}
	memset((uint8_t *)f->base + RING_HEADER_SIZE, 0x41, f->layout.size - RING_HEADER_SIZE);
	fd = made_file(f->base, f->layout.size);
	assert_int_equal(ring_snapshot(fd, &bytes, &size), 0);
	assert_int_equal(size, f->layout.size);
	walk_ring(bytes, size, &walk);
	assert_int_equal(walk.unsound, 0);
	free(bytes);
	close(fd);
	fixture_free(f);
}

static void a_census_is_copied(void **state)
{
	uint8_t *base = calloc(1, CENSUS_SIZE);
	const struct census_who me = {.pid = 10, .start_time = 777};
	struct census_view view;
	struct census_slot got;
	void *bytes;
	size_t size;
	int fd;

	census_format(base);
	census_open(base);
	census_publish(base, census_claim(base, &me), CENSUS_CANDIDATE);
	fd = made_file(base, CENSUS_SIZE);
	assert_int_equal(census_snapshot(fd, &bytes, &size), 0);
	assert_int_equal(census_view_open(&view, bytes, size), 0);
	assert_int_equal(census_view_slot(&view, 0, &got), 1);
	assert_int_equal(got.pid, 10);
	free(bytes);
	free(base);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_quiet_ring_is_copied_as_it_is),
		cmocka_unit_test(what_is_no_ring_is_copied_all_the_same),
		cmocka_unit_test(a_cut_ring_gives_what_there_is),
		cmocka_unit_test(a_forged_ring_is_copied_in_bounded_time),
		cmocka_unit_test(a_census_is_copied),
	};

	return cmocka_run_group_tests_name("ring_snapshot", tests, NULL, NULL);
}
