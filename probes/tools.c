/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A build is thousands of processes that live for milliseconds. None of them is worth a ring, and
 * by the time anybody looks most are gone; that they came and went is what is worth knowing. So
 * each adds to a few counters of one long-lived process and leaves nothing of its own.
 *
 * WHOSE a tool is. Everything below a rank inherits RANK, through shells, build systems and compile
 * workers: the owner of a tool is the oldest living process with the same RANK, or the rank itself
 * once it is known. Without RANK it is the nearest ancestor that is neither a tool nor a mere
 * carrier of commands; /proc is asked for ancestors that the census does not know.
 *
 * A tool that a signal killed cannot say so. Its parent waits for it, mostly a driver that is a
 * tool itself and has the probe: there it is seen (wait.c).
 */
#include "probes/tools.h"

#include <signal.h>
#include <string.h>
#include <time.h>

#include "probes/sys.h"
#include "probes/text.h"
#include "ring/census-write.h"

#define TOOLS_CHAIN 12 /* ancestors that are looked at */

/*
 * Tools, by a word of the program's name, which may have a target before it and a version behind
 * it.
 */
static const char *const tools_words[] = {"gcc", "g++", "cc", "c++", "cc1", "cc1plus", "clang",
	"clang++", "as", "collect2", "ld", "ld.bfd", "ld.gold", "ld.lld", "lld", "lto1", "mold",
	"nvcc", "cicc", "cudafe++", "ptxas", "fatbinary", "nvlink", "nvdisasm", "cuobjdump",
	"hipcc", "icx", "icpx", NULL};

/* Programs that only carry the command of another. */
static const char *const tools_carriers[] = {"sh", "bash", "dash", "zsh", "make", "gmake", "ninja",
	"env", "nice", "time", "timeout", "ccache", "sccache", "xargs", NULL};

static int tools_is_among(const char *const *words, const char *at, size_t len)
{
	for (; *words; words++)
		if (strlen(*words) == len && !memcmp(*words, at, len))
			return 1;
	return 0;
}

static const char *tools_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int tools_name(const char *path, char name[16])
{
	memset(name, 0, 16);
	for (const char *at = tools_base(path); *at; at += *at == '-') {
		size_t len = strcspn(at, "-");

		if (len < 16 && tools_is_among(tools_words, at, len)) {
			memcpy(name, at, len);
			return 1;
		}
		at += len;
	}
	return 0;
}

static int tools_is_carrier(const struct census_slot *s)
{
	const char *base = tools_base(s->exe);

	return tools_is_among(tools_carriers, base, strlen(base));
}

static uint64_t tools_now(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_REALTIME, &now))
		return 0;
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

/* --- /proc ----------------------------------------------------------------------------------- */

struct tools_stat {
	char comm[16];
	uint32_t ppid;
	uint64_t start_time;
};

/* Reads /proc/PID/stat. Returns 0, or -1 if there is no such process or no /proc. */
static int tools_stat_read(uint32_t pid, struct tools_stat *ret)
{
	char path[32], stat[1024], *end, *from;
	struct text t = text_into(path, sizeof(path));
	const char *at;
	int fd;
	long n;

	text_put(&t, "/proc/");
	text_put_u64(&t, pid);
	text_put(&t, "/stat");
	fd = sys_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	n = sys_read(fd, stat, sizeof(stat) - 1);
	sys_close(fd);
	stat[n > 0 ? n : 0] = '\0';
	from = strchr(stat, '(');
	end = strrchr(stat, ')');
	if (!from || !end || strlen(end) < 5)
		return -1;
	*end = '\0';
	text_copy(ret->comm, sizeof(ret->comm), from + 1);
	at = end + 4; /* ") S " */
	ret->ppid = (uint32_t)text_get_u64(&at);
	for (int field = 4; field < 22; field++) {
		at = strchr(at, ' ');
		if (!at)
			return -1;
		at++;
	}
	ret->start_time = text_get_u64(&at);
	return 0;
}

/* --- Owners ---------------------------------------------------------------------------------- */

/* Returns how many slots have ever been in use. */
static uint32_t tools_high(void *census)
{
	uint32_t high =
		__atomic_load_n(&((struct census_header *)census)->high, __ATOMIC_ACQUIRE);

	return high < CENSUS_SLOTS ? high : CENSUS_SLOTS;
}

/*
 * True if somebody is in a slot who has not said goodbye. Whether that process lives is another
 * question.
 */
static int tools_is_taken(const struct census_slot *s)
{
	uint32_t state = __atomic_load_n(&s->state, __ATOMIC_ACQUIRE);

	return state == CENSUS_CANDIDATE || state == CENSUS_RANK;
}

/*
 * True if a slot is a better owner of a tool than `best` (NULL: none): a rank before a candidate,
 * then the older.
 */
static int tools_is_better(const struct census_slot *s, const struct census_slot *best)
{
	if (!best)
		return 1;
	if ((s->state == CENSUS_RANK) != (best->state == CENSUS_RANK))
		return s->state == CENSUS_RANK;
	return s->birth_realtime < best->birth_realtime;
}

