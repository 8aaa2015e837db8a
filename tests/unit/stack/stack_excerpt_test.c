/* SPDX-License-Identifier: Apache-2.0 */
/* Excerpts: what a walk has read can be read again from a packed copy, and nothing else. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "stack/excerpt.h"

/* A memory of 256 bytes at BASE that counts how often it is asked. */
#define BASE 0x7f0000000010ull
struct fake {
	struct stack_memory memory;
	unsigned asked;
	uint8_t bytes[256];
};

static int fake_read(struct stack_memory *memory, uint64_t at, void *to, size_t len)
{
	struct fake *fake = (struct fake *)memory;

	fake->asked++;
	if (at < BASE || at - BASE > sizeof(fake->bytes) || len > sizeof(fake->bytes) - (at - BASE))
		return -EFAULT;
	memcpy(to, fake->bytes + (at - BASE), len);
	return 0;
}

static struct fake fake_new(void)
{
	struct fake fake = {.memory.read = fake_read};

	for (size_t i = 0; i < sizeof(fake.bytes); i++)
		fake.bytes[i] = (uint8_t)(i * 7);
	return fake;
}

static void what_was_read_can_be_read_again_after_packing(void **state)
{
	struct fake fake = fake_new();
	struct excerpt *excerpt = excerpt_new(&fake.memory), *again;
	uint64_t word = 0, same = 0;
	struct str bytes = {0};

	(void)state;
	assert_int_equal(stack_memory_u64(excerpt_memory(excerpt), BASE + 60, &word), 0);
	excerpt_pack(excerpt, &bytes);
	again = excerpt_unpack(bytes.text, bytes.len, NULL);
	assert_non_null(again);
	assert_int_equal(stack_memory_u64(excerpt_memory(again), BASE + 60, &same), 0);
	assert_int_equal(word, same);
	assert_memory_equal(&word, fake.bytes + 60, sizeof(word));
	assert_int_equal(stack_memory_u64(excerpt_memory(again), BASE + 200, &same), -EFAULT);
	assert_int_equal(excerpt_size(excerpt), excerpt_size(again));
	excerpt_free(excerpt);
	excerpt_free(again);
	str_release(&bytes);
}

static void a_line_is_read_once_and_never_changes(void **state)
{
	struct fake fake = fake_new();
	struct excerpt *excerpt = excerpt_new(&fake.memory);
	uint32_t first = 0, later = 0;
	unsigned asked;

	(void)state;
	assert_int_equal(stack_memory_u32(excerpt_memory(excerpt), BASE + 64, &first), 0);
	asked = fake.asked;
	memset(fake.bytes, 0xee, sizeof(fake.bytes));
	assert_int_equal(stack_memory_u32(excerpt_memory(excerpt), BASE + 64, &later), 0);
	assert_int_equal(fake.asked, asked);
	assert_int_equal(first, later);
	excerpt_free(excerpt);
}

static void the_ragged_ends_of_a_memory_can_be_read(void **state)
{
	struct fake fake = fake_new();
	struct excerpt *excerpt = excerpt_new(&fake.memory);
	uint8_t bytes[256], one;

	(void)state;
	assert_int_equal(stack_memory_read(excerpt_memory(excerpt), BASE, bytes, 256), 0);
	assert_memory_equal(bytes, fake.bytes, 256);
	assert_int_equal(stack_memory_read(excerpt_memory(excerpt), BASE + 256, &one, 1), -EFAULT);
	assert_int_equal(
		stack_memory_read(excerpt_memory(excerpt), UINT64_MAX - 2, bytes, 8), -EFAULT);
	excerpt_free(excerpt);
}

static void bytes_put_in_stay_what_they_are(void **state)
{
	struct fake fake = fake_new();
	struct excerpt *excerpt = excerpt_new(&fake.memory);
	uint8_t mine[100], got[100];

	(void)state;
	memset(mine, 0x55, sizeof(mine));
	assert_int_equal(excerpt_put(excerpt, BASE + 30, mine, sizeof(mine)), 0);
	assert_int_equal(stack_memory_read(excerpt_memory(excerpt), BASE + 30, got, 100), 0);
	assert_memory_equal(got, mine, sizeof(mine));
	assert_int_equal(stack_memory_read(excerpt_memory(excerpt), BASE + 130, got, 1), 0);
	assert_int_equal(got[0], fake.bytes[130]);
	excerpt_free(excerpt);
}

