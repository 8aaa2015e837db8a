/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/object.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include "probes/dl.h"
#include "probes/sys.h"

#define OBJECT_PHDRS 64
#define OBJECT_NOTES 4096 /* bytes of one PT_NOTE that are looked at */
#define OBJECT_PAGE  4096
#define OBJECT_LINE  1024 /* bytes of a line of maps: longer ones are cut */

/* struct dl_find_object, as glibc 2.35 and later have it on 64 bit. */
struct object_found {
	unsigned long long flags;
	void *start;
	void *end;
	struct link_map *link_map;
	void *eh_frame;
	unsigned long long reserved[7];
};

/* Writer: object_arm(), before any handler may ask. */
static struct {
	int (*dl_find)(void *pc, struct object_found *ret); /* NULL before glibc 2.35 */
	uint64_t vdso;
	char exe[OBJECT_PATH]; /* asked early: once the main thread is gone nothing tells it */
} armed;

void object_arm(void)
{
	long n = sys_readlink("/proc/self/exe", armed.exe, OBJECT_PATH - 1);

	armed.exe[n > 0 ? n : 0] = '\0';
	*(void **)&armed.dl_find = dl_sym(RTLD_DEFAULT, "_dl_find_object");
	armed.vdso = getauxval(AT_SYSINFO_EHDR);
}

/* --- ELF in memory ---------------------------------------------------------------------------- */

/*
 * Reads the program headers of what is mapped at `start`. Returns how many; 0 if that is no ELF
 * object.
 */
static unsigned object_phdrs(
	struct self_memory *memory, uint64_t start, Elf64_Phdr phdr[OBJECT_PHDRS])
{
	Elf64_Ehdr e;

	if (self_read(memory, start, &e, sizeof(e)) || memcmp(e.e_ident, ELFMAG, SELFMAG) != 0 ||
		e.e_ident[EI_CLASS] != ELFCLASS64 || e.e_phentsize != sizeof(*phdr))
		return 0;
	if (!e.e_phnum || e.e_phnum > OBJECT_PHDRS || e.e_phoff > OBJECT_PAGE ||
		self_read(memory, start + e.e_phoff, phdr, e.e_phnum * sizeof(*phdr)))
		return 0;
	return e.e_phnum;
}

/* Copies the build id among the notes in [at, at + size). Returns its length; 0 none. */
static uint32_t object_note(
	struct self_memory *memory, uint64_t at, uint64_t size, uint8_t id[OBJECT_ID])
{
	uint64_t end = at + (size < OBJECT_NOTES ? size : OBJECT_NOTES);
	Elf64_Nhdr n;

	while (at + sizeof(n) <= end && !self_read(memory, at, &n, sizeof(n))) {
		uint64_t name = at + sizeof(n);
		uint64_t desc = name + ((n.n_namesz + 3ull) & ~3ull);
		char gnu[4];

		if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == sizeof(gnu) && n.n_descsz &&
			n.n_descsz <= OBJECT_ID && !self_read(memory, name, gnu, sizeof(gnu)) &&
			!memcmp(gnu, ELF_NOTE_GNU, sizeof(gnu)))
			return self_read(memory, desc, id, n.n_descsz) ? 0 : n.n_descsz;
		at = desc + ((n.n_descsz + 3ull) & ~3ull);
	}
	return 0;
}

uint32_t object_build_id(
	struct self_memory *memory, const struct object *object, uint8_t id[OBJECT_ID])
{
	Elf64_Phdr phdr[OBJECT_PHDRS];
	unsigned n = object_phdrs(memory, object->start, phdr);
	uint32_t len = 0;

	for (unsigned i = 0; i < n && !len; i++)
		if (phdr[i].p_type == PT_NOTE)
			len = object_note(memory, object->bias + phdr[i].p_vaddr, phdr[i].p_memsz,
				id);
	return len;
}

/* Fills in all but the path, by the headers at ret->start. Returns 0 or -1. */
static int object_measure(struct self_memory *memory, struct object *ret)
{
	Elf64_Phdr phdr[OBJECT_PHDRS];
	unsigned n = object_phdrs(memory, ret->start, phdr);
	uint64_t hdr = 0, end = 0;
	int loads = 0;

	for (unsigned i = 0; i < n; i++) {
		if (phdr[i].p_type == PT_LOAD) {
			if (!loads++)
				ret->bias = ret->start -
					    (phdr[i].p_vaddr & ~(uint64_t)(OBJECT_PAGE - 1));
			if (phdr[i].p_vaddr + phdr[i].p_memsz > end)
				end = phdr[i].p_vaddr + phdr[i].p_memsz;
		}
		if (phdr[i].p_type == PT_GNU_EH_FRAME)
			hdr = phdr[i].p_vaddr;
	}
	if (!loads)
		return -1;
	ret->end = ret->bias + end;
	ret->eh_frame_hdr = hdr ? ret->bias + hdr : 0;
	return 0;
}

/* --- By the kernel ---------------------------------------------------------------------------- */

/* A line of maps: "start-end perms offset dev inode path". */
struct object_line {
	uint64_t start, end, offset;
	const char *file; /* "dev inode path": equal for maps of one file */
	const char *path;
};

