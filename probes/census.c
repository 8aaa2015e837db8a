/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table is one file of fixed size, made whole under a private name and linked into place:
 * whoever comes first has made it, all others find it complete. After that nobody needs a lock to
 * join: a slot is claimed by compare-and-swap (ring/census-write.h).
 *
 * That a process lives is told by its pid and start time; of ranks, and where those two may not be
 * seen, by a lock on its slot's first byte, which the kernel drops when the process ends, however
 * it ends. Such locks belong to the process and go with any close() of the file. So from then on
 * the file is not opened again, and the descriptor is checked before it is used, as the program may
 * have closed it.
 */
#include "probes/census.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "probes/mapping.h"
#include "probes/place.h"
#include "probes/seccomp.h"
#include "probes/sys.h"
#include "probes/text.h"
#include "probes/tools.h"
#include "ring/census-write.h"

/* Writers: census_join() and census_leave(), and what they call. */
static struct {
	void *base;
	int fd;
	int slot; /* our slot; -1 none */
	int execed;
	uint64_t pid_ns;
	uint64_t dev, ino;
} census = {.fd = -1, .slot = -1};

/* --- Who we are ------------------------------------------------------------------------------ */

/* Reads the whole of a small file as text. Returns its length, or -errno. */
static long census_read_file(const char *path, char *to, size_t size)
{
	int fd = sys_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	long n = fd < 0 ? fd : sys_read(fd, to, size - 1);

	if (fd >= 0)
		sys_close(fd);
	to[n > 0 ? n : 0] = '\0';
	return n;
}

/*
 * Returns field 22 of a /proc/PID/stat, counted from the last ')', since the name may hold
 * anything; 0 not known.
 */
static uint64_t census_start_time(const char *path)
{
	char stat[1024];
	const char *at;

	if (census_read_file(path, stat, sizeof(stat)) <= 0)
		return 0;
	at = strrchr(stat, ')');
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	return at ? text_get_u64(&at) : 0;
}

void census_self_look(struct census_self *self)
{
	struct stat st;

	self->pid = (uint32_t)sys_getpid();
	self->ppid = (uint32_t)sys_call(SYS_getppid);
	self->start_time = census_start_time("/proc/self/stat");
	self->pid_ns = 0;
	if (!sys_call(SYS_newfstatat, AT_FDCWD, "/proc/self/ns/pid", &st, 0))
		self->pid_ns = st.st_ino;
}

/*
 * Puts the number of the first of these variables that holds one into *value. Returns that
 * variable's name, or NULL.
 */
static const char *census_env(const char *const *names, int32_t *value)
{
	for (; *names; names++) {
		const char *text = getenv(*names);

		if (!text || text[0] < '0' || text[0] > '9')
			continue;
		*value = (int32_t)text_get_u64(&text);
		return *names;
	}
	return NULL;
}

/*
 * True if we run in a Slurm step. Outside of one SLURM_PROCID is the batch script's, 0 for
 * everybody below it.
 */
static int census_is_in_step(void)
{
	const char *step = getenv("SLURM_STEP_ID");
	size_t digits = step ? strspn(step, "0123456789") : 0;

	return digits && digits < 10 && !step[digits];
}

/*
 * Reads the number of the task that this process runs in, which launchers give. Returns the
 * variable's name, or NULL.
 */
static const char *census_task(int32_t *rank)
{
	static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
		"MV2_COMM_WORLD_RANK", "PALS_RANKID", "FLUX_TASK_RANK", NULL};
	static const char *const slurm[] = {"SLURM_PROCID", NULL};
	const char *source = census_env(names, rank);

	return source || !census_is_in_step() ? source : census_env(slurm, rank);
}

/*
 * Reads the rank out of the environment: RANK, set for this process or its node; else the number of
 * its task.
 */
