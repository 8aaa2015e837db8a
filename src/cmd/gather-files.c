/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/gather-files.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/packed.h"
#include "cmd/bundle-files.h"
#include "cmd/cmd.h"
#include "cmd/dump-files.h"
#include "evidence/format/bundle.h"
#include "evidence/format/flight-folder.h"
#include "evidence/format/flight-name.h"
#include "evidence/gather/remains/remains-jobs.h"
#include "evidence/gather/source.h"
#include "ring/census.h"

/*
 * Complains of a path that has nothing, and adds a gap. `other` tells that it is something else
 * than a bundle.
 */
static void note_unreadable(struct gathered *gathered, const struct complaint *why, bool other)
{
	if (!gathered->quiet)
		cmd_complain("%s%s", complaint_text(why), other ? ""
			: ": give a bundle (.inq), a folder with some, a core file, or dumps of "
			  "the Flight Recorder, or the log of a job");
	evidence_add_gap(gathered->into, "", 0, complaint_text(why));
}

/* Adds a gap for what is neither followed nor waited for: links of others, pipes, devices. */
static void note_refused(struct gathered *gathered, const char *path, size_t n)
{
	struct str what = {0};

	str_printf(&what, "%zu of %s: pipes, devices, or links that are not yours", n, path);
	evidence_add_gap(gathered->into, "", 0, str_text(&what));
	str_release(&what);
}

/* --- Bundles ---------------------------------------------------------------------------------- */

/* A path that was named, and what may be there: a folder is looked through once for each. */
struct named_path {
	char *path;
	bool cores, dumps, logs;
};

/* A path where there may be bundles. */
struct bundle_place {
	const char *path;
	bool has_other;		 /* it is something else, or may have that as well */
	bool lists;		 /* what was passed over in it is listed on the page */
	bool folder;
	bool of_job;		 /* a job's own, with its rings */
	struct complaint why;	 /* why a folder cannot be listed */
	struct file_names names; /* the files in it */
	size_t first, n;	 /* its files are these, of all */
};

/* All paths, with all files in them. */
struct bundle_places {
	ARRAY(struct bundle_file) files;
	ARRAY(struct bundle_place) all;
};

/*
 * Looks at a path. A folder may hold only cores or dumps: then it is no complaint that it has no
 * bundle.
 */
static void look_at(struct bundle_places *places, const struct named_path *named)
{
	const char *path = named->path;
	struct bundle_place place = {.path = path, .first = places->files.nr};
	struct stat st;

	place.has_other = named->cores || named->dumps || named->logs;
	place.lists = named->logs;
	place.folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
	if (place.folder)
		bundle_find(path, &place.names, &place.why);
	place.n = place.folder ? place.names.list.nr : !place.has_other;
	for (size_t i = 0; i < place.n; i++)
		*array_add(&places->files) = (struct bundle_file){
			.path = place.folder ? place.names.list.items[i] : path};
	*array_add(&places->all) = place;
}

/* Takes over what was read of a place's files. Returns of how many. */
static size_t take_files(
	struct gathered *gathered, struct bundle_places *places, struct bundle_place *place)
{
	size_t taken = 0;

	for (size_t i = 0; i < place->n; i++) {
		struct bundle_file *file = &places->files.items[place->first + i];

		if (file->readable) {
			bundle_groups_add_part(&gathered->groups, &file->part);
			taken++;
		} else if (place->n > 1) {
			evidence_add_gap(gathered->into, "", 0, complaint_text(&file->why));
		} else {
			complaint_set(&place->why, "%s", complaint_text(&file->why));
		}
		complaint_release(&file->why);
	}
	return taken;
}

/*
 * Names the job whose folder this is, by its census; false: it is no job's. Its rings are for those
 * who look at it while it runs, or sweep what it left.
 */
static bool is_of_job(const char *path, struct str *name)
{
	char *real = realpath(path, NULL);
	struct str census = {0};
	struct stat st;
	bool is = false;

	if (real) {
		str_printf(&census, "%s/" CENSUS_FILE, real);
		is = !lstat(str_text(&census), &st) && S_ISREG(st.st_mode);
		str_add(name, strrchr(real, '/') + 1);
	}
	str_release(&census);
	free(real);
	return is;
}

