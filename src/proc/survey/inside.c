/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `environ` is one variable of the process, whichever object defines it: a program that was linked
 * to use libc's has a copy of its own, which then is everybody's. So the variable is that of the
 * first object that defines it, in the order in which they are mapped; the program comes first.
 */
#include "proc/survey/inside.h"

#include <string.h>

#include "proc/read.h"
#include "proc/symbols/image.h"
#include "proc/symbols/python-find.h"
#include "proc/symbols/symbols.h"
#include "proc/threads/livemem.h"
#include "stack/python-objects.h"

#define VARIABLES_MOST 4096
#define ENVIRON_CAP    (256 * 1024)
#define TEXT_CHUNK     256 /* bytes of a string read at once; divides a page */

#define SPAWN "/torch/multiprocessing/spawn.py"
#define JAX   "/jaxlib/" /* the folder of its library */

#define INSIDE_EMPTY                                                                               \
	((struct inside){.place = INSIDE_NONE,                                                     \
		.places = INSIDE_NONE,                                                             \
		.process_id = INSIDE_NONE,                                                         \
		.num_processes = INSIDE_NONE})

/* One inside_read(). */
struct look {
	struct images *images;
	bool has_jax, only_jax;
	struct stack_maps maps;
	struct livemem *livemem;
	struct stack_memory *memory;
};

/* Returns where the object at this map keeps the variable; 0 if it has none. */
static uint64_t environ_of(struct look *look, const struct stack_map *map)
{
	const struct module *module = modules_find(images_modules(look->images), map);
	uint64_t bias, at, size;
	int fd;

	if (!module || !module_bias(module, map, &bias))
		return 0;
	fd = images_file(look->images, module);
	if (fd < 0 || symbols_value(fd, "environ", &at, &size) < 0)
		return 0;
	return bias + at;
}

/* Returns where the process has the variable; 0 not found. */
static uint64_t find_environ(struct look *look)
{
	const struct stack_map *map;
	uint64_t at = 0;

	array_for_each(&look->maps.all, map) {
		if (map->ino && map->executable)
			at = environ_of(look, map);
		if (at)
			break;
	}
	return at;
}

/*
 * Appends the string at `at` with its NUL. Returns false if it cannot be read, or there is no room
 * for it.
 */
static bool add_string(struct look *look, uint64_t at, struct str *into)
{
	char chunk[TEXT_CHUNK];
	size_t before = into->len;

	while (into->len < ENVIRON_CAP) {
		size_t len = TEXT_CHUNK - at % TEXT_CHUNK; /* never across the end of a page */
		const char *end;

		if (stack_memory_read(look->memory, at, chunk, len) < 0)
			break;
		end = memchr(chunk, '\0', len);
		str_add_bytes(into, chunk, end ? (size_t)(end - chunk) + 1 : len);
		if (end)
			return true;
		at += len;
	}
	str_cut(into, before);
	return false;
}

/* Appends all variables, as far as they can be read. */
static void read_environ(struct look *look, struct str *into)
{
	uint64_t variable = find_environ(look), list, at;

	if (!variable || stack_memory_u64(look->memory, variable, &list) < 0)
		return;
	for (size_t i = 0; i < VARIABLES_MOST; i++)
		if (stack_memory_u64(look->memory, list + 8 * i, &at) < 0 || !at ||
			!add_string(look, at, into))
			return;
}

/* True if a frame is one of that function of torch.multiprocessing.spawn. */
static bool is_of_spawn(const struct python_frame *frame, const char *function)
{
	size_t len = strlen(frame->file), tail = strlen(SPAWN);

	return len >= tail && !strcmp(frame->file + len - tail, SPAWN) &&
	       !strcmp(frame->function, function);
}

/*
 * Takes the place and the number of places from a thread's frames: _wrap(fn, i, ...) runs one of
 * spawn's processes, start_processes(fn, args, nprocs, ...) started them.
 */
static void read_frames(struct look *look, const struct python_place *place,
	const struct python_thread *thread, struct inside *ret)
{
	for (size_t i = 0; i < thread->nframes; i++) {
		const struct python_frame *frame = &thread->frames[i];

		if (is_of_spawn(frame, "_wrap"))
			ret->place = (int)python_argument(look->memory, place, frame, 1);
		if (is_of_spawn(frame, "start_processes"))
			ret->places = (int)python_argument(look->memory, place, frame, 2);
	}
}

