/* SPDX-License-Identifier: Apache-2.0 */
/* env.h: an environment as a process has it: NAME=VALUE texts, NULL behind the last. */
#ifndef BASE_ENV_H
#define BASE_ENV_H

/* The value of a variable, "" too; NULL where it is not set. Borrowed from envp. */
const char *env_value(char *const *envp, const char *name) __attribute__((nonnull));

#endif
