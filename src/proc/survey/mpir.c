/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/survey/mpir.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "proc/blocking-read.h"
#include "proc/symbols/image.h"
#include "proc/symbols/symbols.h"
#include "proc/threads/livemem.h"
#include "stack/maps.h"

#define MAPS_CAP     (4 * 1024 * 1024)
#define MAPS_MS	     250 /* deadline to read the launcher's maps */
#define ENTRIES_ONCE 1024 /* entries read at once */

/* An entry as the launcher has it (MPIR_PROCDESC): the addresses of two texts, and a pid. */
struct procdesc {
	uint64_t host;
	uint64_t executable;
	int32_t pid;
	int32_t pad;
};

/* One mpir_read(). */
struct reader {
	struct images *images;
	struct stack_maps maps;
	struct livemem *memory;
	char own_host[256];
};

/* Returns the address in the process of a symbol of this module; 0 if there is none. */
static uint64_t address_of(
	const struct reader *reader, const struct module *module, const char *name)
{
	int fd = images_file(reader->images, module);
	uint64_t at, size, bias;
	const struct stack_map *map;

	if (fd < 0 || symbols_value(fd, name, &at, &size) < 0)
		return 0;
	array_for_each(&reader->maps.all, map)
		if (map->ino && map->ino == module->ino && map->dev == module->dev &&
			module_bias(module, map, &bias))
			return at + bias;
	return 0;
}

/* Reads a host's name, up to its end or what fits; "" if it cannot be read. */
static void read_host(struct stack_memory *memory, uint64_t at, char host[static 256])
{
	size_t len = 0, page = 4096 - at % 4096, most = page < 255 ? page : 255;

	/* Read at once, but for a name that crosses the end of a page. */
	if (at && stack_memory_read(memory, at, host, most) == 0)
		len = strnlen(host, most);
	if (len == most && most < 255 &&
		stack_memory_read(memory, at + len, host + len, 255 - len) == 0)
		len += strnlen(host + len, 255 - len);
	host[len] = '\0';
}

/* True if a name is that of this host. Launchers name hosts in full or by the first part. */
static bool is_this_host(const struct reader *reader, const char *host)
{
	size_t mine = strcspn(reader->own_host, "."), theirs = strcspn(host, ".");

	if (!strcmp(host, "localhost"))
		return true;
	return mine && mine == theirs && !memcmp(host, reader->own_host, mine) &&
	       (!host[theirs] || !reader->own_host[mine] || !strcmp(host, reader->own_host));
}

/* Adds one entry. *last_host is the address of the name before: tasks of one host share it. */
static void take_entry(const struct reader *reader, struct mpir_table *table,
	const struct procdesc *desc, size_t rank, uint64_t *last_host)
{
	struct mpir_entry *before = table->all.nr ? &table->all.items[table->all.nr - 1] : NULL;
	struct mpir_entry entry = {.rank = (int)rank, .pid = (uint32_t)desc->pid};

	if (desc->pid <= 0)
		return;
	if (before && desc->host == *last_host)
		memcpy(entry.host, before->host, sizeof(entry.host));
	else
		read_host(livemem_memory(reader->memory), desc->host, entry.host);
	*last_host = desc->host;
	entry.here = is_this_host(reader, entry.host);
	*array_add(&table->all) = entry;
}

/* Reads all table->size entries at `at`. Returns 0, or -errno if they are not there. */
static int take_entries(const struct reader *reader, struct mpir_table *table, uint64_t at)
{
	struct procdesc *lot = alloc_zeroed(ENTRIES_ONCE, sizeof(*lot));
	uint64_t last_host = 0;
	int error = 0;

	for (size_t done = 0; !error && done < table->size; done += ENTRIES_ONCE) {
		size_t nr = table->size - done < ENTRIES_ONCE ? table->size - done : ENTRIES_ONCE;

		error = stack_memory_read(livemem_memory(reader->memory),
			at + done * sizeof(*lot), lot, nr * sizeof(*lot));
		for (size_t i = 0; !error && i < nr; i++)
			take_entry(reader, table, &lot[i], done + i, &last_host);
	}
	free(lot);
	return error;
}

/*
 * Reads the table of one module. Returns 0; -ENOENT if it has none, or none yet; or another -errno.
 */
static int read_module(
	const struct reader *reader, const struct module *module, struct mpir_table *table)
{
	struct stack_memory *memory = livemem_memory(reader->memory);
	uint64_t pointer = address_of(reader, module, "MPIR_proctable"), at = 0;
	uint64_t counter = pointer ? address_of(reader, module, "MPIR_proctable_size") : 0;
	uint32_t size = 0;

	if (!pointer || !counter)
		return -ENOENT;
	if (stack_memory_u64(memory, pointer, &at) < 0 ||
		stack_memory_u32(memory, counter, &size) < 0)
		return livemem_refused(reader->memory) ? -EPERM : -EFAULT;
	if (!at || !size || size > MPIR_ENTRIES_CAP)
		return -ENOENT;
	table->size = size;
	return take_entries(reader, table, at);
}

/*
 * Reads the launcher's maps by a helper, which may be left behind, since that takes its mmap lock.
 */
static int read_maps(uint32_t pid, struct stack_maps *maps)
{
	struct blocking_read read = {
		.pid = pid, .name = "maps", .what = BLOCKING_READ_FILE, .cap = MAPS_CAP};

	blocking_reads_run(&read, 1, MAPS_MS);
	if (!read.error)
		(void)stack_maps_parse(maps, str_text(&read.bytes), read.bytes.len);
	str_release(&read.bytes);
	return -read.error;
}

int mpir_read(uint32_t pid, struct mpir_table *ret)
{
	struct reader reader = {.images = images_new(), .memory = livemem_new(pid)};
	int error = read_maps(pid, &reader.maps);
	const struct modules *modules = images_modules(reader.images);

	*ret = (struct mpir_table){0};
	if (gethostname(reader.own_host, sizeof(reader.own_host) - 1) < 0)
		reader.own_host[0] = '\0';
	if (!error) {
		images_open(reader.images, pid, &reader.maps, livemem_memory(reader.memory), NULL);
		error = -ENOENT;
	}
	for (size_t i = 0; error == -ENOENT && i < modules_count(modules); i++)
		error = read_module(&reader, modules_at(modules, i), ret);
	stack_maps_release(&reader.maps);
	livemem_free(reader.memory);
	images_free(reader.images);
	return error;
}

void mpir_release(struct mpir_table *table)
{
	if (table)
		array_release(&table->all);
}
