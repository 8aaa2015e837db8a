/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "evidence/bundle-frame.h"
#include "evidence/bundle.h"
#include "evidence/source.h"

static bool text_ends(const char *text, const char *end)
{
	size_t size = strlen(text), end_size = strlen(end);

	return size >= end_size && !strcmp(text + size - end_size, end);
}

/* By its suffix, or by its first bytes. A damaged one with neither is not found in a folder. */
static bool bundle_looks_like(const char *path)
{
	char start[2 + sizeof(BUNDLE_NAME) - 1];
	ssize_t got;
	struct stat st;
	int fd;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	if (text_ends(path, BUNDLE_SUFFIX))
		return true;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	got = read(fd, start, sizeof(start));
	close(fd);
	return got == (ssize_t)sizeof(start) && !memcmp(start + 2, BUNDLE_NAME, sizeof(start) - 2);
}

static int text_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int bundle_read_folder(const char *path, struct evidence *into, struct complaint *why)
{
	ARRAY(char *) names = {0};
	const struct dirent *entry;
	size_t read = 0;
	char **name;
	DIR *dir = opendir(path);

	if (!dir)
		return complaint_errno(why, errno, "cannot open %s", path);
	while ((entry = readdir(dir))) {
		struct str file = {0};

		str_printf(&file, "%s/%s", path, entry->d_name);
		if (bundle_looks_like(file.text))
			*array_add(&names) = str_detach(&file);
		str_release(&file);
	}
	closedir(dir);
	array_sort(&names, text_compare);
	array_for_each(&names, name) {
		struct complaint ours = {0};

		if (bundle_read(*name, into, &ours) == 0)
			read++;
		else
			evidence_add_gap(into, "", 0, complaint_text(&ours));
		if (names.nr == 1 && !read)
			complaint_set(why, "%s", complaint_text(&ours));
		complaint_release(&ours);
		free(*name);
	}
	if (!read && names.nr != 1)
		complaint_set(why, "no readable bundle in %s", path);
	array_release(&names);
	return read ? 0 : -1;
}

/* A path that is there and is no job folder; or one that is meant as a path. */
static bool bundle_claims(const char *arg)
{
	struct str census = {0};
	struct stat st;
	bool claims;

	if (stat(arg, &st) < 0)
		return strchr(arg, '/') || text_ends(arg, BUNDLE_SUFFIX);
	if (!S_ISDIR(st.st_mode))
		return true;
	str_printf(&census, "%s/census", arg);
	claims = access(census.text, F_OK) < 0;
	str_release(&census);
	return claims;
}

static int bundle_gather(const char *arg, struct evidence *into, struct complaint *why)
{
	struct stat st;

	if (stat(arg, &st) < 0)
		return complaint_errno(why, errno, "cannot open %s", arg);
	return S_ISDIR(st.st_mode) ? bundle_read_folder(arg, into, why)
				   : bundle_read(arg, into, why);
}

const struct source source_bundle = {
	.name = "bundle", .claims = bundle_claims, .gather = bundle_gather};
