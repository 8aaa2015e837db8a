/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_WORKER_ENV_H
#define EVIDENCE_WORKER_ENV_H

/*
 * Finds what a launcher gave to one of its workers: of the variables that a receipt may hold
 * (evidence/gather/receipt-gather.h), those that differ from the launch's environment, and the
 * compile caches that these name.
 */

#include <json.h>
#include <stddef.h>

/*
 * Adds "env" and "caches" to the object. The worker's environment comes as /proc/PID/environ has
 * it; its end may be cut. `launch` is the environment of the launch, NULL-ended. "caches" is left
 * out where the worker uses the same as the launch would, since the receipt has those.
 */
void worker_env_put(struct json_object *object, const char *bytes, size_t len, char *const *launch)
	__attribute__((nonnull));

#endif
