/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch-facts.h: what a receipt's document says of a launch, as inquest-bundle(5) lists its
 * fields. The document may be anybody's: whatever is missing or of another type is not known.
 */
#ifndef DECODE_LAUNCH_FACTS_H
#define DECODE_LAUNCH_FACTS_H

#include <json.h>

#include "base/arena.h"
#include "job/launch.h"

/* No list of a document is longer than that: the rest is not read. */
#define LAUNCH_LIST_MOST    4096
#define LAUNCH_STORAGE_MOST 64

/* Reads it; all texts are put into the arena. The cite is "". */
void launch_read(const struct json_object *object, struct arena *arena, struct job_launch *ret);

/*
 * An object of texts under that key, by name: variables of an environment, packages with their
 * versions; `known` if there is one, be it empty.
 */
const struct launch_variable *launch_variables_read(const struct json_object *object,
	const char *key, struct arena *arena, size_t *ret_n, bool *known);

/* A list of caches: path, files, bytes, complete; `known` if there is one, be it empty. */
struct launch_cache *launch_caches_read(const struct json_object *object, const char *key,
	struct arena *arena, size_t *ret_n, bool *known);

#endif
