/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/gather/packages.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/array.h"
#include "proc/blocking-read.h"

#define MAPS_CAP      (8 << 20) /* bytes of one process' maps */
#define MAPS_MS	      500 /* deadline for all of them */
#define FOLDERS_MOST  16
#define PACKAGES_MOST 8192

/* Tells a folder whatever its path is. */
struct folder {
	dev_t dev;
	ino_t ino;
};

struct listing {
	ARRAY(struct folder) folders; /* those that were read */
	ARRAY(char *) names;
	bool cut; /* true if something is missing */
};

/* --- One folder ------------------------------------------------------------------------------- */

static bool ends_in(const char *name, const char *suffix)
{
	size_t len = strlen(name), suffix_len = strlen(suffix);

	return len > suffix_len && !strcmp(name + len - suffix_len, suffix);
}

/*
 * Adds the package that an installer's entry names: of "numpy-1.26.4.dist-info" or
 * "PyYAML-6.0-py3.11.egg-info" the name, a blank, the version. Other entries are none.
 */
static void add_package(struct listing *listing, const char *entry)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._+!";
	size_t name = strcspn(entry, "-"), len;
	struct str package = {0};
	const char *version, *suffix;

	if (!name || !entry[name] || entry[strspn(entry, allowed)] ||
		(!ends_in(entry, ".dist-info") && !ends_in(entry, ".egg-info")))
		return;
	version = entry + name + 1;
	len = strcspn(version, "-"); /* what follows is an interpreter, or "info" */
	suffix = strstr(entry, ends_in(entry, ".dist-info") ? ".dist-info" : ".egg-info");
	if (suffix <= version) /* an entry without version: "distro.egg-info" */
		return;
	if ((size_t)(suffix - version) < len)
		len = (size_t)(suffix - version);
	str_add_bytes(&package, entry, name);
	str_add_char(&package, ' ');
	str_add_bytes(&package, version, len);
	*array_add(&listing->names) = str_detach(&package);
}

/* Notes a folder. Returns false if it was read already, under whatever path. */
static bool is_new(struct listing *listing, int fd)
{
	const struct folder *folder;
	struct stat about;

	if (fstat(fd, &about) < 0)
		return false;
	array_for_each (&listing->folders, folder)
		if (folder->dev == about.st_dev && folder->ino == about.st_ino)
			return false;
	*array_add(&listing->folders) = (struct folder){about.st_dev, about.st_ino};
	return true;
}

/* Adds the packages of a folder, by its path as the process sees it. */
static void read_folder(struct listing *listing, uint32_t pid, const char *folder, size_t len)
{
	const struct dirent *entry;
	struct str path = {0};
	DIR *dir;

	str_printf(&path, "/proc/%" PRIu32 "/root", pid);
	str_add_bytes(&path, folder, len);
	dir = listing->folders.nr < FOLDERS_MOST ? opendir(path.text) : NULL;
	str_release(&path);
	if (!dir) {
		listing->cut = true;
		return;
	}
	if (is_new(listing, dirfd(dir)))
		while (listing->names.nr < PACKAGES_MOST && (entry = readdir(dir)))
			add_package(listing, entry->d_name);
	listing->cut |= listing->names.nr >= PACKAGES_MOST;
	closedir(dir);
}

/* --- All of them ------------------------------------------------------------------------------ */

/* Returns how much of a mapping's path is a folder of packages; 0 none. */
static size_t folder_of(const char *path, size_t len)
{
	static const char *const names[] = {"/site-packages/", "/dist-packages/"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *found = memmem(path, len, names[i], strlen(names[i]));

		if (found)
			return (size_t)(found - path) + strlen(names[i]) - 1;
	}
	return 0;
}

/*
 * Reads the folders of packages in a process' maps. Lines of one folder mostly stand one behind
 * another, so it is read once for them.
 */
static void read_maps(struct listing *listing, uint32_t pid, const char *maps)
{
	const char *last = "";
	size_t last_len = 0;

	for (const char *line = maps; *line;) {
		size_t len = strcspn(line, "\n"), folder_len;
		const char *path = memchr(line, '/', len);

		folder_len = path ? folder_of(path, len - (size_t)(path - line)) : 0;
		if (folder_len &&
			(folder_len != last_len || strncmp(path, last, folder_len) != 0)) {
			read_folder(listing, pid, path, folder_len);
			last = path;
			last_len = folder_len;
		}
		line += len + (line[len] == '\n');
	}
}

static int compare_names(const void *va, const void *vb)
{
	return strcmp(*(char *const *)va, *(char *const *)vb);
}

bool packages_list(const uint32_t *pids, size_t n, struct str *into)
{
	struct blocking_read *reads = alloc_zeroed(n + 1, sizeof(*reads));
	struct listing listing = {0};
	const char *last = "";

	for (size_t i = 0; i < n; i++)
		reads[i] = (struct blocking_read){.pid = pids[i], .name = "maps", .cap = MAPS_CAP};
	blocking_reads_run(reads, n, MAPS_MS);
	for (size_t i = 0; i < n; i++) {
		if (!reads[i].error)
			read_maps(&listing, pids[i], str_text(&reads[i].bytes));
		else if (reads[i].error == ETIMEDOUT)
			listing.cut = true;
		str_release(&reads[i].bytes);
	}
	array_sort(&listing.names, compare_names);
	for (size_t i = 0; i < listing.names.nr; i++) {
		if (strcmp(listing.names.items[i], last) != 0)
			str_printf(into, "%s\n", listing.names.items[i]);
		last = listing.names.items[i];
	}
	for (size_t i = 0; i < listing.names.nr; i++)
		free(listing.names.items[i]);
	array_release(&listing.names);
	array_release(&listing.folders);
	free(reads);
	return !listing.cut;
}
