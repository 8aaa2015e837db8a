/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One linear pass over each symbol table does for all addresses at once. Each symbol is looked up
 * among the sorted addresses, not each address among the symbols, since a framework's library has
 * half a million symbols and its stacks a few hundred addresses. Names are read only of symbols
 * that are chosen, and where two symbols of one address must be told apart.
 *
 * WHICH SYMBOL. One that covers the address, the innermost of several. A symbol without size
 * (hand-written code) counts only if the full table is there, no other symbol ends between it and
 * the address, and both are in one section: else its name would be a guess. Of aliases: functions
 * before other labels, public before local, then the fewest underscores in front, the shortest, the
 * first by alphabet. So it is `read` whatever the order of the table, not `__libc_read`.
 */
#include "proc/symbols/symbols.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "proc/symbols/debugfile.h"
#include "proc/symbols/dwarf-lines.h"
#include "proc/symbols/elf-file.h"
#include "proc/symbols/plt.h"

#define SYMBOLS_CHUNK  2048 /* symbols read at once */
#define SYMBOLS_NAME   4096 /* bytes of a name, with its NUL */
#define SYMBOLS_PARTS  1024 /* parts of the span of addresses, by which one is found */
/* comparisons, at most: a forged table may cover everything, many times */
#define SYMBOLS_BUDGET (1ull << 28)

/* A symbol as found; its name has not been read yet. */
struct candidate {
	const struct elf_file *file; /* NULL: none */
	const Elf64_Shdr *strings;
	uint64_t start;
	uint32_t name;
	uint8_t type, binding;
};

/* One address, and what was found for it so far. */
struct sought {
	uint64_t at;
	struct candidate covering;
	struct candidate before; /* the last symbol without size that does not begin behind `at` */
	/* where the furthest symbol with a size that begins before `at` ends */
	uint64_t floor;
};

struct search {
	const uint64_t *addresses; /* sorted, each once */
	struct sought *at;	   /* one for each of `addresses` */
	size_t nr;
	/*
	 * The span of addresses is cut into equal parts of 1 << shift bytes; for each part this is
	 * the number of the first address that is not before it.
	 */
	size_t part[SYMBOLS_PARTS + 1];
	unsigned shift;
	bool full; /* the full table (.symtab) was there */
	uint64_t budget; /* comparisons left */
};

static size_t leading_underscores(const char *name)
{
	return strspn(name, "_");
}

/* Reads a candidate's name without its version ("@GLIBC_2.2.5"). Returns its length. */
static size_t candidate_name(const struct candidate *candidate, char name[SYMBOLS_NAME])
{
	elf_file_text(candidate->file, candidate->strings, candidate->name, name, SYMBOLS_NAME);
	name[strcspn(name, "@")] = '\0';
	return strlen(name);
}

/* True if a's name is better than b's, by the rules above. */
static bool name_is_better(const struct candidate *a, const struct candidate *b)
{
	char ours[SYMBOLS_NAME], theirs[SYMBOLS_NAME];
	size_t len = candidate_name(a, ours), other = candidate_name(b, theirs);

	if (!len || !other)
		return len > other;
	if (leading_underscores(ours) != leading_underscores(theirs))
		return leading_underscores(ours) < leading_underscores(theirs);
	if (len != other)
		return len < other;
	return strcmp(ours, theirs) < 0;
}

/* True if `a` is a better symbol than `b`, which may be none. */
static bool candidate_is_better(const struct candidate *a, const struct candidate *b)
{
	bool public = a->binding != STB_LOCAL, other_public = b->binding != STB_LOCAL;

	if (!b->file)
		return true;
	if (a->start != b->start)
		return a->start > b->start;
	if ((a->type == STT_FUNC) != (b->type == STT_FUNC))
		return a->type == STT_FUNC;
	if (public != other_public)
		return public;
	return name_is_better(a, b);
}

static void candidate_take(struct candidate *best, const struct candidate *candidate)
{
	if (candidate_is_better(candidate, best))
		*best = *candidate;
}

/*
 * Returns the number of the first address that is not below `value`. It is asked once for each
 * symbol that there is.
 */
