/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libunwind asks for everything through four functions: for the unwind information of an address, a
 * word of memory, a register. It reads unwind information byte by byte through the second one,
 * which must therefore be quick. It gets the same bytes that the gate (stack/cfi.h) has passed,
 * since images are excerpts: what has been read of them once does not change.
 *
 * There is one address space per process, since libunwind's cache knows a row by its address alone.
 * The cache keeps the size that it has by default: rows of any other size are in memory that
 * unw_destroy_addr_space() forgets to unmap (libunwind 1.6 dwarf/Gparser.c dwarf_flush_rs_cache),
 * and whoever looks at jobs for hours makes address spaces without end.
 */
#include "stack/unwind-space.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "stack/cfi.h"

#define SPACE_ACCESSES (8u << 20) /* words read in one walk: far above what any real one needs */
#define SPACE_CALL     8	  /* bytes of the longest call instruction, and one */
#define SPACE_ENTRY    (1ull << 63) /* an address where no process has anything */

/* Exported by libunwind, but in none of its headers. */
int UNW_OBJ(dwarf_search_unwind_table)(unw_addr_space_t space, unw_word_t ip, unw_dyn_info_t *table,
	unw_proc_info_t *ret, int need_unwind_info, void *arg);

/* -- where things are -------------------------------------------------------------------------- */

/* Returns the map that holds an address; NULL if none does. Asks the last one first. */
static const struct stack_map *unwinder_map(struct unwinder *unwinder, uint64_t at)
{
	const struct stack_map *last = unwinder->last;

	if (last && at >= last->start && at < last->end)
		return last;
	last = stack_maps_find(unwinder->maps, at);
	if (last)
		unwinder->last = last;
	return last;
}

const struct unwind_place *unwinder_place(struct unwinder *unwinder, uint64_t at)
{
	const struct stack_map *map = unwinder_map(unwinder, at);
	struct unwind_place *place;

	if (!map)
		return NULL;
	place = &unwinder->places[map - unwinder->maps->all.items];
	if (!place->asked) {
		place->asked = true;
		place->module = *map->path ? modules_find(unwinder->modules, map) : NULL;
		if (place->module && !module_bias(place->module, map, &place->bias))
			place->module = NULL;
	}
	return place;
}

bool unwinder_is_code(struct unwinder *unwinder, uint64_t at)
{
	const struct stack_map *map = unwinder_map(unwinder, at);

	return map && map->executable;
}

/*
 * Returns the length of the indirect call (ff /2) at `at`, by its second and third byte; 0 if it is
 * none.
 */
static size_t unwind_call_length(const uint8_t *at)
{
	unsigned mod = at[1] >> 6, base = at[1] & 7;
	size_t length = 2;

	if (at[0] != 0xff || (at[1] >> 3 & 7) != 2)
		return 0;
	if (mod == 3)
		return length;
	if (base == 4) {
		base = at[2] & 7;
		length++;
	}
	if (mod == 1)
		return length + 1;
	return mod == 2 || base == 5 ? length + 4 : length;
}

bool unwinder_is_return(struct unwinder *unwinder, uint64_t at)
{
	uint8_t bytes[SPACE_CALL + 1] = {0}; /* up to `at`, and one that is looked at in vain */
	size_t n = SPACE_CALL;

	if (at < SPACE_CALL || !unwinder_is_code(unwinder, at - 1))
		return false;
	while (n && stack_memory_read(&unwinder->memory, at - n, bytes + SPACE_CALL - n, n) < 0)
		n--;
	if (n >= 5 && bytes[SPACE_CALL - 5] == 0xe8)
		return true;
	for (size_t length = 2; length <= 7 && length <= n; length++)
		if (unwind_call_length(bytes + SPACE_CALL - length) == length)
			return true;
	return false;
}

/* -- the accessors ----------------------------------------------------------------------------- */

/*
 * Reads code and constants from a module's image, since a core or an excerpt has none of them.
 * False where the address is in none, or is writable.
 */
static bool space_read_image(struct unwinder *unwinder, uint64_t at, void *to, size_t len)
{
	const struct unwind_place *place = unwinder_place(unwinder, at);

	return place && place->module && !unwinder_map(unwinder, at)->writable &&
	       stack_memory_read(place->module->image, at - place->bias, to, len) == 0;
}

/* The address space as a memory: an image's bytes, else the process'. */
static int space_read(struct stack_memory *memory, uint64_t at, void *to, size_t len)
{
	struct unwinder *unwinder = (struct unwinder *)memory;

	if (space_read_image(unwinder, at, to, len))
		return 0;
	return stack_memory_read(unwinder->process, at, to, len);
}

