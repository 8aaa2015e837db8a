/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/demo/demo-stage.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/paths.h"
#include "cmd/cmd.h"
#include "proc/tree.h"

#define END_PATIENCE_NS (20 * CLOCK_NS_PER_S)
#define STATUS_LOST     125 /* the status by which `inquest run` says that it failed itself */

int stage_make(struct stage *stage, struct complaint *why)
{
	const char *tmp = getenv("TMPDIR");

	*stage = (struct stage){0};
	if (paths_find(PATHS_SCENARIOS, &stage->scenarios, why) < 0 ||
		paths_find(PATHS_STANDIN, &stage->standin, why) < 0)
		return -1;
	str_printf(&stage->folder, "%s/inquest-demo-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(stage->folder.text)) {
		complaint_errno(why, errno, "cannot make %s", stage->folder.text);
		str_release(&stage->folder);
		return -1;
	}
	/*
	 * A process of the job that leaves its parent becomes our child, to be ended with the rest.
	 */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	return 0;
}

/* Waits as waitpid() does, but no signal cuts it short. */
static pid_t wait_one(pid_t pid, int *ret_status)
{
	pid_t ended;

	do
		ended = waitpid(pid, ret_status, 0);
	while (ended < 0 && errno == EINTR);
	return ended;
}

/*
 * Runs a program and appends what it prints on stdout and stderr. Returns its exit status, or -1
 * with words.
 */
static int ask(char *const *argv, struct str *into, struct complaint *why)
{
	int out[2], status = 0;
	ssize_t n;
	pid_t pid;

	if (pipe2(out, O_CLOEXEC) < 0)
		return complaint_errno(why, errno, "cannot make a pipe");
	pid = fork();
	if (pid == 0) {
		dup2(out[1], STDOUT_FILENO);
		dup2(out[1], STDERR_FILENO);
		execv(argv[0], argv);
		_exit(STATUS_LOST);
	}
	close(out[1]);
	while ((n = read(out[0], str_room(into, 4096), 4096)) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			str_grow(into, (size_t)n);
	close(out[0]);
	if (pid < 0 || wait_one(pid, &status) < 0 || !WIFEXITED(status))
		return complaint_set(why, "cannot run %s", argv[0]);
	return WEXITSTATUS(status);
}

/* Drops newlines at the end. */
static void trim(struct str *text)
{
	while (text->len && (text->text[text->len - 1] == '\n'))
		str_cut(text, text->len - 1);
}

int stage_draw(struct stage *stage, const char *scenario, const char *seed, const char *ranks,
	struct complaint *why)
{
	struct str program = {0}, said = {0};
	const char *argv[8];
	int argc = 0, status;

	str_printf(&program, "%s/draw", stage->scenarios.text);
	argv[argc++] = program.text;
	if (seed) {
		argv[argc++] = "--seed";
		argv[argc++] = seed;
	}
	if (ranks) {
		argv[argc++] = "--ranks";
		argv[argc++] = ranks;
	}
	argv[argc++] = scenario;
	argv[argc++] = stage->folder.text;
	argv[argc] = NULL;
	status = ask((char *const *)argv, &said, why);
	trim(&said);
	if (status > 0)
		complaint_set(why, "%s", str_text(&said));
	str_release(&program);
	str_release(&said);
	return status;
}

int stage_list(const struct stage *stage, struct str *into, struct complaint *why)
{
	struct str program = {0};
	int status;

	str_printf(&program, "%s/draw", stage->scenarios.text);
	status = ask((char *[]){program.text, (char[]){"--list"}, NULL}, into, why);
	str_release(&program);
	return status > 0 ? complaint_set(why, "draw --list ended with %d", status) : status;
}

/*
 * Sets the environment of the job: the stand-in in place of NCCL, and a place of its own for its
 * rings.
 */
static void set_scene(const struct stage *stage)
{
	const char *old = getenv("LD_LIBRARY_PATH");
	struct str text = {0};

	str_printf(&text, "%s%s%s", stage->standin.text, old && *old ? ":" : "", old ? old : "");
	setenv("LD_LIBRARY_PATH", text.text, 1);
	str_cut(&text, 0);
	str_printf(&text, "%s/jobs", stage->folder.text);
	setenv("INQUEST_DIR", text.text, 1);
	str_release(&text);
	unsetenv("LD_PRELOAD");
	unsetenv("INQUEST_JOB_DIR");
}

/* Sets what a scheduler tells its jobs. The job that we are in ourselves, if any, is not meant. */
static void set_end(int ends_s)
{
	struct str text = {0};

	unsetenv("SLURM_JOB_END_TIME");
	if (ends_s <= 0)
		return;
	str_printf(&text, "%lld", (long long)time(NULL) + ends_s);
	setenv("SLURM_JOB_END_TIME", text.text, 1);
	str_release(&text);
}

/* Becomes `inquest run` of the scenario. Runs in the child, and never returns. */
static void play(const struct stage *stage, int confine_mib, int ends_s)
{
	struct str confine = {0}, launch = {0}, conf = {0}, out = {0}, log = {0};
	char exe[PATH_MAX] = "", mib[16];
	const char *argv[16];
	int argc = 0, fd;

	setsid();
	set_scene(stage);
	set_end(ends_s);
	str_printf(&confine, "%s/confine", stage->scenarios.text);
	str_printf(&launch, "%s/launch", stage->scenarios.text);
	str_printf(&conf, "%s/job.conf", stage->folder.text);
	str_printf(&out, "%s/out", stage->folder.text);
	str_printf(&log, "%s/job.log", stage->folder.text);
	snprintf(mib, sizeof(mib), "%d", confine_mib);
	if (readlink("/proc/self/exe", exe, sizeof(exe) - 1) < 0)
		_exit(STATUS_LOST);
	if (confine_mib) {
		argv[argc++] = confine.text;
		argv[argc++] = mib;
	}
	const char *const run[] = {exe, "run", "-o", out.text, "--name", "demo", "--hang-after",
		"2", "--", launch.text, conf.text, NULL};
	for (size_t i = 0; i < sizeof(run) / sizeof(run[0]); i++)
		argv[argc++] = run[i];
	fd = open(log.text, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd >= 0) {
		dup2(fd, STDOUT_FILENO);
		dup2(fd, STDERR_FILENO);
	}
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		dup2(fd, STDIN_FILENO);
	execv(argv[0], (char *const *)argv);
	_exit(STATUS_LOST);
}

int stage_start(struct stage *stage, int confine_mib, int ends_s, struct complaint *why)
{
	stage->job = fork();
	if (stage->job == 0)
		play(stage, confine_mib, ends_s);
	if (stage->job < 0) {
		stage->job = 0;
		return complaint_errno(why, errno, "cannot start the demo's job");
	}
	return 0;
}

bool stage_has_ended(struct stage *stage)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		if (pid == stage->job) {
			stage->ended = true;
			stage->wait_status = status;
		}
	return stage->ended || !stage->job;
}

