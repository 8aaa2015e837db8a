/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NCCL, and RCCL, which has its functions. An operation runs on the device: the host hands it over,
 * and waits elsewhere.
 *
 * PyTorch's watchdog of NCCL looks at each op's own clock: when one has stood for its group's
 * timeout (600 s unless told otherwise), it asks for a dump and waits four times 15 s for it, then
 * aborts the process. It does not where TORCH_NCCL_ASYNC_ERROR_HANDLING is 0; with
 * TORCH_NCCL_BLOCKING_WAIT the wait itself raises instead, without delay. It does not look at the
 * making of communicators.
 */
#include "base/clock.h"
#include "verdict/activities/activity-line.h"
#include "verdict/backends/backend.h"

#define TIMEOUT (600 * CLOCK_NS_PER_S)
#define DUMP    (60 * CLOCK_NS_PER_S)

static const struct activity_line lines[] = {
	DECIDES(INIT, "ncclCommInit*", NULL, NULL),
	DECIDES(INIT, "ncclCommSplit*", NULL, NULL),
	DECIDES(COLLECTIVE, NULL, "libnccl.so*", NULL),
	DECIDES(COLLECTIVE, NULL, "librccl.so*", NULL),
	DECIDES(COLLECTIVE, "nccl*", "*.so*", NULL),
	DECIDES(COLLECTIVE, "pnccl*", "*.so*", NULL),
	DECIDES(COLLECTIVE, "ncclAll*", NULL, NULL),
	DECIDES(COLLECTIVE, "ncclReduce*", NULL, NULL),
	DECIDES(COLLECTIVE, "ncclBroadcast*", NULL, NULL),
	DECIDES(COLLECTIVE, "ncclGroup*", NULL, NULL),
};

/* Frames by which a wait for the GPU is one in an operation. */
static const struct activity_line better[] = {
	DECIDES(INIT, "ncclCommInit*", NULL, NULL),
	DECIDES(INIT, "ncclCommSplit*", NULL, NULL),
	DECIDES(P2P, "ncclSend*", NULL, NULL),
	DECIDES(P2P, "ncclRecv*", NULL, NULL),
	DECIDES(COLLECTIVE, NULL, "libnccl.so*", NULL),
	DECIDES(COLLECTIVE, NULL, "librccl.so*", NULL),
};

static const struct stackfacts_place calls[] = {{"nccl*", NULL}};
static const struct stackfacts_place ids[] = {{"*broadcastUniqueNCCLID*", NULL}};
static const char *const prefixes[] = {"nccl", "pnccl", NULL};
static const char *const threads[] = {"pt_nccl_*", NULL};
static const char *const hides[] = {"libnccl*", NULL};
static const char *const on_gpu[] = {"libnccl.so*", "librccl.so*", NULL};

static const char *const speaks[] = {"NCCL", NULL};

/* ProcessGroupNCCL.cpp; "remote process exited" is NCCL's own. */
static const char *const echoes[] = {
	"nccl", "remote process", "watchdog", "taking the entire process down", NULL};

/* ProcessGroupNCCL.cpp, WorkNCCL::checkTimeout() and the watchdog. */
static const char *const vain[] = {
	"Watchdog caught collective operation timeout", "before timing out", NULL};

/* Returns the limit of a wait in an op; waits in the making of communicators have none. */
static struct limit find_limit(const struct job *job, const struct wait *wait)
{
	const struct job_member *m = &job->members[wait->member];
	bool raises = limits_says(job, m->rank, "blocking-wait") == JOB_YES;
	struct limit limit = {.kind = raises ? VERDICT_LIMIT_TIMEOUT : VERDICT_LIMIT_WATCHDOG};
	int64_t timeout = limits_timeout(job, m, TIMEOUT, &limit.cite);

	if (!timeout || !limits_is_torch(job, m->rank) || wait->kind == WAIT_INIT ||
		wait->kind == WAIT_SPLIT ||
		(!raises && limits_says(job, m->rank, "async-error") == JOB_NO))
		return (struct limit){.kind = VERDICT_NO_LIMIT};
	if (!raises && limits_says(job, m->rank, "dump-on-timeout") != JOB_NO)
		timeout += DUMP;
	limit.left = timeout - wait->age;
	return limit;
}

const struct backend backend_nccl = {
	.name = "nccl",
	.lines = lines,
	.nlines = N_OF(lines),
	.better = better,
	.nbetter = N_OF(better),
	.calls = calls,
	.ncalls = N_OF(calls),
	.ids = ids,
	.nids = N_OF(ids),
	.prefixes = prefixes,
	.threads = threads,
	.hides = hides,
	.on_gpu = on_gpu,
	.speaks = speaks,
	.echoes = echoes,
	.vain = vain,
	.limit = find_limit,
};