static void census_read_rank(struct census_self *self)
{
	static const char *const own[] = {"RANK", NULL};
	static const char *const own_world[] = {"WORLD_SIZE", NULL};
	static const char *const task_world[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
		"MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", NULL};
	int32_t task = -1;
	const char *task_source = census_task(&task);
	const char *source = census_env(own, &self->rank);

	if (source) {
		self->number = getenv("LOCAL_RANK") ? 0 : CENSUS_F_ALONE;
		self->number |= task_source && task != self->rank ? CENSUS_F_OTHER_TASK : 0;
	} else if (task_source) {
		source = task_source;
		self->rank = task;
		self->number = CENSUS_F_TASK;
	}
	if (source)
		self->rank_source = source;
	if (!census_env(own_world, &self->world_size) && task_source &&
		!(self->number & CENSUS_F_OTHER_TASK))
		census_env(task_world, &self->world_size);
}

/* Hashes a variable's value in. */
static uint64_t census_hash(uint64_t hash, const char *variable)
{
	const char *text = getenv(variable);

	return ring_run_hash(hash, text, text ? strlen(text) : 0);
}

static void census_read_run(struct census_self *self)
{
	self->run = census_hash(RING_RUN_START, "TORCHELASTIC_RUN_ID");
	self->slurm = census_hash(RING_RUN_START, "SLURM_JOB_ID");
	self->master = census_hash(census_hash(RING_RUN_START, "MASTER_ADDR"), "MASTER_PORT");
}

void census_self_read(struct census_self *self)
{
	static const char *const local_rank[] = {"LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK",
		"MPI_LOCALRANKID", "SLURM_LOCALID", NULL};
	static const char *const local_size[] = {
		"LOCAL_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", NULL};
	static const char *const restart[] = {"TORCHELASTIC_RESTART_COUNT", NULL};

	if (!self->told)
		census_read_rank(self);
	census_read_run(self);
	census_env(local_rank, &self->local_rank);
	census_env(local_size, &self->local_size);
	census_env(restart, &self->restart);
}

int census_self_tell(struct census_self *self, int32_t rank, int32_t world_size)
{
	int sure = self->rank >= 0 && !(self->number & (CENSUS_F_TASK | CENSUS_F_ALONE)) &&
		   self->world_size >= world_size;
	int news = self->rank != rank;
	int32_t task = -1;

	if (rank < 0 || self->told || sure)
		return 0;
	self->rank = rank;
	if (world_size > 0)
		self->world_size = world_size;
	self->number = census_task(&task) && task != rank ? CENSUS_F_OTHER_TASK : 0;
	self->told = 1;
	return news;
}

/* --- The file -------------------------------------------------------------------------------- */

static uint64_t census_realtime(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_REALTIME, &now))
		return 0;
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

/* The kernel prints a boot id as 32 hex digits with dashes among them. */
void census_boot(uint8_t id[16])
{
	char hex[64];
	unsigned nibble = 0;

	memset(id, 0, 16);
	census_read_file("/proc/sys/kernel/random/boot_id", hex, sizeof(hex));
	for (const char *c = hex; *c && nibble < 32; c++) {
		unsigned digit = *c <= '9' ? (unsigned)(*c - '0') : (unsigned)(*c | 32) - 'a' + 10;

		if (digit > 15)
			continue;
		id[nibble / 2] = (uint8_t)(id[nibble / 2] << 4 | digit);
		nibble++;
	}
}