/* Sends a signal to all processes that descend from us. Returns how many there are. */
static size_t signal_all(int signo)
{
	uint32_t us = (uint32_t)getpid();
	struct proc_list list = {0};
	const struct procstat *one;
	size_t living = 0;

	proc_list_descendants(&list, &us, 1);
	array_for_each (&list.all, one)
		if (one->state != 'Z') {
			kill((pid_t)one->pid, signo);
			living++;
		}
	proc_list_release(&list);
	return living;
}

void stage_end(struct stage *stage)
{
	const struct timespec moment = {.tv_nsec = 20000000};
	int64_t deadline = clock_monotonic_ns() + END_PATIENCE_NS;

	if (!stage_has_ended(stage)) {
		kill(stage->job, SIGTERM);
		while (!stage_has_ended(stage) && clock_monotonic_ns() < deadline)
			nanosleep(&moment, NULL);
	}
	while (signal_all(SIGKILL)) {
		stage_has_ended(stage);
		nanosleep(&moment, NULL);
	}
	stage_has_ended(stage);
	stage->job = 0;
}

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *where)
{
	(void)about;
	(void)type;
	(void)where;
	return remove(path) && errno != ENOENT ? -1 : 0;
}

void stage_release(struct stage *stage, bool keep_folder)
{
	if (stage->folder.len && !keep_folder)
		nftw(stage->folder.text, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	str_release(&stage->folder);
	str_release(&stage->scenarios);
	str_release(&stage->standin);
}
