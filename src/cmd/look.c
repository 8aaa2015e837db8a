/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/look.h"

#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "decode/decode.h"
#include "report/report.h"

void look_judge(struct look *look)
{
	look->job = decode_job(&look->evidence);
	look->verdicts = verdicts_of(look->job);
}

int look_status(const struct look *look)
{
	switch (look->verdicts->at[0].class) {
	case VERDICT_HEALTHY:
	case VERDICT_SLOW:
		return CMD_FINE;
	case VERDICT_INCONCLUSIVE:
		return CMD_INCONCLUSIVE;
	default:
		return CMD_VERDICT;
	}
}

bool look_parse_stacks(const char *value, struct look_wish *into)
{
	into->stacks = true;
	while (value && *value) {
		size_t len = strcspn(value, ",");

		if (len == strlen("all") && !strncmp(value, "all", len))
			into->all = true;
		else if (len == strlen("folded") && !strncmp(value, "folded", len))
			into->folded = true;
		else if (len == strlen("json") && !strncmp(value, "json", len))
			into->json = true;
		else
			return false;
		value += len + (value[len] == ',');
	}
	return true;
}

static const struct report *wished(struct look_wish wish)
{
	if (!wish.stacks)
		return wish.json ? &report_json : &report_text;
	if (wish.json)
		return &report_stacks_json;
	return wish.folded ? &report_folded : &report_stacks;
}

int look_print(const struct look *look, const struct report_options *options, bool json)
{
	return look_print_wish(look, options, (struct look_wish){.json = json});
}

int look_print_wish(
	const struct look *look, const struct report_options *options, struct look_wish wish)
{
	struct report_options reader = *options;

	reader.all_threads = wish.all;
	reader.below = wish.below;
	if (wished(wish)->write(stdout, look->verdicts, &reader) < 0) {
		cmd_complain("cannot write the verdict to stdout: is its disk full, or its pipe "
			     "closed?");
		return CMD_UNREADABLE;
	}
	return look_status(look);
}

void look_release(struct look *look)
{
	if (!look)
		return;
	verdicts_free(look->verdicts);
	job_free(look->job);
	evidence_release(&look->evidence);
	*look = (struct look){0};
}