/* Looks at the frames of all Python threads. */
static void read_threads(
	struct look *look, const struct python_place *place, struct inside *ret)
{
	struct python_stacks stacks;
	struct complaint why = {0};

	(void)python_stacks_read(look->memory, place, &stacks, &why);
	for (size_t k = 0; k < stacks.nthreads; k++)
		read_frames(look, place, &stacks.threads[k], ret);
	python_stacks_release(&stacks);
}

/*
 * Reads what jax.distributed.initialize() keeps. Until it was called the object has no number of
 * its own, only its class has: 0 of 1.
 */
static void read_jax(struct look *look, const struct python_place *place, struct inside *ret)
{
	struct python_attribute of[] = {
		{.name = "process_id"}, {.name = "num_processes"}, {.name = "coordinator_address"}};
	struct arena arena = {0};

	if (python_global_attributes(look->memory, place, "jax._src.distributed", "global_state",
		    of, sizeof(of) / sizeof(of[0]), &arena) &&
		of[0].number >= 0 && of[0].number < of[1].number) {
		ret->process_id = (int)of[0].number;
		ret->num_processes = (int)of[1].number;
		str_cut(&ret->coordinator, 0);
		if (of[2].text)
			str_add(&ret->coordinator, of[2].text);
	}
	arena_release(&arena);
}

/* Looks into all Python runtimes. */
static void read_python(struct look *look, struct inside *ret)
{
	struct python_place places[PYTHON_PLACES];
	size_t n = python_find(look->images, &look->maps, look->memory, places, NULL);

	for (size_t i = 0; i < n; i++) {
		if (!look->only_jax)
			read_threads(look, &places[i], ret);
		if (look->has_jax)
			read_jax(look, &places[i], ret);
	}
}

/*
 * True if a line of maps may matter: one of Python, of the C library, of no file. A process of
 * PyTorch has hundreds of others, each of which would be opened.
 */
static bool is_of_use(const char *line, const char *end)
{
	const char *slash = memrchr(line, '/', (size_t)(end - line));
	static const char *const names[] = {"python", "libc.so", "libc-", "ld-musl"};

	for (size_t i = 0; slash && i < sizeof(names) / sizeof(*names); i++)
		if (memmem(slash, (size_t)(end - slash), names[i], strlen(names[i])))
			return true;
	return !slash;
}

/* Parses those lines of the maps that matter. */
static void parse_maps(struct look *look, const struct str *text)
{
	const char *at = str_text(text), *all = at + text->len;
	struct str kept = {0};

	while (at < all) {
		const char *line = memchr(at, '\n', (size_t)(all - at));
		const char *end = line ? line + 1 : all;

		if (is_of_use(at, end))
			str_add_bytes(&kept, at, (size_t)(end - at));
		at = end;
	}
	stack_maps_parse(&look->maps, str_text(&kept), kept.len);
	str_release(&kept);
}

int inside_read(struct images *images, uint32_t pid, bool only_jax, struct inside *ret)
{
	struct look look = {.images = images, .only_jax = only_jax};
	struct complaint why = {0};
	struct str text = {0};
	int error = proc_read(pid, "maps", &text, &why);

	*ret = INSIDE_EMPTY;
	look.has_jax = !error && memmem(str_text(&text), text.len, JAX, strlen(JAX));
	if (!error && (look.has_jax || !only_jax)) {
		look.livemem = livemem_new(pid);
		look.memory = livemem_memory(look.livemem);
		parse_maps(&look, &text);
		images_open(look.images, pid, &look.maps, look.memory, NULL);
		if (!only_jax)
			read_environ(&look, &ret->environ);
		read_python(&look, ret);
		error = -livemem_refused(look.livemem);
		livemem_free(look.livemem);
	}
	stack_maps_release(&look.maps);
	str_release(&text);
	return error;
}

void inside_release(struct inside *inside)
{
	if (!inside)
		return;
	str_release(&inside->environ);
	str_release(&inside->coordinator);
	*inside = INSIDE_EMPTY;
}
