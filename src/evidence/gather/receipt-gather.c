/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/gather/receipt-gather.h"

#include <json.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/env.h"
#include "base/redact.h"
#include "base/str.h"
#include "evidence/agent/agentfiles.h"
#include "evidence/format/json-put.h"
#include "evidence/gather/cache-places.h"
#include "evidence/gather/receipt-look.h"
#include "evidence/gather/storage-places.h"
#include "proc/cgroup.h"

/* --- Environment ----------------------------------------------------------------------------- */

/* Adds the variables that a receipt may hold, and the names of those that are withheld. */
static void receipt_put_env(struct json_object *object, char *const *envp)
{
	struct json_object *env = json_object_new_object();
	struct json_object *withheld = json_object_new_array();

	for (; *envp; envp++) {
		struct str name = {0};
		size_t len = strcspn(*envp, "=");

		str_add_bytes(&name, *envp, len);
		if (redact_keeps_variable(str_text(&name)))
			json_put_value(env, str_text(&name), *envp + len + ((*envp)[len] == '='));
		else if (redact_lists_variable(str_text(&name)))
			json_object_array_add(withheld, json_put_string(str_text(&name)));
		str_release(&name);
	}
	json_object_object_add(object, "env", env);
	json_object_object_add(object, "env_withheld", withheld);
}

/*
 * Adds the names of variables that we have set, which a job without us has otherwise, or not at
 * all.
 */
static void receipt_put_forced(struct json_object *object, char *const *envp)
{
	static const char *const ours[] = {
		"LD_PRELOAD", "NVTX_INJECTION64_PATH", "NCCL_PROFILER_PLUGIN"};
	const char *preload = env_value(envp, "LD_PRELOAD");
	size_t len = preload ? strcspn(preload, ":") : 0;
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]) && len; i++) {
		const char *value = env_value(envp, ours[i]);

		if (env_value(envp, "INQUEST_JOB_DIR") && value &&
			!strncmp(value, preload, len) && (!value[len] || value[len] == ':'))
			json_object_array_add(list, json_object_new_string(ours[i]));
	}
	json_object_object_add(object, "env_forced", list);
}

/* --- Machine --------------------------------------------------------------------------------- */

static void receipt_put_machine(struct json_object *object)
{
	char host[256] = "";
	struct utsname name;
	struct sysinfo info;
	cpu_set_t cpus;

	if (gethostname(host, sizeof(host) - 1) == 0)
		json_put_text(object, "host", host);
	if (uname(&name) == 0) {
		json_put_text(object, "kernel", name.release);
		json_put_text(object, "machine", name.machine);
	}
	if (sysinfo(&info) == 0)
		json_put_int(object, "memory", (int64_t)(info.totalram * (uint64_t)info.mem_unit));
	if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0)
		json_put_int(object, "cpus", CPU_COUNT(&cpus));
}

/*
 * Adds the GPUs of the host, as the driver's own files name them: no library is asked, and no
 * device is woken.
 */
static void receipt_put_gpus(struct json_object *object)
{
	struct look_gpus look = {0};

	look_at_gpus(&look);
	if (look.known) {
		struct json_object *list = json_object_new_array();

		for (const char *at = str_text(&look.models); *at; at += strcspn(at, "\n") + 1) {
			struct str one = {0};

			str_add_bytes(&one, at, strcspn(at, "\n"));
			json_object_array_add(list, json_put_string(str_text(&one)));
			str_release(&one);
		}
		json_object_object_add(object, "gpus", list);
	}
	if (look.driver.len)
		json_put_text(object, "driver", look.driver.text);
	str_release(&look.models);
	str_release(&look.driver);
}

/* Adds the container's image, where anybody names it. */
static void receipt_put_image(struct json_object *object, char *const *envp)
{
	static const char *const names[] = {"APPTAINER_CONTAINER", "SINGULARITY_CONTAINER",
		"CONTAINER_IMAGE", "SLURM_CONTAINER"};
	struct str image = {0};

	look_at_image(&image);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !image.len; i++)
		if (env_value(envp, names[i]))
			str_add(&image, env_value(envp, names[i]));
	if (image.len)
		json_put_value(object, "image", image.text);
	str_release(&image);
}