/* Reads a hex number; returns what is behind it. */
static const char *object_hex(const char *s, uint64_t *ret)
{
	*ret = 0;
	for (;; s++) {
		unsigned digit = (unsigned)(*s >= 'a' ? *s - 'a' + 10 : *s - '0');

		if ((*s < '0' || *s > '9') && (*s < 'a' || *s > 'f'))
			return s;
		*ret = *ret << 4 | digit;
	}
}

/* Skips so many words and the blanks behind them. */
static const char *object_skip(const char *s, int words)
{
	while (words-- > 0) {
		while (*s && *s != ' ')
			s++;
		while (*s == ' ')
			s++;
	}
	return s;
}

static void object_parse(const char *s, struct object_line *ret)
{
	s = object_hex(s, &ret->start);
	s = object_hex(*s == '-' ? s + 1 : s, &ret->end);
	s = object_skip(s, 2);
	object_hex(s, &ret->offset);
	ret->file = object_skip(s, 1);
	ret->path = object_skip(ret->file, 2);
}

/* Reads lines one by one through a small buffer. */
struct object_reader {
	int fd;
	size_t have, at;
	char bytes[OBJECT_LINE];
};

/* Reads the next line, ended by NUL, cut if it is long. Returns 0 at the end. */
static int object_next_line(struct object_reader *r, char line[OBJECT_LINE])
{
	size_t n = 0;

	for (;;) {
		char c;

		if (r->at == r->have) {
			long got = sys_read(r->fd, r->bytes, sizeof(r->bytes));

			if (got <= 0)
				return 0;
			r->have = (size_t)got;
			r->at = 0;
		}
		c = r->bytes[r->at++];
		if (c == '\n')
			break;
		if (n + 1 < OBJECT_LINE)
			line[n++] = c;
	}
	line[n] = '\0';
	return 1;
}

/*
 * Goes on with one line of maps; true if it belongs to a run of an object whose beginning is known.
 * An object's maps follow each other, and the first of a file's run shows its header: where that
 * began is kept in ret->start (0: nowhere) until the map that holds pc comes by.
 */
static int object_run(const struct object_line *l, char file[OBJECT_LINE], struct object *ret)
{
	if (!*l->path)
		return 0; /* memory of no file; it may lie inside a run */
	if (strcmp(l->file, file) != 0) {
		ret->start = l->offset ? 0 : l->start;
		memcpy(file, l->file, strlen(l->file) + 1);
	} else if (!ret->start && !l->offset) {
		ret->start = l->start;
	}
	return ret->start != 0;
}

/* Copies a path without " (deleted)", cut. */
static void object_name(struct object *ret, const char *path)
{
	static const char deleted[] = " (deleted)";
	size_t n = strlen(path), d = sizeof(deleted) - 1;

	if (n > d && !strcmp(path + n - d, deleted))
		n -= d;
	n = n < OBJECT_PATH ? n : OBJECT_PATH - 1;
	memcpy(ret->path, path, n);
	ret->path[n] = '\0';
}

/* Opens the thread's maps, since the process' are empty once its main thread is gone. */
static int object_open_maps(void)
{
	int fd = sys_openat(AT_FDCWD, "/proc/thread-self/maps", O_RDONLY | O_CLOEXEC, 0);

	if (fd >= 0)
		return fd; /* Linux 3.17 */
	return sys_openat(AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
}

int object_find_by_maps(struct self_memory *memory, uint64_t pc, struct object *ret)
{
	struct object_reader r = {.fd = object_open_maps()};
	char line[OBJECT_LINE], file[OBJECT_LINE] = "";
	int found = -1;

	memset(ret, 0, sizeof(*ret));
	while (found < 0 && r.fd >= 0 && object_next_line(&r, line)) {
		struct object_line l;
		int in_run;

		object_parse(line, &l);
		in_run = object_run(&l, file, ret);
		if (pc < l.start || pc >= l.end)
			continue;
		found = in_run;
		object_name(ret, l.path);
	}
	if (r.fd >= 0)
		sys_close(r.fd);
	if (found <= 0 || object_measure(memory, ret))
		return -1;
	return pc >= ret->start && pc < ret->end ? 0 : -1;
}

/* --- By the loader ---------------------------------------------------------------------------- */

int object_find(struct self_memory *memory, uint64_t pc, struct object *ret)
{
	struct object_found found;
	struct link_map map;

	memset(ret, 0, sizeof(*ret));
	if (!armed.dl_find)
		return object_find_by_maps(memory, pc, ret);
	if (armed.dl_find((void *)(uintptr_t)pc, &found) ||
		self_read(memory, (uint64_t)(uintptr_t)found.link_map, &map,
			offsetof(struct link_map, l_ld)))
		return -1;
	ret->start = (uint64_t)(uintptr_t)found.start;
	ret->end = (uint64_t)(uintptr_t)found.end;
	ret->bias = map.l_addr;
	ret->eh_frame_hdr = (uint64_t)(uintptr_t)found.eh_frame;
	if (ret->start == armed.vdso)
		memcpy(ret->path, "[vdso]", sizeof("[vdso]"));
	else if (self_string(memory, (uint64_t)(uintptr_t)map.l_name, ret->path, OBJECT_PATH) <= 0)
		memcpy(ret->path, armed.exe, OBJECT_PATH);
	return 0;
}
