/* SPDX-License-Identifier: Apache-2.0 */
/*
 * identity.h: whose rank a process without a ring is, in the fields that exhibits of kind
 * "identity" have in common (inquest-bundle(5)), whoever writes them.
 */
#ifndef EVIDENCE_IDENTITY_H
#define EVIDENCE_IDENTITY_H

#include "proc/survey/survey.h"

struct json_object;

/* Adds number, world size, launcher and whose word that is; what is not known has no field. */
void identity_put_rank(struct json_object *object, const struct survey_process *found)
	__attribute__((nonnull));

#endif
