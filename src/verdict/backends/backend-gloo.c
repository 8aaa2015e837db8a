/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gloo. The host itself waits in its operations. It has no watchdog: a wait raises after the
 * group's timeout (1800 s unless told otherwise), and at once where a peer is gone.
 */
#include <string.h>

#include "verdict/activities/activity-line.h"
#include "verdict/backends/backend.h"

static const struct activity_line lines[] = {
	DECIDES(INIT, "gloo::rendezvous::*", NULL, "init"),
	DECIDES(P2P, "c10d::ProcessGroupGloo::RecvWork::*", NULL, NULL),
	DECIDES(P2P, "c10d::ProcessGroupGloo::SendWork::*", NULL, NULL),
	DECIDES(COLLECTIVE, "gloo::*", NULL, NULL),
};

static const struct activity_line better[] = {
	DECIDES(INIT, "gloo::rendezvous::*", NULL, "init"),
};

static const char *const hides[] = {"libgloo*", NULL};
static const char *const threads[] = {"pt_gloo_runloop", NULL};

static const char *const speaks[] = {"gloo", NULL};

/* transport/tcp/pair.cc ("Timed out waiting %ld ms for send/recv operation to complete"),
   ProcessGroupGloo.cpp. */
static const char *const echoes[] = {"connectFullMesh", "Timed out waiting", NULL};

static const char *const vain[] = {"Timed out waiting", NULL};

/*
 * transport/tcp/pair.cc: more came than the operation here has room for. The class alone is what
 * is left where what() was not read: nobody catches it in the thread that reads from the others.
 */
static const char *const mismatches[] = {"distributed collective mismatch",
	"op.preamble.length <= op.nbytes", NULL};
static const char *const enforces[] = {"gloo::EnforceNotMet", NULL};

/*
 * transport/tcp/pair.cc: reads the head of what another rank sent, and enforces that it fits. It
 * does not know which of the two brought the wrong amount. Where what() was read neither from the
 * ring nor from a log of the rank's own, this place is what is left.
 */
static const struct stackfacts_place rejects[] = {
	{"gloo::transport::tcp::Pair::prepareRead*", NULL},
};

/*
 * True if the wait is in monitored_barrier(), which is given a timeout of its own or takes the
 * group's: no record tells which, nor how long the former is.
 */
static bool has_own_timeout(const struct job *job, const struct wait *wait)
{
	return wait->thread != JOB_NONE &&
	       !strcmp(job->threads[wait->thread].call, "c10d_monitored_barrier");
}

static struct limit find_limit(const struct job *job, const struct wait *wait)
{
	if (has_own_timeout(job, wait))
		return (struct limit){.kind = VERDICT_NO_LIMIT};
	return limits_on_host(job, wait, VERDICT_LIMIT_TIMEOUT);
}

/*
 * True for an abort() by PyTorch's own race at the end of a process that used gloo: gloo's threads
 * are still there when its statics go. It strikes after the script has ended, whatever that did.
 */
static bool is_teardown(const struct profile *p)
{
	return p->fatal && !p->waits && !strcmp(p->fatal->thread, "pt_gloo_runloop") &&
	       !(p->log && strstr(p->log->error, "what(): "));
}

const struct backend backend_gloo = {
	.name = "gloo",
	.lines = lines,
	.nlines = N_OF(lines),
	.better = better,
	.nbetter = N_OF(better),
	.threads = threads,
	.hides = hides,
	.speaks = speaks,
	.echoes = echoes,
	.vain = vain,
	.mismatches = mismatches,
	.enforces = enforces,
	.rejects = rejects,
	.nrejects = N_OF(rejects),
	.limit = find_limit,
	.is_teardown = is_teardown,
};
