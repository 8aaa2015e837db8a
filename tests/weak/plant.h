/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEAK_PLANT_H
#define WEAK_PLANT_H

/*
 * Old mistakes, planted: each takes what was not seen for what was not there, as the judge once
 * did. They change the sealed job, or what was said of it, and are there only to be caught.
 */

#include "charge.h"

void plant_into_job(enum plant plant, struct job *job);
void plant_into_verdicts(enum plant plant, struct verdicts *verdicts);

#endif
