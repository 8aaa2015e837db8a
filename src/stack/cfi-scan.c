/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries stand one behind the other, each with its length before it. All bytes are a stranger's:
 * an entry that reaches beyond the end ends the scan, and each step advances by at least four
 * bytes, so that the scan ends.
 */
#include "stack/cfi-scan.h"

#include <stdbool.h>
#include <string.h>

#include "base/bisect.h"
#include "stack/cfi.h"

/* -- one entry --------------------------------------------------------------------------------- */

/*
 * The head of a CIE or FDE as it lies in memory. The id of a CIE is 0; that of an FDE is the
 * distance back to its CIE. `pointers` holds an FDE's start address and length.
 */
struct scan_entry {
	uint32_t len, id;
	uint8_t pointers[16];
};

/* Returns the number in `size` bytes, with its sign extended if it is signed. */
static uint64_t scan_number(const uint8_t *bytes, size_t size, bool is_signed)
{
	uint64_t value = 0;

	memcpy(&value, bytes, size);
	if (is_signed && size < sizeof(value) && value >> (8 * size - 1))
		value |= UINT64_MAX << 8 * size;
	return value;
}

/* Finds which code the FDE at `at` describes. Returns false if that makes no sense. */
static bool scan_fde(const struct scan_entry *entry, uint64_t at, uint8_t encoding,
	struct cfi_range *ret)
{
	size_t size = cfi_pointer_size(encoding);
	uint64_t length;

	if (!size || (encoding & ~0x0f & ~CFI_PCREL) || entry->len < 4 + 2 * size)
		return false;
	ret->fde = at;
	ret->start = scan_number(entry->pointers, size, encoding & CFI_SIGNED);
	if (encoding & CFI_PCREL)
		ret->start += at + 8;
	length = scan_number(entry->pointers + size, size, false);
	ret->end = ret->start + length;
	return length && ret->end > ret->start;
}

/* -- all of them ------------------------------------------------------------------------------- */

/* Orders ranges by start; of equal ones the FDE that lies first comes first. */
static int compare_ranges(const void *va, const void *vb)
{
	const struct cfi_range *a = va, *b = vb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->fde > b->fde) - (a->fde < b->fde);
}

void cfi_scan(struct stack_memory *memory, uint64_t at, uint64_t size, struct cfi_ranges *ranges)
{
	uint64_t end = at + size, cie = 0;
	struct scan_entry entry;
	uint8_t encoding = 0;

	if (size > CFI_SCAN_CAP || end < at)
		return;
	while (end - at >= 8 && stack_memory_read(memory, at, &entry, 8) == 0) {
		uint64_t left = end - at - 4, of = at + 4 - (uint64_t)(int64_t)(int32_t)entry.id;
		size_t len = entry.len < left ? entry.len : (size_t)left;

		if (entry.len < 4 || entry.len > left)
			break;
		memset(entry.pointers, 0, sizeof(entry.pointers));
		len = len - 4 < sizeof(entry.pointers) ? len - 4 : sizeof(entry.pointers);
		if (entry.id && stack_memory_read(memory, at + 8, entry.pointers, len) < 0)
			break;
		if (entry.id && of != cie) {
			cie = of;
			if (cfi_encoding(memory, cie, &encoding) < 0)
				encoding = CFI_NO_POINTER;
		}
		if (entry.id && !scan_fde(&entry, at, encoding, array_add(&ranges->all)))
			ranges->all.nr--;
		at += 4 + (uint64_t)entry.len;
	}
	array_sort_items(ranges->all.items, ranges->all.nr, sizeof(*ranges->all.items),
		compare_ranges);
}

const struct cfi_range *cfi_ranges_find(const struct cfi_ranges *ranges, uint64_t address)
{
	const struct cfi_range *list = ranges->all.items;
	size_t behind = bisect(0, ranges->all.nr, i, list[i].start <= address);

	return behind && address < list[behind - 1].end ? &list[behind - 1] : NULL;
}
