/* SPDX-License-Identifier: Apache-2.0 */
#include "base/paths.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* For each piece: where it lies below the build tree, and where it is installed. */
static const struct {
	const char *built;
	const char *installed;
} pieces[] = {
	[PATHS_PROBE] = {".libs/libinquest-probe.so", PKGLIBDIR "/libinquest-probe.so"},
	[PATHS_STANDIN] = {"fixtures/standin/.libs", STANDINDIR},
	[PATHS_SCENARIOS] = {"fixtures/scenarios", SCENARIOSDIR},
};

static int folder_has(const struct str *folder, const char *name)
{
	struct str path = {0};
	int found;

	str_printf(&path, "%s/%s", str_text(folder), name);
	found = access(path.text, F_OK) == 0;
	str_release(&path);
	return found;
}

/* Climbs from exe to the top of its build tree, which goes into top. Returns 0 if there is none. */
static int find_build_tree(const char *exe, struct str *top)
{
	const char *slash;

	str_add(top, exe);
	while ((slash = strrchr(str_text(top), '/')) && slash != top->text) {
		str_cut(top, (size_t)(slash - top->text));
		if (folder_has(top, "config.status") && folder_has(top, "libinquest-probe.la"))
			return 1;
	}
	return 0;
}

int paths_find_for(const char *exe, enum paths_piece piece, struct str *into, struct complaint *why)
{
	struct str path = {0};
	int err = 0;

	if (find_build_tree(exe, &path)) {
		str_printf(&path, "/%s", pieces[piece].built);
	} else {
		str_cut(&path, 0);
		str_add(&path, pieces[piece].installed);
	}
	if (access(path.text, F_OK) == 0)
		str_add(into, path.text);
	else
		err = complaint_errno(why, errno, "a piece of inquest is missing: %s", path.text);
	str_release(&path);
	return err;
}

int paths_find(enum paths_piece piece, struct str *into, struct complaint *why)
{
	char exe[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	if (len < 0)
		return complaint_errno(why, errno, "cannot tell where this program lies");
	exe[len] = '\0';
	return paths_find_for(exe, piece, into, why);
}
