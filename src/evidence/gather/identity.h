/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Says which rank a process without a ring is. These fields are common to all exhibits of kind
 * "identity" (inquest-bundle(5)).
 */
#ifndef EVIDENCE_IDENTITY_H
#define EVIDENCE_IDENTITY_H

#include "proc/survey/survey.h"

struct json_object;

/* Adds rank, world size, launcher and the source of these. An unknown value gets no field. */
void identity_put_rank(struct json_object *object, const struct survey_process *found)
	__attribute__((nonnull));

#endif
