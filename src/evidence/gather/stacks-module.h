/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_STACKS_MODULE_H
#define EVIDENCE_STACKS_MODULE_H

/*
 * The workings of module exhibits (evidence/format/stacks.h reads them): which addresses of which
 * modules need names, one exhibit per module, and one exhibit merged from two that helpers made of
 * the same module.
 */

#include "base/array.h"
#include "base/str.h"
#include "evidence/format/exhibit.h"
#include "proc/symbols/image.h"
#include "stack/module.h"
#include "stack/snapshot.h"

/* The addresses of one module that stand on stacks. */
struct stacks_wanted {
	struct module *module;
	uint32_t pid; /* a process that has it mapped; 0: none any more */
	uint64_t *addresses;
	size_t nr;
};

struct stacks_wanteds {
	ARRAY(struct stacks_wanted) all;
	struct arena arena;
};

/*
 * Lists the addresses on the stacks of these snapshots, module by module; walks snapshots that were
 * not walked yet. The caller calls stacks_wanted_release().
 */
void stacks_want(struct stacks_wanteds *ret, struct images *images,
	const struct snapshot *snapshots, size_t nr) __attribute__((nonnull(1, 2)));
/* Frees the lists. */
void stacks_wanted_release(struct stacks_wanteds *wanteds) __attribute__((nonnull));

/*
 * Looks the names of the addresses up and gives them to the module. Texts go into the arena, so
 * they live as long as that does.
 */
void stacks_name(struct images *images, const struct stacks_wanted *wanted, struct arena *arena)
	__attribute__((nonnull));

/*
 * Adds an exhibit that came from a helper. That of a module which is known already is merged into
 * the known one.
 */
void stacks_put(struct evidence *into, const char *host, const struct exhibit *exhibit)
	__attribute__((nonnull));

/* -- names, found later by other workers ------------------------------------------------------ */

/* A module whose addresses need names, for all helpers together. */
struct stacks_nameless {
	uint64_t dev, ino;
	uint32_t pid; /* a process that has it mapped */
	char *path;
	ARRAY(uint64_t) addresses;
};

/* All such modules, and where their exhibits go. */
struct stacks_names {
	struct evidence *into;
	const char *host;
	ARRAY(struct stacks_nameless) all;
	size_t workers;
};

/* Packs one helper's wishes into bytes; stacks_names_want() takes such bytes in. */
void stacks_names_pack(const struct stacks_wanted *wanted, struct str *into)
	__attribute__((nonnull));
void stacks_names_want(struct stacks_names *names, const uint8_t *bytes, size_t len)
	__attribute__((nonnull));

/*
 * Finds the names in helpers, each module within deadline_ms, and merges them into the exhibits;
 * releases the wishes.
 */
void stacks_names_find(struct stacks_names *names, int deadline_ms) __attribute__((nonnull));

/* Adds the exhibit of a module with its present symbols. An `image` of NULL is left out. */
void stacks_add_module(struct evidence *into, const char *host, const struct module *module,
	const struct excerpt *image) __attribute__((nonnull(1, 2, 3)));

/* Merges another exhibit of the same module into this one. Returns 0, or -1 if one is damaged. */
int stacks_merge_module(struct exhibit *into, const struct exhibit *other)
	__attribute__((nonnull));

#endif
