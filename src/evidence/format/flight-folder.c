/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dumps of PyTorch's Flight Recorder as evidence: files of one rank each, raw.
 *
 * WHOSE IT IS. A dump says neither rank nor host nor job: its rank is told by its name alone
 * (flight-name.c). So a file is told by its first bytes; and where some are dumps, their namesakes
 * with other numbers are, too, whatever is in them: one that was cut to nothing is to be missed,
 * not passed over. Which of them are one job is for who decodes them all to say.
 *
 * WHERE THEY ARE. In the folder that was named; if none is there, and no bundle, in those below it:
 * of each rank, of each host, or Ray Train's (ray-project/ray 057a6c42,
 * train/v2/_internal/callbacks/nccl_ras.py), whose "hang_detector" puts what it asked of its
 * workers side by side. There no links are followed, to folders or to files: what was packed
 * elsewhere may lead anywhere. What was not looked into is counted.
 */
#include "evidence/format/flight-folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/meter.h"
#include "evidence/format/bundle.h"
#include "evidence/format/flight-name.h"
#include "evidence/gather/source.h"

/* How many bytes of a file tell what it is. */
#define FLIGHT_START 4096

/* Behind so many files in a row, below the named folder, that are no dumps nobody goes on. */
#define FRUITLESS 8192

/* -- first bytes ------------------------------------------------------------------------------- */

/* True if it begins as a JSON object does; blanks may precede that. */
static bool begins_json(const char *start, size_t len)
{
	size_t at = 0;

	while (at < len && strchr(" \t\r\n", start[at]) && start[at])
		at++;
	return at < len && start[at] == '{';
}

/* True if it begins as a pickle or as a JSON object does. */
static bool begins_well(const char *start, size_t len)
{
	if (len >= 2 && (unsigned char)start[0] == 0x80)
		return start[1] >= 2 && start[1] <= 5;
	return begins_json(start, len);
}

/* True if a key is there that only a dump has. */
static bool has_key(const char *start, size_t len)
{
	static const char *const keys[] = {"pg_config", "pg_status", "collective_seq_id",
		"comm_lib_version", "nccl_version", "nccl_comm_state", "profiling_name"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (memmem(start, len, keys[i], strlen(keys[i])))
			return true;
	return false;
}

/* What a file is by its first bytes: no dump, perhaps a dump, surely a dump. */
enum look { LOOK_NO, LOOK_MAYBE, LOOK_YES };

/*
 * Looks at the first bytes of a regular file; others are no dumps, and a pipe would wait for a
 * writer.
 */
static enum look look_at(const char *path)
{
	char start[FLIGHT_START];
	struct stat st;
	ssize_t got = 0;
	int fd;

	fd = file_open(path);
	if (fd < 0)
		return LOOK_NO;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		got = read(fd, start, sizeof(start));
	close(fd);
	if (got <= 0 || !begins_well(start, (size_t)got))
		return LOOK_NO;
	/* An answer of NCCL RAS is no dump, though it names the library's version, too. */
	if (begins_json(start, (size_t)got) && memmem(start, (size_t)got, "\"communicators", 14))
		return LOOK_NO;
	return has_key(start, (size_t)got) ? LOOK_YES : LOOK_MAYBE;
}

bool flight_is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* -- folders ----------------------------------------------------------------------------------- */

/* A file that may be a dump. */
struct candidate {
	char *path;
	struct flight_name name; /* of its label */
	enum look look;
	bool kept;
};

/* A search for dumps in a folder, and below it. */
struct search {
	ARRAY(struct candidate) list;
	size_t root;	  /* bytes of the paths that precede labels */
	size_t sure;	  /* so many are surely dumps */
	size_t fruitless; /* files in a row that are none */
	size_t passed;	  /* what was not looked into */
	bool one;	  /* it is enough to find one */
};

static bool is_over(const struct search *search)
{
	return (search->one && search->sure) || search->fruitless > FRUITLESS;
}

static bool is_link(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

/* Looks at a file. One that is no dump, and has no name of one, is forgotten. */
static void search_file(struct search *search, const char *path, int depth)
{
	struct candidate file = {0};

	if (depth && is_link(path)) {
		search->passed++;
		return;
	}
	file.look = look_at(path);
	flight_name_read(path + search->root, &file.name);
	search->sure += file.look == LOOK_YES;
	search->fruitless += depth > 0;
	if (file.look == LOOK_YES)
		search->fruitless = 0;
	if (file.look != LOOK_YES && file.name.rank < 0)
		return;
	file.path = alloc_text(path);
	*array_add(&search->list) = file;
}

static bool has_bundle(const struct file_names *names)
{
	for (size_t i = 0; i < names->files; i++)
		if (bundle_looks_like(names->list.items[i]))
			return true;
	return false;
}

static int search_folder(
	struct search *search, const char *path, int depth, struct complaint *why);

/* Searches the folders of a listing. */
static void search_below(struct search *search, const struct file_names *names, int depth)
{
	for (size_t i = names->files; i < names->list.nr; i++) {
		const char *path = names->list.items[i];

		if (depth >= FLIGHT_DEPTH || is_link(path) || is_over(search) ||
			search_folder(search, path, depth + 1, NULL) < 0)
			search->passed++;
	}
}

/*
 * Searches a folder; and those below, unless there are dumps or bundles right in the named one.
 * Returns 0, or negative with words if it cannot be opened.
 */
static int search_folder(
	struct search *search, const char *path, int depth, struct complaint *why)
{
	struct file_names names = {0};
	int error = file_list(path, &names, why);

	if (error < 0)
		return error;
	for (size_t i = 0; i < names.files && !is_over(search); i++)
		search_file(search, names.list.items[i], depth);
	if (depth || (!search->sure && !has_bundle(&names)))
		search_below(search, &names, depth);
	search->passed += depth ? names.refused : 0;
	file_names_release(&names);
	return 0;
}

static void release(struct search *search)
{
	for (size_t i = 0; i < search->list.nr; i++)
		free(search->list.items[i].path);
	array_release(&search->list);
}

/* True if there is a dump in a folder, or below it. */
static bool has_dump(const char *path)
{
	struct search search = {.one = true, .root = strlen(path) + 1};

	search_folder(&search, path, 0, NULL);
	release(&search);
	return search.sure;
}

bool flight_is_below(const char *path)
{
	struct file_names names = {0};
	bool right_here = false;

	if (file_list(path, &names, NULL) < 0)
		return false;
	for (size_t i = 0; i < names.files && !right_here; i++)
		right_here = look_at(names.list.items[i]) == LOOK_YES;
	right_here = right_here || has_bundle(&names);
	file_names_release(&names);
	return !right_here && has_dump(path);
}

/* -- which of them are dumps ------------------------------------------------------------------- */

static size_t folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) : 0;
}