/*
 * Returns the slot that stands for the same RANK: the rank, else the oldest process. -1 if there is
 * none.
 */
static int tools_owner_by_rank(void *census, int i)
{
	const struct census_slot *me = census_slot_at(census, i);
	const struct census_slot *best = NULL;
	int owner = -1;

	for (int k = 0; me->rank >= 0 && k < (int)tools_high(census); k++) {
		const struct census_slot *s = census_slot_at(census, k);

		if (k == i || !tools_is_taken(s) || (s->flags & CENSUS_F_TOOL) ||
			s->rank != me->rank || s->restart != me->restart ||
			!tools_is_better(s, best))
			continue;
		best = s;
		owner = k;
	}
	return owner;
}

/* Returns the slot of a process; -1 none. */
static int tools_find(void *census, uint32_t pid, uint64_t pid_ns)
{
	for (int k = 0; k < (int)tools_high(census); k++) {
		const struct census_slot *s = census_slot_at(census, k);

		if (s->pid == pid && s->pid_ns == pid_ns && tools_is_taken(s))
			return k;
	}
	return -1;
}

/* Returns the slot of the nearest ancestor that may own a tool; -1 none. */
static int tools_owner_by_chain(void *census, int i)
{
	const struct census_slot *me = census_slot_at(census, i);
	uint32_t pid = me->ppid;

	for (int step = 0; step < TOOLS_CHAIN && pid > 1; step++) {
		int at = tools_find(census, pid, me->pid_ns);
		const struct census_slot *s = at < 0 ? NULL : census_slot_at(census, at);
		struct tools_stat stat;

		if (s && !(s->flags & CENSUS_F_TOOL) && !tools_is_carrier(s))
			return at;
		/*
		 * The slot tells the parent of long ago, /proc that of now: the former may have
		 * died.
		 */
		if (tools_stat_read(pid, &stat) == 0)
			pid = stat.ppid;
		else if (s)
			pid = s->ppid;
		else
			break;
	}
	return -1;
}

/* --- Counting -------------------------------------------------------------------------------- */

