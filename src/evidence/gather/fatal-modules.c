/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/gather/fatal-modules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/str.h"
#include "evidence/gather/stacks-module.h"
#include "proc/symbols/symbols.h"
#include "ring/ring-read.h"
#include "ring/ring-traceback.h"

#define FATAL_MODULES_CAP   4096  /* objects of all rings of a host */
#define FATAL_ADDRESSES_CAP 65536 /* of one object */

/* An object as the dead process saw it. */
struct fatal_module {
	struct ring_trace_module seen;
	char *path;
	ARRAY(uint64_t) addresses; /* relative to the object */
};

struct fatal_modules {
	ARRAY(struct fatal_module) all;
};

/* --- What stands on tracebacks ---------------------------------------------------------------- */

/*
 * Returns the entry of that object, made if it is new; NULL where there are too many, or it has no
 * file.
 */
static struct fatal_module *fatal_module_of(struct fatal_modules *modules,
	const struct ring_traceback *trace, const struct ring_trace_module *seen)
{
	const char *path = trace->text + seen->path;
	struct fatal_module *module;

	array_for_each (&modules->all, module)
		if (!strcmp(module->path, path) &&
			module->seen.build_id_len == seen->build_id_len &&
			!memcmp(module->seen.build_id, seen->build_id, seen->build_id_len))
			return module;
	if (modules->all.nr >= FATAL_MODULES_CAP || *path != '/')
		return NULL;
	module = array_add(&modules->all);
	*module = (struct fatal_module){.seen = *seen, .path = alloc_text(path)};
	return module;
}

/*
 * Takes the addresses of a traceback. Behind a call it is the instruction before that is looked up,
 * as walks do.
 */
static void fatal_take_trace(struct fatal_modules *modules, const struct ring_traceback *trace)
{
	for (uint32_t i = 0; i < trace->nframes; i++) {
		const struct ring_trace_frame *f = trace->frame + i;
		struct fatal_module *module;

		if (!f->module)
			continue;
		module = fatal_module_of(modules, trace, trace->module + f->module - 1);
		if (module && module->addresses.nr < FATAL_ADDRESSES_CAP)
			*array_add(&module->addresses) = f->pc -
							 trace->module[f->module - 1].bias -
							 !(f->flags & RING_TRACE_F_EXACT);
	}
}

static void fatal_take_ring(struct fatal_modules *modules, const struct exhibit *ring)
{
	struct ring_traceback *trace = alloc_zeroed(1, sizeof(*trace));
	struct ring_view view;

	if (!ring_view_open(&view, ring->bytes, ring->len))
		for (uint64_t i = 0; i < ring_view_count(&view, RING_S_TRACES); i++)
			if (ring_view_traceback(&view, i, trace) > 0)
				fatal_take_trace(modules, trace);
	free(trace);
}

/* --- Their files ------------------------------------------------------------------------------ */

/* Reads memory of the process, of which nothing is left. */
static int fatal_no_memory(struct stack_memory *memory, uint64_t at, void *to, size_t len)
{
	(void)memory, (void)at, (void)to, (void)len;
	return -EFAULT;
}

/*
 * Makes one line of maps that shows the file, so that image.h opens it. Returns false where there
 * is no file.
 */
static bool fatal_map(const struct fatal_module *module, struct stack_maps *maps)
{
	struct str line = {0};
	struct stat stat_of;

	if (strchr(module->path, '\n') || stat(module->path, &stat_of) ||
		!S_ISREG(stat_of.st_mode))
		return false;
	str_printf(&line, "1000-2000 r-xp 00000000 %02x:%02x %llu %s\n", major(stat_of.st_dev),
		minor(stat_of.st_dev), (unsigned long long)stat_of.st_ino, module->path);
	stack_maps_parse(maps, str_text(&line), line.len);
	str_release(&line);
	return maps->all.nr == 1;
}

/* True if both have one build id. */
static bool fatal_is_same(const struct fatal_module *seen, const struct module *module)
{
	return seen->seen.build_id_len == module->build_id_len &&
	       !memcmp(seen->seen.build_id, module->build_id, module->build_id_len);
}

/* Adds an exhibit with the names of one object. Returns false where its file cannot tell them. */
static bool fatal_name(struct evidence *into, const char *host, struct fatal_module *seen)
{
	struct stack_memory nothing = {fatal_no_memory};
	struct images *images = images_new();
	struct stack_maps maps = {0};
	struct module *module = NULL;
	struct arena arena = {0};
	bool named;

	if (fatal_map(seen, &maps)) {
		images_open(images, 0, &maps, &nothing, NULL);
		module = modules_find(images_modules(images), &maps.all.items[0]);
	}
	named = module && fatal_is_same(seen, module);
	if (named) {
		symbols_find(module, images_file(images, module), NULL, seen->addresses.items,
			seen->addresses.nr, &arena);
		stacks_add_module(into, host, module, images_excerpt(images, module));
	}
	stack_maps_release(&maps);
	images_free(images);
	arena_release(&arena);
	return named;
}

/* --- Into the evidence ------------------------------------------------------------------------ */

/* Adds a copy of the exhibit, or puts its names into the one of that object that is there. */
static void fatal_give(struct evidence *into, const struct exhibit *fresh)
{
	struct exhibit about = *fresh;

	for (size_t i = 0; i < into->n; i++) {
		struct exhibit *had = into->at + i;

		if (had->kind == EXHIBIT_MODULE && !strcmp(had->host, fresh->host) &&
			!strcmp(had->label, fresh->label)) {
			stacks_merge_module(had, fresh);
			return;
		}
	}
	about.kind_name = NULL;
	evidence_add(into, &about, alloc_copy(fresh->bytes, fresh->len), fresh->len);
}

void fatal_modules_add(struct evidence *into, const char *host)
{
	struct fatal_modules modules = {0};
	struct evidence fresh = {0};
	struct fatal_module *module;

	for (size_t i = 0; i < into->n; i++)
		if (into->at[i].kind == EXHIBIT_RING && !strcmp(into->at[i].host, host))
			fatal_take_ring(&modules, into->at + i);
	array_for_each (&modules.all, module) {
		struct str gap = {0};

		if (fatal_name(&fresh, host, module))
			continue;
		str_printf(&gap, "names for the stacks of the dead: %s is gone, or another one now",
			module->path);
		evidence_add_gap(into, host, 0, str_text(&gap));
		str_release(&gap);
	}
	for (size_t i = 0; i < fresh.n; i++)
		fatal_give(into, fresh.at + i);
	evidence_release(&fresh);
	array_for_each (&modules.all, module) {
		array_release(&module->addresses);
		free(module->path);
	}
	array_release(&modules.all);
}
