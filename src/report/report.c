/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report.h"

#include <string.h>

static const struct report *const reports[] = {&report_text, &report_json, &report_stacks,
	&report_stacks_json, &report_folded};

const struct report *report_find(const char *name)
{
	for (size_t i = 0; i < sizeof(reports) / sizeof(reports[0]); i++)
		if (!strcmp(reports[i]->name, name))
			return reports[i];
	return NULL;
}
