/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The workers that find names. A module is opened anew through a process that has it mapped; if
 * that process has ended meanwhile, by the module's path.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "evidence/gather/workers.h"
#include "evidence/gather/stacks-module.h"
#include "proc/threads/livemem.h"

#define NAMES_MAPS_CAP (64u << 20)

/* How the wishes of a helper begin; path and addresses follow. */
struct names_head {
	uint64_t dev, ino;
	uint32_t pid, path_len;
};

void stacks_names_pack(const struct stacks_wanted *wanted, struct str *into)
{
	const struct names_head head = {wanted->module->dev, wanted->module->ino, wanted->pid,
		(uint32_t)strlen(wanted->module->path)};

	str_add_bytes(into, &head, sizeof(head));
	str_add(into, wanted->module->path);
	str_add_bytes(into, wanted->addresses, wanted->nr * sizeof(uint64_t));
}

/* Returns the entry of that module, made if it is new. */
static struct stacks_nameless *names_of(
	struct stacks_names *names, const struct names_head *head, const char *path)
{
	struct stacks_nameless *module;

	array_for_each(&names->all, module)
		if (module->dev == head->dev && module->ino == head->ino &&
			strlen(module->path) == head->path_len &&
			!memcmp(module->path, path, head->path_len))
			return module;
	module = array_add(&names->all);
	module->dev = head->dev;
	module->ino = head->ino;
	module->pid = head->pid;
	module->path = alloc_copy(path, head->path_len);
	return module;
}

void stacks_names_want(struct stacks_names *names, const uint8_t *bytes, size_t len)
{
	struct stacks_nameless *module;
	struct names_head head;
	size_t nr;

	if (len < sizeof(head))
		return;
	memcpy(&head, bytes, sizeof(head));
	bytes += sizeof(head);
	len -= sizeof(head);
	if (head.path_len > len)
		return;
	module = names_of(names, &head, (const char *)bytes);
	nr = (len - head.path_len) / sizeof(uint64_t);
	if (nr)
		memcpy(array_add_many(&module->addresses, nr), bytes + head.path_len,
			nr * sizeof(uint64_t));
}

/* --- In the helper ---------------------------------------------------------------------------- */

/* Returns a map that shows that module, of a process that may be gone. */
static struct stack_map names_made_up_map(const struct stacks_nameless *nameless)
{
	return (struct stack_map){.end = 4096,
		.dev = nameless->dev,
		.ino = nameless->ino,
		.readable = true,
		.executable = true,
		.path = nameless->path};
}

/* Keeps only the maps of that module. */
static void names_narrow(struct stack_maps *maps, const struct stacks_nameless *nameless)
{
	size_t kept = 0;

	for (size_t i = 0; i < maps->all.nr; i++)
		if (maps->all.items[i].dev == nameless->dev &&
			maps->all.items[i].ino == nameless->ino &&
			!strcmp(maps->all.items[i].path, nameless->path))
			maps->all.items[kept++] = maps->all.items[i];
	maps->all.nr = kept;
}

/* Opens the module; NULL where it cannot be had any more. */
static struct module *names_open(struct images *images, const struct stacks_nameless *nameless)
{
	const struct stack_map made_up = names_made_up_map(nameless);
	struct livemem *memory = livemem_new(nameless->pid);
	struct stack_maps maps = {0};
	struct str text = {0};
	uint32_t pid = nameless->pid;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/maps", pid);
	if (file_read(path, NAMES_MAPS_CAP, &text, NULL) == 0)
		stack_maps_parse(&maps, str_text(&text), text.len);
	names_narrow(&maps, nameless);
	if (!maps.all.nr) {
		*array_add(&maps.all) = made_up;
		pid = 0;
	}
	images_open(images, pid, &maps, livemem_memory(memory), NULL);
	stack_maps_release(&maps);
	str_release(&text);
	return modules_find(images_modules(images), &made_up);
}

/* Does a worker's steps: each finds the names of one module. Modules are dealt out in turn. */
static void names_work(void *arg, size_t worker, size_t step, int out)
{
	struct stacks_names *names = arg;
	struct evidence found = {0};

	for (size_t i = step * names->workers + worker; i < names->all.nr; i += names->workers) {
		const struct stacks_nameless *nameless = &names->all.items[i];
		struct stacks_wanted wanted = {.pid = nameless->pid,
			.addresses = nameless->addresses.items,
			.nr = nameless->addresses.nr};
		struct images *images = images_new();
		struct arena arena = {0};

		wanted.module = names_open(images, nameless);
		if (wanted.module) {
			stacks_name(images, &wanted, &arena);
			stacks_add_module(&found, names->host, wanted.module, NULL);
			parcel_send_all(out, &found);
		}
		parcel_send_step(out, 0);
	}
}

/* --- Outside ---------------------------------------------------------------------------------- */

/* Takes in a module with its names. */
static void names_take(void *arg, size_t worker, size_t step, const struct parcel *parcel)
{
	struct stacks_names *names = arg;

	(void)worker;
	(void)step;
	if (parcel->what == PARCEL_EXHIBIT)
		stacks_put(names->into, names->host, &parcel->exhibit);
}

/* Notes that the names of a module are missing. Its step is not tried again. */
static bool names_lost(void *arg, size_t worker, size_t step, int error)
{
	struct stacks_names *names = arg;
	size_t i = step * names->workers + worker;
	struct str words = {0};

	str_printf(&words, "stacks: names of the functions of %s: %s",
		i < names->all.nr ? names->all.items[i].path : "a module",
		error == -ETIMEDOUT ? "its file did not answer in time"
				    : "the helper that read its file came to an end");
	evidence_add_gap(names->into, names->host, 0, str_text(&words));
	str_release(&words);
	return false;
}

static void names_none(void *arg, size_t worker, size_t step, int error)
{
	struct stacks_names *names = arg;
	struct str words = {0};

	(void)step;
	str_printf(&words, "stacks: names of functions: no helper process could be started: %s",
		strerror(-error));
	if (worker == 0)
		evidence_add_gap(names->into, names->host, 0, str_text(&words));
	str_release(&words);
}

static void names_release(struct stacks_names *names)
{
	struct stacks_nameless *module;

	array_for_each(&names->all, module) {
		free(module->path);
		array_release(&module->addresses);
	}
	array_release(&names->all);
}

void stacks_names_find(struct stacks_names *names, int deadline_ms)
{
	static const struct workers_task task = {names_work, names_take, names_lost, names_none};
	struct workers workers = {.task = &task,
		.arg = names,
		.deadline_ms = deadline_ms,
		.nr = workers_for(names->all.nr)};

	names->workers = workers.nr;
	for (size_t i = 0; i < workers.nr; i++)
		workers.all[i].steps = (names->all.nr - i + workers.nr - 1) / workers.nr;
	if (workers.nr)
		workers_run(&workers);
	names_release(names);
}
