/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seeds FOLDER BUNDLE...: what fuzzers begin with, of recorded jobs. Into FOLDER/whole for each
 * bundle the parcels of its first ranks, and each kind that no bundle before it had, alone, to be
 * changed more often; into FOLDER/bundle bundles again, without their large exhibits.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "evidence/format/bundle.h"
#include "parcel.h"

#define RANKS 2	   /* of each job: a larger input is changed less often */
#define SMALL 4096 /* bytes of an exhibit */

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

static void write_small(const struct seeds *seeds, const char *name, struct evidence *evidence)
{
	struct str bytes = {0};

	for (size_t i = 0; i < evidence->n; i++)
		if (evidence->at[i].len > SMALL)
			evidence->at[i].len = SMALL;
	bundle_pack(evidence, &bytes);
	write_seed(seeds, "bundle", name, &bytes);
	str_release(&bytes);
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

		write_alone(seeds, exhibit);
		if (exhibit->kind != EXHIBIT_UNKNOWN_KIND && exhibit->rank < RANKS)
			parcel_put(&bytes, exhibit, 0);
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
