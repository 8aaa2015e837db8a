/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything here is made in the order in which it can fail harmlessly: a folder that is ours, a
 * new file (never an existing one), its bytes, its pages; only then does a ring go into it. A file
 * that fails on the way is unlinked, and its share of the budget given back. A file made sparse and
 * filled as it is used would be cheaper, and would kill the program by SIGBUS on a full disk.
 *
 * Smaller sizes are tried before other places: a smaller ring in shared memory is better than a
 * large one on a disk, where writeback may stall the writer.
 */
#include "probes/place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "probes/links.h"
#include "probes/mapping.h"
#include "probes/sys.h"
#include "probes/text.h"
#include "ring/census.h"
#include "ring/ring-cpu.h"
#include "ring/ring-make.h"

#define PLACE_TMPFS          0x01021994
#define PLACE_RAMFS          0x858458f6
#define PLACE_POPULATE_WRITE 23 /* MADV_POPULATE_WRITE, Linux 5.14 */

/* Writers: place_find() and place_let_go(), in the constructor. */
static struct {
	char dir[PLACE_PATH];   /* the job's folder; "" none */
	char users[PLACE_PATH]; /* INQUEST_DIR, kept: the environment may change; "" none */
	const char *job;        /* in `dir` */
	unsigned uid;
	int held; /* the folder, open; -1: it is opened each time */
} place = {.job = "", .held = -1};

/* Opens a folder that only we can write to. Returns a descriptor, or -errno. */
static int place_open_ours(const char *path, enum links_last last)
{
	struct stat st;
	int fd = links_open_folder(path, last);

	if (fd < 0)
		return fd;
	if (!sys_fstat(fd, &st) && st.st_uid == place.uid && !(st.st_mode & 022))
		return fd;
	sys_close(fd);
	return -EPERM;
}

/*
 * See place.h. This takes a step of its own, since the mode of making something is subject to the
 * program's umask.
 */
void place_keep_ours(int dir, const char *name, unsigned mode)
{
	struct stat st;

	if (!sys_call(SYS_newfstatat, dir, name, &st, AT_SYMLINK_NOFOLLOW) &&
		(st.st_mode & mode) != mode)
		sys_call(SYS_fchmodat, dir, name, mode);
}

/* Makes a folder, or finds it. Returns 0 only if it is ours, else -errno. */
static int place_make(const char *path, enum links_last last)
{
	const char *leaf;
	int parent = links_open_parent(path, &leaf), fd;
	long err = parent < 0 ? parent : sys_call(SYS_mkdirat, parent, leaf, 0700);

	if (!err)
		place_keep_ours(parent, leaf, 0700);
	if (parent >= 0)
		sys_close(parent);
	fd = err && err != -EEXIST ? (int)err : place_open_ours(path, last);
	if (fd < 0)
		return fd;
	sys_close(fd);
	return 0;
}

/*
 * Writes the root of folders: `given`, the user's own, which may be a link of his; or base
 * "/inquest-" uid, which may not. Returns how its last part is to be opened.
 */
static enum links_last place_root(char path[PLACE_PATH], const char *given, const char *base)
{
	struct text t = text_into(path, PLACE_PATH);

	if (given && given[0] == '/' && strlen(given) < PLACE_PATH) {
		text_put(&t, given);
		while (t.used > 1 && path[t.used - 1] == '/')
			path[--t.used] = '\0';
		return LINKS_LAST_FOLLOWED;
	}
	text_put(&t, base);
	text_put(&t, "/inquest-");
	text_put_u64(&t, place.uid);
	return LINKS_LAST_REFUSED;
}

/* Makes that root and "/" leaf in it; the path is "" if that fails. */
static void place_enter(
	char path[PLACE_PATH], const char *given, const char *base, const char *leaf)
{
	enum links_last last = place_root(path, given, base);
	struct text t = {.to = path, .size = PLACE_PATH, .used = strlen(path)};
	int err = place_make(path, last);

	text_put(&t, "/");
	text_put(&t, leaf);
	if (err || t.cut || place_make(path, LINKS_LAST_REFUSED))
		path[0] = '\0';
}

/*
 * Finds a folder where no `inquest run` is above us: jobs of one session share one, in memory if
 * that is possible.
 */
static void place_find_session(const char *inquest_dir)
{
	char leaf[40];
	struct text t = text_into(leaf, sizeof(leaf));

	text_put(&t, "session-");
	text_put_u64(&t, (uint64_t)sys_call(SYS_getsid, 0));
	place_enter(place.dir, inquest_dir, "/dev/shm", leaf);
	if (!place.dir[0])
		place_enter(place.dir, NULL, "/tmp", leaf);
}

