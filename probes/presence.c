/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bound reference is a word that the dynamic linker has filled in: in a table of addresses, or in
 * the program's own data. It is found again by the object's relocations: their symbol is weak and
 * has one of our names, and the word lies within us. Only objects that are loaded by then are
 * looked at: in our constructor those that the program is linked with, and the program itself.
 *
 * The loader's list is walked first and nothing is asked meanwhile, since dlsym() takes another of
 * its locks; then each word that was found is asked for.
 */
#include "probes/presence.h"

#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

#include "probes/dl.h"
#include "probes/hook.h"
#include "probes/sys.h"

#define PRESENCE_ROOM 64 /* words of one walk */

/* A word that was bound to us. */
struct presence_word {
	uint64_t *at;
	const char *name;
	int sealed; /* the linker has made it read-only since */
};

struct presence_walk {
	const char *family; /* how names begin; NULL: any of ours */
	uint64_t from, to;  /* where we lie */
	uint64_t page;
	unsigned skip; /* words that earlier walks have found and left as they are */
	unsigned n; /* words found; more than PRESENCE_ROOM: another walk is needed */
	struct presence_word words[PRESENCE_ROOM];
};

/* What is needed of an object's dynamic section. */
struct presence_object {
	const struct dl_phdr_info *info;
	const ElfW(Sym) *symbols;
	const char *names;
	const uint32_t *hash, *gnu_hash;
	const ElfW(Rela) *table[2];
	uint64_t bytes[2];
	uint64_t plt_kind;
};

/* --- Objects --------------------------------------------------------------------------------- */

/* Returns the first part of that type, that holds `at` unless that is 0; NULL none. */
static const ElfW(Phdr) *find_part(const struct dl_phdr_info *info, uint32_t type, uint64_t at)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];

		if (part->p_type == type &&
			(!at || at - info->dlpi_addr - part->p_vaddr < part->p_memsz))
			return part;
	}
	return NULL;
}

/*
 * Returns an address of the dynamic section: glibc has made these absolute, others leave them as
 * the file has them.
 */
static const void *address(const struct dl_phdr_info *info, uint64_t word)
{
	return (const void *)(uintptr_t)(word < info->dlpi_addr ? info->dlpi_addr + word : word);
}

static void take(struct presence_object *o, const ElfW(Dyn) *d)
{
	const void *at = address(o->info, d->d_un.d_ptr);

	switch (d->d_tag) {
	case DT_SYMTAB: o->symbols = at; break;
	case DT_STRTAB: o->names = at; break;
	case DT_HASH: o->hash = at; break;
	case DT_GNU_HASH: o->gnu_hash = at; break;
	case DT_RELA: o->table[0] = at; break;
	case DT_JMPREL: o->table[1] = at; break;
	case DT_RELASZ: o->bytes[0] = d->d_un.d_val; break;
	case DT_PLTRELSZ: o->bytes[1] = d->d_un.d_val; break;
	case DT_PLTREL: o->plt_kind = d->d_un.d_val; break;
	default: break;
	}
}

/*
 * Reads an object's dynamic section. Returns 0 for an object that refers to nothing by name, such
 * as the kernel's own.
 */
static int read_object(struct presence_object *o, const struct dl_phdr_info *info)
{
	const ElfW(Phdr) *part = find_part(info, PT_DYNAMIC, 0);

	*o = (struct presence_object){.info = info};
	if (!part)
		return 0;
	for (const ElfW(Dyn) *d = (const void *)(uintptr_t)(info->dlpi_addr + part->p_vaddr);
		d->d_tag != DT_NULL; d++)
		take(o, d);
	if (o->plt_kind != DT_RELA)
		o->bytes[1] = 0;
	return o->symbols && o->names && (o->hash || o->gnu_hash) &&
	       (o->table[0] || o->table[1]);
}

/* Returns one more than the last symbol that a relocation has. */
static uint32_t count_related(const struct presence_object *o)
{
	uint64_t last = 0;

	for (int i = 0; i < 2; i++)
		for (uint64_t n = 0; n < o->bytes[i] / sizeof(ElfW(Rela)); n++)
			if (ELF64_R_SYM(o->table[i][n].r_info) > last)
				last = ELF64_R_SYM(o->table[i][n].r_info);
	return (uint32_t)last + 1;
}

/*
 * Returns how many symbols may be undefined: these come first in the table. A hash table of the old
 * kind counts all symbols. For a program that shows nothing GNU ld writes an empty table, which
 * does not say how many are undefined.
 */
static uint32_t count_symbols(const struct presence_object *o)
{
	if (!o->gnu_hash)
		return o->hash[1];
	return o->gnu_hash[1] > 1 ? o->gnu_hash[1] : count_related(o);
}

