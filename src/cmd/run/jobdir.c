/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the folder that everything of a job meets in. In shared memory, so that writing to it never
 * waits for a disk; in /tmp where that is refused; where INQUEST_DIR says, and only there, if it
 * says something. What is found there already is used only if it is a real folder, ours, and nobody
 * else may write in it: somebody may have put it there before us.
 *
 * All of that is a helper's to do, with a deadline: INQUEST_DIR may lie on a server that does not
 * answer, and the job waits to be started. One that comes too late takes its folder away again.
 *
 * Ended jobs are swept when the next one begins, the last two kept for whoever asks what happened.
 * Nothing is swept while any process or agent of it lives.
 */
#include "cmd/run/jobdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/follow.h"
#include "cmd/cmd.h"
#include "cmd/run/saver.h"
#include "cmd/run/sweep.h"
#include "evidence/agent/fellows.h"
#include "proc/ns.h"
#include "proc/read.h"
#include "ring/census-write.h"

#define KEEP_ENDED 2
/* Memory answers in one millisecond, a busy server in a hundred. */
#define MAKE_MS    3000

/*
 * Makes a folder for us alone, or finds one of ours where nobody else may write. Others may look
 * into one that the user made: what we make in it is closed to them. 0 or -errno.
 */
static int own_folder(const char *path, struct complaint *why)
{
	struct stat about;

	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return complaint_errno(why, errno, "cannot make folder %s", path);
	if (lstat(path, &about) < 0)
		return complaint_errno(why, errno, "cannot look at folder %s", path);
	if (!S_ISDIR(about.st_mode))
		return complaint_errno(why, ENOTDIR, "%s", path);
	if (about.st_uid != geteuid())
		return complaint_errno(why, EPERM, "%s belongs to somebody else", path);
	if (about.st_mode & 022)
		return complaint_errno(why, EPERM, "others may write in %s", path);
	return 0;
}

/*
 * Opens the folder that this path leads to, by links of ours or root's only; made if it is not
 * there. Returns the descriptor, or -errno.
 */