static bool same_folder(const char *a, const char *b)
{
	return folder_of(a) == folder_of(b) && !memcmp(a, b, folder_of(a));
}

static bool is_empty(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && !st.st_size;
}

/* True if both names are of one kind. A file elsewhere must not look like something else. */
static bool are_namesakes(const struct search *search, const struct candidate *file,
	const struct candidate *sure)
{
	const char *label = file->path + search->root, *other = sure->path + search->root;

	if (!flight_names_alike(label, &file->name, other, &sure->name))
		return false;
	return file->look == LOOK_MAYBE || same_folder(file->path, sure->path) ||
	       is_empty(file->path) || file->name.from + search->root <= folder_of(file->path);
}

/* Lists one of each kind of names that dumps have, by index; to be freed. */
static size_t *list_kinds(const struct search *search, size_t *ret_n)
{
	size_t *kinds = alloc_zeroed(search->sure + 1, sizeof(*kinds));
	size_t n = 0;

	for (size_t i = 0; i < search->list.nr; i++) {
		const struct candidate *file = &search->list.items[i];
		bool known = n && are_namesakes(search, file, &search->list.items[kinds[n - 1]]);

		if (file->look == LOOK_YES && !known)
			kinds[n++] = i;
	}
	*ret_n = n;
	return kinds;
}

/* Marks those that are dumps, or their namesakes. */
static void mark_dumps(struct search *search)
{
	size_t n, *kinds = list_kinds(search, &n);

	for (size_t i = 0; i < search->list.nr; i++) {
		struct candidate *file = &search->list.items[i];

		file->kept = file->look == LOOK_YES;
		for (size_t k = 0; k < n && !file->kept; k++)
			file->kept = are_namesakes(search, file, &search->list.items[kinds[k]]);
	}
	free(kinds);
}

/* Moves the marked ones whose names tell a rank to the files, and counts the others. */
static void take_marked(struct search *search, struct flight_files *into)
{
	for (size_t i = 0; i < search->list.nr; i++) {
		struct candidate *file = &search->list.items[i];

		if (!file->kept)
			continue;
		if (file->name.rank >= 0)
			*array_add(&into->names.list) = file->path;
		else if (!into->unnamed++)
			into->unnamed_first = file->path;
		else
			continue;
		file->path = NULL;
	}
}

/*
 * True if folders tell ranks: there are several, of different ranks. Else a folder that is called
 * so may be the one in which a rank has gathered the dumps of all.
 */
static bool folders_tell(const struct flight_files *files)
{
	int first = -1;

	if (files->names.list.nr == 1)
		return true;
	for (size_t i = 0; i < files->names.list.nr; i++) {
		const char *label = files->names.list.items[i] + files->root;
		struct flight_name name;

		flight_name_read(label, &name);
		if (name.rank < 0 || name.from >= folder_of(label))
			continue;
		if (first >= 0 && name.rank != first)
			return true;
		first = name.rank;
	}
	return first < 0;
}

int flight_list(const char *folder, struct flight_files *into, struct complaint *why)
{
	struct search search = {.root = strlen(folder) + 1};
	int error = search_folder(&search, folder, 0, why);

	if (error)
		return error;
	into->root = search.root;
	mark_dumps(&search);
	take_marked(&search, into);
	into->names.files = into->names.list.nr;
	into->passed = search.passed;
	into->stopped = search.fruitless > FRUITLESS;
	into->by_base = !folders_tell(into);
	release(&search);
	return 0;
}

