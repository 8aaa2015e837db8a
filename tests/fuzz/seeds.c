/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seeds FOLDER BUNDLE...: what fuzzers begin with, of recorded jobs. Into FOLDER/whole for each
 * bundle the parcels of its first ranks, and each kind that no bundle before it had, alone, to be
 * changed more often; into FOLDER/bundle bundles again, with a few small exhibits of each kind.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "evidence/format/bundle.h"
#include "parcel.h"

#define RANKS 2	    /* of each job: a larger input is changed less often */
#define SMALL 4096  /* bytes of an exhibit in a bundle */
#define ALIKE 2	    /* exhibits of a kind in a bundle */
#define LARGE 32768 /* bytes of a parcel that is only played alone */

struct seeds {
	const char *folder;
	bool seen[EXHIBIT_UNKNOWN_KIND];
};

static void write_seed(const struct seeds *seeds, const char *target, const char *name,
	const struct str *bytes)
{
	struct complaint why = {0};
	struct str path = {0};

	str_printf(&path, "%s/%s/%s", seeds->folder, target, name);
	if (file_write(path.text, bytes->text, bytes->len, 0644, &why) < 0) {
		fprintf(stderr, "seeds: %s\n", complaint_text(&why));
		exit(1);
	}
	str_release(&path);
}

static void write_alone(struct seeds *seeds, const struct exhibit *exhibit)
{
	struct str bytes = {0};

	if (exhibit->kind == EXHIBIT_UNKNOWN_KIND || seeds->seen[exhibit->kind])
		return;
	seeds->seen[exhibit->kind] = true;
	parcel_put(&bytes, exhibit, 0);
	write_seed(seeds, "whole", exhibit->kind_name, &bytes);
	str_release(&bytes);
}

static void write_small(const struct seeds *seeds, const char *name, const struct evidence *all)
{
	size_t of_kind[EXHIBIT_UNKNOWN_KIND + 1] = {0};
	struct evidence few = {.gaps = all->gaps, .ngaps = all->ngaps};
	struct str bytes = {0};

	few.at = alloc_zeroed(all->n, sizeof(*few.at));
	for (size_t i = 0; i < all->n; i++)
		if (of_kind[all->at[i].kind]++ < ALIKE)
			few.at[few.n++] = all->at[i];
	for (size_t i = 0; i < few.n; i++)
		if (few.at[i].len > SMALL)
			few.at[i].len = SMALL;
	bundle_pack(&few, &bytes);
	write_seed(seeds, "bundle", name, &bytes);
	str_release(&bytes);
	free(few.at);
}

static void write_job(struct seeds *seeds, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct evidence evidence = {0};
	struct complaint why = {0};
	struct str bytes = {0};

	if (bundle_read(path, &evidence, &why) < 0) {
		fprintf(stderr, "seeds: %s\n", complaint_text(&why));
		exit(1);
	}
	for (size_t i = 0; i < evidence.n; i++) {
		const struct exhibit *exhibit = &evidence.at[i];
		size_t before = bytes.len;

		write_alone(seeds, exhibit);
		if (exhibit->kind != EXHIBIT_UNKNOWN_KIND && exhibit->rank < RANKS)
			parcel_put(&bytes, exhibit, 0);
		if (bytes.len - before > LARGE)
			str_cut(&bytes, before);
	}
	write_seed(seeds, "whole", slash ? slash + 1 : path, &bytes);
	write_small(seeds, slash ? slash + 1 : path, &evidence);
	str_release(&bytes);
	evidence_release(&evidence);
}

int main(int argc, char **argv)
{
	struct seeds seeds = {.folder = argc > 1 ? argv[1] : "."};

	for (int i = 2; i < argc; i++)
		write_job(&seeds, argv[i]);
	return 0;
}