static void damaged_bytes_are_no_excerpt(void **state)
{
	struct excerpt *excerpt = excerpt_new(NULL);
	struct str bytes = {0};
	struct complaint why = {0};
	uint64_t huge = UINT64_MAX;

	(void)state;
	assert_int_equal(excerpt_put(excerpt, BASE, "0123456789", 10), 0);
	excerpt_pack(excerpt, &bytes);
	for (size_t cut = 1; cut < bytes.len; cut++)
		assert_null(excerpt_unpack(bytes.text, cut, &why));
	memcpy(bytes.text + 8, &huge, sizeof(huge));
	assert_null(excerpt_unpack(bytes.text, bytes.len, &why));
	assert_non_null(strstr(complaint_text(&why), "excerpt"));
	complaint_release(&why);
	excerpt_free(excerpt);
	str_release(&bytes);
}

static void packing_does_not_depend_on_the_order_of_reading(void **state)
{
	struct fake fake = fake_new();
	struct excerpt *ea = excerpt_new(&fake.memory), *eb = excerpt_new(&fake.memory);
	struct stack_memory *a = excerpt_memory(ea), *b = excerpt_memory(eb);
	struct str first = {0}, second = {0};
	uint8_t byte;

	(void)state;
	for (int i = 0; i < 256; i += 5) {
		assert_int_equal(stack_memory_read(a, BASE + (unsigned)i, &byte, 1), 0);
		assert_int_equal(stack_memory_read(b, BASE + 255 - (unsigned)i, &byte, 1), 0);
	}
	excerpt_pack(ea, &first);
	excerpt_pack(eb, &second);
	assert_int_equal(first.len, second.len);
	assert_memory_equal(first.text, second.text, first.len);
	excerpt_free(ea);
	excerpt_free(eb);
	str_release(&first);
	str_release(&second);
}

/* The head of a run is 16 bytes. */
static void adjacent_bytes_are_one_run_and_gaps_begin_another(void **state)
{
	struct excerpt *excerpt = excerpt_new(NULL);
	struct str bytes = {0};
	uint8_t mine[300];
	uint64_t at, len;

	(void)state;
	memset(mine, 0x77, sizeof(mine));
	assert_int_equal(excerpt_put(excerpt, 0x1000 + 50, mine, 300), 0); /* over six lines */
	excerpt_pack(excerpt, &bytes);
	assert_int_equal(bytes.len, 16 + 300);
	assert_int_equal(excerpt_put(excerpt, 0x1000, mine, 3), 0); /* in the first line */
	assert_int_equal(excerpt_put(excerpt, 0x1000 + 5, mine, 1), 0);
	assert_int_equal(excerpt_put(excerpt, 0x1000 + 350, mine, 2), 0); /* goes on with it */
	assert_int_equal(excerpt_put(excerpt, 0x800, mine, 64), 0);	  /* a line before all */
	str_cut(&bytes, 0);
	excerpt_pack(excerpt, &bytes);
	assert_int_equal(bytes.len, 4 * 16 + 64 + 3 + 1 + 302);
	memcpy(&at, bytes.text, sizeof(at));
	memcpy(&len, bytes.text + 8, sizeof(len));
	assert_int_equal(at, 0x800);
	assert_int_equal(len, 64);
	assert_int_equal(excerpt_size(excerpt), 64 + 3 + 1 + 302);
	excerpt_free(excerpt);
	str_release(&bytes);
}

static void a_closed_one_reads_no_more(void **state)
{
	struct fake fake = fake_new();
	struct excerpt *excerpt = excerpt_new(&fake.memory);
	uint64_t word;

	(void)state;
	assert_int_equal(stack_memory_u64(excerpt_memory(excerpt), BASE + 48, &word), 0);
	excerpt_close(excerpt);
	assert_int_equal(stack_memory_u64(excerpt_memory(excerpt), BASE + 48, &word), 0);
	assert_int_equal(stack_memory_u64(excerpt_memory(excerpt), BASE + 200, &word), -EFAULT);
	excerpt_free(excerpt);
}

/* True if the packed excerpt has this byte. */
static bool packs(const struct excerpt *excerpt, uint64_t at)
{
	struct str bytes = {0};
	struct excerpt *again;
	uint8_t byte;
	bool has;

	excerpt_pack(excerpt, &bytes);
	again = excerpt_unpack(bytes.text, bytes.len, NULL);
	has = stack_memory_read(excerpt_memory(again), at, &byte, 1) == 0;
	excerpt_free(again);
	str_release(&bytes);
	return has;
}

