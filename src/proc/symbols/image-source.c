/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a file by pread() and never by mmap(): one that somebody cuts while we read it then gives
 * an error, and not SIGBUS. Returns 0 or -errno.
 */
#include "proc/symbols/image-source.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

static int source_read_file(int fd, uint64_t offset, void *to, size_t len)
{
	char *next = to;

	while (len) {
		ssize_t got = pread(fd, next, len, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : -EFAULT;
		next += got;
		offset += (uint64_t)got;
		len -= (size_t)got;
	}
	return 0;
}

/* Reads from a range that the process has mapped. Refuses a read across two of them. */
static int source_read_process(
	const struct image_source *source, uint64_t offset, void *to, size_t len)
{
	for (size_t i = 0; i < source->ranges.nr; i++) {
		const struct image_range *range = &source->ranges.items[i];
		uint64_t into = offset - range->offset;

		if (offset >= range->offset && into < range->len && len <= range->len - into)
			return stack_memory_read(source->process, range->start + into, to, len);
	}
	return -EFAULT;
}

/* Reads by offset in the file, from wherever the source has it. */
static int source_read_offset(
	const struct image_source *source, uint64_t offset, void *to, size_t len)
{
	if (source->copy) {
		if (offset > source->copy_len || len > source->copy_len - offset)
			return -EFAULT;
		memcpy(to, source->copy + offset, len);
		return 0;
	}
	if (source->fd >= 0)
		return source_read_file(source->fd, offset, to, len);
	return source->process ? source_read_process(source, offset, to, len) : -EFAULT;
}

/* Reads by address in the object, or from MODULE_FILE on by offset in the file. */
static int source_read(struct stack_memory *memory, uint64_t at, void *to, size_t len)
{
	const struct image_source *source = (const struct image_source *)memory;

	if (at >= MODULE_FILE)
		return source_read_offset(source, at - MODULE_FILE, to, len);
	if (!source->module)
		return -EFAULT;
	for (size_t i = 0; i < source->module->nloads; i++) {
		const struct module_load *load = &source->module->loads[i];
		uint64_t into = at - load->vaddr;

		if (at >= load->vaddr && into < load->filesz && len <= load->filesz - into)
			return source_read_offset(source, load->offset + into, to, len);
	}
	return -EFAULT;
}

struct image_source *image_source_new(int fd)
{
	struct image_source *source = alloc_zeroed(1, sizeof(*source));

	source->memory.read = source_read;
	source->fd = fd;
	return source;
}

void image_source_map(struct image_source *source, const struct stack_maps *maps,
	const struct stack_map *map, struct stack_memory *process)
{
	const struct stack_map *other;

	source->process = process;
	array_for_each(&maps->all, other)
		if (other->dev == map->dev && other->ino == map->ino && other->readable &&
			(map->ino || !strcmp(other->path, map->path)))
			*array_add(&source->ranges) = (struct image_range){
				other->start, other->end - other->start, other->offset};
}

int image_source_copy(struct image_source *source, const struct stack_map *map,
	struct stack_memory *process, size_t cap)
{
	size_t len = map->end - map->start;
	uint8_t *copy;
	int error;

	if (len > cap)
		return -EFBIG;
	copy = alloc_zeroed(1, len);
	error = stack_memory_read(process, map->start, copy, len);
	if (error) {
		free(copy);
		return error;
	}
	source->copy = copy;
	source->copy_len = len;
	return 0;
}

void image_source_free(struct image_source *source)
{
	if (!source)
		return;
	if (source->fd >= 0)
		close(source->fd);
	array_release(&source->ranges);
	free(source->copy);
	free(source);
}