void place_find(void)
{
	const char *job_dir = getenv("INQUEST_JOB_DIR");
	const char *inquest_dir = getenv("INQUEST_DIR");
	int fd = -1;

	place.uid = (unsigned)sys_call(SYS_geteuid);
	place.dir[0] = place.users[0] = '\0';
	if (inquest_dir && strlen(inquest_dir) < sizeof(place.users))
		text_copy(place.users, sizeof(place.users), inquest_dir);
	if (job_dir && job_dir[0] == '/' && strlen(job_dir) < PLACE_PATH)
		fd = place_open_ours(job_dir, LINKS_LAST_REFUSED);
	if (fd >= 0) {
		place.held = fd;
		text_copy(place.dir, sizeof(place.dir), job_dir);
	} else {
		place_find_session(inquest_dir);
	}
	place.job = strrchr(place.dir, '/') ? strrchr(place.dir, '/') + 1 : "";
	if (job_dir && !place.dir[0] && strrchr(job_dir, '/'))
		place.job = strrchr(job_dir, '/') + 1;
}

const char *place_job(void)
{
	return place.job;
}

void place_let_go(void)
{
	if (place.held >= 0)
		sys_close(place.held);
	place.held = -1;
}

int place_open(void)
{
	if (place.held >= 0)
		return place.held;
	return place.dir[0] ? place_open_ours(place.dir, LINKS_LAST_REFUSED) : -ENOENT;
}

void place_close(int dir)
{
	if (dir >= 0 && dir != place.held)
		sys_close(dir);
}

/* --- Memory that is really there ------------------------------------------------------------- */

/*
 * Writes zeros, on file systems without fallocate: what is written is there. Returns 0 or -errno.
 */
static int place_write_zeros(int fd, uint64_t size)
{
	static const char zeros[4096];

	for (uint64_t at = 0; at < size;) {
		uint64_t left = size - at < sizeof(zeros) ? size - at : sizeof(zeros);
		long n = sys_call(SYS_pwrite64, fd, zeros, left, at);

		if (n == -EINTR)
			continue;
		if (n <= 0)
			return n ? (int)n : -ENOSPC;
		at += (uint64_t)n;
	}
	return 0;
}

/*
 * True if a file may become that large. Beyond the limit for files the kernel would not only
 * refuse, but end the process (SIGXFSZ).
 */
static int place_may_grow_to(uint64_t size)
{
	struct {
		uint64_t now, most;
	} limit;

	return sys_call(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &limit) || limit.now >= size;
}

int place_reserve(int fd, uint64_t size)
{
	long err;

	if (!place_may_grow_to(size))
		return -EFBIG;
	do {
		err = sys_call(SYS_fallocate, fd, 0, 0, size);
	} while (err == -EINTR);
	if (!err || err == -ENOSPC || err == -EFBIG || err == -EDQUOT)
		return (int)err;
	return place_write_zeros(fd, size);
}

void *place_map(int fd, uint64_t size)
{
	uint8_t *base = mapping_make(fd, size);

	if (!base || !sys_madvise(base, size, PLACE_POPULATE_WRITE))
		return base;
	/* Adding nothing touches a page for writing, and spoils nobody's store. */
	for (uint64_t at = 0; at < size; at += 4096)
		__atomic_fetch_add((uint64_t *)(void *)(base + at), 0, __ATOMIC_RELAXED);
	return base;
}

/* --- Rings ----------------------------------------------------------------------------------- */

/* Returns what kind of place `dir` is. */
static uint32_t place_kind(int dir)
{
	struct statfs fs;

	if (sys_call(SYS_fstatfs, dir, &fs))
		return RING_PLACE_DISK;
	return (uint32_t)fs.f_type == PLACE_TMPFS || (uint32_t)fs.f_type == PLACE_RAMFS
		       ? RING_PLACE_SHM
		       : RING_PLACE_DISK;
}

/*
 * True if a ring of `size` bytes, and all others, `taken` in sum with it, are within the budget.
 * `made` says that the file system's free space does not hold this one's bytes any more.
 */
