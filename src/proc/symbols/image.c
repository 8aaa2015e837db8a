/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of a mapped object are taken from the first of these that has them:
 *
 *	/proc/PID/map_files/RANGE	the mapped file itself, also one deleted or replaced; needs
 *					CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE
 *	/proc/PID/root/PATH		if device and inode are those of the map; or, since overlay
 *					and btrfs show others there, if its build id is the one
 *					that the process has in memory
 *	the memory of the process	what is mapped of it; no names of functions then
 *
 * A path is asked what it is before it is opened, since opening a device can have effects.
 */
#include "proc/symbols/image.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "proc/symbols/image-source.h"
#include "proc/threads/livemem.h"

#define IMAGE_VDSO     "[vdso]"
#define IMAGE_VDSO_CAP 65536 /* bytes of a vDSO, at most */

struct image {
	struct image_source *source;
	struct excerpt *excerpt; /* over the source */
	const struct module *module;
};

/* A file that is no ELF object, or could not be had: it is not tried again for each process. */
struct image_failed {
	uint64_t dev, ino;
};

/* The memory of a process, opened to stand in for files. */
struct image_process {
	uint32_t pid;
	struct livemem *memory;
};

struct images {
	struct modules *modules;
	ARRAY(struct image) all;
	ARRAY(struct image_failed) failed;
	ARRAY(struct image_process) processes; /* whose memory stands in for files */
};

/* One call of images_open(): whose maps, and what went wrong. */
struct image_look {
	struct images *images;
	uint32_t pid;
	const struct stack_maps *maps;
	struct stack_memory *memory;
	/* how many files were not opened, or are replaced; and the first of each */
	unsigned unopened, replaced;
	const char *first_unopened, *first_replaced;
	int error; /* of the first unopened */
};

struct images *images_new(void)
{
	struct images *images = alloc_zeroed(1, sizeof(*images));

	images->modules = modules_new();
	return images;
}

/* -- files ------------------------------------------------------------------------------------- */