/* Writes an empty census under a name of our own, then links it: whoever comes first wins. */
static void census_make(int dir)
{
	char name[48];
	struct text t = text_into(name, sizeof(name));
	struct census_header *h;
	int fd;

	text_put(&t, CENSUS_FILE ".");
	text_put_u64(&t, (uint64_t)sys_getpid());
	fd = sys_openat(dir, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	place_keep_ours(dir, name, 0600);
	h = place_reserve(fd, CENSUS_SIZE) ? NULL : place_map(fd, CENSUS_SIZE);
	if (h) {
		census_format(h);
		census_boot(h->boot_id);
		h->created_realtime = census_realtime();
		text_copy(h->job, sizeof(h->job), place_job());
		census_open(h);
		mapping_drop(h, CENSUS_SIZE);
		sys_call(SYS_linkat, dir, name, dir, CENSUS_FILE, 0);
	}
	sys_close(fd);
	sys_call(SYS_unlinkat, dir, name, 0);
}

/* True if the file is a census of ours and of this version; its bytes are a stranger's. */
static int census_is_sound(int fd, const struct stat *st)
{
	struct census_header h;

	return S_ISREG(st->st_mode) && st->st_uid == (unsigned)sys_call(SYS_geteuid) &&
	       (uint64_t)st->st_size >= CENSUS_SIZE &&
	       sys_call(SYS_pread64, fd, &h, sizeof(h), 0) == sizeof(h) &&
	       h.magic == CENSUS_MAGIC && h.version_major == CENSUS_VERSION_MAJOR &&
	       h.slot_size == sizeof(struct census_slot) && h.slots == CENSUS_SLOTS;
}

/* Opens the census for a moment; -1 if there is none to trust. */
static int census_open_file(int dir)
{
	struct stat st;
	int fd = sys_openat(dir, CENSUS_FILE, O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	if (sys_fstat(fd, &st) || !census_is_sound(fd, &st)) {
		sys_close(fd);
		return -1;
	}
	census.dev = st.st_dev;
	census.ino = st.st_ino;
	return fd;
}

/*
 * Gives an open file a high descriptor as well, for life: low ones are the program's, and scripts
 * count on them. -1 if the limit of open files is too low.
 */
static int census_raise_fd(int fd)
{
	static const int high_from[] = {700, 200, 60};
	int high = -1;

	for (size_t i = 0; i < sizeof(high_from) / sizeof(*high_from) && high < 0; i++)
		high = (int)sys_call(SYS_fcntl, fd, F_DUPFD_CLOEXEC, high_from[i]);
	return high < 0 ? -1 : high;
}

/* Opens the census for life; -1 if that is not possible. */
static int census_open_high(void)
{
	int dir = place_open(), fd = dir < 0 ? -1 : census_open_file(dir);
	int high = fd < 0 ? -1 : census_raise_fd(fd);

	if (fd >= 0)
		sys_close(fd);
	place_close(dir);
	return high;
}

/* Opens the census for a moment, making it if there is none; -1 if that fails. */
static int census_open_or_make(void)
{
	int dir = place_open(), fd = dir < 0 ? -1 : census_open_file(dir);

	if (fd < 0 && dir >= 0) {
		census_make(dir);
		fd = census_open_file(dir);
	}
	place_close(dir);
	return fd;
}

/*
 * True if the agent may look for our pid in vain, or if there is no agent whose pid namespace we
 * know.
 */
static int census_is_hidden(void)
{
	const struct census_header *job = census.base;

	return !job->agent_pid || !job->agent_pid_ns || job->agent_pid_ns != census.pid_ns;
}

void census_open_job(const struct census_self *self)
{
	int fd = census_open_or_make();

	census.pid_ns = self->pid_ns;
	if (fd < 0)
		return;
	/* Not place_map(): the slots of others need not be faulted in, they exist. */
	census.base = mapping_make(fd, CENSUS_SIZE);
	/* Before the lock is taken, which the close would drop. */
	if (census.base && census_is_hidden())
		census.fd = census_raise_fd(fd);
	sys_close(fd);
}

/*
 * True if the descriptor is still the census's: the program may have closed it and opened another
 * file there.
 */
static int census_fd_is_ours(void)
{
	struct stat st;

	return census.fd >= 0 && !sys_fstat(census.fd, &st) && st.st_dev == census.dev &&
	       st.st_ino == census.ino;
}

/* --- The slot -------------------------------------------------------------------------------- */

/* Returns a lock of that type on the byte by which others see that the slot's owner lives. */
static struct flock census_byte(short type)
{
	return (struct flock){
		.l_type = type,
		.l_whence = SEEK_SET,
		.l_start = (off_t)(sizeof(struct census_header) +
				   (size_t)census.slot * sizeof(struct census_slot)),
		.l_len = 1,
	};
}

/* Opens the census for life, again if the program has closed our descriptor. */
static void census_open_lock(void)
{
	if (!census_fd_is_ours())
		census.fd = census_open_high();
}

static void census_lock(void)
{
	struct flock lock = census_byte(F_WRLCK);

	if (census.fd >= 0)
		sys_call(SYS_fcntl, census.fd, F_SETLK, &lock);
}

void census_hold(void)
{
	if (census.slot < 0)
		return;
	census_open_lock();
	census_lock();
}

/*
 * Unlocks our slot. Its next owner locks the same byte: a lock of ours that stays would speak for
 * him.
 */
static void census_let_go(void)
{
	struct flock lock = census_byte(F_UNLCK);

	if (census_fd_is_ours())
		sys_call(SYS_fcntl, census.fd, F_SETLK, &lock);
}

/*
 * Writes our identity into a slot, for people and readers: rank by the environment, name, program.
 */
static void census_describe(struct census_slot *s, const struct census_self *self)
{
	char exe[512];
	long n = sys_readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	long from;

	s->rank = self->rank;
	s->local_rank = self->local_rank;
	s->world_size = self->world_size;
	s->restart = self->restart;
	s->flags = (s->flags & ~(uint32_t)CENSUS_F_NUMBER) | self->number;
	sys_call(SYS_prctl, PR_GET_NAME, s->comm);
	exe[n > 0 ? n : 0] = '\0';
	from = n > (long)sizeof(s->exe) - 1 ? n - ((long)sizeof(s->exe) - 1) : 0;
	text_copy(s->exe, sizeof(s->exe), n > 0 ? exe + from : s->comm);
}

static void census_copy_identity(struct census_slot *to, const struct census_slot *from)
{
	to->rank = from->rank;
	to->local_rank = from->local_rank;
	to->world_size = from->world_size;
	to->restart = from->restart;
	memcpy(to->comm, from->comm, sizeof(to->comm));
	memcpy(to->exe, from->exe, sizeof(to->exe));
}

/*
 * Writes our identity, and shows the slot as `state`. If something of it changes, the slot is
 * claimed for that: a reader must not see the rank of before in the world of now. (The slot cannot
 * be had only while flags are being set at the same moment.)
 */
static void census_identify(
	struct census_slot *s, const struct census_self *self, enum census_state state)
{
	const struct census_slot was = *s;
	struct census_slot is = was;

	census_describe(&is, self);
	for (int tries = 0; memcmp(&is, &was, sizeof(is)) && tries < 4; tries++) {
		uint64_t head = ring_load(&s->head);
		uint32_t flags = (uint32_t)(head >> 32) & ~(uint32_t)CENSUS_F_NUMBER;

		if (!census_turn(s, head, flags | self->number))
			continue;
		census_copy_identity(s, &is);
		break;
	}
	census_publish(census.base, census.slot, state);
}

/*
 * Lets our agent look at us. Where the kernel lets only ancestors look (Yama 1), a helper of the
 * agent is none: it may look only if we say so. It must be the agent by its start time, too, as in
 * a container the pid may be another's.
 */
static void census_admit_agent(const struct census_header *job)
{
	char path[32], scope[8];
	struct text t = text_into(path, sizeof(path));

	if (!job->agent_pid ||
		census_read_file("/proc/sys/kernel/yama/ptrace_scope", scope, sizeof(scope)) <= 0 ||
		scope[0] != '1')
		return;
	text_put(&t, "/proc/");
	text_put_u64(&t, job->agent_pid);
	text_put(&t, "/stat");
	if (census_start_time(path) == job->agent_start_time)
		sys_call(SYS_prctl, PR_SET_PTRACER, job->agent_pid, 0, 0, 0);
}

int census_is_elsewhere(void)
{
	const struct census_header *job = census_job();

	return job && job->agent_pid_ns && census.pid_ns && job->agent_pid_ns != census.pid_ns;
}

/* Frees the slots of processes that are gone. Returns 1 if there were any. */
static int census_make_room(void)
{
	int dir = place_open(), fd = dir < 0 ? -1 : census_open_file(dir), swept;

	swept = fd < 0 ? 0 : tools_sweep(census.base, fd, census.pid_ns);
	if (fd >= 0)
		sys_close(fd);
	place_close(dir);
	return swept > 0;
}

/* Makes what a slot says of this process and program, but for whose it is. */
static void census_prepare(struct census_slot *is, const struct census_self *self)
{
	census_describe(is, self);
	is->birth_tsc = ring_now();
	is->birth_realtime = census_realtime();
}

static void census_fill(
	struct census_slot *s, const struct census_slot *is, const struct census_self *self)
{
	census_copy_identity(s, is);
	s->flags = (s->flags & ~(uint32_t)CENSUS_F_NUMBER) | self->number;
	s->birth_tsc = is->birth_tsc;
	s->birth_realtime = is->birth_realtime;
}

/*
 * What takes system calls comes before the claim: a busy machine may suspend us in each of them,
 * and whoever looks at the table then learns nothing of us. (The lock comes later, which others
 * must find held once they see the slot; so does what a tool asks for its owner.)
 */
void census_join(const struct census_self *self, int forked)
{
	const struct census_who who = {
		.pid = self->pid,
		.ppid = self->ppid,
		.start_time = self->start_time,
		.pid_ns = self->pid_ns,
	};
	struct census_slot is = {.flags = 0}, *s;
	int hidden;

	census.slot = -1;
	census.execed = 0;
	if (!census.base)
		return;
	census.pid_ns = self->pid_ns;
	census_admit_agent(census.base);
	census_prepare(&is, self);
	hidden = census_is_hidden();
	if (hidden)
		census_open_lock();
	census.slot = census_claim(census.base, &who);
	if (census.slot < 0 && census_make_room()) {
		/* the first try counted a loss, and there is a slot after all */
		ring_add(&census_job()->lost, UINT64_MAX);
		census.slot = census_claim(census.base, &who);
	}
	if (census.slot < 0)
		return;
	s = census_slot_at(census.base, census.slot);
	census.execed = !!(s->flags & CENSUS_F_EXECED);
	if (hidden)
		census_lock();
	census_fill(s, &is, self);
	if (forked)
		census_flag(census.base, census.slot, CENSUS_F_FORKED);
	else
		tools_join(census.base, census.slot, s->exe);
	census_publish(census.base, census.slot, CENSUS_CANDIDATE);
}

struct census_slot *census_mine(void)
{
	return census.slot < 0 ? NULL : census_slot_at(census.base, census.slot);
}

struct census_header *census_job(void)
{
	return census.base;
}

void census_rename(const struct census_self *self)
{
	if (census.slot >= 0)
		census_identify(census_mine(), self, (enum census_state)census_mine()->state);
}

void census_promote(const struct census_self *self)
{
	if (census.slot >= 0)
		census_identify(census_mine(), self, CENSUS_RANK);
}

void census_add_flags(uint32_t flags)
{
	if (census.slot >= 0)
		census_flag(census.base, census.slot, flags);
}

void census_leave(int status)
{
	if (census.slot >= 0) {
		tools_leave(census.base, census.slot, status);
		census_exit(census.base, census.slot, status, ring_now(), census_realtime());
	}
	census.slot = -1;
}

void census_vanish(void)
{
	int gone = census.slot < 0;

	if (!gone) {
		tools_leave(census.base, census.slot, 0);
		census_let_go();
	}
	for (int tries = 0; !gone && tries < 4; tries++)
		gone = census_give_back(census.base, census.slot);
	if (gone)
		census.slot = -1;
}

void census_child_killed(uint32_t pid, int signo)
{
	if (!census.base || seal_is_set())
		return;
	mapping_guard();
	tools_reaped(census.base, pid, census.pid_ns, signo);
}

int census_was_execed(void)
{
	return census.execed;
}
