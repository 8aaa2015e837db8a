/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ENVRULES_LISTS_H
#define ENVRULES_LISTS_H

/* The tables of rules, one for each program that reads the variables, and what rules ask. */

#include "envrules/envrules.h"

/* A table, in the order in which its rules are asked. */
struct envrules_list {
	const struct envrule *rules;
	size_t nr;
};

extern const struct envrules_list envrules_of_cuda;
extern const struct envrules_list envrules_of_launch;
extern const struct envrules_list envrules_of_nccl;
extern const struct envrules_list envrules_of_torch;

/*
 * Conditions that many rules share. All take a value of NULL. This one: there is a value, whatever
 * it is.
 */
bool envrules_is_set(const struct envrules_launch *launch, const char *value);
/* True for what most programs read as a switch that is on: 1, true, yes, on. */
bool envrules_is_on(const struct envrules_launch *launch, const char *value);
/* True for what they read as off: 0, false, no, off. */
bool envrules_is_off(const struct envrules_launch *launch, const char *value);
/* Returns a whole number from 0 on; -1 where it is none. */
int64_t envrules_number(const char *value);

#endif