const char *flight_files_label(const struct flight_files *files, size_t i)
{
	const char *path = files->names.list.items[i];

	return files->by_base ? path + folder_of(path) + 1 : path + files->root;
}

/* Says whose dumps are not known; false if there are none of them. */
static bool describe_unnamed(const struct flight_files *files, struct str *into)
{
	if (files->unnamed)
		str_printf(into,
			"%zu dump%s whose name%s no rank left out: %s: call %s dump_rank_3, or put "
			"%s into a folder rank_3",
			files->unnamed, files->unnamed == 1 ? "" : "s",
			files->unnamed == 1 ? " tells" : "s tell", files->unnamed_first,
			files->unnamed == 1 ? "it" : "each", files->unnamed == 1 ? "it" : "each");
	return files->unnamed;
}

void flight_files_tell_passed(
	const struct flight_files *files, const char *folder, struct evidence *into)
{
	struct str what = {0};

	if (describe_unnamed(files, &what))
		evidence_add_gap(into, "", 0, str_text(&what));
	str_release(&what);
	if (files->stopped)
		str_printf(&what, "not all below %s was searched for dumps: too many files",
			folder);
	else if (files->passed)
		str_printf(&what,
			"%zu below %s not looked into for dumps: links, or too deep, or not to be "
			"opened: name them",
			files->passed, folder);
	if (what.len)
		evidence_add_gap(into, "", 0, str_text(&what));
	str_release(&what);
}

int flight_files_complain(
	const struct flight_files *files, const char *folder, struct complaint *why)
{
	struct str what = {0};

	if (!describe_unnamed(files, &what))
		str_printf(&what, FLIGHT_NONE_IN "%s", folder);
	complaint_set(why, "%s", str_text(&what));
	str_release(&what);
	return -1;
}

size_t flight_passed(const char *folder)
{
	struct flight_files files = {0};
	size_t passed = 0;

	if (flight_list(folder, &files, NULL) == 0)
		passed = files.passed;
	flight_files_release(&files);
	return passed;
}

void flight_files_release(struct flight_files *files)
{
	free(files->unnamed_first);
	file_names_release(&files->names);
}

/* -- reading ----------------------------------------------------------------------------------- */

int flight_read(const char *path, const char *label, struct evidence *into, struct complaint *why)
{
	struct exhibit about = {.kind = EXHIBIT_FLIGHT, .label = (char *)label};
	struct flight_name name;
	struct str bytes = {0};
	size_t len;
	struct stat st;
	int error;

	flight_name_read(label, &name);
	about.rank = name.rank;
	if (about.rank < 0)
		return complaint_set(why,
			"%s: whose dump is it? Its name has to tell the rank, as in dump_rank_3",
			path);
	if (stat(path, &st) == 0 &&
		!meter_admits(into->meter, (uint64_t)st.st_size, METER_READING))
		return complaint_set(why, "%s: %s", path, METER_REFUSED);
	error = file_read(path, BUNDLE_EXHIBIT_CAP, &bytes, why);
	if (error < 0)
		return error;
	if (stat(path, &st) == 0)
		about.when = st.st_mtim.tv_sec * CLOCK_NS_PER_S + st.st_mtim.tv_nsec;
	len = bytes.len;
	evidence_add(into, &about, (uint8_t *)str_detach(&bytes), len);
	return 0;
}

/*
 * Adds all dumps of a folder; a gap for each that cannot be read. Negative with words if none can.
 */
static int gather_folder(const char *path, struct evidence *into, struct complaint *why)
{
	struct flight_files files = {0};
	size_t read = 0;
	int error = flight_list(path, &files, why);

	for (size_t i = 0; i < files.names.list.nr; i++) {
		struct complaint ours = {0};

		if (flight_read(files.names.list.items[i], flight_files_label(&files, i), into,
			    &ours) == 0)
			read++;
		else
			evidence_add_gap(into, "", 0, complaint_text(&ours));
		complaint_release(&ours);
	}
	if (!error && read)
		flight_files_tell_passed(&files, path, into);
	else if (!error)
		error = flight_files_complain(&files, path, why);
	flight_files_release(&files);
	return error;
}

static int flight_gather(const char *path, struct evidence *into, struct complaint *why)
{
	return flight_is_folder(path) ? gather_folder(path, into, why)
				      : flight_read(path, flight_label_of(path), into, why);
}

/*
 * True if the file is surely a dump, or may be one by its first bytes and has a rank in its own
 * name: torchrun's attempt_0/3/error.json lies in a rank's folder, too. Or if it is a folder with
 * dumps, or with folders that have some.
 */
static bool flight_claims(const char *arg)
{
	struct flight_name name;
	enum look look;

	if (flight_is_folder(arg))
		return has_dump(arg);
	look = look_at(arg);
	flight_name_read(arg + (folder_of(arg) ? folder_of(arg) + 1 : 0), &name);
	return look == LOOK_YES || (look == LOOK_MAYBE && name.rank >= 0);
}

const struct source source_flight = {
	.name = "flight",
	.claims = flight_claims,
	.gather = flight_gather,
};
