/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_OWNER_H
#define CMD_OWNER_H

#include <sys/types.h>

#define OWNER_SIZE 16

/* The name of a user, else his number, which is put into `number`. */
const char *owner_name(uid_t owner, char number[static OWNER_SIZE]);

#endif
