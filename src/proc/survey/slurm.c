/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/survey/slurm.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "proc/program.h"
#include "proc/survey/claims.h"

#define SLURM_OUTPUT_CAP (1024 * 1024)

void slurm_parse_pids(const char *text, struct slurm_pids *into)
{
	const char *end;

	for (; *text; text = end) {
		char pid[16], job[16], step[16], local[16], global[16];

		if (sscanf(text, "%15s %15s %15s %15s %15s", pid, job, step, local, global) == 5 &&
			claims_number(pid) > 0 && claims_number(job) >= 0 &&
			claims_number(step) >= 0 && claims_number(global) >= 0) {
			struct slurm_pid *one = array_add(&into->all);

			one->pid = (uint32_t)claims_number(pid);
			one->local_id = claims_number(local);
			one->global_id = claims_number(global);
			snprintf(one->step, sizeof(one->step), "%s.%s", job, step);
		}
		end = strchr(text, '\n');
		end = end ? end + 1 : text + strlen(text);
	}
}

int slurm_list_pids(const char *job, int deadline_ms, struct slurm_pids *into)
{
	const char *const argv[] = {"scontrol", "listpids", job, NULL};
	struct str text = {0};
	int status;

	if (claims_number(job) < 0)
		return -EINVAL;
	status = program_read(
		&(struct program){.argv = argv}, deadline_ms, SLURM_OUTPUT_CAP, &text);
	if (!status)
		slurm_parse_pids(str_text(&text), into);
	str_release(&text);
	return status == PROGRAM_NOT_FOUND ? -ENOENT : status > 0 ? -EIO : status;
}

void slurm_pids_release(struct slurm_pids *pids)
{
	if (pids)
		array_release(&pids->all);
}
