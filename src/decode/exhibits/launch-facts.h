/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch-facts.h: reads what a receipt's document says of a launch, in the fields that
 * inquest-bundle(5) lists. The document may be forged: what is missing or of another type is not
 * known.
 */
#ifndef DECODE_LAUNCH_FACTS_H
#define DECODE_LAUNCH_FACTS_H

#include <json.h>

#include "base/arena.h"
#include "job/launch.h"

/* At most so many items of a list are read, and of the list of storage. */
#define LAUNCH_LIST_MOST    4096
#define LAUNCH_STORAGE_MOST 64

/* Reads the launch, and puts all texts into the arena. The cite is "". */
void launch_read(const struct json_object *object, struct arena *arena, struct job_launch *ret);

/*
 * Reads an object of texts by name under that key: variables of an environment, packages with their
 * versions. *known if there is one, be it empty.
 */
const struct launch_variable *launch_variables_read(const struct json_object *object,
	const char *key, struct arena *arena, size_t *ret_n, bool *known);

/*
 * Reads a list of caches under that key: path, files, bytes, complete. *known if there is one, be
 * it empty.
 */
struct launch_cache *launch_caches_read(const struct json_object *object, const char *key,
	struct arena *arena, size_t *ret_n, bool *known);

#endif
