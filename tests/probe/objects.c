/* SPDX-License-Identifier: Apache-2.0 */
/*
 * objects.c: every loaded object found in two ways, by the loader and by /proc/self/maps alone, as
 * on systems whose loader cannot be asked. Built with the probe's own files. Prints how many there
 * are, or what differs.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "probes/object.h"

static struct self_memory memory;
static int wrong;

static void differ(const char *what, const char *name, uint64_t one, uint64_t two)
{
	printf("%s of %s: %llx by the loader, %llx by maps\n", what, name, (unsigned long long)one,
		(unsigned long long)two);
	wrong++;
}

static void compare(const struct object *a, const struct object *b)
{
	uint8_t id_a[OBJECT_ID] = {0}, id_b[OBJECT_ID] = {0};

	if (a->start != b->start)
		differ("start", a->path, a->start, b->start);
	if (a->bias != b->bias)
		differ("bias", a->path, a->bias, b->bias);
	if (a->eh_frame_hdr != b->eh_frame_hdr)
		differ("unwind table", a->path, a->eh_frame_hdr, b->eh_frame_hdr);
	if (object_build_id(&memory, a, id_a) != object_build_id(&memory, b, id_b) ||
		memcmp(id_a, id_b, sizeof(id_a)) != 0)
		differ("build id", a->path, id_a[0], id_b[0]);
	if (!strrchr(b->path, '/') != !strrchr(a->path, '/') || !*b->path)
		printf("path: %s by the loader, %s by maps\n", a->path, b->path), wrong++;
}

/* An address in each executable segment. */
static int look(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = info->dlpi_phdr + i;
		uint64_t pc = info->dlpi_addr + p->p_vaddr + p->p_memsz / 2;
		struct object a, b;

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		if (object_find(&memory, pc, &a) || object_find_by_maps(&memory, pc, &b)) {
			printf("not found: %s\n", info->dlpi_name);
			wrong++;
			continue;
		}
		compare(&a, &b);
		++*(int *)arg;
	}
	return 0;
}

int main(int argc, char **argv)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct object none;
	int n = 0;

	for (int i = 1; i < argc; i++)
		if (!dlopen(argv[i], RTLD_NOW))
			printf("%s\n", dlerror());
	self_begin(&memory);
	object_arm();
	dl_iterate_phdr(look, &n);
	if (!object_find_by_maps(&memory, (uint64_t)(uintptr_t)page + 8, &none) ||
		!object_find(&memory, 16, &none) || !object_find_by_maps(&memory, 16, &none))
		printf("found what is none: %s\n", none.path), wrong++;
	printf("%d objects\n", n);
	return wrong != 0;
}
