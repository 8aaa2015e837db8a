/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel allows the ranks of one machine: shared memory, limits, placement, looking. */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

#include "base/file.h"
#include "base/str.h"
#include "preflight/check.h"

#define GB	     1000000000.0
#define MB	     1000000.0
#define SHM_LEAST    (1LL << 30) /* of which a rank's channels and its loaders' batches are made */
#define SHM_SCARCE   (64LL << 20) /* what a container gets where nobody asks */
#define NOFILE_LEAST 4096
#define SMALL_FILE   4096

/* Returns the whole number in a small file of the kernel; -1 where there is none. */
static int number_in(const char *path)
{
	struct str text = {0};
	int number = -1;

	if (file_read(path, SMALL_FILE, &text, NULL) == 0 && text.len)
		number = atoi(text.text);
	str_release(&text);
	return number;
}

/* Returns how many NUMA nodes there are; 0 not known. */
static size_t numa_nodes(void)
{
	glob_t found;
	size_t nr = 0;

	if (glob("/sys/devices/system/node/node[0-9]*", 0, NULL, &found) == 0)
		nr = found.gl_pathc;
	globfree(&found);
	return nr;
}

/* Says whether the kernel moves pages of ranks. */
static void check_numa(struct check_sink *sink)
{
	static const char path[] = "/proc/sys/kernel/numa_balancing";
	int balancing = number_in(path);
	size_t nodes = numa_nodes();

	if (nodes == 1)
		check_say(sink, PREFLIGHT_OK, path, NULL, "one NUMA node");
	else if (balancing > 0)
		check_say(sink, PREFLIGHT_WARN, path, "sysctl -w kernel.numa_balancing=0",
			"NUMA balancing is on: the kernel moves pages of ranks while they run");
	else if (balancing == 0)
		check_say(sink, PREFLIGHT_OK, path, NULL, "NUMA balancing off");
	else
		check_say(sink, PREFLIGHT_NONE, path, NULL, "NUMA balancing: not known");
}

/* Says whether shared memory has room for all ranks. */
static void check_shm(const struct preflight_wish *wish, struct check_sink *sink)
{
	static const char fix[] = "a larger one: `docker run --shm-size=16g` or --ipc=host";
	static const char path[] = "/dev/shm";
	struct statvfs fs;
	long long size, room;
	int ranks = wish->ranks > 0 ? wish->ranks : 1;

	if (statvfs(path, &fs) < 0) {
		check_say(sink, PREFLIGHT_FAIL, path, "mount a tmpfs there",
			"/dev/shm cannot be used: %s", strerror(errno));
		return;
	}
	size = (long long)fs.f_blocks * (long long)fs.f_frsize;
	room = (long long)fs.f_bavail * (long long)fs.f_frsize;
	if (room < SHM_SCARCE)
		check_say(sink, PREFLIGHT_FAIL, path, fix,
			"/dev/shm has %.2f GB left of %.2f: NCCL and data loaders need it",
			(double)room / GB, (double)size / GB);
	else if (room < SHM_LEAST * ranks)
		check_say(sink, PREFLIGHT_WARN, path, fix,
			"/dev/shm has %.1f GB left of %.1f, less than 1 for each rank: data "
			"loaders may die of SIGBUS",
			(double)room / GB, (double)size / GB);
	else
		check_say(sink, PREFLIGHT_OK, path, NULL, "/dev/shm %.0f GB", (double)size / GB);
}

/* Says whether a process may open enough files, and lock memory where RDMA needs it. */
static void check_limits(struct check_sink *sink)
{
	static const char from[] = "ulimit";
	struct rlimit files, locked;
	bool well = true;
	glob_t rdma;

	if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < NOFILE_LEAST) {
		well = false;
		check_say(sink, PREFLIGHT_WARN, from, "ulimit -n 65536",
			"a process may open %llu files: sockets of many ranks, loaders and "
			"checkpoints need more",
			(unsigned long long)files.rlim_cur);
	}
	if (glob("/sys/class/infiniband/*", 0, NULL, &rdma) == 0 && rdma.gl_pathc &&
		getrlimit(RLIMIT_MEMLOCK, &locked) == 0 && locked.rlim_cur != RLIM_INFINITY) {
		well = false;
		check_say(sink, PREFLIGHT_FAIL, from, "ulimit -l unlimited",
			"a process may lock %.1f MB of memory: RDMA cannot register its buffers",
			(double)locked.rlim_cur / MB);
	}
	globfree(&rdma);
	if (well)
		check_say(sink, PREFLIGHT_OK, from, NULL, "ulimits");
}

/* Says who may look into a process, should it hang. */
static void check_looking(struct check_sink *sink)
{
	static const char path[] = "/proc/sys/kernel/yama/ptrace_scope";
	int scope = number_in(path);

	if (scope == 3)
		check_say(sink, PREFLIGHT_WARN, path, "start the job under `inquest run`",
			"nobody may look into a process (yama 3): a hang without probe has no "
			"stacks");
	else if (scope == 2)
		check_say(sink, PREFLIGHT_WARN, path, "have root at hand, or use `inquest run`",
			"only root may look into a process (yama 2)");
	else
		check_say_detail(sink, path, "yama %s", scope < 0 ? "is not there" :
			scope == 1 ? "1: parents look into their children" : "0");
}

void check_host(const struct preflight_wish *wish, const void *arg, struct check_sink *sink)
{
	(void)arg;
	check_numa(sink);
	check_shm(wish, sink);
	check_limits(sink);
	check_looking(sink);
}
