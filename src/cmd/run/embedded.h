/* SPDX-License-Identifier: Apache-2.0 */
/*
 * embedded.h: the probe inside of the program. Where inquest is one file (configure
 * --enable-one-file) nothing is installed beside it, and a process can be given a library only by
 * the name of a file. So the probe is written to one, once for all jobs of a user, and stays:
 * processes that outlive their job still name it.
 */
#ifndef CMD_EMBEDDED_H
#define CMD_EMBEDDED_H

#include <stdbool.h>

#include "base/complaint.h"
#include "base/str.h"

/* True if this program has a probe inside. */
bool embedded_is_there(void);

/*
 * Appends the path of a file that has exactly these bytes and may be loaded by programs, in
 * /dev/shm, /tmp or /var/tmp, whichever first allows that: below a folder of the user's that others
 * may read, and nobody else may write in. What somebody else has put there is passed by. 0, or
 * negative with words, also where this program has no probe.
 */
int embedded_put(struct str *into, struct complaint *why) __attribute__((nonnull(1)));

#endif
