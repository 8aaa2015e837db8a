/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/run/save.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/follow.h"
#include "evidence/format/bundle.h"

void save_add_part(struct str *into, const char *text)
{
	for (size_t i = 0; text[i] && i < 80; i++) {
		char c = text[i];
		bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			    (c >= '0' && c <= '9') || c == '-' || c == '_' || (c == '.' && i);

		str_add_char(into, fine ? c : '_');
	}
}

/*
 * Appends the name that the bundle of this job, judged before, has in a folder. Attempts of an
 * elastic job have names of their own, from the second on; and so have hangs of a job that moved
 * again before, `earlier` times.
 */
static void save_name(const struct look *look, unsigned earlier, struct str *into)
{
	const struct job *job = look->job;
	char host[256] = "";

	save_add_part(into, *job->id ? job->id : "job");
	str_add_char(into, '.');
	if (job->nhosts)
		save_add_part(into, job->hosts[0].name);
	else if (gethostname(host, sizeof(host) - 1) == 0)
		save_add_part(into, host);
	if (job->attempt > 1)
		str_printf(into, ".%d", job->attempt);
	if (earlier)
		str_printf(into, ".hang%u", earlier + 1);
	str_add(into, BUNDLE_SUFFIX);
}

int save_make_folder(const char *path, struct complaint *why)
{
	struct str part = {0};
	int err = 0;

	for (const char *at = path; *at && !err;) {
		at += strspn(at, "/");
		at += strcspn(at, "/");
		str_cut(&part, 0);
		str_add_bytes(&part, path, (size_t)(at - path));
		if (part.len && part.text[part.len - 1] != '/')
			err = follow_make_folder(part.text);
		if (err)
			complaint_errno(why, -err, "cannot make folder %s", part.text);
	}
	str_release(&part);
	return err;
}

bool save_is_folder(const char *path)
{
	size_t len = strlen(path);
	struct stat about;

	return (len && path[len - 1] == '/') || (stat(path, &about) == 0 && S_ISDIR(about.st_mode));
}

int save_bundle(const struct look *look, const char *path, unsigned earlier, struct str *ret_path,
	struct complaint *why)
{
	bool folder = save_is_folder(path);
	struct str whole = {0};
	int err = 0;

	if (folder && path[strlen(path) - 1] == '/')
		err = save_make_folder(path, why);
	str_add(&whole, path);
	if (folder) {
		if (whole.text[whole.len - 1] != '/')
			str_add_char(&whole, '/');
		save_name(look, earlier, &whole);
	}
	if (!err)
		err = bundle_write(&look->evidence, str_text(&whole), why);
	if (!err)
		str_add(ret_path, str_text(&whole));
	str_release(&whole);
	return err;
}