static int space_glance(struct stack_memory *memory, uint64_t at, void *to, size_t len)
{
	struct unwinder *unwinder = (struct unwinder *)memory;

	if (space_read_image(unwinder, at, to, len))
		return 0;
	return stack_memory_glance(unwinder->process, at, to, len);
}

/*
 * Reads a word for libunwind, which reads whole words even for one byte, also where a segment ends
 * in the middle of one: bytes that are not there read as zero, if any is there.
 */
static int space_word(struct unwinder *unwinder, uint64_t at, unw_word_t *ret)
{
	uint8_t bytes[sizeof(*ret)] = {0};
	bool any = false;

	if (stack_memory_read(&unwinder->memory, at, ret, sizeof(*ret)) == 0)
		return 0;
	for (size_t i = 0; i < sizeof(bytes); i++)
		any = stack_memory_read(&unwinder->memory, at + i, &bytes[i], 1) == 0 || any;
	if (any)
		memcpy(ret, bytes, sizeof(bytes));
	return any ? 0 : -UNW_EINVAL;
}

/* Reads a word for libunwind; never writes. */
static int space_access_mem(
	unw_addr_space_t space, unw_word_t at, unw_word_t *value, int write, void *arg)
{
	struct unwinder *unwinder = arg;

	(void)space;
	if (write || at > UINT64_MAX - sizeof(*value))
		return -UNW_EINVAL;
	if (unwinder->accesses++ > SPACE_ACCESSES)
		return -UNW_EINVAL;
	if (at == SPACE_ENTRY) {
		*value = unwinder->entry;
		return 0;
	}
	return space_word(unwinder, at, value);
}

/* Reads a register for libunwind, whose UNW_X86_64_RAX ... RIP are numbered as DWARF does. */
static int space_access_reg(
	unw_addr_space_t space, unw_regnum_t reg, unw_word_t *value, int write, void *arg)
{
	struct unwinder *unwinder = arg;

	(void)space;
	if (write)
		return -UNW_EREADONLYREG;
	if (reg < 0 || reg >= UNWIND_REGS)
		return -UNW_EBADREG;
	if (!(unwinder->regs.known >> reg & 1)) {
		unwinder->needs_register = true;
		return -UNW_EBADREG;
	}
	*value = unwinder->regs.value[reg];
	return 0;
}

/*
 * Finds the FDE of an address in a module without search table, whose .eh_frame is read at the
 * first question. NULL if there is none.
 */
static const struct cfi_range *space_scan(
	struct unwinder *unwinder, const struct unwind_place *place, uint64_t ip)
{
	struct unwind_scanned *scanned;

	array_for_each(&unwinder->scanned, scanned)
		if (scanned->module == place->module && scanned->bias == place->bias)
			return cfi_ranges_find(&scanned->ranges, ip);
	scanned = array_add(&unwinder->scanned);
	*scanned = (struct unwind_scanned){.module = place->module, .bias = place->bias};
	if (place->module->eh_frame)
		cfi_scan(&unwinder->memory, place->module->eh_frame + place->bias,
			place->module->eh_frame_size, &scanned->ranges);
	return cfi_ranges_find(&scanned->ranges, ip);
}

/*
 * Makes a table of one entry, relative to its FDE. Returns false if nothing is known of the
 * address.
 */
static bool space_make_table(struct unwinder *unwinder, const struct unwind_place *place,
	uint64_t ip, unw_dyn_info_t *table)
{
	const struct cfi_range *range = space_scan(unwinder, place, ip);
	int64_t start;
	bool signal;

	if (!range || cfi_check(&unwinder->memory, range->fde, &signal) < 0)
		return false;
	start = (int64_t)(range->start - range->fde);
	if (start != (int32_t)start || ip - range->start > INT32_MAX / 2)
		return false;
	unwinder->entry = (uint32_t)start; /* and an FDE 0 bytes from there */
	table->u.rti.segbase = range->fde;
	table->u.rti.table_data = SPACE_ENTRY;
	return true;
}

/*
 * Finds the entry of an address in the module's own table, or makes one. Returns false if nothing
 * is known.
 */
