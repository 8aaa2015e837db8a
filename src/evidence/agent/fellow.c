/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/agent/fellow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/redact.h"
#include "base/str.h"
#include "evidence/format/json-get.h"
#include "evidence/format/json-put.h"
#include "proc/read.h"
#include "proc/survey/claims.h"
#include "proc/survey/launcher.h"

/* How many ancestors are asked for the launcher. */
#define CLIMB_MOST 64
/* How many words of a command line tell jobs apart: the interpreter and its script. */
#define PROGRAM_WORDS 2

/* Appends the strings, each with a NUL behind it, as /proc has them. */
static void add_block(struct str *into, char *const *texts)
{
	for (; texts && *texts; texts++)
		str_add_bytes(into, *texts, strlen(*texts) + 1);
}

/*
 * Returns the hash of the first PROGRAM_WORDS words, with secrets taken out before; 0 for no words.
 */
static uint64_t hash_words(struct str *words)
{
	uint64_t hash = HASH_START;
	int left = PROGRAM_WORDS;

	if (!words->len)
		return 0;
	redact_args(words->text, words->len);
	for (size_t i = 0; i < words->len && left; i++) {
		hash = hash_mix(hash, (unsigned char)words->text[i]);
		left -= !words->text[i];
	}
	/* Fits into a number of JSON, and is never 0. */
	return hash >> 2 | 1;
}

/*
 * Finds the launcher above this process, else its parent. Launchers are known by their process
 * names alone, since a read of their files may block.
 */
static void find_starter(struct fellow *fellow, uint32_t pid)
{
	struct procstat stat;

	if (proc_read_stat((struct proc_id){.pid = pid}, &stat) < 0)
		return;
	for (int steps = 0; stat.ppid > 1 && steps < CLIMB_MOST; steps++) {
		bool launcher;

		pid = stat.ppid;
		if (proc_read_stat((struct proc_id){.pid = pid}, &stat) < 0)
			break;
		launcher = launcher_of(stat.comm, "", 0) != NULL;
		if (!steps || launcher) {
			fellow->starter = pid;
			fellow->starter_start = stat.start_time;
		}
		if (launcher)
			break;
	}
}

void fellow_of_launch(struct fellow *ret, char *const *argv, char *const *envp, uint32_t pid)
{
	struct str variables = {0}, words = {0};
	struct claims claims;

	*ret = (struct fellow){.rank = -1, .world_size = -1};
	add_block(&variables, envp);
	add_block(&words, argv);
	claims_read(&claims, str_text(&variables), variables.len, str_text(&words), words.len);
	snprintf(ret->run, sizeof(ret->run), "%s", claims.job);
	snprintf(ret->slurm, sizeof(ret->slurm), "%s", claims.slurm);
	snprintf(ret->step, sizeof(ret->step), "%s", claims.step);
	snprintf(ret->master, sizeof(ret->master), "%s", claims.master);
	if (claims.nr) {
		ret->rank = claims.all[0].rank;
		ret->world_size = claims.all[0].world_size;
		ret->task = claims.all[0].of_task || claims.all[0].of_node;
	}
	ret->program = hash_words(&words);
	find_starter(ret, pid);
	str_release(&variables);
	str_release(&words);
}

/*
 * Copies `told` where nothing is held yet and it fits. The run id "none" is torchrun's word for
 * none.
 */
static bool learn(char *held, size_t room, const char *told)
{
	if (*held || !told || !*told || strlen(told) >= room || !strcmp(told, "none"))
		return false;
	memcpy(held, told, strlen(told) + 1);
	return true;
}

bool fellow_learn(struct fellow *fellow, const char *run, const char *master)
{
	bool news = learn(fellow->run, sizeof(fellow->run), run);

	return learn(fellow->master, sizeof(fellow->master), master) || news;
}

/* --- In the manifest -------------------------------------------------------------------------- */

/* Adds the text to the object, unless it is "". */
static void put_known(struct json_object *object, const char *key, const char *text)
{
	if (*text)
		json_put_value(object, key, text);
}

void fellow_put(struct json_object *manifest, const struct fellow *fellow)
{
	struct json_object *object = json_object_new_object();

	put_known(object, "run", fellow->run);
	put_known(object, "slurm", fellow->slurm);
	put_known(object, "step", fellow->step);
	put_known(object, "master", fellow->master);
	if (fellow->rank >= 0) {
		json_put_int(object, "rank", fellow->rank);
		json_object_object_add(object, "task", json_object_new_boolean(fellow->task));
	}
	if (fellow->world_size > 0)
		json_put_int(object, "world_size", fellow->world_size);
	if (fellow->starter) {
		json_put_int(object, "starter", fellow->starter);
		json_put_int(object, "starter_start", (int64_t)fellow->starter_start);
	}
	if (fellow->program)
		json_put_int(object, "program", (int64_t)fellow->program);
	json_object_object_add(manifest, "identity", object);
}

/* Copies the field's text, cut to the room; leaves `into` alone where it is no text. */
static void get_text(char *into, size_t room, struct json_object *object, const char *key)
{
	const char *text = json_get_text(object, key);

	if (text)
		snprintf(into, room, "%s", text);
}

/* Returns the field's number; -1 where it is missing, no integer, or outside of 0 to `most`. */
static int64_t get_number(struct json_object *object, const char *key, int64_t most)
{
	int64_t number = -1;

	json_get_int(object, key, &number);
	return number >= 0 && number <= most ? number : -1;
}

void fellow_get(struct fellow *ret, struct json_object *manifest)
{
	struct json_object *object = json_get(manifest, "identity", json_type_object), *task;
	int64_t starter, program;

	*ret = (struct fellow){.rank = -1, .world_size = -1};
	if (!object)
		return;
	get_text(ret->run, sizeof(ret->run), object, "run");
	get_text(ret->slurm, sizeof(ret->slurm), object, "slurm");
	get_text(ret->step, sizeof(ret->step), object, "step");
	get_text(ret->master, sizeof(ret->master), object, "master");
	ret->rank = (int)get_number(object, "rank", INT32_MAX);
	ret->world_size = (int)get_number(object, "world_size", INT32_MAX);
	ret->task = json_object_object_get_ex(object, "task", &task) &&
		    json_object_get_boolean(task);
	starter = get_number(object, "starter", UINT32_MAX);
	ret->starter = starter > 0 ? (uint32_t)starter : 0;
	ret->starter_start = (uint64_t)get_number(object, "starter_start", INT64_MAX);
	program = get_number(object, "program", INT64_MAX);
	ret->program = program > 0 ? (uint64_t)program : 0;
}
