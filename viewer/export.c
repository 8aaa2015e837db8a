/* SPDX-License-Identifier: Apache-2.0 */
#include "viewer/export.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "viewer/term/svg.h"

#define NAMES_TRIED 10000

static bool is_picture(const char *path)
{
	size_t len = strlen(path);

	return len >= 4 && !strcmp(path + len - 4, ".svg");
}

static void add_path(struct str *into, const char *folder, const char *name)
{
	if (folder && *folder && *name != '/')
		str_printf(into, "%s/", folder);
	str_add(into, name);
}

/* The first number that no file has. */
static int new_path(const char *folder, struct str *into, struct complaint *why)
{
	for (int i = 1; i <= NAMES_TRIED; i++) {
		char name[64];

		snprintf(name, sizeof(name), "inquest-view-%d.txt", i);
		str_cut(into, 0);
		add_path(into, folder, name);
		if (faccessat(AT_FDCWD, str_text(into), F_OK, AT_SYMLINK_NOFOLLOW) < 0 &&
			errno == ENOENT)
			return 0;
	}
	return complaint_set(why, "no new name left for %s: name one, as in :export FILE",
		str_text(into));
}

/* Nothing that is there is ever written over, be it a link that leads nowhere. */
static int write_new(const char *path, const struct str *text, struct complaint *why)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), err = 0;
	size_t done = 0;

	if (fd < 0 && errno == EEXIST)
		return complaint_set(why, "%s is there already: name another", path);
	if (fd < 0)
		return complaint_errno(why, errno, "cannot write %s", path);
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

int export_cells(const struct cells *cells, enum theme theme, const char *folder, const char *name,
	struct str *ret_path, struct complaint *why)
{
	struct str text = {0}, path = {0};
	int err = 0;

	if (*name)
		add_path(&path, folder, name);
	else
		err = new_path(folder, &path, why);
	if (!err && is_picture(path.text))
		svg_write(cells, theme, &text);
	else if (!err)
		cells_text(cells, &text);
	if (!err)
		err = write_new(path.text, &text, why);
	if (!err)
		str_add(ret_path, path.text);
	str_release(&text);
	str_release(&path);
	return err;
}