static void tools_count(uint32_t *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

/* Returns the counters of a tool's owner; NULL if it has none. */
static struct census_tools *tools_of_owner(void *census, const struct census_slot *tool)
{
	uint32_t owner = tool->tools.owner;

	return owner && owner <= CENSUS_SLOTS ? &census_slot_at(census, (int)owner - 1)->tools
					      : NULL;
}

/* Shows which process was the latest to begin or end, and when. */
static void tools_show(struct census_tools *owner, uint32_t pid, const char name[16])
{
	uint64_t word[2];

	memcpy(word, name, sizeof(word));
	ring_store((uint64_t *)(void *)owner->name, word[0]);
	ring_store((uint64_t *)(void *)(owner->name + 8), word[1]);
	__atomic_store_n(&owner->pid, pid, __ATOMIC_RELAXED);
	__atomic_store_n(&owner->latest, tools_now(), __ATOMIC_RELEASE);
}

/* Counts the end of a tool at its owner. */
static void tools_end(void *census, struct census_slot *s, int failed, int killed)
{
	struct census_tools *owner = tools_of_owner(census, s);
	char name[16];

	if (!owner)
		return;
	s->tools.owner = 0;
	tools_count(&owner->ended);
	if (failed)
		tools_count(&owner->failed);
	if (killed)
		tools_count(&owner->killed);
	if (tools_name(s->exe, name))
		tools_show(owner, s->pid, name);
}

void tools_join(void *census, int i, const char *path)
{
	struct census_slot *s = census_slot_at(census, i);
	struct census_tools *owner;
	char name[16];
	int at;

	if (s->flags & CENSUS_F_TOOL) {
		tools_end(census, s, 0, 0);
		__atomic_fetch_and(&s->flags, ~(uint32_t)CENSUS_F_TOOL, __ATOMIC_RELEASE);
	}
	if (!tools_name(path, name))
		return;
	census_flag(census, i, CENSUS_F_TOOL);
	at = tools_owner_by_rank(census, i);
	if (at < 0)
		at = tools_owner_by_chain(census, i);
	if (at < 0)
		return;
	owner = &census_slot_at(census, at)->tools;
	s->tools.owner = (uint32_t)at + 1;
	tools_count(&owner->begun);
	tools_show(owner, s->pid, name);
}

void tools_leave(void *census, int i, int status)
{
	tools_end(census, census_slot_at(census, i), status != 0, 0);
}

/* --- The killed ------------------------------------------------------------------------------ */

/* True for a signal by which programs do not tell their helpers to end. */
static int tools_is_bad(int signo)
{
	return signo != SIGTERM && signo != SIGINT && signo != SIGHUP && signo != SIGPIPE &&
	       signo != SIGALRM;
}

/*
 * Makes a slot for a child that had none, such as a worker forked from Python. -1: there is no
 * room.
 */
static int tools_slot_of_dead(void *census, uint32_t pid, uint64_t pid_ns)
{
	struct tools_stat stat = {.ppid = 0};
	struct census_who who = {.pid = pid, .pid_ns = pid_ns};
	struct census_slot *s;
	int at;

	/* The child may still be a zombie. Else nobody can tell any more when it began. */
	if (tools_stat_read(pid, &stat) == 0 && stat.ppid == (uint32_t)sys_getpid())
		who.start_time = stat.start_time;
	who.ppid = (uint32_t)sys_getpid();
	at = census_claim(census, &who);
	if (at < 0)
		return -1;
	s = census_slot_at(census, at);
	s->rank = s->local_rank = s->world_size = -1;
	if (who.start_time)
		memcpy(s->comm, stat.comm, sizeof(s->comm));
	census_flag(census, at, CENSUS_F_FORKED);
	return at;
}

/* True if the child's death was noted already: with WNOWAIT the program is told twice. */
static int tools_is_told(void *census, uint32_t pid, uint64_t pid_ns)
{
	struct tools_stat stat;
	int there = tools_stat_read(pid, &stat) == 0;

	for (int k = 0; k < (int)tools_high(census); k++) {
		const struct census_slot *s = census_slot_at(census, k);

		if (s->pid == pid && s->pid_ns == pid_ns && (s->flags & CENSUS_F_KILLED) &&
			(!there || !s->start_time || s->start_time == stat.start_time) &&
			tools_now() - s->end_realtime < 60000000000ull)
			return 1;
	}
	return 0;
}

/*
 * Notes that this signal killed the process of a slot, if the slot is still its: a sweep may have
 * been faster.
 */
static void tools_close(struct census_slot *s, uint64_t head, int signo)
{
	uint32_t flags = (uint32_t)(head >> 32) | CENSUS_F_KILLED;

	if ((uint32_t)head == CENSUS_RANK)
		flags |= CENSUS_F_WAS_RANK;
	s->exit_status = signo;
	s->end_tsc = ring_now();
	s->end_realtime = tools_now();
	ring_fence_release();
	ring_cas(&s->head, head, (uint64_t)flags << 32 | CENSUS_EXITED);
}

void tools_reaped(void *census, uint32_t pid, uint64_t pid_ns, int signo)
{
	int at = tools_find(census, pid, pid_ns);
	struct census_slot *s;
	uint64_t head;

	if (at < 0 && tools_is_told(census, pid, pid_ns))
		return;
	if (at < 0 && tools_is_bad(signo))
		at = tools_slot_of_dead(census, pid, pid_ns);
	if (at < 0)
		return;
	s = census_slot_at(census, at);
	head = ring_load_acquire(&s->head);
	if (s->pid != pid || s->pid_ns != pid_ns)
		return;
	tools_end(census, s, 0, 1);
	tools_close(s, head, signo);
}

/* --- Room ------------------------------------------------------------------------------------ */

/* True if a slot's process is gone: neither is its lock held nor is there a process of its pid. */
static int tools_is_gone(const struct census_slot *s, int fd, int i, uint64_t pid_ns)
{
	struct flock lock = {
		.l_type = F_WRLCK,
		.l_whence = SEEK_SET,
		.l_start = (off_t)(sizeof(struct census_header) + (size_t)i * sizeof(*s)),
		.l_len = 1,
	};
	struct tools_stat stat;

	if (fd < 0 || s->pid_ns != pid_ns || sys_call(SYS_fcntl, fd, F_GETLK, &lock) ||
		lock.l_type != F_UNLCK)
		return 0;
	return tools_stat_read(s->pid, &stat) || stat.start_time != s->start_time;
}

/*
 * True if a slot would be missed: it is a rank's, or no other process testifies for the rank that
 * it names.
 */
static int tools_would_be_missed(void *census, int i)
{
	const struct census_slot *s = census_slot_at(census, i);

	if (s->flags & (CENSUS_F_WAS_RANK | CENSUS_F_HAS_RING))
		return 1;
	return !(s->flags & CENSUS_F_TOOL) && s->rank >= 0 && tools_owner_by_rank(census, i) < 0;
}

int tools_sweep(void *census, int fd, uint64_t pid_ns)
{
	int swept = 0;

	for (int i = 0; i < (int)tools_high(census); i++) {
		struct census_slot *s = census_slot_at(census, i);
		uint64_t head = ring_load_acquire(&s->head);

		if ((uint32_t)head != CENSUS_CANDIDATE || tools_would_be_missed(census, i) ||
			!tools_is_gone(s, fd, i, pid_ns))
			continue;
		/* Freed only if it is what it was: somebody may take it over at this moment. */
		if (!census_turn(s, head, 0))
			continue;
		tools_end(census, s, 0, 1);
		census_publish(census, i, CENSUS_FREE);
		swept++;
	}
	return swept;
}