static void a_reticent_one_packs_what_was_read_and_no_neighbour(void **state)
{
	static const uint8_t put[128] = {1};
	struct fake fake = fake_new();
	struct excerpt *excerpt = excerpt_new(&fake.memory);
	uint64_t word;

	(void)state;
	excerpt_be_reticent(excerpt);
	assert_int_equal(stack_memory_u64(excerpt_memory(excerpt), BASE + 48, &word), 0);
	assert_int_equal(
		stack_memory_glance(excerpt_memory(excerpt), BASE + 64, &word, sizeof(word)), 0);
	assert_int_equal(excerpt_put(excerpt, 2 * BASE, put, sizeof(put)), 0);
	assert_false(packs(excerpt, BASE + 47));
	assert_true(packs(excerpt, BASE + 48));
	assert_true(packs(excerpt, BASE + 55));
	assert_false(packs(excerpt, BASE + 56));
	assert_false(packs(excerpt, BASE + 64));
	assert_false(packs(excerpt, 2 * BASE));
	excerpt_free(excerpt);
}

static void what_is_barred_is_neither_read_nor_packed(void **state)
{
	static const uint8_t put[192] = {1};
	struct excerpt *excerpt = excerpt_new(NULL);
	uint8_t bytes[64];

	(void)state;
	assert_int_equal(excerpt_put(excerpt, BASE, put, sizeof(put)), 0);
	excerpt_bar(excerpt, BASE + 70, BASE + 130);
	assert_int_equal(stack_memory_read(excerpt_memory(excerpt), BASE, bytes, 64), 0);
	assert_int_equal(stack_memory_read(excerpt_memory(excerpt), BASE + 7, bytes, 64), -EFAULT);
	assert_int_equal(stack_memory_read(excerpt_memory(excerpt), BASE + 130, bytes, 62), 0);
	assert_true(packs(excerpt, BASE + 69));
	assert_false(packs(excerpt, BASE + 70));
	assert_false(packs(excerpt, BASE + 129));
	assert_true(packs(excerpt, BASE + 130));
	for (uint64_t i = 0; i < 2 * EXCERPT_BARS; i++)
		excerpt_bar(excerpt, BASE + i, BASE + i + 1);
	for (uint64_t i = 0; i < 2 * EXCERPT_BARS; i++)
		assert_false(packs(excerpt, BASE + i));
	excerpt_free(excerpt);
}

static void one_that_forgets_reads_anew(void **state)
{
	struct fake fake = fake_new();
	struct excerpt *excerpt = excerpt_new(&fake.memory);
	uint64_t before, after;

	(void)state;
	assert_int_equal(stack_memory_u64(excerpt_memory(excerpt), BASE + 48, &before), 0);
	fake.bytes[48]++;
	assert_int_equal(stack_memory_u64(excerpt_memory(excerpt), BASE + 48, &after), 0);
	assert_int_equal(after, before);
	excerpt_forget(excerpt);
	assert_int_equal(excerpt_size(excerpt), 0);
	assert_int_equal(stack_memory_u64(excerpt_memory(excerpt), BASE + 48, &after), 0);
	assert_int_equal(after, before + 1);
	excerpt_free(excerpt);
}

static void what_goes_beyond_the_cap_is_refused_and_the_rest_stays(void **state)
{
	struct excerpt *excerpt = excerpt_new(NULL);
	uint8_t piece[65536];
	int error = 0;

	(void)state;
	memset(piece, 0x11, sizeof(piece));
	for (uint64_t at = 0; at < EXCERPT_CAP + 2 * sizeof(piece) && !error; at += sizeof(piece))
		error = excerpt_put(excerpt, at, piece, sizeof(piece));
	assert_int_equal(error, -ENOSPC);
	assert_int_equal(excerpt_size(excerpt), EXCERPT_CAP);
	assert_int_equal(excerpt_put(excerpt, 0, piece, sizeof(piece)), 0);
	excerpt_free(excerpt);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_read_can_be_read_again_after_packing),
		cmocka_unit_test(a_line_is_read_once_and_never_changes),
		cmocka_unit_test(the_ragged_ends_of_a_memory_can_be_read),
		cmocka_unit_test(bytes_put_in_stay_what_they_are),
		cmocka_unit_test(damaged_bytes_are_no_excerpt),
		cmocka_unit_test(packing_does_not_depend_on_the_order_of_reading),
		cmocka_unit_test(adjacent_bytes_are_one_run_and_gaps_begin_another),
		cmocka_unit_test(a_closed_one_reads_no_more),
		cmocka_unit_test(a_reticent_one_packs_what_was_read_and_no_neighbour),
		cmocka_unit_test(what_is_barred_is_neither_read_nor_packed),
		cmocka_unit_test(one_that_forgets_reads_anew),
		cmocka_unit_test(what_goes_beyond_the_cap_is_refused_and_the_rest_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
