/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PREFLIGHT_INTERPRETER_H
#define PREFLIGHT_INTERPRETER_H

/* The Python that a command line will run, and what it has installed: asked without importing. */

#include <stdbool.h>

#include "base/str.h"

struct interpreter {
	char path[4096]; /* "" none was found in the command line */
	char python[32]; /* versions; "" not known, or not installed */
	char torch[64];
	char cuda[32]; /* that torch is built for; "" none */
	char nccl[32];
	int torch_number; /* major * 100 + minor; -1 not known */
	int cuda_number;  /* major * 1000 + minor * 10, as the driver has it; -1 */
};

/*
 * Finds a program as a shell does: by a path, or a name in the folders of PATH. False where it is
 * not found, or may not be run.
 */
bool interpreter_find_program(const char *name, char path[static 4096]) __attribute__((nonnull));

/*
 * Finds the first word of a NULL-ended command line that is a Python or a script of one (torchrun,
 * accelerate), as a shell would find it. False, and "", where there is none.
 */
bool interpreter_find(char *const *argv, struct interpreter *ret) __attribute__((nonnull));

/* Asks the Python. False if it did not answer; versions of what is not there stay "". */
bool interpreter_ask(struct interpreter *interpreter) __attribute__((nonnull));

#endif