/* True if the name is a dump's or a bundle's, with what a packer puts behind it. */
static bool is_packed_evidence(const char *name)
{
	struct str stem = {0};
	struct flight_name dump;
	bool is;

	str_add(&stem, name);
	str_cut(&stem, stem.len - strlen(strrchr(name, '.') ? strrchr(name, '.') : ""));
	flight_name_read(str_text(&stem), &dump);
	is = dump.rank >= 0 || (stem.len > 4 && !strcmp(str_text(&stem) + stem.len - 4, ".inq"));
	str_release(&stem);
	return is;
}

/*
 * Tells which files of a folder are packed, "a.gz is packed by gzip: unpack it"; of a folder that
 * has other evidence only what would be some, too: a checkpoint is packed as well. Returns false if
 * none are.
 */
static bool tell_packed(const struct bundle_place *place, bool evidence, struct str *into)
{
	struct file_names names = {0};
	const char *first = NULL, *as = NULL;
	bool alike = true;
	size_t packed = 0;

	if (place->folder)
		file_list(place->path, &names, NULL);
	for (size_t i = 0; i < names.list.nr; i++) {
		const char *path = names.list.items[i], *slash = strrchr(path, '/');
		const char *name = slash ? slash + 1 : path, *how = packed_how_file(path);

		if (!how || (evidence && !is_packed_evidence(name)))
			continue;
		if (!packed++)
			first = name, as = how;
		alike &= !strcmp(how, as);
	}
	if (packed > 1)
		str_printf(into, "%zu files are %s (%s, ...)", packed,
			alike ? as : "packed: unpack them", first);
	else if (packed)
		str_printf(into, "%s is %s", first, as);
	file_names_release(&names);
	return packed > 0;
}

/* Says what in a folder without evidence is packed. Returns false if nothing is. */
static bool complain_of_packed(struct bundle_place *place)
{
	struct str words = {0};
	bool packed = tell_packed(place, false, &words);

	if (packed)
		complaint_set(&place->why, "no readable bundle in %s: %s", place->path,
			str_text(&words));
	str_release(&words);
	return packed;
}

/* Adds a gap for what is packed beside evidence, unless the page lists it. */
static void note_packed(struct gathered *gathered, const struct bundle_place *place)
{
	struct str words = {0};

	if (!place->lists && tell_packed(place, true, &words))
		evidence_add_gap(gathered->into, "", 0, str_text(&words));
	str_release(&words);
}

/* Says that a place has nothing; also what of it nobody looked into. */
static void complain_of_place(struct bundle_place *place)
{
	size_t passed = place->folder && !place->has_other ? flight_passed(place->path) : 0;
	struct str job = {0};

	place->of_job = place->folder && is_of_job(place->path, &job);
	if (place->of_job)
		complaint_set(&place->why,
			"%s is the folder of a job: `inquest attach %s' looks at it", place->path,
			str_text(&job));
	else if (passed)
		complaint_set(&place->why,
			"no readable bundle in %s; %zu below it not looked into: links, or too "
			"deep, or not to be opened", place->path, passed);
	else if (!complain_of_packed(place))
		complaint_set(&place->why, "no readable bundle in %s", place->path);
	str_release(&job);
}

/* Takes over what was read of a place; complains if there is nothing. */
static void take_place(
	struct gathered *gathered, struct bundle_places *places, struct bundle_place *place)
{
	size_t taken;

	if (place->names.refused)
		note_refused(gathered, place->path, place->names.refused);
	taken = take_files(gathered, places, place);
	if (!taken && !place->why.words)
		complain_of_place(place);
	gathered->bundles += taken > 0;
	if (!taken && !place->has_other)
		note_unreadable(gathered, &place->why, place->of_job);
	else
		note_packed(gathered, place);
	complaint_release(&place->why);
	file_names_release(&place->names);
}

/*
 * Reads all files of all paths together, and takes them in the order in which the paths were named.
 */
static void gather_bundles(struct gathered *gathered, const struct named_path *paths, size_t n)
{
	struct bundle_places places = {0};

	for (size_t i = 0; i < n; i++) {
		budget_reads(gathered->budget, paths[i].path);
		look_at(&places, &paths[i]);
	}
	bundle_files_read(places.files.items, places.files.nr, gathered->into->meter,
		gathered->budget);
	for (size_t i = 0; i < n; i++)
		take_place(gathered, &places, &places.all.items[i]);
	array_release(&places.files);
	array_release(&places.all);
}

/* --- The rest --------------------------------------------------------------------------------- */

