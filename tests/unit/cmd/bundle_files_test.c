/* SPDX-License-Identifier: Apache-2.0 */
/* Many bundles read at once: each is what it is alone, in its place, within one bound. */
#include "cmd/bundle-files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/meter.h"
#include "base/str.h"
#include "evidence/format/bundle.h"
#include "tests/unit/unit.h"

#define FILES  60
#define FOREIGN 7 /* every seventh is no bundle */
#define MIB    ((size_t)1 << 20)

struct heap {
	char folder[40];
	char *paths[FILES];
	struct bundle_file files[FILES];
};

/* Bytes that nothing packs. */
static uint8_t *make_bytes(size_t size, uint64_t seed)
{
	uint8_t *bytes = alloc_zeroed(1, size + 1);

	for (size_t i = 0; i < size; i++) {
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		bytes[i] = (uint8_t)(seed >> 56);
	}
	return bytes;
}

/* The bundle of host i: who runs there, and so many bytes of what no version knows. */
static void write_bundle(const char *path, int i, size_t size)
{
	struct str text = {0}, host = {0};
	struct evidence evidence = {0};
	size_t len;

	str_printf(&host, "host-%d", i);
	str_printf(&text, "{\"host\": \"host-%d\", \"owner\": %d}", i, 1000 + i);
	len = text.len;
	evidence_add(&evidence,
		&(struct exhibit){.kind = EXHIBIT_GATHER, .host = host.text, .rank = -1},
		(uint8_t *)str_detach(&text), len);
	evidence_add(&evidence,
		&(struct exhibit){.kind_name = (char *)"later",
			.host = host.text,
			.rank = i,
			.pid = 7},
		make_bytes(size, (uint64_t)i), size);
	assert_int_equal(bundle_write(&evidence, path, NULL), 0);
	evidence_release(&evidence);
	str_release(&host);
}

static void make_heap(struct heap *heap, size_t size)
{
	*heap = (struct heap){.folder = "/tmp/bundle-files-XXXXXX"};
	assert_non_null(mkdtemp(heap->folder));
	for (int i = 0; i < FILES; i++) {
		struct str path = {0};
		FILE *file;

		str_printf(&path, "%s/%02d.inq", heap->folder, i);
		heap->paths[i] = str_detach(&path);
		heap->files[i].path = heap->paths[i];
		if (i % FOREIGN) {
			write_bundle(heap->paths[i], i, size);
			continue;
		}
		file = fopen(heap->paths[i], "w");
		assert_true(file && fprintf(file, "file %d is something else", i) > 0);
		assert_int_equal(fclose(file), 0);
	}
}

static void release_parts(struct heap *heap)
{
	for (int i = 0; i < FILES; i++) {
		if (heap->files[i].readable)
			bundle_part_release(&heap->files[i].part);
		complaint_release(&heap->files[i].why);
		heap->files[i] = (struct bundle_file){.path = heap->paths[i]};
	}
}

static void release_heap(struct heap *heap)
{
	release_parts(heap);
	for (int i = 0; i < FILES; i++) {
		unlink(heap->paths[i]);
		free(heap->paths[i]);
	}
	assert_int_equal(rmdir(heap->folder), 0);
}

static void each_is_what_it_is_alone(void **state)
{
	struct heap heap;

	(void)state;
	make_heap(&heap, 5000);
	for (int round = 0; round < 3; round++) {
		bundle_files_read(heap.files, FILES, NULL, NULL);
		for (int i = 0; i < FILES; i++) {
			const struct bundle_file *file = &heap.files[i];

			assert_int_equal(file->readable, i % FOREIGN != 0);
			if (!file->readable) {
				assert_non_null(strstr(complaint_text(&file->why), heap.paths[i]));
				continue;
			}
			assert_string_equal(file->part.path, heap.paths[i]);
			assert_int_equal(file->part.owner, 1000 + i);
			assert_int_equal(file->part.evidence.n, 2);
			assert_int_equal(file->part.evidence.ngaps, 0);
			assert_int_equal(file->part.evidence.at[1].rank, i);
			assert_int_equal(file->part.evidence.at[1].len, 5000);
		}
		release_parts(&heap);
	}
	release_heap(&heap);
}

/* Whoever asks, what is taken stays within the bound, and what is not is said. */
static void all_stay_within_one_bound(void **state)
{
	struct meter meter = {0};
	struct heap heap;
	size_t whole = 0, gaps = 0, wanted = 0;
	uint64_t most;

	(void)state;
	make_heap(&heap, MIB);
	most = meter_held() + FILES / 3 * MIB;
	meter.most = 2 * most;
	bundle_files_read(heap.files, FILES, &meter, NULL);
	for (int i = 0; i < FILES; i++) {
		const struct evidence *evidence = &heap.files[i].part.evidence;

		wanted += heap.files[i].readable;
		for (size_t k = 0; heap.files[i].readable && k < evidence->n; k++)
			whole += evidence->at[k].len == MIB;
		gaps += heap.files[i].readable ? evidence->ngaps : 0;
		if (heap.files[i].readable)
			assert_ptr_equal(evidence->meter, &meter);
	}
	assert_true(gaps >= wanted - whole);
	/* And the files themselves, of which each worker holds one. Sanitizers hold more. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	assert_true(whole > 0 && whole < wanted);
	assert_true(meter_held() <= most + CREW_MOST * 2 * MIB);
#endif
	release_heap(&heap);
}

/* What several could not hold at once within the bound is read one by one. */
static void large_ones_are_read_alone(void **state)
{
	struct meter meter = {.most = 2 * CREW_MOST * 4000};
	struct heap heap;

	(void)state;
	make_heap(&heap, 5000);
	bundle_files_read(heap.files, FILES, &meter, NULL);
	for (int i = 0; i < FILES; i++) {
		assert_int_equal(heap.files[i].large, i % FOREIGN != 0);
		assert_int_equal(heap.files[i].readable, i % FOREIGN != 0);
	}
	assert_int_equal(meter.taken, 0);
	release_heap(&heap);
}

static void none_are_read_at_once(void **state)
{
	(void)state;
	bundle_files_read(NULL, 0, NULL, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_what_it_is_alone),
		cmocka_unit_test(all_stay_within_one_bound),
		cmocka_unit_test(large_ones_are_read_alone),
		cmocka_unit_test(none_are_read_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
