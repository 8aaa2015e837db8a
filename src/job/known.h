/* SPDX-License-Identifier: Apache-2.0 */
/* known.h: how a fact of a job says that something is unknown, or that nothing is meant. */
#ifndef JOB_KNOWN_H
#define JOB_KNOWN_H

#include <stdint.h>

#define JOB_UNKNOWN INT64_MIN
#define JOB_NONE    (-1)

enum job_known { JOB_MAYBE = 0, JOB_NO = 1, JOB_YES = 2 };

#endif
