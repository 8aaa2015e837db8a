/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/gather-files.h"

#include <malloc.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cmd/cmd.h"
#include "evidence/format/bundle.h"
#include "evidence/gather/remains-jobs.h"
#include "evidence/gather/source.h"

/* Where a path has nothing, that is said and becomes a gap. */
static void note_unreadable(struct gathered *gathered, const struct complaint *why, bool other)
{
	if (!gathered->quiet)
		cmd_complain("%s%s", complaint_text(why), other ? ""
			: ": give a bundle (.inq), a folder with some, a core file, or dumps of "
			  "the Flight Recorder, or the log of a job");
	evidence_add_gap(gathered->into, "", 0, complaint_text(why));
}

/* Links of others, pipes, devices: nobody follows them, or waits for them. */
static void note_refused(struct gathered *gathered, const char *path, size_t n)
{
	struct str what = {0};

	str_printf(&what, "%zu of %s: pipes, devices, or links that are not yours", n, path);
	evidence_add_gap(gathered->into, "", 0, str_text(&what));
	str_release(&what);
}

static bool take_bundle(struct gathered *gathered, const char *path, struct complaint *why)
{
	struct evidence evidence = {.meter = gathered->into->meter};
	bool readable;

	budget_reads(gathered->budget, path);
	readable = bundle_read(path, &evidence, why) == 0;
	if (readable)
		bundle_groups_add(&gathered->groups, path, &evidence);
	evidence_release(&evidence);
	return readable;
}

/* All that can be read of a folder; false with words where that is nothing. */
static bool take_folder(struct gathered *gathered, const char *path, struct complaint *why)
{
	struct file_names names = {0};
	size_t read = 0;
	int error = bundle_find(path, &names, why);

	if (names.refused)
		note_refused(gathered, path, names.refused);

	for (size_t i = 0; i < names.list.nr; i++) {
		struct complaint ours = {0};

		if (take_bundle(gathered, names.list.items[i], &ours))
			read++;
		else if (names.list.nr > 1)
			evidence_add_gap(gathered->into, "", 0, complaint_text(&ours));
		else
			complaint_set(why, "%s", complaint_text(&ours));
		complaint_release(&ours);
	}
	budget_reads(gathered->budget, path); /* the names go */
	if (!error && !read && names.list.nr != 1)
		complaint_set(why, "no readable bundle in %s", path);
	file_names_release(&names);
	return read > 0;
}

/* A folder may hold cores or dumps only: then it is no complaint that it has no bundle. */
static void gather_bundles(struct gathered *gathered, const char *path)
{
	struct complaint why = {0};
	bool has_other, folder, taken;
	struct stat st;

	budget_reads(gathered->budget, path);
	has_other = source_core.claims(path) || source_flight.claims(path) ||
		    source_log.claims(path);
	folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
	if (has_other && !folder)
		return;
	taken = folder ? take_folder(gathered, path, &why) : take_bundle(gathered, path, &why);
	gathered->bundles += taken;
	if (!taken && !has_other)
		note_unreadable(gathered, &why, false);
	complaint_release(&why);
}

/* What is no bundle: each has a source of its own. */
static void gather_other(struct gathered *gathered, const struct source *source, const char *path,
	size_t *ret_taken)
{
	struct complaint why = {0};
	bool readable;

	budget_reads(gathered->budget, path);
	readable = source->gather(path, gathered->into, &why) == 0;
	*ret_taken += readable;
	if (!readable)
		note_unreadable(gathered, &why, true);
	complaint_release(&why);
}

/*
 * Of a thousand dumps each is read into memory and taken apart in memory that is free again for the
 * next one. What is given back to the kernel in between costs more than the reading.
 */
static void keep_memory(void)
{
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
	mallopt(M_TRIM_THRESHOLD, 256 << 20);
	mallopt(M_TOP_PAD, 4 << 20);
}

/*
 * A link that the user names himself is followed, whoever made it: but once, here, and what lies
 * behind it is what is read. free() it.
 */
static char *resolve(const char *path)
{
	struct stat st;
	char *real = NULL;

	if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode) && st.st_uid != geteuid() && st.st_uid)
		real = realpath(path, NULL);
	return real ? real : alloc_text(path);
}

/* What nobody could look at is a file, too. */
static void tell_rest(struct gathered *gathered, size_t n, const char *why)
{
	if (n)
		*array_add(&gathered->files) = (struct page_file){
			arena_printf(&gathered->arena, "%zu", n), NULL, why};
}

/* A path that was given alone, and taken, was what it was taken for. */
static void tell_files(struct gathered *gathered)
{
	const struct remains *remains = &gathered->remains;
	const struct remains_file *file;

	array_for_each(&remains->files, file)
		*array_add(&gathered->files) = (struct page_file){file->label,
			file->kind ? file->kind->is : file->why ? NULL : file->other, file->why};
	tell_rest(gathered, remains->more, "not looked at: too many files");
	tell_rest(gathered, remains->unentered, "folders, not looked into: too many");
	tell_rest(gathered, remains->refused, "pipes, devices, or links that are not yours");
	if (gathered->files.nr == 1)
		gathered->files.nr = 0;
}

/* Of all paths together: they may have logs of several jobs, as a shell's slurm-*.out has. */
static void gather_remains(struct gathered *gathered, char *const *paths, size_t n)
{
	struct remains *remains = &gathered->remains;

	for (size_t i = 0; i < n; i++) {
		budget_reads(gathered->budget, paths[i]);
		remains_look(remains, paths[i]);
	}
	remains_jobs_tell_apart(remains, bundle_groups_slurm_job(&gathered->groups));
	gathered->logs = remains_read(remains, gathered->into);
	if (!gathered->logs && !gathered->bundles && !gathered->cores && !gathered->dumps &&
		!gathered->quiet)
		cmd_complain("nothing that a job leaves could be read in %s", paths[0]);
	tell_files(gathered);
}

static void gather_all(struct gathered *gathered, char *const *paths, size_t n)
{
	for (size_t i = 0; i < n; i++)
		gather_bundles(gathered, paths[i]);
	bundle_groups_settle(&gathered->groups, gathered->into);
	bundle_groups_describe(&gathered->groups, &gathered->left_out);
	for (size_t i = 0; i < n; i++)
		if (source_core.claims(paths[i]))
			gather_other(gathered, &source_core, paths[i], &gathered->cores);
	for (size_t i = 0; i < n; i++)
		if (source_flight.claims(paths[i])) {
			keep_memory();
			gather_other(gathered, &source_flight, paths[i], &gathered->dumps);
		}
	for (size_t i = 0; i < n; i++)
		if (source_log.claims(paths[i])) {
			gather_remains(gathered, paths, n);
			break;
		}
}

void gather_files(struct gathered *gathered, const char *const *paths, size_t n)
{
	char **real = alloc_zeroed(n + 1, sizeof(*real));

	for (size_t i = 0; i < n; i++) {
		budget_reads(gathered->budget, paths[i]);
		real[i] = resolve(paths[i]);
	}
	gather_all(gathered, real, n);
	budget_reads(gathered->budget, NULL);
	for (size_t i = 0; i < n; i++)
		free(real[i]);
	free(real);
}

void gathered_release(struct gathered *gathered)
{
	bundle_groups_release(&gathered->groups);
	str_release(&gathered->left_out);
	remains_release(&gathered->remains);
	array_release(&gathered->files);
	arena_release(&gathered->arena);
}