static int open_users(const char *dir)
{
	struct str path = {0};
	int parent, fd;

	str_add(&path, dir);
	while (path.len > 1 && path.text[path.len - 1] == '/')
		str_cut(&path, path.len - 1);
	parent = follow_open_parent(path.text);
	if (parent >= 0) {
		const char *slash = strrchr(path.text, '/');

		(void)mkdirat(parent, slash ? slash + 1 : path.text, 0700);
		close(parent);
	}
	fd = follow_open(AT_FDCWD, path.text, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
	str_release(&path);
	return fd;
}

/*
 * Appends INQUEST_DIR as an absolute path without links, made if it is not there. 0, or negative
 * with words.
 */
static int user_root(const char *dir, struct str *root, struct complaint *why)
{
	int fd = open_users(dir), err;
	char held[32], real[PATH_MAX];
	ssize_t len;

	if (fd < 0)
		return complaint_errno(why, -fd, "cannot open or make folder %s", dir);
	snprintf(held, sizeof(held), "/proc/self/fd/%d", fd);
	len = readlink(held, real, sizeof(real) - 1);
	close(fd);
	if (len <= 0 || *real != '/')
		return complaint_errno(why, len < 0 ? errno : ENOENT, "cannot find folder %s", dir);
	real[len] = '\0';
	err = own_folder(real, why);
	if (!err)
		str_add(root, real);
	return err;
}

/*
 * Finds a folder of ours below parent whose name begins so, of an earlier job; else root stays
 * empty.
 */
static void find_own(const char *parent, const char *prefix, struct str *root)
{
	DIR *list = opendir(parent);
	const struct dirent *entry;

	while (list && !root->len && (entry = readdir(list))) {
		struct stat about;

		if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
			continue;
		str_printf(root, "%s/%s", parent, entry->d_name);
		if (lstat(root->text, &about) < 0 || own_folder(root->text, NULL) < 0)
			str_cut(root, 0);
	}
	if (list)
		closedir(list);
}

/*
 * Takes a folder of a name by chance, which is noted: somebody else has the plain name, and he
 * cannot have all. 0, or negative with words.
 */
static int spare_root(
	const char *parent, struct str *root, struct str *note, struct complaint *why)
{
	struct str prefix = {0};
	int err = 0;

	str_printf(&prefix, "inquest-%u-", (unsigned)geteuid());
	find_own(parent, prefix.text, root);
	if (!root->len) {
		str_printf(root, "%s/%sXXXXXX", parent, prefix.text);
		if (!mkdtemp(root->text))
			err = complaint_errno(why, errno, "cannot make folder %s", root->text);
	}
	str_release(&prefix);
	if (!err)
		str_printf(note, "%s/inquest-%u is not ours alone: this job's folder lies below %s",
			parent, (unsigned)geteuid(), root->text);
	else
		str_cut(root, 0);
	return err;
}

/*
 * Finds or makes the user's folder below that one; leaves root empty where it cannot be had. 0, or
 * negative with words.
 */
static int default_root(
	const char *parent, struct str *root, struct str *note, struct complaint *why)
{
	int err;

	str_printf(root, "%s/inquest-%u", parent, (unsigned)geteuid());
	err = own_folder(root->text, why);
	if (err)
		str_cut(root, 0);
	if (err != -EPERM && err != -ENOTDIR)
		return err;
	complaint_release(why);
	return spare_root(parent, root, note, why);
}

/* Chooses a name that nobody has: when the job began, and the agent's pid. */
static void choose_leaf(struct jobdir *dir, const struct str *root)
{
	time_t seconds = dir->launched / CLOCK_NS_PER_S;
	char when[32] = "";
	struct tm parts;

	if (gmtime_r(&seconds, &parts))
		strftime(when, sizeof(when), "%m%d-%H%M%S", &parts);
	for (int try = 0; try < 100; try++) {
		str_cut(&dir->path, 0);
		str_printf(&dir->path, "%s/%s-%u", root->text, when, dir->agent_pid);
		if (try)
			str_printf(&dir->path, "-%d", try);
		if (access(dir->path.text, F_OK) < 0)
			break;
	}
	dir->id = strrchr(dir->path.text, '/') + 1;
}

/* Reads the kernel's text, "8-4-4-4-12 hex digits", into bytes; zeros where it cannot be read. */
static void read_boot_id(uint8_t id[static 16])
{
	struct str text = {0};
	unsigned nibbles = 0;

	memset(id, 0, 16);
	file_read("/proc/sys/kernel/random/boot_id", 256, &text, NULL);
	for (const char *at = str_text(&text); *at && nibbles < 32; at++) {
		const char *digits = "0123456789abcdef";
		const char *digit = strchr(digits, *at);

		if (!digit)
			continue;
		id[nibbles / 2] = (uint8_t)(id[nibbles / 2] << 4 | (digit - digits));
		nibbles++;
	}
	str_release(&text);
}

/*
 * Fills the census. Its magic comes last (census_open): who maps it meanwhile sees no census yet.
 */
static void fill_census(struct jobdir *dir, const char *name)
{
	struct census_header *head = dir->census;

	census_format(head);
	read_boot_id(head->boot_id);
	head->created_realtime = (uint64_t)dir->launched;
	head->agent_pid = dir->agent_pid;
	head->agent_start_time = dir->agent_start_time;
	head->agent_pid_ns = proc_ns_own();
	head->log_dev = dir->log.dev;
	head->log_ino = dir->log.ino;
	head->log_from = dir->log.from;
	snprintf(head->job, sizeof(head->job), "%s", dir->id);
	snprintf(head->name, sizeof(head->name), "%s", name);
	jobdir_beat(dir);
	census_open(head);
}

/*
 * Makes and maps the census. All its memory is there before anybody maps it: a hole would be a
 * SIGBUS in the job. 0, or negative with words.
 */
static int make_census(
	struct jobdir *dir, const char *folder, const char *name, struct complaint *why)
{
	struct str path = {0};
	void *base = MAP_FAILED;
	int err = 0;

	str_printf(&path, "%s/" CENSUS_FILE, folder);
	dir->census_fd = open(path.text, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (dir->census_fd < 0)
		err = errno;
	if (!err)
		err = posix_fallocate(dir->census_fd, 0, (off_t)CENSUS_SIZE);
	if (!err)
		base = mmap(
			NULL, CENSUS_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, dir->census_fd, 0);
	if (!err && base == MAP_FAILED)
		err = errno;
	if (err) {
		err = complaint_errno(why, err, "cannot make %s", path.text);
	} else {
		dir->census = base;
		fill_census(dir, name);
	}
	str_release(&path);
	return err;
}

/*
 * Makes the folder with its census, or neither. It is begun under a name that nobody takes for a
 * job's, and gets its own when it is whole: who is killed in between leaves what sweep.h knows for
 * that.
 */
static int make_in(
	struct jobdir *dir, const struct str *root, const char *name, struct complaint *why)
{
	struct str begun = {0};
	int err, held;

	choose_leaf(dir, root);
	held = sweep_begin(root->text, &begun);
	err = held < 0 ? complaint_errno(why, -held, "cannot make folder %s", dir->path.text)
		       : make_census(dir, begun.text, name, why);
	if (!err && rename(begun.text, dir->path.text) < 0)
		err = complaint_errno(why, errno, "cannot make folder %s", dir->path.text);
	if (err && held >= 0)
		sweep_remove(begun.text);
	if (err)
		jobdir_release(dir);
	if (held >= 0)
		close(held);
	str_release(&begun);
	return err;
}

/*
 * Removes a job's folder, and with it the one of the same name under /tmp, where rings lie that
 * found no room beside the census.
 */
static void remove_job(const char *path, const char *id)
{
	struct str spill = {0};

	sweep_remove(path);
	str_printf(&spill, "/tmp/inquest-%u/%s", (unsigned)geteuid(), id);
	sweep_remove(spill.text);
	str_release(&spill);
}

/* What the helper is told. */
struct making {
	struct jobdir dir;
	const char *name;
	const char *users; /* INQUEST_DIR; NULL where that says nothing */
	int *fate;         /* which of both came first; shared */
};

/* What became of it: the helper's or our word, whichever came first. */
enum { FATE_OPEN, FATE_MADE, FATE_GIVEN_UP };

/* Decides it. True if it was still open. */
static bool decide(int *fate, int as)
{
	int open = FATE_OPEN;

	return __atomic_compare_exchange_n(
		fate, &open, as, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/*
 * Makes the folder in the first place that can be had: with a word on it, perhaps, in `note`. 0, or
 * negative with words.
 */
static int make(struct making *making, struct str *note, struct complaint *why)
{
	static const char *const parents[] = {"/dev/shm", "/tmp"};
	struct str root = {0};
	int err = -1;

	if (making->users) {
		err = user_root(making->users, &root, why);
		if (!err)
			err = make_in(&making->dir, &root, making->name, why);
	}
	for (size_t i = 0; !making->users && err && i < 2; i++) {
		complaint_release(why);
		str_cut(&root, 0);
		str_cut(note, 0);
		err = default_root(parents[i], &root, note, why);
		if (!err)
			err = make_in(&making->dir, &root, making->name, why);
	}
	str_release(&root);
	return err;
}

/* Makes it, in the helper, and says its path, and in a second line what is to be said of it. */
static int make_and_tell(const void *what, struct str *said, struct complaint *why)
{
	struct making making = *(const struct making *)what;
	struct str note = {0};
	int err = make(&making, &note, why);

	if (!err && !decide(making.fate, FATE_MADE)) {
		jobdir_remove(&making.dir);
		err = complaint_set(why, "too late");
	}
	if (!err)
		str_printf(said, "%s\n%s", making.dir.path.text, str_text(&note));
	str_release(&note);
	return err;
}

/* Takes the folder of that path, which the helper has made, as ours. 0, or negative with words. */
static int adopt(struct jobdir *dir, const struct str *said, struct complaint *why)
{
	const char *line = str_text(said);
	size_t len = strcspn(line, "\n");
	struct str census = {0};
	void *base = MAP_FAILED;
	int err = 0;

	str_add_bytes(&dir->path, line, len);
	dir->id = strrchr(dir->path.text, '/') + 1;
	str_printf(&census, "%s/" CENSUS_FILE, dir->path.text);
	dir->census_fd = open(census.text, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (dir->census_fd >= 0)
		base = mmap(NULL, CENSUS_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, dir->census_fd,
			0);
	if (base == MAP_FAILED) {
		err = complaint_errno(why, errno, "cannot open %s", census.text);
		remove_job(dir->path.text, dir->id);
	} else {
		dir->census = base;
	}
	if (!err && line[len] && line[len + 1])
		cmd_complain("%s", line + len + 1);
	str_release(&census);
	return err;
}

/* Waits for the helper, and takes what it has made. 0, or negative with words. */
static int take_made(struct jobdir *dir, const struct making *making, struct saver *saver,
	struct complaint *why)
{
	struct str said = {0};
	enum saver_news news = saver_wait(saver, MAKE_MS, &said, why);
	int err = -1;

	/* Made in the last moment: the helper is about to say so. */
	if (news == SAVER_BUSY && !decide(making->fate, FATE_GIVEN_UP))
		news = saver_wait(saver, MAKE_MS, &said, why);
	if (news == SAVER_DONE)
		err = adopt(dir, &said, why);
	else if (news == SAVER_BUSY)
		complaint_set(why, "%s does not answer",
			making->users ? making->users : "the place of its folder");
	str_release(&said);
	return err;
}

/*
 * Returns where the job's words will begin in our stderr. The job inherits that, which its helper
 * has not: what stands in it already is of others.
 */
static struct jobdir_log look_at_log(void)
{
	int flags = fcntl(STDERR_FILENO, F_GETFL);
	struct jobdir_log log = {0};
	struct stat st;
	off_t at;

	if (flags < 0 || fstat(STDERR_FILENO, &st) < 0 || !S_ISREG(st.st_mode))
		return log;
	at = flags & O_APPEND ? st.st_size : lseek(STDERR_FILENO, 0, SEEK_CUR);
	return (struct jobdir_log){st.st_dev, st.st_ino, at > 0 ? (uint64_t)at : 0};
}

int jobdir_make(struct jobdir *dir, const char *name, struct complaint *why)
{
	const char *users = getenv("INQUEST_DIR");
	struct making making = {.name = name, .users = users && *users ? users : NULL};
	struct saver saver = {0};
	void *shared = mmap(NULL, sizeof(*making.fate), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int err = -1;

	*dir = (struct jobdir){.census_fd = -1,
		.launched = clock_realtime_ns(),
		.log = look_at_log()};
	dir->agent_pid = (uint32_t)getpid();
	dir->agent_start_time = proc_start_time(dir->agent_pid);
	making.dir = *dir;
	making.fate = shared;
	if (shared == MAP_FAILED)
		return complaint_errno(why, errno, "no memory for its folder");
	if (saver_begin(&saver, make_and_tell, &making, why))
		err = take_made(dir, &making, &saver, why);
	saver_release(&saver);
	munmap(shared, sizeof(*making.fate));
	if (err)
		jobdir_release(dir);
	return err;
}

/*
 * Writes by a system call, not a store: the job may have cut the file, and a store would be our
 * end.
 */
void jobdir_beat(const struct jobdir *dir)
{
	const uint64_t now = (uint64_t)clock_boottime_ns();

	if (dir->census)
		(void)!pwrite(dir->census_fd, &now, sizeof(now),
			offsetof(struct census_header, agent_beat));
}

/* True if no folder of its job may be of use to anybody any more. */
static bool is_over(const struct jobs *jobs, const struct jobs_entry *entry)
{
	for (size_t i = 0; i < jobs->nr; i++)
		if (fellows_are(&jobs->items[i], entry) &&
			(jobs->items[i].status != JOBS_ENDED || jobs->items[i].wrapper))
			return false;
	return true;
}

/* Returns the newest folder of the job of that one: they come in that order. */
static size_t first_of(const struct jobs *jobs, size_t which)
{
	for (size_t i = 0; i < which; i++)
		if (fellows_are(&jobs->items[i], &jobs->items[which]))
			return i;
	return which;
}

/* True if a folder may be removed: of a job that is over, of ours, and beside this one. */
static bool may_go(const struct jobs *jobs, size_t which, const struct jobdir *dir)
{
	const struct jobs_entry *entry = &jobs->items[which];
	size_t root = (size_t)(dir->id - dir->path.text);

	return is_over(jobs, entry) && entry->owner == geteuid() &&
	       !strncmp(entry->folder, dir->path.text, root);
}

void jobdir_sweep(const struct jobdir *dir)
{
	size_t root = (size_t)(dir->id - dir->path.text);
	struct str all = {0};
	struct jobs jobs = {0};

	str_add_bytes(&all, dir->path.text, root);
	sweep_begun(all.text);
	sweep_spilled();
	str_release(&all);
	if (jobs_list(&jobs, NULL) < 0)
		return;
	for (size_t i = 0; i < jobs.nr; i++) {
		int newer = 0;

		if (!may_go(&jobs, i, dir))
			continue;
		for (size_t k = 0; k < first_of(&jobs, i); k++)
			newer += first_of(&jobs, k) == k && may_go(&jobs, k, dir);
		if (newer >= KEEP_ENDED)
			remove_job(jobs.items[i].folder, jobs.items[i].id);
	}
	jobs_release(&jobs);
}

void jobdir_remove(struct jobdir *dir)
{
	if (dir->census)
		remove_job(dir->path.text, dir->id);
}

void jobdir_remove_folder(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (slash && slash[1])
		remove_job(path, slash + 1);
}

void jobdir_release(struct jobdir *dir)
{
	if (dir->census)
		munmap(dir->census, CENSUS_SIZE);
	if (dir->census_fd >= 0)
		close(dir->census_fd);
	dir->census = NULL;
	dir->census_fd = -1;
	str_release(&dir->path);
}