/* --- Words ----------------------------------------------------------------------------------- */

/* True for a name of a family that only a library has; of that family, if one is given. */
static int is_a_door(const char *name, const char *family)
{
	static const char *const begins[] = {"MPI_", "mpi_", "nccl", "cuda", "cu"};

	if (family)
		return !strncmp(name, family, strlen(family));
	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (!strncmp(name, begins[i], strlen(begins[i])))
			return 1;
	return 0;
}

static void keep(struct presence_walk *walk, const struct presence_object *o, uint64_t at,
	const char *name)
{
	const ElfW(Phdr) *load = find_part(o->info, PT_LOAD, at);
	const ElfW(Phdr) *sealed = find_part(o->info, PT_GNU_RELRO, at);
	uint64_t *word = (uint64_t *)(uintptr_t)at, end;

	if (!load || !(load->p_flags & PF_W) || *word < walk->from || *word >= walk->to)
		return;
	if (walk->skip) {
		walk->skip--;
		return;
	}
	if (walk->n < PRESENCE_ROOM) {
		/* The linker lets the last page be, which other data share. */
		end = sealed ? o->info->dlpi_addr + sealed->p_vaddr + sealed->p_memsz : 0;
		walk->words[walk->n] = (struct presence_word){
			word, name, at < (end & ~(walk->page - 1))};
	}
	walk->n++;
}

/* Keeps all words of an object that refer to a symbol. */
static void keep_references(struct presence_walk *walk, const struct presence_object *o,
	uint32_t symbol)
{
	for (int i = 0; i < 2; i++)
		for (uint64_t n = 0; n < o->bytes[i] / sizeof(ElfW(Rela)); n++)
			if (ELF64_R_SYM(o->table[i][n].r_info) == symbol)
				keep(walk, o, o->info->dlpi_addr + o->table[i][n].r_offset,
					o->names + o->symbols[symbol].st_name);
}

/* Looks at one object. */
static int look(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct presence_walk *walk = arg;
	struct presence_object o;
	uint32_t n;

	(void)size;
	if (find_part(info, PT_LOAD, walk->from) || !read_object(&o, info))
		return 0;
	n = count_symbols(&o);
	for (uint32_t i = 1; i < n; i++) {
		const ElfW(Sym) *symbol = &o.symbols[i];

		if (symbol->st_shndx == SHN_UNDEF && ELF64_ST_BIND(symbol->st_info) == STB_WEAK &&
			is_a_door(o.names + symbol->st_name, walk->family))
			keep_references(walk, &o, i);
	}
	return 0;
}

/* --- Mending --------------------------------------------------------------------------------- */

/* True if the word would be bound to somebody else without us. */
static int is_there(const struct presence_word *word)
{
	static const char *const nowhere[] = {NULL};

	return hook_find(word->name, NULL, nowhere) ||
	       hook_find_for(word->at, word->name, (const void *)(uintptr_t)*word->at);
}

/* Makes a word 0. Returns 0 if its page cannot be written to. */
static int unbind(const struct presence_word *word, uint64_t page)
{
	void *start = (void *)((uintptr_t)word->at & ~(uintptr_t)(page - 1));

	if (word->sealed && sys_call(SYS_mprotect, start, page, PROT_READ | PROT_WRITE))
		return 0;
	__atomic_store_n(word->at, 0, __ATOMIC_RELAXED);
	if (word->sealed)
		sys_call(SYS_mprotect, start, page, PROT_READ);
	return 1;
}

/* Finds where we lie. */
static int find_us(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct presence_walk *walk = arg;
	uint64_t here = (uintptr_t)presence_mend;

	(void)size;
	if (!find_part(info, PT_LOAD, here))
		return 0;
	walk->from = UINT64_MAX;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uint64_t at = info->dlpi_addr + part->p_vaddr;

		if (part->p_type != PT_LOAD)
			continue;
		walk->from = at < walk->from ? at : walk->from;
		walk->to = at + part->p_memsz > walk->to ? at + part->p_memsz : walk->to;
	}
	return 1;
}

void presence_mend(const char *family)
{
	struct presence_walk walk = {.family = family, .page = getauxval(AT_PAGESZ)};
	unsigned left = 0, n;

	if (!walk.page || dl_iterate_phdr(find_us, &walk) != 1)
		return;
	do {
		walk.skip = left;
		walk.n = 0;
		dl_iterate_phdr(look, &walk);
		n = walk.n < PRESENCE_ROOM ? walk.n : PRESENCE_ROOM;
		for (unsigned i = 0; i < n; i++)
			if (is_there(&walk.words[i]) || !unbind(&walk.words[i], walk.page))
				left++;
	} while (walk.n > PRESENCE_ROOM);
}
