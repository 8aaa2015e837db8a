/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/look.h"

#include <stdio.h>

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

int look_print(const struct look *look, const struct report_options *options, bool json)
{
	const struct report *report = json ? &report_json : &report_text;

	if (report->write(stdout, look->verdicts, options) < 0) {
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
