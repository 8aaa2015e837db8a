/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_STACKS_MODULE_H
#define EVIDENCE_STACKS_MODULE_H

/*
 * The workings of module exhibits (evidence/stacks.h is the door): which addresses of which modules
 * want names, one exhibit per module, and one exhibit out of two that helpers made of the same.
 */

#include "base/array.h"
#include "evidence/stacks.h"

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

/* What the walks of these snapshots have met; those not walked yet are walked. */
void stacks_want(struct stacks_wanteds *ret, struct images *images,
	const struct snapshot *snapshots, size_t nr) __attribute__((nonnull(1, 2)));
void stacks_wanted_release(struct stacks_wanteds *wanteds) __attribute__((nonnull));

/* Looks the names up and gives them to the module. Texts go into the arena. */
void stacks_name(struct images *images, const struct stacks_wanted *wanted, struct arena *arena)
	__attribute__((nonnull));

/* Adds the exhibit of a module, with the symbols that it has now; `image` may be NULL: left out. */
void stacks_add_module(struct evidence *into, const char *host, const struct module *module,
	const struct excerpt *image) __attribute__((nonnull(1, 2, 3)));

/* Adds to a module's exhibit what another of it tells. 0, or -1 if one is damaged. */
int stacks_merge_module(struct exhibit *into, const struct exhibit *other)
	__attribute__((nonnull));

#endif
