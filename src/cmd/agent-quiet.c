/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/agent-quiet.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "evidence/bundle.h"
#include "evidence/live.h"

/* Between the three samples: who is still in the third has stood for two seconds. */
#define SAMPLES_APART_MS 1100
#define SAMPLES_NS	 (2 * SAMPLES_APART_MS * CLOCK_NS_PER_MS)
#define ASK_MS	   100
/* A job that is silent for less is only between two operations. */
#define QUIET_NS    (2 * CLOCK_NS_PER_S)
#define SOONEST_NS  (3 * CLOCK_NS_PER_S)
#define LATEST_NS   (10 * CLOCK_NS_PER_S)
/* A helper that takes longer is stuck itself. */
#define PATIENCE_NS (60 * CLOCK_NS_PER_S)
/* Taking stacks is at most this part of one core. */
#define COST_RATIO 20

/* --- What rings tell -------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
	return (hash ^ value) * 0x100000001b3ull;
}

/* Changes with every operation, span, batch and step that rings tell, and with who is there. */
static uint64_t told_by(const struct job *job)
{
	uint64_t hash = 0xcbf29ce484222325ull;

	hash = mix(mix(mix(hash, job->nranks), job->ngroups), job->nspans);
	for (size_t i = 0; i < job->nranks; i++)
		if (job->ranks[i].process != JOB_NONE)
			hash = mix(hash, job->processes[job->ranks[i].process].start_time);
	for (size_t i = 0; i < job->nmembers; i++) {
		const struct job_member *m = &job->members[i];

		hash = mix(mix(hash, m->head), (uint64_t)m->state);
		if (m->np2p)
			hash = mix(hash, (uint64_t)m->p2p[m->np2p - 1].entered);
	}
	for (size_t i = 0; i < job->nspans; i++)
		hash = mix(mix(hash, (uint64_t)job->spans[i].begun), job->spans[i].open);
	for (size_t i = 0; i < job->nshards; i++)
		hash = mix(hash, job->shards[i].batches);
	for (size_t i = 0; i < job->nsteps; i++)
		hash = mix(hash, job->steps[i].events);
	return hash;
}

static int64_t bounded(int64_t value, int64_t least, int64_t most)
{
	return value < least ? least : value > most ? most : value;
}

/* How often stacks are taken of a job that may hang. */
static int64_t usual_pause(int64_t hang_after)
{
	return bounded(hang_after / 4, SOONEST_NS, LATEST_NS);
}

static void take_at(struct agent_quiet *quiet, int64_t due)
{
	quiet->due = due > quiet->soonest ? due : quiet->soonest;
}

bool agent_quiet_see(
	struct agent_quiet *quiet, const struct job *job, int64_t now, int64_t hang_after)
{
	uint64_t told = told_by(job);

	if (quiet->since && told == quiet->told)
		return false;
	quiet->told = told;
	quiet->since = now;
	quiet->pause = usual_pause(hang_after);
	take_at(quiet, now + bounded(hang_after / 2 - SAMPLES_NS, QUIET_NS, INT64_MAX));
	return true;
}

void agent_quiet_next(struct agent_quiet *quiet, bool telling, int64_t now, int64_t hang_after)
{
	quiet->pause = telling ? usual_pause(hang_after)
			       : bounded(2 * quiet->pause, SOONEST_NS,
					 bounded(hang_after, LATEST_NS, 60 * CLOCK_NS_PER_S));
	take_at(quiet, now + quiet->pause);
}

/* --- The helper ------------------------------------------------------------------------------- */

static void write_all(int fd, const char *bytes, size_t len)
{
	while (len) {
		ssize_t n = write(fd, bytes, len);

		if (n <= 0)
			_exit(1);
		bytes += n;
		len -= (size_t)n;
	}
}

/* In the helper: takes the stacks and leaves them in the file. Never returns. */
static void take(const char *folder, int fd, bool raw_stacks)
{
	struct live_options options = LIVE_OPTIONS_STACKS;
	struct evidence stacks = {0};
	struct str bundle = {0};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	options.sample_pause_ms = 0;
	options.wary = true;
	options.errand_ms = ASK_MS;
	options.stacks.pause_ms = SAMPLES_APART_MS;
	options.stacks.raw_stacks = raw_stacks;
	if (live_gather_stacks(folder, &options, &stacks, NULL) == 0) {
		bundle_pack(&stacks, &bundle);
		write_all(fd, bundle.text, bundle.len);
	}
	_exit(0);
}

void agent_quiet_turn(
	struct agent_quiet *quiet, const char *folder, bool raw_stacks, int64_t now)
{
	int fd;

	if (quiet->helper || !quiet->since || now < quiet->due)
		return;
	quiet->due = now + quiet->pause;
	fd = memfd_create("inquest-stacks", MFD_CLOEXEC);
	if (fd < 0)
		return;
	quiet->helper = fork();
	if (quiet->helper == 0)
		take(folder, fd, raw_stacks);
	if (quiet->helper < 0) {
		quiet->helper = 0;
		close(fd);
		return;
	}
	quiet->fd = fd;
	quiet->begun = now;
}

static void read_back(int fd, struct evidence *into)
{
	struct stat about;
	void *bytes;

	if (fstat(fd, &about) || about.st_size <= 0)
		return;
	bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return;
	bundle_unpack(bytes, (size_t)about.st_size, into, NULL);
	munmap(bytes, (size_t)about.st_size);
}

static int64_t time_ns(struct timeval time)
{
	return time.tv_sec * CLOCK_NS_PER_S + time.tv_usec * 1000;
}

bool agent_quiet_fetch(struct agent_quiet *quiet, struct evidence *into)
{
	int64_t now = clock_monotonic_ns(), cost;
	struct evidence stacks = {0};
	struct rusage used = {0};

	if (!quiet->helper)
		return false;
	if (now - quiet->begun > PATIENCE_NS)
		kill(quiet->helper, SIGKILL);
	if (wait4(quiet->helper, NULL, WNOHANG, &used) == 0)
		return false;
	quiet->helper = 0;
	read_back(quiet->fd, &stacks);
	close(quiet->fd);
	cost = time_ns(used.ru_utime) + time_ns(used.ru_stime);
	quiet->soonest = quiet->begun + cost * COST_RATIO;
	/* What was begun before the job moved on tells of both. */
	if (!stacks.n || quiet->begun < quiet->since) {
		evidence_release(&stacks);
		return false;
	}
	evidence_release(into);
	*into = stacks;
	return true;
}

void agent_quiet_release(struct agent_quiet *quiet)
{
	if (!quiet->helper)
		return;
	kill(quiet->helper, SIGKILL);
	waitpid(quiet->helper, NULL, 0);
	close(quiet->fd);
	quiet->helper = 0;
}
