/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/gather/receipt-look.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/file.h"
#include "proc/program.h"

#define GIT_FILE_CAP (4 << 20)

/* --- Folders --------------------------------------------------------------------------------- */

/* A walk through a tree. */
struct look_walk {
	ARRAY(char *) folders; /* that were found; the next is looked at in turn */
	struct look_tree *tree;
	int64_t until; /* monotonic ns */
};

static bool look_is_over(const struct look_walk *walk)
{
	return walk->tree->files >= LOOK_FILES_CAP || clock_monotonic_ns() > walk->until;
}

/* Counts the files of one folder and queues the folders in it. */
static void look_at_folder(struct look_walk *walk, const char *path)
{
	const struct dirent *entry;
	DIR *dir = opendir(path);

	while (dir && !look_is_over(walk) && (entry = readdir(dir))) {
		struct stat st;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (S_ISREG(st.st_mode)) {
			walk->tree->files++;
			walk->tree->bytes += st.st_size;
		} else if (S_ISDIR(st.st_mode)) {
			struct str below = {0};

			str_printf(&below, "%s/%s", path, entry->d_name);
			*array_add(&walk->folders) = str_detach(&below);
		}
	}
	if (dir)
		closedir(dir);
}

struct look_tree look_at_tree(const char *path)
{
	struct look_tree tree = {0};
	struct look_walk walk = {
		.tree = &tree, .until = clock_monotonic_ns() + LOOK_TREE_MS * CLOCK_NS_PER_MS};
	struct stat st;

	tree.exists = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
	if (tree.exists)
		*array_add(&walk.folders) = alloc_text(path);
	for (size_t i = 0; i < walk.folders.nr; i++) {
		char *folder = walk.folders.items[i];

		if (!look_is_over(&walk))
			look_at_folder(&walk, folder);
		free(folder);
	}
	tree.complete = !look_is_over(&walk);
	array_release(&walk.folders);
	return tree;
}

/* --- git ------------------------------------------------------------------------------------- */

/*
 * Reads the first line of a file below the git folder. Returns false if there is none, or it is
 * empty.
 */
static bool git_line(const char *git, const char *name, struct str *into)
{
	struct str path = {0};
	int error;

	str_cut(into, 0);
	str_printf(&path, "%s/%s", git, name);
	error = file_read(path.text, GIT_FILE_CAP, into, NULL);
	str_release(&path);
	if (!error)
		str_cut(into, strcspn(str_text(into), "\n"));
	return !error && into->len;
}

/* Finds the folder that holds HEAD, above or at cwd: .git, or where a .git file points to. */
static bool git_find(const char *cwd, struct str *into)
{
	struct str at = {0}, line = {0};
	struct stat st;
	bool found = false;

	str_add(&at, cwd);
	while (at.len && !found) {
		str_cut(into, 0);
		str_printf(into, "%s/.git", at.text);
		found = stat(into->text, &st) == 0;
		if (!found)
			str_cut(&at, (size_t)(strrchr(at.text, '/') - at.text));
	}
	if (found && S_ISREG(st.st_mode)) {
		found = git_line(at.text, ".git", &line) && !strncmp(line.text, "gitdir: ", 8);
		str_cut(into, 0);
		if (found && line.text[8] != '/')
			str_printf(into, "%s/", at.text);
		if (found)
			str_add(into, line.text + 8);
	}
	str_release(&at);
	str_release(&line);
	return found;
}

/* Reads the revision of a ref that has no file of its own. */
static bool git_packed(const char *git, const char *ref, struct str *into)
{
	struct str path = {0}, text = {0};
	bool found = false;

	str_printf(&path, "%s/packed-refs", git);
	if (file_read(path.text, GIT_FILE_CAP, &text, NULL) == 0) {
		const char *at = strstr(str_text(&text), ref);

		/* A line is "<40 or 64 digits> <ref>\n". */
		while (at && (at[strlen(ref)] != '\n' || at == text.text || at[-1] != ' '))
			at = strstr(at + 1, ref);
		if (at) {
			const char *start = at - 1;

			while (start > text.text && start[-1] != '\n')
				start--;
			str_cut(into, 0);
			str_add_bytes(into, start, (size_t)(at - 1 - start));
			found = true;
		}
	}
	str_release(&path);
	str_release(&text);
	return found;
}

/* Reads revision and branch of a git folder. */
static void git_revision(const char *git, struct look_git *ret)
{
	struct str head = {0}, common = {0};

	if (!git_line(git, "HEAD", &head))
		goto out;
	if (strncmp(head.text, "ref: ", 5)) {
		str_add(&ret->revision, head.text);
		goto out;
	}
	str_add(&ret->branch, head.text + 5);
	/* A linked work tree keeps its refs with the main one. */
	if (git_line(git, "commondir", &common)) {
		struct str joined = {0};

		if (common.text[0] != '/')
			str_printf(&joined, "%s/", git);
		str_add(&joined, common.text);
		str_release(&common);
		common = joined;
	} else {
		str_add(&common, git);
	}
	if (!git_line(common.text, head.text + 5, &ret->revision) &&
		!git_packed(common.text, head.text + 5, &ret->revision))
		str_cut(&ret->revision, 0);
out:
	str_release(&head);
	str_release(&common);
}

/*
 * Returns 1 if git says that tracked files were changed, 0 if not, -1 if it does not say in time.
 * It runs without its file watcher, which would be started for this, and stay.
 */
static int git_dirty(const char *cwd)
{
	const char *const argv[] = {"git", "-C", cwd, "-c", "core.fsmonitor=false", "status",
		"--porcelain", "--untracked-files=no", NULL};
	const char *const env[] = {"GIT_OPTIONAL_LOCKS=0", "LD_PRELOAD", NULL};
	struct str said = {0};
	int status = program_read(&(struct program){argv, env}, LOOK_GIT_MS, 0, &said);

	str_release(&said);
	return status == -EFBIG ? 1 : status == 0 ? 0 : -1;
}

void look_at_git(const char *cwd, struct look_git *ret)
{
	struct str git = {0};

	ret->dirty = -1;
	if (cwd[0] == '/' && git_find(cwd, &git))
		git_revision(git.text, ret);
	if (ret->revision.len)
		ret->dirty = git_dirty(cwd);
	str_release(&git);
}
