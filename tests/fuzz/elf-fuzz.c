/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes of a stranger as an ELF file: names of addresses and addresses of names; and, with the type
 * in the head changed, as a core. `make fuzz` builds it and lets it run for FUZZ_SECONDS.
 */
#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "proc/core/core-file.h"
#include "proc/core/core-maps.h"
#include "proc/core/core-memory.h"
#include "proc/symbols/symbols.h"
#include "tests/unit/blank_module.h"

#define ADDRESSES 64

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* The bytes themselves, as an image without file. */
struct image {
	struct stack_memory memory; /* first: the vtable's `self` */
	const uint8_t *bytes;
	size_t size;
};

static int image_read(struct stack_memory *memory, uint64_t at, void *to, size_t len)
{
	const struct image *image = (const struct image *)memory;

	at &= ~MODULE_FILE;
	if (at > image->size || len > image->size - at)
		return -EFAULT;
	memcpy(to, image->bytes + at, len);
	return 0;
}

/* Any addresses: multiples of what stands in the file's head, where its code begins. */
static void find_names(int fd, const uint8_t *bytes, size_t size)
{
	struct image image = {.memory.read = image_read, .bytes = bytes, .size = size};
	static struct stack_memory blank = {.read = blank_read};
	struct modules *modules = modules_new();
	struct module *module = modules_add(modules, 1, 2, "/x", &blank, NULL);
	uint64_t addresses[ADDRESSES], step;
	struct arena arena = {0};

	memcpy(&step, bytes + offsetof(Elf64_Ehdr, e_entry), sizeof(step));
	for (size_t i = 0; i < ADDRESSES; i++)
		addresses[i] = i % 2 ? i * 64 : step * i;
	if (!module)
		abort();
	symbols_find(module, fd, "/nowhere", addresses, ADDRESSES, &arena);
	module->image = &image.memory;
	symbols_find(module, -1, "/nowhere", addresses, ADDRESSES, &arena);
	modules_free(modules);
	arena_release(&arena);
}

static void find_values(int fd)
{
	uint64_t at, size;

	(void)symbols_value(fd, "main", &at, &size);
	(void)symbols_section(fd, ".PyRuntime", &at, &size);
}

static void read_core(int fd)
{
	struct images *images = images_new();
	struct stack_maps maps = {0};
	struct core_file core;
	struct str text = {0};

	if (core_file_open(&core, fd, NULL) == 0) {
		struct core_memory *memory = core_memory_new(&core, &maps, images);
		char got[100];

		core_maps_text(&core, &text);
		stack_maps_parse(&maps, str_text(&text), text.len);
		for (size_t i = 0; i < core.segments.nr && i < ADDRESSES; i++)
			(void)stack_memory_read(core_memory_of(memory),
				core.segments.items[i].start, got, sizeof(got));
		core_memory_free(memory);
	}
	core_file_close(&core);
	stack_maps_release(&maps);
	images_free(images);
	str_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const uint16_t core = ET_CORE;
	int fd;

	if (size < sizeof(Elf64_Ehdr))
		return 0;
	fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		abort();
	find_names(fd, bytes, size);
	find_values(fd);
	if (pwrite(fd, &core, sizeof(core), offsetof(Elf64_Ehdr, e_type)) != sizeof(core))
		abort();
	read_core(fd);
	close(fd);
	return 0;
}