static void receipt_put_limits(struct json_object *object)
{
	static const struct {
		const char *name;
		__rlimit_resource_t which;
	} limits[] = {{"nofile", RLIMIT_NOFILE}, {"memlock", RLIMIT_MEMLOCK},
		{"core", RLIMIT_CORE}, {"nproc", RLIMIT_NPROC}, {"as", RLIMIT_AS}};
	struct json_object *list = json_object_new_object();

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct rlimit limit;

		if (getrlimit(limits[i].which, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
			json_put_int(list, limits[i].name, (int64_t)limit.rlim_cur);
	}
	json_object_object_add(object, "limits", list);
}

static void receipt_put_mounts(struct json_object *object, const char *cwd)
{
	const char *const paths[] = {"/dev/shm", "/tmp", cwd};
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct json_object *one;
		struct statfs fs;

		if (statfs(paths[i], &fs) < 0)
			continue;
		one = json_object_new_object();
		json_put_text(one, "path", paths[i]);
		json_put_int(one, "type", (int64_t)fs.f_type);
		json_put_int(one, "size", (int64_t)fs.f_blocks * (int64_t)fs.f_bsize);
		json_put_int(one, "free", (int64_t)fs.f_bavail * (int64_t)fs.f_bsize);
		json_object_array_add(list, one);
	}
	json_object_object_add(object, "mounts", list);
}

static void receipt_put_cgroup(struct json_object *object)
{
	struct str groups = {0}, text = {0};

	if (proc_cgroup_of((uint32_t)getpid(), &groups) == 0 &&
		proc_cgroup_read(str_text(&groups), &text) == 0)
		json_put_text(object, "cgroup", text.text);
	str_release(&groups);
	str_release(&text);
}

/* --- git -------------------------------------------------------------------------------------- */

static void receipt_put_git(struct json_object *object, const char *cwd)
{
	struct json_object *git;
	struct look_git look = {0};

	look_at_git(cwd, &look);
	if (look.revision.len) {
		git = json_object_new_object();
		json_put_text(git, "revision", look.revision.text);
		if (look.branch.len)
			json_put_text(git, "branch", look.branch.text);
		if (look.dirty >= 0)
			json_put_int(git, "dirty", look.dirty);
		json_object_object_add(object, "git", git);
	}
	str_release(&look.revision);
	str_release(&look.branch);
}

/* --- All of it ------------------------------------------------------------------------------- */

void receipt_take(const struct receipt_launch *launch, struct str *into)
{
	struct json_object *object = json_object_new_object();
	char own[4096] = "/";
	const char *cwd = launch->cwd;

	if (!cwd)
		cwd = getcwd(own, sizeof(own)) ? own : "/";
	json_put_text(object, "schema", "inquest-receipt/1");
	json_put_text(object, "job", launch->job);
	json_put_text(object, "name", launch->name);
	json_put_int(object, "launched", launch->launched);
	json_put_args(object, "argv", launch->argv);
	json_put_text(object, "cwd", cwd);
	receipt_put_machine(object);
	receipt_put_gpus(object);
	receipt_put_limits(object);
	receipt_put_mounts(object, cwd);
	receipt_put_cgroup(object);
	if (launch->envp) {
		receipt_put_env(object, launch->envp);
		receipt_put_forced(object, launch->envp);
		receipt_put_image(object, launch->envp);
		caches_put(object, launch->envp);
		storage_put(object, launch->envp, cwd);
	}
	receipt_put_git(object, cwd);
	json_put_end(object, into);
}

int receipt_write(const char *folder, const struct receipt_launch *launch, struct complaint *why)
{
	struct str text = {0};
	int error;

	receipt_take(launch, &text);
	error = agent_file_write(folder, AGENT_RECEIPT_FILE, &text, why);
	str_release(&text);
	return error;
}