static int place_fits(
	int dir, const struct place_request *want, uint64_t size, uint64_t taken, int made)
{
	struct statfs fs;
	uint64_t all;

	if (sys_call(SYS_fstatfs, dir, &fs))
		return 1; /* not known: the allocation will tell */
	all = ((uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize + taken - (made ? 0 : size)) / 4;
	if (want->role == RING_CANDIDATE)
		all /= 4;
	return taken <= all && (want->share_of < 2 || size <= all / want->share_of);
}

/*
 * Makes a new file of that size with all its memory present. Returns its memory; or NULL, and there
 * is no file.
 */
static void *place_file_make(int dir, const char *name, uint64_t size)
{
	void *base = NULL;
	int fd = sys_openat(dir, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return NULL;
	place_keep_ours(dir, name, 0600);
	if (!place_reserve(fd, size))
		base = place_map(fd, size);
	sys_close(fd);
	if (!base)
		sys_call(SYS_unlinkat, dir, name, 0);
	return base;
}

static uint64_t place_add(uint64_t *taken, uint64_t size)
{
	return taken ? ring_add(taken, size) + size : size;
}

/*
 * Makes a file of this size within the budget, and counts it. Returns its memory; or NULL, and
 * nothing has changed.
 */
static void *place_take(int dir, const struct place_request *want, uint64_t size)
{
	uint64_t taken = place_add(want->taken, size);
	void *base = NULL;

	if (place_fits(dir, want, size, taken, 0))
		base = place_file_make(dir, want->name, size);
	/* Others may have come in between: the one who looks last sees all. */
	if (base && want->taken && !place_fits(dir, want, size, ring_load(want->taken), 1)) {
		mapping_drop(base, size);
		sys_call(SYS_unlinkat, dir, want->name, 0);
		base = NULL;
	}
	if (!base)
		place_add(want->taken, -size);
	return base;
}

/* Makes the largest ring that fits; a candidate's has but one size. Returns 0 or negative. */
static int place_ring_in(int dir, const struct place_request *want, struct place_ring *ret)
{
	uint32_t profiles = want->role == RING_CANDIDATE ? 1 : RING_PROFILES;

	for (uint32_t profile = 0; profile < profiles; profile++) {
		struct ring_layout layout;

		ring_layout(profile, want->role, &layout);
		ret->base = place_take(dir, want, layout.size);
		if (!ret->base)
			continue;
		ret->size = layout.size;
		ret->place = place_kind(dir);
		ret->taken = want->taken;
		ring_format(ret->base, &layout);
		return 0;
	}
	return -ENOSPC;
}

static int place_ring_at(
	int dir, const char *path, const struct place_request *want, struct place_ring *ret)
{
	struct text t = text_into(ret->path, sizeof(ret->path));
	int err = dir < 0 ? dir : place_ring_in(dir, want, ret);

	if (dir >= 0)
		place_close(dir);
	text_put(&t, path);
	text_put(&t, "/");
	text_put(&t, want->name);
	return err;
}

/* True if an open folder is the job's own. */
static int place_is_jobs(int dir)
{
	int jobs = place_open(), is;
	struct stat a, b;

	if (jobs < 0)
		return 0;
	is = !sys_fstat(dir, &a) && !sys_fstat(jobs, &b) && a.st_dev == b.st_dev &&
	     a.st_ino == b.st_ino;
	place_close(jobs);
	return is;
}

/*
 * Opens the job's other folder, for what has no room in its own. Returns a descriptor, or -errno.
 */
static int place_open_spill(char path[PLACE_PATH], const char *given)
{
	int dir;

	place_enter(path, given, "/tmp", place.job);
	dir = path[0] ? place_open_ours(path, LINKS_LAST_REFUSED) : -ENOENT;
	if (dir >= 0 && place_is_jobs(dir)) {
		sys_close(dir);
		return -EEXIST;
	}
	return dir;
}

int place_ring_make(const struct place_request *want, struct place_ring *ret)
{
	char spill[PLACE_PATH];
	struct place_request elsewhere = *want;
	int dir = -ENOENT;

	*ret = (struct place_ring){0};
	if (!place_ring_at(place_open(), place.dir, want, ret))
		return 0;
	if (!place.job[0])
		return -ENOENT;
	if (place.users[0] == '/')
		dir = place_open_spill(spill, place.users);
	if (dir < 0)
		dir = place_open_spill(spill, NULL);
	elsewhere.taken = NULL;
	/* The link says whose it is, so that nobody keeps it longer than the job. */
	if (dir >= 0 && place.dir[0])
		sys_call(SYS_symlinkat, place.dir, dir, CENSUS_SPILL_JOB);
	return place_ring_at(dir, spill, &elsewhere, ret);
}

void place_ring_unlink(const struct place_ring *ring)
{
	const char *name;
	int dir;

	if (!ring->base)
		return;
	dir = links_open_parent(ring->path, &name);
	if (dir >= 0) {
		sys_call(SYS_unlinkat, dir, name, 0);
		sys_close(dir);
	}
	place_add(ring->taken, -ring->size);
}
