/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/harvest.h"

#include <sys/stat.h>

#include "cmd/cmd.h"
#include "evidence/source.h"

/* Adds what a path has of that kind; where it has nothing, that is said and becomes a gap. */
static bool gather_one(const struct source *source, const char *path, struct evidence *into)
{
	struct complaint why = {0};
	bool readable = source->gather(path, into, &why) == 0;

	if (!readable) {
		cmd_complain("%s%s", complaint_text(&why), source == &source_core ? ""
			: ": give a bundle (.inq), a folder with some, or a core file");
		evidence_add_gap(into, "", 0, complaint_text(&why));
	}
	complaint_release(&why);
	return readable;
}

/* A folder may hold cores only: then it is no complaint that it has no bundle. */
static void gather_bundles(struct harvest *harvest, const char *path)
{
	bool has_core = source_core.claims(path);
	struct stat st;

	if (!has_core)
		harvest->bundles += gather_one(&source_bundle, path, harvest->into);
	else if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		harvest->bundles += source_bundle.gather(path, harvest->into, NULL) == 0;
}

void harvest_paths(struct harvest *harvest, const char *const *paths, size_t n)
{
	for (size_t i = 0; i < n; i++)
		gather_bundles(harvest, paths[i]);
	for (size_t i = 0; i < n; i++)
		if (source_core.claims(paths[i]))
			harvest->cores += gather_one(&source_core, paths[i], harvest->into);
}