static size_t search_from(const struct search *search, uint64_t value)
{
	size_t part;

	if (value <= search->addresses[0])
		return 0;
	part = (value - search->addresses[0]) >> search->shift;
	if (part >= SYMBOLS_PARTS)
		return search->nr;
	return bisect(search->part[part], search->part[part + 1], i, search->addresses[i] < value);
}

/* Offers one symbol to all addresses that it covers, or, if it has no size, to the next one. */
static void search_symbol(
	struct search *search, const struct candidate *candidate, uint64_t size)
{
	size_t i = search_from(search, candidate->start);

	if (i == search->nr)
		return;
	if (!size) {
		candidate_take(&search->at[i].before, candidate);
		return;
	}
	for (; i < search->nr && search->at[i].at - candidate->start < size; i++) {
		if (!search->budget)
			return;
		search->budget--;
		candidate_take(&search->at[i].covering, candidate);
	}
	if (i < search->nr && search->at[i].floor < candidate->start + size)
		search->at[i].floor = candidate->start + size;
}

/* True if a symbol is defined here and may be code. */
static bool symbol_is_code(const Elf64_Sym *symbol)
{
	unsigned type = ELF64_ST_TYPE(symbol->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE) &&
		symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS && symbol->st_name;
}

/* Offers all symbols of one table. */
static void search_table(
	struct search *search, const struct elf_file *file, const Elf64_Shdr *table)
{
	uint64_t last = search->at[search->nr - 1].at;
	struct candidate candidate = {.file = file, .strings = elf_file_linked(file, table)};
	Elf64_Sym *symbols = alloc_zeroed(SYMBOLS_CHUNK, sizeof(*symbols));
	uint64_t left = table->sh_size / sizeof(*symbols), at = table->sh_offset;

	while (left && search->budget) {
		size_t nr = left < SYMBOLS_CHUNK ? left : SYMBOLS_CHUNK;

		if (elf_file_read(file, at, symbols, nr * sizeof(*symbols)) < 0)
			break;
		for (size_t i = 0; i < nr; i++) {
			if (symbols[i].st_value > last || !symbol_is_code(&symbols[i]))
				continue;
			candidate.start = symbols[i].st_value;
			candidate.name = symbols[i].st_name;
			candidate.type = ELF64_ST_TYPE(symbols[i].st_info);
			candidate.binding = ELF64_ST_BIND(symbols[i].st_info);
			search_symbol(search, &candidate, symbols[i].st_size);
		}
		at += nr * sizeof(*symbols);
		left -= nr;
	}
	free(symbols);
}

/*
 * Offers all symbol tables of a file. The dynamic one is small beside the full one, and may know
 * more.
 */
static void search_file(struct search *search, const struct elf_file *file)
{
	for (size_t i = 0; i < file->nsections; i++) {
		uint32_t type = file->sections[i].sh_type;

		if (file->sections[i].sh_flags & SHF_COMPRESSED)
			continue; /* no linker packs these; packed bytes would be read as symbols */
		if (type == SHT_SYMTAB)
			search->full = true;
		if (type == SHT_SYMTAB || type == SHT_DYNSYM)
			search_table(search, file, &file->sections[i]);
	}
}

/* Gives each address that nothing covers the symbol without size before it, if that is no guess. */
static void search_fill_gaps(struct search *search)
{
	struct candidate before = {0};
	uint64_t floor = 0;

	if (!search->full)
		return;
	for (size_t i = 0; i < search->nr; i++) {
		struct sought *sought = &search->at[i];

		if (sought->floor > floor)
			floor = sought->floor;
		if (sought->before.file)
			before = sought->before;
		if (!sought->covering.file && before.file && before.start >= floor &&
			elf_file_section_at(before.file, sought->at) ==
				elf_file_section_at(before.file, before.start))
			sought->covering = before;
	}
}

static int compare_addresses(const void *va, const void *vb)
{
	const uint64_t *a = va, *b = vb;

	return (*a > *b) - (*a < *b);
}

