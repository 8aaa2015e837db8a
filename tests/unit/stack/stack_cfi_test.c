/* SPDX-License-Identifier: Apache-2.0 */
/* The gate before libunwind: what compilers write passes, what would break it does not. */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "stack/cfi-scan.h"
#include "stack/cfi.h"
#include "tests/unit/stack_object.h"

static int find(struct object *object, uint64_t address)
{
	struct cfi_found found;

	return cfi_find(&object->memory, OBJECT_HDR, 20, address, &found);
}

/* What the gate says to an FDE of this program, behind the usual CIE. */
static int fde(struct object_cfi program)
{
	struct object object;

	object_make(&object);
	object_set_fde(&object, program);
	return find(&object, OBJECT_TEXT);
}

static int cie(struct object_cfi program)
{
	struct object object;

	object_make(&object);
	object_set_cie(&object, program);
	return find(&object, OBJECT_TEXT);
}

static void what_compilers_write_passes(void **state)
{
	struct cfi_found found;
	struct object object;

	(void)state;
	object_make(&object);
	assert_int_equal(
		cfi_find(&object.memory, OBJECT_HDR, 20, OBJECT_TEXT + 0x800, &found), 0);
	assert_int_equal(found.entry, OBJECT_HDR + 12);
	assert_false(found.signal);
	/* push %rbp; mov %rsp,%rbp; ...; remember; leave; restore */
	assert_int_equal(fde(OBJECT_CFI("\x41\x0e\x10\x86\x02\x43\x0d\x06\x0a\x02\x99\xc6\x0c\x07"
					"\x08\x41\x0b\x03\x34\x12\x04\x78\x56\x34\x12\x2e"
					"\x10")),
		0);
	/* The PLT's expression: rsp + 8 + ((rip & 15) >= 11 << 3) */
	assert_int_equal(
		fde(OBJECT_CFI("\x0e\x10\x46\x0e\x18\x4a\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3b"
			       "\x2a\x33\x24\x22")),
		0);
	/* A stack that was aligned: the CFA is what r10 said, saved at rbp - 8 */
	assert_int_equal(
		fde(OBJECT_CFI("\x45\x0c\x0a\x00\x10\x06\x02\x76\x00\x0f\x03\x76\x78\x06")), 0);
	/* A jump forwards, over two bytes */
	assert_int_equal(fde(OBJECT_CFI("\x0f\x07\x77\x08\x2f\x02\x00\x31\x22")), 0);
}

static void the_trampoline_behind_a_signal_handler_is_known_as_such(void **state)
{
	static const char head[] = "\0\0\0\0\1zRS\0\1\x78\x10\1\x1b";
	struct cfi_found found;
	struct object object;

	(void)state;
	object_make(&object);
	object_put_cfi(&object, OBJECT_CIE, head, sizeof(head) - 1, OBJECT_CFI(""));
	/* No rule in the CIE: the FDE has it first, as in glibc. */
	object_set_fde(&object, OBJECT_CFI("\x0f\x03\x77\x10\x06\x10\x10\x02\x77\x08"));
	assert_int_equal(cfi_find(&object.memory, OBJECT_HDR, 20, OBJECT_TEXT, &found), 0);
	assert_true(found.signal);
	object_set_fde(&object, OBJECT_CFI("\x41\x0f\x03\x77\x10\x06"));
	assert_int_equal(find(&object, OBJECT_TEXT), -EINVAL);
}

