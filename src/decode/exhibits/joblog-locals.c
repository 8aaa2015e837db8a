/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/exhibits/joblog-locals.h"

#include <string.h>

#include "base/hash.h"
#include "evidence/gather/log-marks.h"
#include "job/job.h"

void joblog_locals_add(struct joblog_locals *locals, int64_t local, int rank)
{
	if (local < 0 || local >= JOBLOG_LOCALS)
		return;
	locals->agents |= local > 0;
	locals->several |= locals->ranks[local] && locals->ranks[local] != rank + 1;
	locals->ranks[local] = rank + 1;
}

void joblog_locals_add_host(struct joblog_locals *locals, const char *host)
{
	uint64_t hash = hash_bytes(HASH_START, host, strcspn(host, ":"));

	locals->several |= locals->host && locals->host != hash;
	locals->host = hash;
}

/* True for a line that only a launcher writes which starts a node's ranks itself. */
static bool starts_ranks(const char *line)
{
	/* torchrun; DeepSpeed's launcher/launch.py. */
	static const char *const words[] = {
		"torch/distributed/run.py:", "torch.distributed.run:", "[launch.py:"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(line, words[i]))
			return true;
	return false;
}

void joblog_locals_take(
	struct joblog_locals *locals, const char *line, uint64_t source, bool numbered)
{
	struct log_marks marks;
	int hook = log_marks_hook(line, log_marks_read(line, numbered, &marks));

	if (marks.by == LOG_MARKS_LOCAL && source) {
		locals->several |= locals->source && locals->source != source;
		locals->source = source;
	}
	if (marks.by == LOG_MARKS_LOCAL && hook != JOB_NONE)
		joblog_locals_add(locals, marks.number, hook);
	locals->agents |= starts_ranks(line);
	locals->agents |= numbered && marks.by == LOG_MARKS_RANK && hook != JOB_NONE &&
			  hook != marks.number;
}

int joblog_locals_rank(const struct joblog_locals *locals, int64_t local)
{
	if (locals->several || local < 0 || local >= JOBLOG_LOCALS)
		return JOB_NONE;
	return locals->ranks[local] - 1;
}

uint64_t joblog_locals_agent(const char *line)
{
	struct log_marks marks;

	log_marks_read(line, true, &marks);
	return marks.of_launcher ? 1 + (uint64_t)marks.number : 0;
}
