/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "evidence/format/bundle-frame.h"
#include "evidence/format/bundle.h"
#include "evidence/gather/source.h"

/* True if the text ends so. */
static bool text_ends(const char *text, const char *end)
{
	size_t size = strlen(text), end_size = strlen(end);

	return size >= end_size && !strcmp(text + size - end_size, end);
}

bool bundle_looks_like(const char *path)
{
	char start[2 + sizeof(BUNDLE_NAME) - 1];
	ssize_t got = 0;
	struct stat st;
	int fd;

	if (text_ends(path, BUNDLE_SUFFIX))
		return stat(path, &st) == 0 && S_ISREG(st.st_mode);
	fd = file_open(path);
	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		got = read(fd, start, sizeof(start));
	close(fd);
	return got == (ssize_t)sizeof(start) && !memcmp(start + 2, BUNDLE_NAME, sizeof(start) - 2);
}

int bundle_find(const char *folder, struct file_names *into, struct complaint *why)
{
	struct file_names all = {0};
	int error = file_list(folder, &all, why);

	for (size_t i = 0; i < all.files; i++)
		if (bundle_looks_like(all.list.items[i]))
			*array_add(&into->list) = alloc_text(all.list.items[i]);
	into->files = into->list.nr;
	into->refused += all.refused;
	file_names_release(&all);
	return error;
}

int bundle_read_folder(const char *path, struct evidence *into, struct complaint *why)
{
	struct file_names names = {0};
	size_t found = 0, read = 0;
	int error = bundle_find(path, &names, why);

	for (size_t i = 0; i < names.list.nr; i++) {
		struct complaint ours = {0};

		if (bundle_read(names.list.items[i], into, &ours) == 0)
			read++;
		else
			evidence_add_gap(into, "", 0, complaint_text(&ours));
		if (!found++ && !read)
			complaint_set(why, "%s", complaint_text(&ours));
		complaint_release(&ours);
	}
	if (!error && !read && found != 1)
		complaint_set(why, "no readable bundle in %s", path);
	file_names_release(&names);
	return read ? 0 : -1;
}

/* True for a path that is there and is no job folder; or for a word that is meant as a path. */
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