static void what_would_break_libunwind_is_refused(void **state)
{
	static const struct {
		const char *what;
		struct object_cfi program;
	} hostile[] = {
		{"a register copied from column 99", {"\x09\x03\x63", 3}},
		{"the return address copied from column 17", {"\x09\x10\x11", 3}},
		{"a division", {"\x0f\x05\x31\x1f\x31\x1f\x1b", 7}},
		{"a division behind a jump", {"\x0f\x06\x2f\x00\x00\x31\x31\x1b", 8}},
		{"a jump backwards", {"\x0f\x04\x31\x2f\xfc\xff", 6}},
		{"a branch backwards", {"\x0f\x05\x31\x31\x28\xfb\xff", 7}},
		{"a jump beyond the block", {"\x0f\x04\x31\x2f\x01\x00", 6}},
		{"a jump into an operand", {"\x0f\x07\x2f\x01\x00\x0a\x1b\x1b\x31", 9}},
		{"a block longer than the FDE", {"\x0f\x7f\x31", 3}},
		{"a block of 2^63 bytes", {"\x0f\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x31", 11}},
		{"a number without end",
			{"\x0e\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 13}},
		{"a number cut off by the end", {"\x0e\x10\x00\x00\x00\x0e\x80", 7}},
		{"an opcode that libunwind skips", {"\x17\x00", 2}},
		{"val_offset, which it does not know", {"\x14\x03\x01", 3}},
		{"an opcode for users", {"\x1c", 1}},
		{"a state taken back that was never remembered", {"\x0b", 1}},
		{"an expression's opcode that is none", {"\x0f\x01\xff", 3}},
		{"a call in an expression", {"\x0f\x03\x98\x00\x00", 5}},
	};
	char many[CFI_CAP / 2];

	(void)state;
	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		if (fde(hostile[i].program) != -EINVAL)
			fail_msg("an FDE with %s passes", hostile[i].what);
		if (cie(hostile[i].program) != -EINVAL)
			fail_msg("a CIE with %s passes", hostile[i].what);
	}
	memset(many, 0x0a, sizeof(many));
	assert_int_equal(fde((struct object_cfi){many, 200}), -EINVAL);
	/* No rule for the CFA, or only half of one. */
	assert_int_equal(cie(OBJECT_CFI("")), -EINVAL);
	assert_int_equal(cie(OBJECT_CFI("\x0d\x07")), -EINVAL);
	assert_int_equal(cie(OBJECT_CFI("\x0a\x0c\x07\x08\x0b")), -EINVAL);
}

static void headers_of_cies_are_refused_that_libunwind_takes_otherwise(void **state)
{
	static const struct {
		const char *what, *head;
		size_t len;
	} hostile[] = {
		{"return address column 200", "\0\0\0\0\1zR\0\1\x78\xc8\1\x1b", 13},
		{"return address column 17", "\0\0\0\0\1zR\0\1\x78\x11\1\x1b", 13},
		{"an id", "\1\0\0\0\1zR\0\1\x78\x10\1\x1b", 13},
		{"version 4", "\0\0\0\0\4zR\0\1\x78\x10\1\x1b", 13},
		{"an augmentation without size", "\0\0\0\0\1R\0\1\x78\x10\x1b", 11},
		{"an augmentation of five letters", "\0\0\0\0\1zRSSS\0\1\x78\x10\1\x1b", 16},
		{"an unknown letter", "\0\0\0\0\1zRQ\0\1\x78\x10\1\x1b", 14},
		{"a size that its letters do not have", "\0\0\0\0\1zR\0\1\x78\x10\2\x1b\0", 14},
		{"pointers of changing size", "\0\0\0\0\1zR\0\1\x78\x10\1\x01", 13},
		{"aligned pointers", "\0\0\0\0\1zR\0\1\x78\x10\1\x50", 13},
		{"pointers to pointers", "\0\0\0\0\1zR\0\1\x78\x10\1\x9b", 13},
		{"no pointers", "\0\0\0\0\1zR\0\1\x78\x10\1\xff", 13},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		struct object object;

		object_make(&object);
		object_put_cfi(&object, OBJECT_CIE, hostile[i].head, hostile[i].len,
			OBJECT_CFI("\x0c\x07\x08\x90\x01"));
		if (find(&object, OBJECT_TEXT) != -EINVAL)
			fail_msg("a CIE with %s passes", hostile[i].what);
	}
}

static void tables_are_searched_within_their_bounds(void **state)
{
	struct cfi_found found;
	struct object object;

	(void)state;
	object_make(&object);
	assert_int_equal(find(&object, OBJECT_TEXT - 1), -ENOENT);
	object_put32(&object, OBJECT_HDR + 8, 0);
	assert_int_equal(find(&object, OBJECT_TEXT), -ENOENT);
	object_make(&object);
	object_put32(&object, OBJECT_HDR + 8, UINT32_MAX); /* more than the segment has room for */
	assert_int_equal(find(&object, OBJECT_TEXT), 0);
	assert_int_equal(
		cfi_find(&object.memory, OBJECT_HDR, UINT64_MAX, OBJECT_TEXT, &found), -EFAULT);
	assert_int_equal(cfi_find(&object.memory, OBJECT_HDR, 11, OBJECT_TEXT, &found), -EINVAL);
	assert_int_equal(cfi_find(&object.memory, OBJECT_HDR, 12, OBJECT_TEXT, &found), -ENOENT);
	object_make(&object);
	object.file[OBJECT_HDR + 3] = 0xff; /* no table */
	assert_int_equal(find(&object, OBJECT_TEXT), -ENOENT);
	object_make(&object);
	object_put32(&object, OBJECT_HDR + 16, 0x7fffffff);
	assert_int_equal(find(&object, OBJECT_TEXT), -EFAULT);
	object_make(&object);
	object_put32(&object, OBJECT_FDE, 0xffffffff); /* an FDE of 64 bits */
	assert_int_equal(find(&object, OBJECT_TEXT), -EINVAL);
	object_make(&object);
	object_put32(&object, OBJECT_FDE + 4, 0); /* a CIE where an FDE was promised */
	assert_int_equal(find(&object, OBJECT_TEXT), -EINVAL);
	object_make(&object);
	object_put32(&object, OBJECT_FDE + 4, 4); /* its own CIE */
	assert_int_equal(find(&object, OBJECT_TEXT), -EINVAL);
}

/* -- without a table --------------------------------------------------------------------------- */

/* One CIE and three FDEs, one behind the other, of which the second is about nothing. */
#define SCAN_AT	  OBJECT_CIE
#define SCAN_SIZE (20 + 3 * 20 + 4)

static void object_set_row(struct object *object)
{
	static const uint32_t lengths[] = {0x10, 0, 0x30};
	uint32_t at = SCAN_AT + 20;

	object_make(object);
	object_set_cie(object, OBJECT_CFI("\x0c\x07\x08"));
	for (uint32_t i = 0; i < 3; i++, at += 20) {
		uint32_t words[4] = {at + 4 - OBJECT_CIE, OBJECT_TEXT + 0x100 - 0x20 * i - (at + 8),
			lengths[i], 0};

		object_put_cfi(object, at, words, sizeof(words), OBJECT_CFI(""));
	}
	object_put32(object, at, 0);
}

static uint64_t scanned(struct object *object, uint64_t size, uint64_t address)
{
	struct cfi_ranges ranges = {0};
	const struct cfi_range *range;
	uint64_t fde;

	cfi_scan(&object->memory, SCAN_AT, size, &ranges);
	range = cfi_ranges_find(&ranges, address);
	fde = range ? range->fde : 0;
	array_release(&ranges.all);
	return fde;
}

static void what_has_no_table_is_scanned(void **state)
{
	struct object object;

	(void)state;
	object_set_row(&object);
	assert_int_equal(scanned(&object, SCAN_SIZE, OBJECT_TEXT + 0x100), SCAN_AT + 20);
	assert_int_equal(scanned(&object, SCAN_SIZE, OBJECT_TEXT + 0x10f), SCAN_AT + 20);
	assert_int_equal(scanned(&object, SCAN_SIZE, OBJECT_TEXT + 0x110), 0);
	assert_int_equal(scanned(&object, SCAN_SIZE, OBJECT_TEXT + 0xe0), SCAN_AT + 60);
	assert_int_equal(scanned(&object, SCAN_SIZE, OBJECT_TEXT + 0xc0), SCAN_AT + 60);
	assert_int_equal(scanned(&object, SCAN_SIZE, OBJECT_TEXT + 0xbf), 0);
	/* What is cut off is not there, nor what reaches beyond the end. */
	assert_int_equal(scanned(&object, 40, OBJECT_TEXT + 0x100), SCAN_AT + 20);
	assert_int_equal(scanned(&object, 79, OBJECT_TEXT + 0xc0), 0);
	assert_int_equal(scanned(&object, 0, OBJECT_TEXT + 0x100), 0);
	assert_int_equal(scanned(&object, CFI_SCAN_CAP + 1ull, OBJECT_TEXT + 0x100), 0);
	assert_int_equal(scanned(&object, UINT64_MAX, OBJECT_TEXT + 0x100), 0);
	/* A table relative to who knows what. */
	object.file[SCAN_AT + 16] = 0x3b;
	assert_int_equal(scanned(&object, SCAN_SIZE, OBJECT_TEXT + 0x100), 0);
}

/* Whatever stands there, the scan ends and stays within its bounds. */
static void any_bytes_will_do_for_a_scan(void **state)
{
	static const unsigned char values[] = {0, 1, 4, 0x7f, 0x80, 0xff};
	struct object object;

	(void)state;
	for (size_t at = 0; at < SCAN_SIZE; at++)
		for (size_t i = 0; i < sizeof(values); i++) {
			object_set_row(&object);
			object.file[SCAN_AT + at] = values[i];
			(void)scanned(&object, SCAN_SIZE, OBJECT_TEXT + 0x100);
			(void)scanned(&object, OBJECT_SIZE, OBJECT_TEXT + 0x100);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_compilers_write_passes),
		cmocka_unit_test(the_trampoline_behind_a_signal_handler_is_known_as_such),
		cmocka_unit_test(what_would_break_libunwind_is_refused),
		cmocka_unit_test(headers_of_cies_are_refused_that_libunwind_takes_otherwise),
		cmocka_unit_test(tables_are_searched_within_their_bounds),
		cmocka_unit_test(what_has_no_table_is_scanned),
		cmocka_unit_test(any_bytes_will_do_for_a_scan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
