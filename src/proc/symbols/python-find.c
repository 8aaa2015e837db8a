/* SPDX-License-Identifier: Apache-2.0 */
/*
 * _PyRuntime is part of Python's interface, so .dynsym has it in every build, stripped ones too. It
 * is looked for first in files that are called python, then in all others (a program that embeds
 * it). From 3.10 on it also has a section to itself, and from 3.13 on it begins with a word that
 * can be looked for in memory, if the file cannot be had.
 *
 * A file may be mapped a second time (ctypes does that), and a runtime may never have been started
 * (a program and its library both have one). So each candidate must hold an interpreter.
 */
#include "proc/symbols/python-find.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "proc/symbols/symbols.h"
#include "stack/python-layout.h"

#define FIND_COOKIE     "xdebugpy"
#define FIND_SCAN_CAP   (16u << 20) /* bytes of memory searched for the cookie, or a version */
#define FIND_SCAN_CHUNK 65536u /* bytes read at once */
#define FIND_COOKIES    256 /* cookies looked at: more of them are no accident */
#define FIND_OLDEST     8 /* 3.8: names tell no older one that we could read */

/* A search for the runtimes of a process. */
struct python_search {
	struct images *images;
	const struct stack_maps *maps;
	struct stack_memory *memory;
	struct str *missing;
	struct python_place *places;
	size_t nplaces;
	size_t ncookies;             /* cookies looked at so far */
	struct python_place refused; /* the first place that we refuse to read */
	const char *refused_path;    /* the file of that place; NULL: there is none */
	const char *refused_words;   /* why we refuse it, in the arena */
	struct arena arena;
};

/*
 * Where a module stands in the process: one of its maps, its file (-1 none), and what to add to its
 * addresses.
 */
struct python_object {
	const struct module *module;
	const struct stack_map *map;
	int fd;
	uint64_t bias;
};

/* -- which version ----------------------------------------------------------------------------- */

/* Returns the "3.N" at the beginning of a text as PY_VERSION_HEX; 0 if that is none. */
static uint32_t version_of_digits(const char *text)
{
	unsigned long minor;
	char *end;

	if (text[0] != '3' || text[1] != '.' || !isdigit((unsigned char)text[2]))
		return 0;
	minor = strtoul(text + 2, &end, 10);
	return minor < 100 ? 3u << 24 | (uint32_t)minor << 16 : 0;
}

/*
 * Returns the version in a path such as ".../libpython3.9.so.1.0", "/usr/bin/python3.9"; 0 if it
 * has none.
 */
static uint32_t version_of_path(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = strstr(slash ? slash : path, "python3.");

	return name ? version_of_digits(name + strlen("python")) : 0;
}

/*
 * Returns the version by a text such as "3.10.13 (main, ...", as sys.version begins, somewhere in
 * these bytes; 0 if there is none.
 */
static uint32_t version_of_bytes(const char *bytes, size_t len)
{
	const char *at = bytes, *end = bytes + len;

	while ((at = memchr(at, '3', (size_t)(end - at))) && end - at > 12) {
		const char *next = at + 2;

		if (at[1] == '.' && isdigit((unsigned char)*next)) {
			while (next < end && isdigit((unsigned char)*next))
				next++;
			if (next < end && *next == '.')
				next++;
			while (next < end && isdigit((unsigned char)*next))
				next++;
			if (end - next > 2 && next[0] == ' ' && next[1] == '(')
				return version_of_digits(at);
		}
		at++;
	}
	return 0;
}

/*
 * True if a map is the object's writable memory, or what is not of a file right behind that (.bss).
 */
static bool map_is_data(const struct python_object *object, const struct stack_map *map)
{
	if (!map->writable || !map->readable)
		return false;
	if (map->dev == object->map->dev && map->ino == object->map->ino)
		return true;
	return !map->ino && !map->path[0] && map > object->map && map[-1].end == map->start &&
	       map[-1].ino == object->map->ino && map[-1].dev == object->map->dev;
}

