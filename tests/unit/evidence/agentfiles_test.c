/* SPDX-License-Identifier: Apache-2.0 */
/* What the agent writes: receipt, manifest, history, exits. */
#include "base/redact.h"
#include "evidence/agent/agentfiles.h"

#include <json.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "evidence/agent/history.h"
#include "evidence/gather/receipt-gather.h"
#include "tests/unit/unit.h"

static struct json_object *get(struct json_object *object, const char *key)
{
	struct json_object *value = NULL;

	assert_true(json_object_object_get_ex(object, key, &value));
	return value;
}

static void secrets_stay_out(void **state)
{
	assert_true(redact_keeps_variable("RANK"));
	assert_true(redact_keeps_variable("NCCL_DEBUG"));
	assert_true(redact_keeps_variable("TORCHINDUCTOR_CACHE_DIR"));
	assert_true(redact_keeps_variable("SLURM_JOB_END_TIME"));
	assert_false(redact_keeps_variable("RANKING"));
	assert_false(redact_keeps_variable("AWS_ACCESS_KEY_ID"));
	assert_false(redact_keeps_variable("HF_TOKEN"));
	assert_false(redact_keeps_variable("NCCL_AUTH_TOKEN"));
	assert_false(redact_keeps_variable("SLURM_JWT"));
	assert_false(redact_keeps_variable("TORCH_API_key"));
	assert_false(redact_keeps_variable("UNLISTED"));
}

