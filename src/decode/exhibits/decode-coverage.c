/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes which nodes were asked for evidence. Those that answered are known by what they gave,
 * under whatever name they have themselves; so only those that did not answer count here. A node
 * that has nothing of the job is none of its nodes. One that gave a part was seen, though not all
 * of it.
 */
#include <string.h>

#include "decode/context.h"
#include "decode/kinds.h"
#include "evidence/format/json-get.h"

/* At most so many nodes are read. */
#define COVERAGE_NODES 65536

/*
 * True for a node that gave only a part. Older bundles have no state of its own for that, only a
 * reason.
 */
static bool is_part(const struct json_object *node, const char *state)
{
	const char *why = json_get_text(node, "why");

	return !strcmp(state, "part") || (!strcmp(state, "answered") && why && *why);
}

static int coverage_decode(const struct exhibit *exhibit, struct job_builder *builder,
	struct decode_context *context, struct complaint *why)
{
	struct json_object *object = json_get_document(exhibit, why), *list;
	int expected = 0;
	size_t nr;

	(void)context;
	if (!object)
		return -1;
	list = json_get_list(object, "nodes", &nr);
	for (size_t i = 0; i < nr && i < COVERAGE_NODES; i++) {
		const struct json_object *node = json_object_array_get_idx(list, i);
		const char *name = json_get_text(node, "name");
		const char *state = json_get_text(node, "state");
		bool lacks = state && !strcmp(state, "lacks");
		bool part = state && is_part(node, state);

		if (!name || !*name || !state)
			continue;
		expected += lacks || part || !strcmp(state, "answered");
		if (lacks)
			job_add_expected_host(builder, name);
		if (part)
			job_add_part_host(builder, name);
	}
	if (expected)
		job_add_expected_hosts(builder, expected, "nodes asked");
	json_object_put(object);
	return 0;
}

const struct decoder decode_coverage = {EXHIBIT_COVERAGE, coverage_decode};