/* Counts a path that gave evidence, or complains of it. */
static void note_taken(struct gathered *gathered, int error, struct complaint *why, size_t *taken)
{
	*taken += !error;
	if (error)
		note_unreadable(gathered, why, true);
	complaint_release(why);
}

static void gather_core(struct gathered *gathered, const char *path)
{
	struct complaint why = {0};

	budget_reads(gathered->budget, path);
	note_taken(gathered, source_core.gather(path, gathered->into, &why), &why,
		&gathered->cores);
}

/*
 * Keeps freed memory for reuse. Each of a thousand dumps is read into memory and taken apart in
 * memory that is then free for the next one; giving it back to the kernel in between costs more
 * than the reading.
 */
static void keep_memory(void)
{
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
	mallopt(M_TRIM_THRESHOLD, 256 << 20);
	mallopt(M_TOP_PAD, 4 << 20);
}

static void gather_dumps(struct gathered *gathered, const char *path)
{
	struct complaint why = {0};
	int error;

	keep_memory();
	budget_reads(gathered->budget, path);
	error = dump_files_read(path, gathered->into, gathered->budget, &why);
	note_taken(gathered, error, &why, &gathered->dumps);
	budget_reads(gathered->budget, path); /* the names of files are gone */
}

/*
 * Returns the path that is read for a path that the user names. A link is followed then, whoever
 * made it: but only once, here, and what lies behind it is what is read. The caller frees it.
 */
static char *resolve(const char *path)
{
	struct stat st;
	char *real = NULL;

	if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode) && st.st_uid != geteuid() && st.st_uid)
		real = realpath(path, NULL);
	return real ? real : alloc_text(path);
}

/* Adds a line to the files of a report for what nobody could look at. */
static void tell_rest(struct gathered *gathered, size_t n, const char *why)
{
	if (n)
		*array_add(&gathered->files) = (struct page_file){
			arena_printf(&gathered->arena, "%zu", n), NULL, why};
}

/*
 * Lists the files for a report. A path that was given alone, and taken, was taken for what it is.
 */
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

/*
 * Gathers what others left, from all paths together: they may have logs of several jobs, as a
 * shell's slurm-*.out has.
 */
static void gather_remains(struct gathered *gathered, const struct named_path *paths, size_t n)
{
	struct remains *remains = &gathered->remains;

	for (size_t i = 0; i < n; i++) {
		budget_reads(gathered->budget, paths[i].path);
		remains_look(remains, paths[i].path);
	}
	remains_jobs_tell_apart(remains, bundle_groups_slurm_job(&gathered->groups));
	gathered->logs = remains_read(remains, gathered->into);
	if (!gathered->logs && !gathered->bundles && !gathered->cores && !gathered->dumps &&
		!gathered->quiet)
		cmd_complain(
			"nothing that a job leaves could be read in %s", paths[0].path);
	tell_files(gathered);
}

/* Gathers all kinds in their order. */
static void gather_all(struct gathered *gathered, const struct named_path *paths, size_t n)
{
	bool logs = false;

	gather_bundles(gathered, paths, n);
	bundle_groups_settle(&gathered->groups, gathered->into);
	bundle_groups_describe(&gathered->groups, &gathered->left_out);
	for (size_t i = 0; i < n; i++)
		if (paths[i].cores)
			gather_core(gathered, paths[i].path);
	for (size_t i = 0; i < n; i++)
		if (paths[i].dumps)
			gather_dumps(gathered, paths[i].path);
	for (size_t i = 0; i < n; i++)
		logs |= paths[i].logs;
	if (logs)
		gather_remains(gathered, paths, n);
}

void gather_files(struct gathered *gathered, const char *const *paths, size_t n)
{
	struct named_path *named = alloc_zeroed(n + 1, sizeof(*named));

	for (size_t i = 0; i < n; i++) {
		char *real;

		budget_reads(gathered->budget, paths[i]);
		real = resolve(paths[i]);
		named[i] = (struct named_path){.path = real,
			.cores = source_core.claims(real),
			.dumps = source_flight.claims(real),
			.logs = source_log.claims(real)};
	}
	gather_all(gathered, named, n);
	budget_reads(gathered->budget, NULL);
	for (size_t i = 0; i < n; i++)
		free(named[i].path);
	free(named);
}

void gathered_release(struct gathered *gathered)
{
	bundle_groups_release(&gathered->groups);
	str_release(&gathered->left_out);
	remains_release(&gathered->remains);
	array_release(&gathered->files);
	arena_release(&gathered->arena);
}
