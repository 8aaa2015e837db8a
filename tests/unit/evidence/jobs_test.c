/* SPDX-License-Identifier: Apache-2.0 */
/* Job folders: found by id, name and pid, and trusted only where their owner made them. */
#include "evidence/agent/jobs.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/meter.h"
#include "evidence/agent/agentfiles.h"
#include "evidence/gather/live/live.h"
#include "evidence/gather/source.h"
#include "proc/ns.h"
#include "proc/read.h"
#include "ring/census-read.h"
#include "ring/census-write.h"
#include "tests/ring/fixture.h"
#include "tests/unit/unit.h"

/* A folder of jobs, and a child to be their rank. */
struct scene {
	char dir[64];
	pid_t rank;
};

static int scene_open(void **state)
{
	struct scene *scene = alloc_zeroed(1, sizeof(*scene));

	strcpy(scene->dir, "/tmp/inquest-jobs-XXXXXX");
	assert_non_null(mkdtemp(scene->dir));
	setenv("INQUEST_DIR", scene->dir, 1);
	scene->rank = fork();
	if (scene->rank == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	*state = scene;
	return 0;
}

static int scene_close(void **state)
{
	struct scene *scene = *state;
	char command[128];

	kill(scene->rank, SIGKILL);
	waitpid(scene->rank, NULL, 0);
	snprintf(command, sizeof(command), "rm -rf %s", scene->dir);
	assert_int_equal(system(command), 0);
	free(scene);
	return 0;
}

static char *path_of(const struct scene *scene, const char *job, const char *file)
{
	struct str path = {0};

	str_printf(&path, "%s/%s", scene->dir, job);
	if (file)
		str_printf(&path, "/%s", file);
	return str_detach(&path);
}

/* Makes a job whose rank 0 is `pid` that began at `start`, launched at `launched`. */
static void scene_job_since(const struct scene *scene, const char *id, const char *name, pid_t pid,
	uint64_t start, uint64_t launched)
{
	const struct census_who who = {(uint32_t)pid, (uint32_t)getpid(), start, proc_ns_own()};
	char *folder = path_of(scene, id, NULL), *census = path_of(scene, id, CENSUS_FILE);
	uint8_t *base = alloc_zeroed(1, CENSUS_SIZE);
	struct census_header *header = (void *)base;
	struct census_slot *slot;

	assert_int_equal(mkdir(folder, 0700), 0);
	census_format(base);
	header->created_realtime = launched;
	snprintf(header->job, sizeof(header->job), "%s", id);
	snprintf(header->name, sizeof(header->name), "%s", name);
	slot = census_slot_at(base, census_claim(base, &who));
	slot->rank = 0;
	slot->world_size = 1;
	slot->generation = 1;
	census_publish(base, 0, CENSUS_RANK);
	census_open(base);
	assert_int_equal(file_write(census, base, CENSUS_SIZE, 0600, NULL), 0);
	free(base);
	free(folder);
	free(census);
}

static void scene_job(const struct scene *scene, const char *id, const char *name, pid_t pid,
	uint64_t launched)
{
	scene_job_since(scene, id, name, pid, proc_start_time((uint32_t)pid), launched);
}

static void jobs_are_found_by_every_name(void **state)
{
	const struct scene *scene = *state;
	const struct jobs_entry *entry;
	struct complaint why = {0};
	struct jobs jobs = {0};
	char pid[16];

	/* The second has an owner that is gone: same pid, another start. */
	scene_job(scene, "job-a", "sft", scene->rank, 1000);
	scene_job(scene, "job-b", "sft", 1 << 29, 2000);
	scene_job(scene, "job-c", "old", 1 << 29, 500);
	assert_int_equal(jobs_list(&jobs, NULL), 0);
	assert_int_equal(jobs.nr, 3);
	assert_string_equal(jobs.items[0].id, "job-b"); /* newest first */
	entry = jobs_find(&jobs, "job-a", NULL);
	assert_string_equal(entry->id, "job-a");
	assert_int_equal(entry->status, JOBS_RUNNING);
	assert_int_equal(entry->ranks, 1);
	assert_int_equal(entry->ranks_alive, 1);
	assert_int_equal(entry->world_size, 1);
	assert_ptr_equal(jobs_find(&jobs, "sft", NULL), entry); /* the live one, not the newest */
	assert_int_equal(jobs_find(&jobs, "old", NULL)->status, JOBS_ENDED);
	snprintf(pid, sizeof(pid), "%d", (int)scene->rank);
	assert_ptr_equal(jobs_find(&jobs, pid, NULL), entry);
	assert_null(jobs_find(&jobs, "1", NULL));
	assert_null(jobs_find(&jobs, "nobody", &why));
	assert_string_equal(
		complaint_text(&why), "no job here has the id, name or pid 'nobody'");
	complaint_release(&why);
	jobs_release(&jobs);
}

/* The pid of a rank that is gone leads to its job, and not once another process has it. */
/* Two live jobs of one name, and one of another user's that is called like it, or like a pid. */
static void one_name_of_several_is_nobodys(void **state)
{
	const struct scene *scene = *state;
	char pid[16], *folder = path_of(scene, "job-a", NULL);
	struct complaint why = {0};
	struct jobs jobs = {0};

	snprintf(pid, sizeof(pid), "%d", (int)scene->rank);
	scene_job(scene, "job-a", "sft", scene->rank, 1000);
	scene_job(scene, "job-b", "sft", getpid(), 2000);
	scene_job(scene, "job-c", pid, 1 << 29, 3000);
	assert_int_equal(jobs_list(&jobs, NULL), 0);
	assert_int_equal(jobs.nr, 3);
	assert_null(jobs_find(&jobs, "sft", &why));
	assert_string_equal(
		complaint_text(&why), "several jobs here are 'sft': say which by its folder");
	assert_true(jobs_several_are(&jobs, "sft"));
	assert_string_equal(jobs_find(&jobs, folder, NULL)->id, "job-a");
	assert_string_equal(jobs_find(&jobs, "job-a", NULL)->id, "job-a");
	/* Our own may be called by a number, and another user's not. */
	assert_string_equal(jobs_find(&jobs, pid, NULL)->id, "job-c");
	jobs.items[0].owner++;
	assert_string_equal(jobs_find(&jobs, pid, NULL)->id, "job-a");
	/* Another user's folder by the same id, alive or over. */
	strcpy(jobs.items[0].id, "job-a");
	assert_null(jobs_find(&jobs, "job-a", NULL));
	assert_true(jobs_several_are(&jobs, "job-a"));
	assert_string_equal(jobs_find(&jobs, folder, NULL)->folder, folder);
	assert_string_equal(jobs_find(&jobs, "job-b", NULL)->id, "job-b");
	complaint_release(&why);
	jobs_release(&jobs);
	free(folder);
}

static void a_pid_is_of_whoever_has_it_now(void **state)
{
	const struct scene *scene = *state;
	uint64_t start = proc_start_time((uint32_t)scene->rank);
	struct jobs jobs = {0};
	char pid[16];

	scene_job_since(scene, "job-a", "", scene->rank, start - 1, 1000);
	scene_job(scene, "job-b", "", 1 << 29, 500);
	assert_int_equal(jobs_list(&jobs, NULL), 0);
	snprintf(pid, sizeof(pid), "%d", (int)scene->rank);
	assert_null(jobs_find(&jobs, pid, NULL));
	snprintf(pid, sizeof(pid), "%d", 1 << 29);
	assert_string_equal(jobs_find(&jobs, pid, NULL)->id, "job-b");
	jobs_release(&jobs);
}

/* Of a child that was killed its parent writes no start: its pid is anybody's by now. */
static void the_pid_of_one_who_was_killed_is_free(void **state)
{
	const struct scene *scene = *state;
	const struct census_who who = {.pid = (uint32_t)scene->rank, .pid_ns = proc_ns_own()};
	char *path = path_of(scene, "job-a", CENSUS_FILE);
	struct jobs jobs = {0};
	void *base;
	int fd, at;

	scene_job(scene, "job-a", "", 1 << 29, 1000);
	fd = open(path, O_RDWR | O_CLOEXEC);
	base = mmap(NULL, CENSUS_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(base, MAP_FAILED);
	at = census_claim(base, &who);
	census_flag(base, at, CENSUS_F_KILLED | CENSUS_F_FORKED);
	census_publish(base, at, CENSUS_EXITED);
	assert_int_equal(jobs_list(&jobs, NULL), 0);
	assert_int_equal(jobs.items[0].status, JOBS_ENDED);
	jobs_release(&jobs);
	munmap(base, CENSUS_SIZE);
	close(fd);
	free(path);
}

/* A compile worker is not in the table, but its rank is. */
static void a_descendant_leads_to_its_job(void **state)
{
	const struct scene *scene = *state;
	const struct jobs_entry *entry;
	struct jobs jobs = {0};
	char pid[16];

	scene_job(scene, "job-a", "", getpid(), 1000);
	assert_int_equal(jobs_list(&jobs, NULL), 0);
	snprintf(pid, sizeof(pid), "%d", (int)scene->rank);
	entry = jobs_find(&jobs, pid, NULL);
	assert_non_null(entry);
	assert_string_equal(entry->id, "job-a");
	jobs_release(&jobs);
}

static void the_manifest_says_that_it_hangs(void **state)
{
	const struct scene *scene = *state;
	struct agent_manifest manifest = {.job = "job-a", .name = "given", .status = "hung"};
	char *folder = path_of(scene, "job-a", NULL), *census = path_of(scene, "job-a", "census");
	struct census_header header;
	struct jobs jobs = {0};
	int fd;

	scene_job(scene, "job-a", "", scene->rank, 1000);
	assert_int_equal(agent_manifest_write(folder, &manifest, NULL), 0);
	assert_int_equal(jobs_list(&jobs, NULL), 0);
	assert_string_equal(jobs.items[0].name, "given");
	assert_string_equal(jobs.items[0].said, "hung");
	/* No agent lives to say otherwise. */
	assert_false(jobs.items[0].agent_alive);
	assert_int_equal(jobs.items[0].status, JOBS_HUNG);
	jobs_release(&jobs);
	fd = open(census, O_RDWR | O_CLOEXEC);
	assert_int_equal(pread(fd, &header, sizeof(header), 0), sizeof(header));
	header.agent_pid = (uint32_t)getpid();
	header.agent_start_time = proc_start_time((uint32_t)getpid());
	assert_int_equal(pwrite(fd, &header, sizeof(header), 0), sizeof(header));
	close(fd);
	assert_int_equal(jobs_list(&jobs, NULL), 0);
	assert_true(jobs.items[0].agent_alive);
	assert_int_equal(jobs.items[0].status, JOBS_HUNG);
	jobs_release(&jobs);
	free(folder);
	free(census);
}

static void what_is_not_to_be_trusted_is_not_read(void **state)
{
	const struct scene *scene = *state;
	char *open_to_all = path_of(scene, "job-a", NULL);
	char *real = path_of(scene, "job-b", NULL), *link = path_of(scene, "job-link", NULL);
	char *census = path_of(scene, "job-c", CENSUS_FILE);
	char *moved = path_of(scene, "job-c", "elsewhere");
	struct jobs jobs = {0};

	scene_job(scene, "job-a", "", scene->rank, 1);
	assert_int_equal(chmod(open_to_all, 0777), 0);
	scene_job(scene, "job-b", "", scene->rank, 1);
	assert_int_equal(symlink(real, link), 0);
	scene_job(scene, "job-c", "", scene->rank, 1);
	assert_int_equal(rename(census, moved), 0);
	assert_int_equal(symlink(moved, census), 0);
	assert_int_equal(jobs_list(&jobs, NULL), 0);
	assert_int_equal(jobs.nr, 1);
	assert_string_equal(jobs.items[0].id, "job-b");
	assert_non_null(strstr(str_text(&jobs.refused), "others than its owner may write to it"));
	assert_non_null(strstr(str_text(&jobs.refused), "job-c"));
	jobs_release(&jobs);
	assert_true(jobs_open(&jobs, link, NULL) < 0);
	assert_int_equal(jobs_open(&jobs, real, NULL), 0);
	jobs_release(&jobs);
	free(open_to_all);
	free(real);
	free(link);
	free(census);
	free(moved);
}

static void anothers_files_are_not_read(void **state)
{
	const struct scene *scene = *state;
	char *census = path_of(scene, "job-a", CENSUS_FILE);
	char *folder = path_of(scene, "job-a", NULL);
	struct jobs jobs = {0};

	if (geteuid() != 0) {
		free(census);
		free(folder);
		skip(); /* only root can make files of others */
	}
	scene_job(scene, "job-a", "", scene->rank, 1);
	assert_int_equal(chown(census, 12345, (gid_t)-1), 0);
	assert_int_equal(jobs_list(&jobs, NULL), 0);
	assert_int_equal(jobs.nr, 0);
	assert_int_equal(chown(folder, 12345, (gid_t)-1), 0); /* now it is that user's: root may */
	jobs_release(&jobs);
	assert_int_equal(jobs_list(&jobs, NULL), 0);
	assert_int_equal(jobs.nr, 1);
	assert_int_equal(jobs.items[0].owner, 12345);
	jobs_release(&jobs);
	free(census);
	free(folder);
}

static size_t count_kind(const struct evidence *evidence, enum exhibit_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < evidence->n; i++)
		n += evidence->at[i].kind == kind;
	return n;
}

static void a_living_job_is_gathered(void **state)
{
	const struct scene *scene = *state;
	struct live_options options = {.sample_pause_ms = 1, .read_ms = 20000};
	struct fixture *f = fixture_new(2, RING_CANDIDATE);
	struct evidence evidence = {0};
	struct str name = {0};
	char *folder = path_of(scene, "job-a", NULL), *ring;

	scene_job(scene, "job-a", "", scene->rank, 1);
	str_printf(&name, CENSUS_RING_FORMAT, (unsigned)scene->rank,
		(unsigned long long)proc_start_time((uint32_t)scene->rank), 1u);
	ring = path_of(scene, "job-a", name.text);
	assert_int_equal(file_write(ring, f->base, f->layout.size, 0600, NULL), 0);
	assert_ptr_equal(source_of("job-a"), &source_live);
	assert_ptr_equal(source_of(folder), &source_live);
	assert_int_equal(live_gather(folder, &options, &evidence, NULL), 0);
	assert_int_equal(evidence.at[0].kind, EXHIBIT_GATHER); /* T0 before all */
	assert_int_equal(count_kind(&evidence, EXHIBIT_CENSUS), 1);
	assert_int_equal(count_kind(&evidence, EXHIBIT_RING), 1);
	assert_int_equal(count_kind(&evidence, EXHIBIT_LIVENESS), 1);
	assert_int_equal(count_kind(&evidence, EXHIBIT_PROC_STAT), 2); /* no agent: two samples */
	assert_int_equal(count_kind(&evidence, EXHIBIT_PROC_TASKS), 1);
	assert_int_equal(evidence.ngaps, 0);
	evidence_release(&evidence);
	str_release(&name);
	fixture_free(f);
	free(folder);
	free(ring);
}

/* Says goodbye in the table of job-a, with the status 0, as soon as its lock is asked for. */
static struct census_slot *leaves_late;

int fcntl(int fd, int command, ...)
{
	va_list more;
	long arg;

	va_start(more, command);
	arg = va_arg(more, long);
	va_end(more);
	if (command == F_GETLK && leaves_late)
		census_publish((struct census_header *)(void *)leaves_late - 1, 0, CENSUS_EXITED);
	return (int)syscall(SYS_fcntl, fd, command, arg);
}

/* Who ends between the copy of the table and the look at its process has told how it ended. */
static void who_leaves_meanwhile_has_told_how(void **state)
{
	const struct scene *scene = *state;
	char *folder = path_of(scene, "job-a", NULL), *path = path_of(scene, "job-a", CENSUS_FILE);
	int fd;
	uint8_t *base;

	scene_job_since(scene, "job-a", "", 1 << 29, 1000, 1);
	fd = open(path, O_RDWR | O_CLOEXEC);
	base = mmap(NULL, CENSUS_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(base != MAP_FAILED);
	for (int leaves = 0; leaves < 2; leaves++) {
		struct evidence evidence = {0};
		const struct exhibit *census = NULL;
		struct census_slot slot;
		struct census_view view;

		leaves_late = leaves ? census_slot_at(base, 0) : NULL;
		assert_int_equal(live_gather(folder, NULL, &evidence, NULL), 0);
		leaves_late = NULL;
		for (size_t i = 0; i < evidence.n; i++)
			if (evidence.at[i].kind == EXHIBIT_CENSUS)
				census = &evidence.at[i];
		assert_int_equal(census_view_open(&view, census->bytes, census->len), 0);
		assert_int_equal(census_view_slot(&view, 0, &slot), 1);
		assert_int_equal(slot.state, leaves ? CENSUS_EXITED : CENSUS_RANK);
		assert_int_equal(count_kind(&evidence, EXHIBIT_LIVENESS), 1);
		evidence_release(&evidence);
	}
	munmap(base, CENSUS_SIZE);
	close(fd);
	free(folder);
	free(path);
}

/* /proc has forgotten a dead rank; its agent knew where its stderr went, and its group. */
static void the_dead_are_known_by_their_agents_history(void **state)
{
	const struct scene *scene = *state;
	char *folder = path_of(scene, "job-a", NULL), *log = path_of(scene, "rank.err", NULL);
	char *history = path_of(scene, "job-a", AGENT_HISTORY_FILE);
	struct evidence evidence = {0};
	struct str text = {0};

	scene_job(scene, "job-a", "", 1 << 29, 1);
	assert_int_equal(file_write(log, "last words\n", 11, 0600, NULL), 0);
	str_printf(&text,
		"{\"processes\": [{\"pid\": %d, \"start_time\": 0, \"stderr\": \"%s\", "
		"\"env\": {\"TORCHELASTIC_ERROR_FILE\": \"%s\"}}], "
		"\"cgroups\": [{\"groups\": \"0::/../../..\"}, 7, {\"groups\": 7}]}",
		1 << 29, log, log);
	assert_int_equal(file_write(history, text.text, text.len, 0600, NULL), 0);
	assert_int_equal(live_gather(folder, NULL, &evidence, NULL), 0);
	assert_int_equal(count_kind(&evidence, EXHIBIT_HISTORY), 1);
	assert_int_equal(count_kind(&evidence, EXHIBIT_PROC_STAT), 0);
	assert_int_equal(count_kind(&evidence, EXHIBIT_STDERR), 1);
	assert_int_equal(count_kind(&evidence, EXHIBIT_ERROR_FILE), 1);
	assert_int_equal(count_kind(&evidence, EXHIBIT_CGROUP), 0);
	for (size_t i = 0; i < evidence.n; i++)
		if (evidence.at[i].kind == EXHIBIT_STDERR)
			assert_memory_equal(evidence.at[i].bytes, "last words\n", 11);
	evidence_release(&evidence);
	str_release(&text);
	free(folder);
	free(log);
	free(history);
}

static void a_ring_that_may_not_be_read_is_a_gap(void **state)
{
	const struct scene *scene = *state;
	char *folder = path_of(scene, "job-a", NULL);
	char *ring = path_of(scene, "job-a", "1.2.1.ring");
	struct evidence evidence = {0};

	scene_job(scene, "job-a", "", scene->rank, 1);
	assert_int_equal(symlink("/etc/passwd", ring), 0);
	assert_int_equal(live_gather(folder, NULL, &evidence, NULL), 0);
	assert_int_equal(count_kind(&evidence, EXHIBIT_RING), 0);
	assert_int_equal(evidence.ngaps, 2);
	assert_non_null(strstr(evidence.gaps[0].what, "its ring 1.2.1.ring"));
	/* And the census knows of one that is not there. */
	assert_int_equal(evidence.gaps[1].pid, scene->rank);
	assert_string_equal(evidence.gaps[1].what, "its ring: the file is not there");
	evidence_release(&evidence);
	free(folder);
	free(ring);
}

static void a_folder_without_a_job_is_refused(void **state)
{
	const struct scene *scene = *state;
	struct evidence evidence = {0};
	struct complaint why = {0};

	assert_true(live_gather(scene->dir, NULL, &evidence, &why) < 0);
	assert_non_null(strstr(complaint_text(&why), "census"));
	assert_true(live_gather("/no/such/folder", NULL, &evidence, &why) < 0);
	assert_null(source_of("no-such-job"));
	complaint_release(&why);
	evidence_release(&evidence);
}

/* A folder whose census has so many slots, of processes in a namespace that is not here. */
static void scene_crowd(const struct scene *scene, const char *id, size_t slots)
{
	char *folder = path_of(scene, id, NULL), *census = path_of(scene, id, CENSUS_FILE);
	size_t size = sizeof(struct census_header) + slots * sizeof(struct census_slot);
	uint8_t *base = alloc_zeroed(1, CENSUS_SIZE);
	struct census_header *header = (void *)base;
	int fd;

	census_format(base);
	header->high = (uint32_t)slots;
	for (size_t i = 0; i < slots; i++) {
		struct census_slot *slot = census_slot_at(base, (int)i);

		slot->pid = (uint32_t)i + 10;
		slot->start_time = 1;
		slot->pid_ns = 7;
		slot->rank = (int32_t)i;
		census_publish(base, (int)i, CENSUS_RANK);
	}
	census_open(base);
	assert_int_equal(mkdir(folder, 0700), 0);
	fd = open(census, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, base, size), size);
	close(fd);
	free(base);
	free(folder);
	free(census);
}

static double cpu_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Whoever writes a census says where its processes are: /proc is listed once for all of them. */
static void a_crowd_of_another_namespace_is_looked_for_once(void **state)
{
	const struct scene *scene = *state;
	struct jobs jobs = {0};
	double begin, one;

	scene_crowd(scene, "one", 1);
	begin = cpu_s();
	for (int i = 0; i < 20; i++) {
		assert_int_equal(jobs_list(&jobs, NULL), 0);
		assert_int_equal(jobs.nr, 1);
		jobs_release(&jobs);
	}
	one = (cpu_s() - begin) / 20;
	scene_crowd(scene, "crowd", CENSUS_SLOTS);
	begin = cpu_s();
	assert_int_equal(jobs_list(&jobs, NULL), 0);
	assert_int_equal(jobs.nr, 2);
	assert_true(cpu_s() - begin < 0.02 + 100 * one);
	assert_null(jobs_find(&jobs, "999999999", NULL));
	jobs_release(&jobs);
}

/* Of one owner only so many folders are looked at, the latest first, and the rest are said. */
static void too_many_folders_are_left_out(void **state)
{
	const struct scene *scene = *state;
	struct jobs jobs = {0};

	for (int i = 0; i < 1030; i++) {
		struct timespec old[2] = {{.tv_sec = 1000 + i}, {.tv_sec = 1000 + i}};
		char id[16], *folder;

		snprintf(id, sizeof(id), "job-%d", i);
		scene_crowd(scene, id, 1);
		folder = path_of(scene, id, NULL);
		assert_int_equal(utimensat(AT_FDCWD, folder, old, 0), 0);
		free(folder);
	}
	assert_int_equal(jobs_list(&jobs, NULL), 0);
	assert_int_equal(jobs.nr, 1024);
	assert_non_null(jobs_find(&jobs, "job-1029", NULL));
	assert_null(jobs_find(&jobs, "job-5", NULL));
	assert_non_null(strstr(str_text(&jobs.refused), ": 6 more folders of user "));
	jobs_release(&jobs);
}

/* Files full of holes cost nobody anything but who reads them: so many as there is room for. */
static void rings_full_of_holes_have_a_bound(void **state)
{
	const struct scene *scene = *state;
	char *folder = path_of(scene, "job-a", NULL);
	struct meter meter = {.most = (uint64_t)512 << 20};
	struct evidence evidence = {.meter = &meter};

	scene_job(scene, "job-a", "", scene->rank, 1);
	for (int i = 0; i < 20; i++) {
		char name[32], *path;
		int fd;

		snprintf(name, sizeof(name), "%d.2.1.ring", i + 1);
		path = path_of(scene, "job-a", name);
		fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		assert_int_equal(ftruncate(fd, (off_t)1 << 40), 0);
		close(fd);
		free(path);
	}
	assert_int_equal(live_gather(folder, NULL, &evidence, NULL), 0);
	assert_true(count_kind(&evidence, EXHIBIT_RING) <= 4);
	assert_true(evidence.ngaps >= 16);
	assert_non_null(strstr(evidence.gaps[0].what, METER_REFUSED));
	evidence_release(&evidence);
	free(folder);
}

#define JOBS_TEST(name) cmocka_unit_test_setup_teardown(name, scene_open, scene_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		JOBS_TEST(jobs_are_found_by_every_name),
		JOBS_TEST(one_name_of_several_is_nobodys),
		JOBS_TEST(a_pid_is_of_whoever_has_it_now),
		JOBS_TEST(the_pid_of_one_who_was_killed_is_free),
		JOBS_TEST(a_descendant_leads_to_its_job),
		JOBS_TEST(the_manifest_says_that_it_hangs),
		JOBS_TEST(what_is_not_to_be_trusted_is_not_read),
		JOBS_TEST(anothers_files_are_not_read),
		JOBS_TEST(a_living_job_is_gathered),
		JOBS_TEST(who_leaves_meanwhile_has_told_how),
		JOBS_TEST(the_dead_are_known_by_their_agents_history),
		JOBS_TEST(a_ring_that_may_not_be_read_is_a_gap),
		JOBS_TEST(a_folder_without_a_job_is_refused),
		JOBS_TEST(a_crowd_of_another_namespace_is_looked_for_once),
		JOBS_TEST(too_many_folders_are_left_out),
		JOBS_TEST(rings_full_of_holes_have_a_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