/* Cuts the span of addresses into parts. */
static void search_part(struct search *search)
{
	uint64_t first = search->addresses[0], span = search->addresses[search->nr - 1] - first;
	size_t i = 0;

	while (span >> search->shift >= SYMBOLS_PARTS)
		search->shift++;
	for (size_t part = 0; part < SYMBOLS_PARTS; part++) {
		while (i < search->nr && (search->addresses[i] - first) >> search->shift < part)
			i++;
		search->part[part] = i;
	}
	search->part[SYMBOLS_PARTS] = search->nr;
}

/* Sorts the addresses, keeps each once, and makes a search of them. */
static struct search *search_new(uint64_t *addresses, size_t nr)
{
	struct search *search = alloc_zeroed(1, sizeof(*search));

	search->at = alloc_zeroed(nr, sizeof(*search->at));
	search->addresses = addresses;
	search->budget = SYMBOLS_BUDGET;
	qsort(addresses, nr, sizeof(*addresses), compare_addresses);
	for (size_t i = 0; i < nr; i++)
		if (!i || addresses[i] != addresses[i - 1]) {
			addresses[search->nr] = addresses[i];
			search->at[search->nr++].at = addresses[i];
		}
	search_part(search);
	return search;
}

static void search_free(struct search *search)
{
	free(search->at);
	free(search);
}

/* Makes the module's symbols of what was found; an address in a stub gets the stub's name. */
static void search_name(const struct search *search, const struct elf_file *file,
	struct module_symbol *symbols, struct arena *arena)
{
	char name[SYMBOLS_NAME];

	for (size_t i = 0; i < search->nr; i++) {
		const struct candidate *found = &search->at[i].covering;
		uint64_t start = 0;

		symbols[i] = (struct module_symbol){
			.at = search->at[i].at, .function = "", .file = ""};
		if (found->file && candidate_name(found, name)) {
			symbols[i].start = found->start;
			symbols[i].function = arena_text(arena, name);
		} else if (plt_name(file, search->at[i].at, &start, name, sizeof(name))) {
			symbols[i].start = start;
			symbols[i].function = arena_text(arena, name);
		}
	}
}

/* Gives the module what is known; an address of which nothing is known is left out. */
static void symbols_give(struct module *module, struct module_symbol *symbols, size_t nr)
{
	size_t known = 0;

	for (size_t i = 0; i < nr; i++)
		if (symbols[i].function[0] || symbols[i].file[0])
			symbols[known++] = symbols[i];
	module_set_symbols(module, symbols, known);
}

/*
 * Searches the file itself, the table packed into it, and its debug file, whatever of it is there.
 */
static void symbols_search(struct module *module, const struct elf_file *file, const char *root,
	struct search *search, struct arena *arena)
{
	struct module_symbol *symbols = alloc_zeroed(search->nr, sizeof(*symbols));
	struct elf_file packed, debug;
	int packed_fd = debugfile_packed(file);
	int debug_fd = debugfile_open(file, module->path, root);

	search_file(search, file);
	if (elf_file_open(&packed, packed_fd) == 0)
		search_file(search, &packed);
	if (elf_file_open(&debug, debug_fd) == 0)
		search_file(search, &debug);
	search_fill_gaps(search);
	search_name(search, file, symbols, arena);
	lines_find(debug_fd >= 0 ? debug_fd : file->fd, symbols, search->nr, arena);
	symbols_give(module, symbols, search->nr);
	elf_file_close(&packed);
	elf_file_close(&debug);
	if (packed_fd >= 0)
		close(packed_fd);
	if (debug_fd >= 0)
		close(debug_fd);
	free(symbols);
}

void symbols_find(struct module *module, int fd, const char *root, uint64_t *addresses, size_t nr,
	struct arena *arena)
{
	struct elf_file file = {.fd = -1};
	struct search *search;
	int error = 0;

	if (nr == 0)
		return;
	if (fd >= 0)
		error = elf_file_open(&file, fd);
	else if (module->image)
		error = elf_file_open_image(&file, module->image);
	else
		return;
	if (!error) {
		search = search_new(addresses, nr);
		symbols_search(module, &file, root ? root : "", search, arena);
		search_free(search);
	}
	elf_file_close(&file);
}