static void a_receipt_tells_the_launch(void **state)
{
	char folder[] = "/tmp/inquest-receipt-XXXXXX";
	char cache[128], command[256];
	char *argv[] = {(char *)"train.py", (char *)"bad \xff byte", NULL};
	char *envp[] = {cache, (char *)"RANK=3", (char *)"NCCL_TOKEN=hidden", NULL};
	struct receipt_launch launch = {
		.job = "job-1", .argv = argv, .envp = envp, .cwd = folder, .launched = 77};
	struct json_object *receipt, *caches, *one;
	struct str text = {0};

	assert_non_null(mkdtemp(folder));
	snprintf(cache, sizeof(cache), "TORCHINDUCTOR_CACHE_DIR=%s/cache", folder);
	snprintf(command, sizeof(command),
		"mkdir -p %s/cache/a && echo 12345 >%s/cache/a/f && echo 1 >%s/cache/g", folder,
		folder, folder);
	assert_int_equal(system(command), 0);
	receipt_take(&launch, &text);
	assert_null(strstr(text.text, "hidden"));
	receipt = json_tokener_parse(text.text);
	assert_non_null(receipt);
	assert_int_equal(json_object_get_int64(get(receipt, "launched")), 77);
	assert_string_equal(json_object_get_string(get(get(receipt, "env"), "RANK")), "3");
	assert_string_equal(json_object_get_string(json_object_array_get_idx(
				    get(receipt, "env_withheld"), 0)),
		"NCCL_TOKEN");
	assert_string_equal(
		json_object_get_string(json_object_array_get_idx(get(receipt, "argv"), 1)),
		"bad ? byte");
	caches = get(receipt, "caches");
	one = json_object_array_get_idx(caches, 0);
	assert_int_equal(json_object_get_int64(get(one, "files")), 2);
	assert_int_equal(json_object_get_int64(get(one, "bytes")), 8);
	assert_int_equal(json_object_get_int64(get(one, "complete")), 1);
	json_object_put(receipt);
	str_release(&text);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

/* git itself may be missing: then only what .git says is known. */
static void a_receipt_tells_the_revision(void **state)
{
	char folder[] = "/tmp/inquest-git-XXXXXX";
	char *argv[] = {(char *)"x", NULL};
	struct receipt_launch launch = {.job = "j", .argv = argv, .cwd = folder};
	const char *revision = "0123456789abcdef0123456789abcdef01234567";
	struct str text = {0};
	char command[512];

	assert_non_null(mkdtemp(folder));
	snprintf(command, sizeof(command),
		"mkdir -p %s/.git && echo 'ref: refs/heads/m' >%s/.git/HEAD && "
		"printf '# pack-refs\\n%s refs/heads/m\\n' >%s/.git/packed-refs",
		folder, folder, revision, folder);
	assert_int_equal(system(command), 0);
	receipt_take(&launch, &text);
	assert_non_null(strstr(text.text, revision));
	assert_non_null(strstr(text.text, "refs/heads/m"));
	str_release(&text);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

/* A parent with a child that dies of SIGKILL and stays a zombie, as Python's workers do. */
static void start_family(int ready, int may_kill)
{
	pid_t child;
	char byte = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execlp("sleep", "sleep", "600", NULL);
		_exit(127);
	}
	if (write(ready, &byte, 1) != 1 || read(may_kill, &byte, 1) != 1)
		_exit(1);
	kill(child, SIGKILL);
	waitid(P_PID, (id_t)child, NULL, WEXITED | WNOWAIT);
	if (write(ready, &byte, 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static struct json_object *child_in(struct json_object *object)
{
	struct json_object *list = get(object, "processes");

	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *one = json_object_array_get_idx(list, i);

		if (!strcmp(json_object_get_string(get(one, "comm")), "sleep"))
			return one;
	}
	return NULL;
}

static void a_history_knows_children_and_how_they_ended(void **state)
{
	struct history *history = history_new();
	struct json_object *object, *command, *child = NULL;
	struct str text = {0};
	struct proc_id id;
	int ready[2], may_kill[2];
	char byte = 0;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(may_kill), 0);
	pid = fork();
	if (!pid)
		start_family(ready[1], may_kill[0]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	id = (struct proc_id){(uint32_t)pid, proc_start_time((uint32_t)pid)};
	for (int i = 0; i < 600 && !child; i++) {
		history_sample(history, &id, 1);
		str_cut(&text, 0);
		history_format(history, &text);
		object = json_tokener_parse(text.text);
		child = child_in(object);
		/* On a machine with much to do it is not told at the first asking. */
		command = child ? json_object_object_get(child, "command") : NULL;
		if (!command || strcmp(json_object_get_string(command), "sleep 600 "))
			child = NULL;
		if (child)
			assert_null(json_object_object_get(child, "ended"));
		json_object_put(object);
		usleep(10000);
	}
	assert_non_null(child);
	assert_int_equal(write(may_kill[1], &byte, 1), 1);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	history_sample(history, &id, 1);
	str_cut(&text, 0);
	history_format(history, &text);
	object = json_tokener_parse(text.text);
	child = child_in(object);
	assert_true(json_object_get_int64(get(child, "ended")) > 0);
	assert_int_equal(json_object_get_int64(get(child, "wait_status")), SIGKILL);
	json_object_put(object);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	str_release(&text);
	history_free(history);
	for (int i = 0; i < 2; i++) {
		close(ready[i]);
		close(may_kill[i]);
	}
}

/* What a launcher gave one rank alone: its error file, a cache, a secret. */
static void a_history_knows_what_each_rank_was_given(void **state)
{
	char folder[] = "/tmp/inquest-own-XXXXXX";
	char file[64], cache[64];
	struct history *history = history_new();
	struct json_object *object, *process, *env, *one = NULL;
	struct str text = {0};
	struct proc_id id;
	pid_t pid;

	assert_non_null(mkdtemp(folder));
	snprintf(file, sizeof(file), "%s/kernel.so", folder);
	assert_int_equal(file_write(file, "12345", 5, 0600, NULL), 0);
	snprintf(cache, sizeof(cache), "TORCHINDUCTOR_CACHE_DIR=%s", folder);
	pid = fork();
	if (!pid) {
		char *const argv[] = {(char *)(uintptr_t) "sleep", (char *)(uintptr_t) "600", NULL};
		char *const envp[] = {cache, (char *)(uintptr_t) "TORCHELASTIC_ERROR_FILE=/e/r",
			(char *)(uintptr_t) "NCCL_SECRET=1", (char *)(uintptr_t) "UNLISTED=1",
			NULL};

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execve("/bin/sleep", argv, envp);
		_exit(127);
	}
	id = (struct proc_id){(uint32_t)pid, proc_start_time((uint32_t)pid)};
	for (int i = 0; i < 600 && !one; i++) {
		usleep(10000);
		history_free(history);
		history = history_new();
		history_sample(history, &id, 1);
		str_cut(&text, 0);
		history_format(history, &text);
		if (strstr(text.text, "/e/r"))
			one = json_tokener_parse(text.text);
	}
	object = one;
	assert_non_null(object);
	process = json_object_array_get_idx(get(object, "processes"), 0);
	env = get(process, "env");
	assert_string_equal(
		json_object_get_string(get(env, "TORCHELASTIC_ERROR_FILE")), "/e/r");
	assert_null(json_object_object_get(env, "NCCL_SECRET"));
	assert_null(json_object_object_get(env, "UNLISTED"));
	one = json_object_array_get_idx(get(process, "caches"), 0);
	assert_string_equal(json_object_get_string(get(one, "path")), folder);
	assert_int_equal(json_object_get_int64(get(one, "files")), 1);
	assert_int_equal(json_object_get_int64(get(one, "bytes")), 5);
	json_object_put(object);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	str_release(&text);
	history_free(history);
	unlink(file);
	rmdir(folder);
}

static void a_history_follows_a_process_and_is_bounded(void **state)
{
	char command[] = "/tmp/inquest-history-XXXXXX";
	int log = mkstemp(command);
	pid_t pid = fork();
	struct history *history = history_new();
	struct json_object *object, *process;
	struct str text = {0};
	struct proc_id id;

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(log, 2);
		for (;;)
			pause();
	}
	id = (struct proc_id){(uint32_t)pid, proc_start_time((uint32_t)pid)};
	for (int i = 0; i < HISTORY_SAMPLES + 30; i++)
		history_sample(history, &id, 1);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	history_sample(history, &id, 1); /* gone, but kept */
	history_format(history, &text);
	object = json_tokener_parse(text.text);
	assert_int_equal(json_object_array_length(get(object, "processes")), 1);
	process = json_object_array_get_idx(get(object, "processes"), 0);
	assert_int_equal(json_object_get_int64(get(process, "pid")), pid);
	assert_int_equal(json_object_array_length(get(process, "samples")), HISTORY_SAMPLES);
	assert_non_null(strstr(text.text, "inquest-history-")); /* where its stderr went */
	json_object_put(object);
	str_release(&text);
	history_free(history);
	close(log);
	unlink(command);
}

static void files_are_replaced_whole(void **state)
{
	char folder[] = "/tmp/inquest-files-XXXXXX";
	struct agent_manifest manifest = {.job = "j", .status = "running", .polled = 5};
	const struct agent_exit exits[] = {
		{.pid = 7, .start_time = 8, .when = 9, .waited = true, .wait_status = 256},
		{.pid = 10, .start_time = 11, .when = 12},
	};
	struct str path = {0}, text = {0};
	struct json_object *object;
	char command[64];

	assert_non_null(mkdtemp(folder));
	for (int i = 0; i < 2; i++) {
		manifest.ended = i == 1;
		manifest.exit_status = 3;
		assert_int_equal(agent_manifest_write(folder, &manifest, NULL), 0);
	}
	assert_int_equal(agent_exits_write(folder, exits, 2, NULL), 0);
	str_printf(&path, "%s/%s", folder, AGENT_MANIFEST_FILE);
	assert_int_equal(file_read(path.text, 4096, &text, NULL), 0);
	object = json_tokener_parse(text.text);
	assert_int_equal(json_object_get_int64(get(object, "exit_status")), 3);
	json_object_put(object);
	str_cut(&path, 0);
	str_cut(&text, 0);
	str_printf(&path, "%s/%s", folder, AGENT_EXITS_FILE);
	assert_int_equal(file_read(path.text, 4096, &text, NULL), 0);
	object = json_tokener_parse(text.text);
	assert_int_equal(json_object_array_length(get(object, "exits")), 2);
	json_object_put(object);
	assert_true(agent_manifest_write("/no/such/folder", &manifest, NULL) < 0);
	str_release(&path);
	str_release(&text);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

static bool is_that(const void *that, struct proc_id id)
{
	return that && *(const uint32_t *)that == id.pid;
}

static size_t processes_of(const struct history *history)
{
	struct json_object *object;
	struct str text = {0};
	size_t nr;

	history_format(history, &text);
	object = json_tokener_parse(text.text);
	nr = json_object_array_length(get(object, "processes"));
	json_object_put(object);
	str_release(&text);
	return nr;
}

static void a_history_lets_go_of_families_that_are_gone(void **state)
{
	struct history *history = history_new();
	int ready[2], may_kill[2];
	struct proc_id ids[2];
	uint32_t kept;
	char byte = 0;
	pid_t pids[2];

	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(may_kill), 0);
	for (int i = 0; i < 2; i++) {
		pids[i] = fork();
		if (!pids[i])
			start_family(ready[1], may_kill[0]);
		assert_int_equal(read(ready[0], &byte, 1), 1);
		ids[i] = (struct proc_id){(uint32_t)pids[i], proc_start_time((uint32_t)pids[i])};
	}
	history_sample(history, ids, 2);
	assert_int_equal(processes_of(history), 4);
	history_let_go(history, is_that, NULL);
	assert_int_equal(processes_of(history), 4);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(write(may_kill[1], &byte, 1), 1);
		assert_int_equal(read(ready[0], &byte, 1), 1);
	}
	for (int i = 0; i < 2; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	history_sample(history, NULL, 0);
	kept = (uint32_t)pids[1];
	history_let_go(history, is_that, &kept);
	assert_int_equal(processes_of(history), 2);
	history_let_go(history, is_that, NULL);
	assert_int_equal(processes_of(history), 0);
	history_free(history);
	for (int i = 0; i < 2; i++) {
		close(ready[i]);
		close(may_kill[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(secrets_stay_out),
		cmocka_unit_test(a_receipt_tells_the_launch),
		cmocka_unit_test(a_receipt_tells_the_revision),
		cmocka_unit_test(a_history_knows_children_and_how_they_ended),
		cmocka_unit_test(a_history_knows_what_each_rank_was_given),
		cmocka_unit_test(a_history_follows_a_process_and_is_bounded),
		cmocka_unit_test(a_history_lets_go_of_families_that_are_gone),
		cmocka_unit_test(files_are_replaced_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
