/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_OWNER_H
#define CMD_OWNER_H

#include <sys/types.h>

#define OWNER_SIZE 16

/* Returns the name of a user, else the number as text, in `number`. */
const char *owner_name(uid_t owner, char number[static OWNER_SIZE]);

#endif