/*
 * Returns the version by the text that Py_GetVersion() has put together, in the object's memory; 0
 * if it is not found.
 */
static uint32_t version_of_memory(
	const struct python_search *search, const struct python_object *object)
{
	const struct stack_map *map;
	size_t budget = FIND_SCAN_CAP;
	uint32_t version = 0;
	char *chunk = alloc_zeroed(1, FIND_SCAN_CHUNK + 1);

	array_for_each(&search->maps->all, map) {
		if (!map_is_data(object, map))
			continue;
		for (uint64_t at = map->start; at < map->end && budget && !version;) {
			uint64_t left = map->end - at;
			size_t len = left < FIND_SCAN_CHUNK ? (size_t)left : FIND_SCAN_CHUNK;

			if (stack_memory_read(search->memory, at, chunk, len) == 0)
				version = version_of_bytes(chunk, len);
			/* A text that lies across the end of a piece is seen in the next one. */
			at += left > len ? len - 64 : len;
			budget -= len < budget ? len : budget;
		}
	}
	free(chunk);
	return version;
}

/*
 * Returns the version of a runtime as PY_VERSION_HEX, by whatever tells it first: its own table, a
 * symbol, the path, the memory; 0 not known.
 */
static uint32_t python_version(
	const struct python_search *search, const struct python_object *object, uint64_t runtime)
{
	uint32_t version = python_layout_version(search->memory, runtime);
	uint64_t at, size;

	if (version)
		return version;
	if (symbols_value(object->fd, "Py_Version", &at, &size) == 0 &&
		stack_memory_u32(search->memory, object->bias + at, &version) == 0 &&
		version >> 24 == 3)
		return version;
	version = version_of_path(object->map->path);
	return version ? version : version_of_memory(search, object);
}

/* -- places ------------------------------------------------------------------------------------ */

/* True if a runtime is among the places already. */
static bool python_find_has(const struct python_search *search, uint64_t runtime)
{
	for (size_t i = 0; i < search->nplaces; i++)
		if (search->places[i].runtime == runtime)
			return true;
	return false;
}

/* Takes a place if an interpreter is there; remembers the first one of a version that we refuse. */
static void python_find_take(
	struct python_search *search, const struct python_place *place, const char *path)
{
	const char *refused = NULL;

	if (search->nplaces == PYTHON_PLACES)
		return;
	if (python_place_holds(search->memory, place, &refused, &search->arena)) {
		search->places[search->nplaces++] = *place;
	} else if (refused && !search->refused_path) {
		search->refused = *place;
		search->refused_path = path;
		search->refused_words = refused;
	}
}

/*
 * Takes the refused place if there is no other, so that whoever reads it says why nothing can be
 * read.
 */
static void python_find_take_refused(struct python_search *search)
{
	if (search->nplaces || !search->refused_path)
		return;
	search->places[search->nplaces++] = search->refused;
	if (search->missing)
		str_printf(search->missing, "no Python frames from %s: %s\n", search->refused_path,
			search->refused_words);
}

/* Finds where the evaluation loop is, which is needed up to 3.10. */
static void python_find_eval(const struct python_object *object, struct python_place *place)
{
	uint64_t at, size;

	if (place->version >> 16 > 0x030a)
		return;
	if (symbols_value(object->fd, "_PyEval_EvalFrameDefault", &at, &size) == 0 && size) {
		place->eval_start = object->bias + at;
		place->eval_end = place->eval_start + size;
	}
	if (symbols_value(object->fd, "_PyEval_EvalFrameDefault.cold", &at, &size) == 0 && size) {
		place->cold_start = object->bias + at;
		place->cold_end = place->cold_start + size;
	}
}

