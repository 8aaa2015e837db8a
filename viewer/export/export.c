/* SPDX-License-Identifier: Apache-2.0 */
#include "viewer/export/export.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/follow.h"
#include "viewer/term/svg.h"

#define NAMES_TRIED 10000 /* before none is left */

bool export_is(const char *name, const char *kind)
{
	size_t len = strlen(name), end = strlen(kind) + 1;

	return len >= end && name[len - end] == '.' && !strcmp(name + len - end + 1, kind);
}

/* Appends a name, below the folder where it is relative. */
static void add_path(struct str *into, const char *folder, const char *name)
{
	if (folder && *folder && *name != '/')
		str_printf(into, "%s/", folder);
	str_add(into, name);
}

/* Finds the first number that no file has. 0, or negative with words. */
static int new_path(const char *folder, const char *kind, struct str *into, struct complaint *why)
{
	for (int i = 1; i <= NAMES_TRIED; i++) {
		char name[64];

		snprintf(name, sizeof(name), "inquest-view-%d.%s", i, kind);
		str_cut(into, 0);
		add_path(into, folder, name);
		if (faccessat(AT_FDCWD, str_text(into), F_OK, AT_SYMLINK_NOFOLLOW) < 0 &&
			errno == ENOENT)
			return 0;
	}
	return complaint_set(why, "no new name left for %s: name one, as in :export FILE",
		str_text(into));
}

/*
 * Writes a new file. Nothing that is there is ever written over, be it a link that leads nowhere.
 * 0, or negative with words.
 */
static int write_new(const char *path, const struct str *text, struct complaint *why)
{
	int fd = follow_open(AT_FDCWD, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int err = 0;
	size_t done = 0;

	if (fd == -EEXIST)
		return complaint_set(why, "%s is there already: name another", path);
	if (fd < 0)
		return complaint_errno(why, -fd, "cannot write %s", path);
	while (!err && done < text->len) {
		ssize_t n = write(fd, text->text + done, text->len - done);

		if (n > 0)
			done += (size_t)n;
		else if (n == 0 || errno != EINTR)
			err = n < 0 ? errno : EIO;
	}
	if (close(fd) < 0 && !err)
		err = errno;
	if (!err)
		return 0;
	unlink(path);
	return complaint_errno(why, err, "cannot write %s", path);
}

int export_text(const struct str *text, const char *folder, const char *name, const char *kind,
	struct str *ret_path, struct complaint *why)
{
	struct str path = {0};
	int err = 0;

	if (*name)
		add_path(&path, folder, name);
	else
		err = new_path(folder, kind, &path, why);
	if (!err)
		err = write_new(str_text(&path), text, why);
	if (!err)
		str_add(ret_path, str_text(&path));
	str_release(&path);
	return err;
}

int export_cells(const struct cells *cells, enum theme theme, const char *folder, const char *name,
	struct str *ret_path, struct complaint *why)
{
	struct str text = {0};
	int err;

	if (export_is(name, "svg"))
		svg_write(cells, theme, &text);
	else
		cells_text(cells, &text);
	err = export_text(&text, folder, name, "txt", ret_path, why);
	str_release(&text);
	return err;
}