/* Opens a regular file, and nothing else. Returns a descriptor or -errno. */
static int image_open_regular(const char *path, struct stat *ret)
{
	int fd;

	if (stat(path, ret) < 0)
		return -errno;
	if (!S_ISREG(ret->st_mode))
		return -EINVAL;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

/* Opens the mapped file itself, by map_files. */
static int image_open_mapped(uint32_t pid, const struct stack_map *map)
{
	char path[80];
	struct stat stat;

	snprintf(path, sizeof(path), "/proc/%u/map_files/%" PRIx64 "-%" PRIx64, pid, map->start,
		map->end);
	return image_open_regular(path, &stat);
}

/*
 * Opens the path of a map below a root. *same: device and inode prove that this is the mapped file.
 */
static int image_open_below(const char *root, const struct stack_map *map, bool *same)
{
	char path[PATH_MAX];
	struct stat stat;
	int fd, len = snprintf(path, sizeof(path), "%s%s", root, map->path);

	*same = false;
	if (len < 0 || (size_t)len >= sizeof(path))
		return -ENAMETOOLONG;
	fd = image_open_regular(path, &stat);
	*same = fd >= 0 && (uint64_t)stat.st_ino == map->ino &&
		((uint64_t)major(stat.st_dev) << 32 | minor(stat.st_dev)) == map->dev;
	return fd;
}

/*
 * Opens the file of a map by its name. The kernel writes names as seen from the root of whoever
 * reads them, or, if they cannot be reached from there, as seen from the root of their file system:
 * in a container, that is mostly the container's own. So both roots are tried.
 */
static int image_open_named(uint32_t pid, const struct stack_map *map, bool *same)
{
	char root[40];
	int theirs, ours;

	*same = false;
	if (map->path[0] != '/')
		return -ENOENT;
	if (!pid) {
		ours = image_open_below("", map, same);
		*same = false; /* devices and inodes of a core's maps are made up */
		return ours;
	}
	snprintf(root, sizeof(root), "/proc/%u/root", pid);
	theirs = image_open_below(root, map, same);
	if (*same)
		return theirs;
	ours = image_open_below("", map, same);
	if (ours >= 0 && !*same && theirs >= 0)
		close(ours);
	else if (ours >= 0 && theirs >= 0)
		close(theirs);
	return theirs >= 0 && !*same ? theirs : ours;
}

/* -- build ids --------------------------------------------------------------------------------- */

/* Whether two sources are of one build. */
enum image_alike {
	ALIKE_YES,
	ALIKE_NO,
	ALIKE_UNKNOWN, /* one of them has no build id, or none that can be read */
};

static enum image_alike image_compare(struct image_source *a, struct image_source *b)
{
	struct modules *modules = modules_new();
	const struct module *ma = modules_add(modules, 0, 1, "", &a->memory, NULL);
	const struct module *mb = modules_add(modules, 0, 2, "", &b->memory, NULL);
	enum image_alike alike = ALIKE_UNKNOWN;

	if (!ma || (mb && mb->build_id_len && !ma->build_id_len))
		alike = ALIKE_NO;
	else if (mb && mb->build_id_len)
		alike = ma->build_id_len == mb->build_id_len &&
					!memcmp(ma->build_id, mb->build_id, ma->build_id_len)
				? ALIKE_YES
				: ALIKE_NO;
	modules_free(modules);
	return alike;
}

/* -- memory ------------------------------------------------------------------------------------ */

/*
 * Returns the memory of a process, which lives as long as the images; the caller's own memory only
 * where there is no process.
 */
static struct stack_memory *image_process_memory(struct image_look *look)
{
	struct images *images = look->images;
	struct image_process *process;

	if (!look->pid)
		return look->memory;
	array_for_each(&images->processes, process)
		if (process->pid == look->pid)
			return livemem_memory(process->memory);
	process = array_add(&images->processes);
	process->pid = look->pid;
	process->memory = livemem_new(look->pid);
	return livemem_memory(process->memory);
}

/* Makes a source of what a process has mapped. */
static struct image_source *image_of_memory(struct image_look *look, const struct stack_map *map)
{
	struct image_source *source = image_source_new(-1);

	image_source_map(source, look->maps, map, image_process_memory(look));
	return source;
}

/* -- choosing ---------------------------------------------------------------------------------- */

/*
 * Chooses the source for a map of a file. *replaced: it is only what the process has of it. *error:
 * errno of opening the file, if it could not be.
 */
static struct image_source *image_choose(
	struct image_look *look, const struct stack_map *map, bool *replaced, int *error)
{
	struct image_source *file, *mapped;
	enum image_alike alike;
	bool same = false;
	int fd = look->pid ? image_open_mapped(look->pid, map) : -ENOENT;

	*replaced = false;
	if (fd >= 0)
		return image_source_new(fd);
	fd = image_open_named(look->pid, map, &same);
	if (same)
		return image_source_new(fd);
	mapped = image_of_memory(look, map);
	if (fd < 0) {
		*error = -fd;
		*replaced = true;
		return mapped;
	}
	file = image_source_new(fd);
	alike = image_compare(file, mapped);
	*replaced = alike == ALIKE_NO || (alike == ALIKE_UNKNOWN && look->pid);
	image_source_free(*replaced ? file : mapped);
	return *replaced ? mapped : file;
}

/* Makes a module of a source, which is taken over. Returns false if it is no ELF object. */
static bool image_add(struct images *images, const struct stack_map *map,
	struct image_source *source, bool replaced)
{
	struct excerpt *excerpt = excerpt_new(&source->memory);
	struct module *module = modules_add(images->modules, map->dev, map->ino, map->path,
		excerpt_memory(excerpt), NULL);

	if (!module) {
		excerpt_free(excerpt);
		image_source_free(source);
		return false;
	}
	module->replaced = replaced;
	source->module = module;
	/* Beside code lie a program's texts, which are private, too. */
	excerpt_be_reticent(excerpt);
	*array_add(&images->all) = (struct image){source, excerpt, module};
	return true;
}

/* Opens the file that a map shows, unless that has failed before. */
static void image_look_at_file(struct image_look *look, const struct stack_map *map)
{
	struct images *images = look->images;
	const struct image_failed *failed;
	struct image_source *source;
	bool replaced;
	int error = 0;

	array_for_each(&images->failed, failed)
		if (failed->dev == map->dev && failed->ino == map->ino)
			return;
	source = image_choose(look, map, &replaced, &error);
	if (image_add(images, map, source, replaced)) {
		if (replaced && !look->replaced++)
			look->first_replaced = map->path;
		return;
	}
	*array_add(&images->failed) = (struct image_failed){map->dev, map->ino};
	if (error && !look->unopened++) {
		look->first_unopened = map->path;
		look->error = error;
	}
}

static void image_look_at_vdso(struct image_look *look, const struct stack_map *map)
{
	struct image_source *source = image_source_new(-1);

	if (image_source_copy(source, map, look->memory, IMAGE_VDSO_CAP) < 0)
		image_source_free(source);
	else
		image_add(look->images, map, source, false);
}

/* Appends what could not be had. */
static void image_look_say(const struct image_look *look, struct str *missing)
{
	if (look->unopened)
		str_printf(missing,
			"mapped files that could not be read: %u (%s: %s); stacks end where their "
			"code begins\n",
			look->unopened, look->first_unopened, strerror(look->error));
	if (look->replaced)
		str_printf(missing,
			"mapped files that are gone or replaced: %u (%s); taken from the memory of "
			"the process, without names (root can read the mapped ones)\n",
			look->replaced, look->first_replaced);
}

void images_open(struct images *images, uint32_t pid, const struct stack_maps *maps,
	struct stack_memory *memory, struct str *missing)
{
	struct image_look look = {images, pid, maps, memory, .error = 0};
	const struct stack_map *map;

	array_for_each(&maps->all, map) {
		if (!map->executable || modules_find(images->modules, map))
			continue;
		if (!strcmp(map->path, IMAGE_VDSO))
			image_look_at_vdso(&look, map);
		else if (map->ino)
			image_look_at_file(&look, map);
	}
	if (missing)
		image_look_say(&look, missing);
}

/* -- asking ------------------------------------------------------------------------------------ */

struct modules *images_modules(struct images *images)
{
	return images->modules;
}

static const struct image *image_find(const struct images *images, const struct module *module)
{
	const struct image *image;

	array_for_each(&images->all, image)
		if (image->module == module)
			return image;
	return NULL;
}

const struct excerpt *images_excerpt(const struct images *images, const struct module *module)
{
	const struct image *image = image_find(images, module);

	return image ? image->excerpt : NULL;
}

int images_file(const struct images *images, const struct module *module)
{
	const struct image *image = image_find(images, module);

	return image ? image->source->fd : -1;
}

void images_settle(struct images *images)
{
	struct image *image;

	array_for_each(&images->all, image)
		if (image->source->process)
			excerpt_close(image->excerpt);
}

void images_free(struct images *images)
{
	struct image_process *process;
	struct image *image;

	if (!images)
		return;
	modules_free(images->modules);
	array_for_each(&images->all, image) {
		excerpt_free(image->excerpt);
		image_source_free(image->source);
	}
	array_for_each(&images->processes, process)
		livemem_free(process->memory);
	array_release(&images->all);
	array_release(&images->failed);
	array_release(&images->processes);
	free(images);
}