static bool space_find_table(struct unwinder *unwinder, const struct unwind_place *place,
	uint64_t ip, unw_dyn_info_t *table)
{
	uint64_t hdr = place->module->eh_frame_hdr + place->bias;
	struct cfi_found found;

	if (!place->module->eh_frame_hdr)
		return space_make_table(unwinder, place, ip, table);
	if (cfi_find(&unwinder->memory, hdr, place->module->eh_frame_hdr_size, ip, &found) < 0)
		return false;
	table->u.rti.segbase = hdr;
	table->u.rti.table_data = found.entry;
	return true;
}

/*
 * Answers libunwind's question for the unwind information of an address. Never with -UNW_ENOINFO:
 * libunwind would then begin to guess in ways of its own (stack/unwind.c knows better ones, and
 * says so).
 */
static int space_find_proc_info(unw_addr_space_t space, unw_word_t ip, unw_proc_info_t *info,
	int need_unwind_info, void *arg)
{
	struct unwinder *unwinder = arg;
	const struct stack_map *map = unwinder_map(unwinder, ip);
	const struct unwind_place *place = unwinder_place(unwinder, ip);
	unw_dyn_info_t table = {.format = UNW_INFO_FORMAT_REMOTE_TABLE};

	unwinder->no_info = true;
	if (!map || !map->executable || !place->module ||
		!space_find_table(unwinder, place, ip, &table))
		return -UNW_ESTOPUNWIND;
	/* The table has the one entry that the gate has let pass. */
	table.start_ip = map->start;
	table.end_ip = map->end;
	table.u.rti.table_len = 1;
	memset(info, 0, sizeof(*info));
	if (UNW_OBJ(dwarf_search_unwind_table)(space, ip, &table, info, need_unwind_info, arg) < 0)
		return -UNW_ESTOPUNWIND;
	unwinder->no_info = false;
	return 0;
}

/* Does nothing: an answer comes out of libunwind's own pool, and goes back to it without us. */
static void space_put_unwind_info(unw_addr_space_t space, unw_proc_info_t *info, void *arg)
{
	(void)space;
	(void)info;
	(void)arg;
}

/*
 * The questions that we answer with no: for code made at run time, floating-point registers,
 * resuming, names.
 */
static int space_no_list(unw_addr_space_t space, unw_word_t *list, void *arg)
{
	(void)space;
	(void)list;
	(void)arg;
	return -UNW_ENOINFO;
}

static int space_no_fpreg(
	unw_addr_space_t space, unw_regnum_t reg, unw_fpreg_t *value, int write, void *arg)
{
	(void)space;
	(void)reg;
	(void)value;
	(void)write;
	(void)arg;
	return -UNW_EBADREG;
}

static int space_no_resume(unw_addr_space_t space, unw_cursor_t *cursor, void *arg)
{
	(void)space;
	(void)cursor;
	(void)arg;
	return -UNW_EINVAL;
}

static int space_no_name(unw_addr_space_t space, unw_word_t at, char *name, size_t size,
	unw_word_t *offset, void *arg)
{
	(void)space;
	(void)at;
	(void)name;
	(void)size;
	(void)offset;
	(void)arg;
	return -UNW_ENOINFO;
}

/* -- life -------------------------------------------------------------------------------------- */

struct unwinder *unwinder_new(const struct stack_maps *maps, const struct modules *modules,
	struct stack_memory *memory)
{
	unw_accessors_t accessors = {
		.find_proc_info = space_find_proc_info,
		.put_unwind_info = space_put_unwind_info,
		.get_dyn_info_list_addr = space_no_list,
		.access_mem = space_access_mem,
		.access_reg = space_access_reg,
		.access_fpreg = space_no_fpreg,
		.resume = space_no_resume,
		.get_proc_name = space_no_name,
	};
	struct unwinder *unwinder = alloc_zeroed(1, sizeof(*unwinder));

	unwinder->memory.read = space_read;
	unwinder->memory.glance = space_glance;
	unwinder->maps = maps;
	unwinder->modules = modules;
	unwinder->process = memory;
	unwinder->places = alloc_zeroed(maps->all.nr + 1, sizeof(*unwinder->places));
	unwinder->space = unw_create_addr_space(&accessors, 0);
	if (unwinder->space)
		unw_set_caching_policy(unwinder->space, UNW_CACHE_GLOBAL);
	return unwinder;
}

void unwinder_free(struct unwinder *unwinder)
{
	if (!unwinder)
		return;
	if (unwinder->space)
		unw_destroy_addr_space(unwinder->space);
	for (size_t i = 0; i < unwinder->scanned.nr; i++)
		array_release(&unwinder->scanned.items[i].ranges.all);
	array_release(&unwinder->scanned);
	free(unwinder->places);
	free(unwinder);
}
