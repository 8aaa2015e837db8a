/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_STACKS_MODULE_H
#define EVIDENCE_STACKS_MODULE_H

/*
 * The workings of module exhibits (evidence/format/stacks.h reads them): which addresses of which
 * modules want names, one exhibit per module, and one exhibit out of two that helpers made of the
 * same.
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
	uint32_t pid; /* a process that has it mapped */
	uint64_t *addresses;
	size_t nr;
};

struct stacks_wanteds {
	ARRAY(struct stacks_wanted) all;
	struct arena arena;
};

/* Lists what the walks of these snapshots have met; those not walked yet are walked. */
void stacks_want(struct stacks_wanteds *ret, struct images *images,
	const struct snapshot *snapshots, size_t nr) __attribute__((nonnull(1, 2)));
void stacks_wanted_release(struct stacks_wanteds *wanteds) __attribute__((nonnull));

/* Looks the names up and gives them to the module. Texts go into the arena. */
void stacks_name(struct images *images, const struct stacks_wanted *wanted, struct arena *arena)
	__attribute__((nonnull));

/*
 * Looks up the names of all addresses that the snapshots' walks have met, and adds an exhibit per
 * module that stands on a stack. Once, after all snapshots of a gathering.
 */
void stacks_add_modules(struct evidence *into, const char *host, struct images *images,
	const struct snapshot *snapshots, size_t nr) __attribute__((nonnull(1, 2, 3)));

/* An exhibit as it came from a helper: added, or, of a module known already, put to that. */
void stacks_put(struct evidence *into, const char *host, const struct exhibit *exhibit)
	__attribute__((nonnull));

/* -- names, found later by other workers ------------------------------------------------------ */

/* A module whose addresses want names, of all helpers together. */
struct stacks_nameless {
	uint64_t dev, ino;
	uint32_t pid; /* that has it mapped */
	char *path;
	ARRAY(uint64_t) addresses;
};

struct stacks_names {
	struct evidence *into;
	const char *host;
	ARRAY(struct stacks_nameless) all;
	size_t workers;
};

/* Packs what one helper wants into bytes, and takes these bytes in. */
void stacks_names_pack(const struct stacks_wanted *wanted, struct str *into)
	__attribute__((nonnull));
void stacks_names_want(struct stacks_names *names, const uint8_t *bytes, size_t len)
	__attribute__((nonnull));

/* Finds the names, in helpers, each module within deadline_ms; releases what was wanted. */
void stacks_names_find(struct stacks_names *names, int deadline_ms) __attribute__((nonnull));

/* Adds the exhibit of a module, with the symbols that it has now; `image` may be NULL: left out. */
void stacks_add_module(struct evidence *into, const char *host, const struct module *module,
	const struct excerpt *image) __attribute__((nonnull(1, 2, 3)));

/* Adds to a module's exhibit what another of it tells. 0, or -1 if one is damaged. */
int stacks_merge_module(struct exhibit *into, const struct exhibit *other)
	__attribute__((nonnull));

#endif