/* Looks for a runtime in one object, by its symbols and sections. */
static void python_find_object(struct python_search *search, const struct python_object *object)
{
	struct python_place place = {0};
	uint64_t at, size;

	if (symbols_value(object->fd, "_PyRuntime", &at, &size) < 0 &&
		symbols_section(object->fd, ".PyRuntime", &at, &size) < 0)
		return;
	place.runtime = object->bias + at;
	if (python_find_has(search, place.runtime))
		return;
	place.version = python_version(search, object, place.runtime);
	python_find_eval(object, &place);
	python_find_take(search, &place, object->map->path);
}

static bool path_is_python(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strstr(slash ? slash : path, "python") != NULL;
}

/* Looks at all objects that are called python, or at all that are not. */
static void python_find_objects(struct python_search *search, bool called_python)
{
	const struct modules *modules = images_modules(search->images);
	struct python_object before = {0};
	const struct stack_map *map;

	array_for_each(&search->maps->all, map) {
		struct python_object object = {.map = map};

		/*
		 * The bias is found by a map of code: a page of data may end one segment and begin
		 * another one, of two biases.
		 */
		if (!map->ino || !map->executable || path_is_python(map->path) != called_python)
			continue;
		object.module = modules_find(modules, map);
		if (!object.module || !module_bias(object.module, map, &object.bias))
			continue;
		if (before.module == object.module && before.bias == object.bias)
			continue;
		object.fd = images_file(search->images, object.module);
		if (object.fd >= 0)
			python_find_object(search, &object);
		before = object;
	}
}

/* -- without files ----------------------------------------------------------------------------- */

/* Looks at each cookie in a piece of a map's memory that has a version behind it. */
static void python_scan_chunk(struct python_search *search, const struct stack_map *map,
	uint64_t at, const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i + 16 <= len; i += 8) {
		struct python_place place = {.runtime = at + i};

		if (memcmp(bytes + i, FIND_COOKIE, 8) != 0 || search->ncookies++ >= FIND_COOKIES)
			continue;
		place.version = python_layout_version(search->memory, place.runtime);
		if (place.version)
			python_find_take(search, &place, map->path);
	}
}

/* Looks for cookies in all writable memory of files. */
static void python_find_cookies(struct python_search *search)
{
	const struct stack_map *map;
	size_t budget = FIND_SCAN_CAP;
	uint8_t *chunk = alloc_zeroed(1, FIND_SCAN_CHUNK);

	array_for_each(&search->maps->all, map) {
		if (!map->ino || !map->readable || !map->writable || map->shared)
			continue;
		for (uint64_t at = map->start; at < map->end && budget;) {
			uint64_t left = map->end - at;
			size_t len = left < FIND_SCAN_CHUNK ? (size_t)left : FIND_SCAN_CHUNK;

			if (stack_memory_read(search->memory, at, chunk, len) == 0)
				python_scan_chunk(search, map, at, chunk, len);
			at += left > len ? len - 8 : len;
			budget -= len < budget ? len : budget;
		}
	}
	free(chunk);
}

/* Says that something is called python, if it is, and that no interpreter was found. */
static void python_find_say(const struct python_search *search)
{
	const struct stack_map *map;

	if (!search->missing)
		return;
	array_for_each(&search->maps->all, map) {
		if (!map->ino || !map->executable || !path_is_python(map->path))
			continue;
		str_printf(search->missing,
			"no Python frames: no interpreter found in %s (older than 3.%d, not "
			"started "
			"yet, or its file cannot be read)\n",
			map->path, FIND_OLDEST);
		return;
	}
}

size_t python_find(struct images *images, const struct stack_maps *maps,
	struct stack_memory *memory, struct python_place places[PYTHON_PLACES], struct str *missing)
{
	struct python_search search = {
		.images = images,
		.maps = maps,
		.memory = memory,
		.missing = missing,
		.places = places,
	};

	python_find_objects(&search, true);
	if (!search.nplaces)
		python_find_objects(&search, false);
	if (!search.nplaces)
		python_find_cookies(&search);
	python_find_take_refused(&search);
	if (!search.nplaces)
		python_find_say(&search);
	arena_release(&search.arena);
	return search.nplaces;
}
