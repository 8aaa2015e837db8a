/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/gather/source.h"

#include <stddef.h>

static const struct source *const sources[] = {
	&source_bundle, &source_core, &source_flight, &source_log, &source_live};

const struct source *source_of(const char *arg)
{
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		if (sources[i]->claims(arg))
			return sources[i];
	return NULL;
}
