/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trait.h: properties of this process that readers need beside its ops: framework and version,
 * distributed mode, limits, caches, and functions that could not be hooked. The newest value of a
 * key holds; all are pinned. The keys are listed in inquest-traits(7).
 *
 * A trait is worth a candidate's ring, as a mark is (marks.c).
 */
#ifndef PROBES_TRAIT_H
#define PROBES_TRAIT_H

#include <stdint.h>

#define TRAIT_NO_NUMBER UINT64_MAX

/*
 * Records key = text and number; strings are copied, text may be NULL, number TRAIT_NO_NUMBER. Any
 * thread, not a signal handler; does nothing where nothing can be recorded.
 */
void trait_put(const char *key, const char *text, uint64_t number);

#endif
