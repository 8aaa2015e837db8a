/* SPDX-License-Identifier: Apache-2.0 */
#include <config.h>

#include "cmd/owner.h"

#include <pwd.h>
#include <stdio.h>

/*
 * Finds a user; NULL: there is none of that number. As one file inquest has only /etc/passwd to
 * ask: the other parts of the C library that know users are modules, which must be of one version
 * with the library that loads them.
 */
static const struct passwd *find_user(uid_t owner)
{
#ifdef ONE_FILE
	FILE *file = fopen("/etc/passwd", "re");
	const struct passwd *user = NULL;

	while (file && (user = fgetpwent(file)) && user->pw_uid != owner)
		;
	if (file)
		fclose(file);
	return user;
#else
	return getpwuid(owner);
#endif
}

const char *owner_name(uid_t owner, char number[static OWNER_SIZE])
{
	const struct passwd *user = find_user(owner);

	snprintf(number, OWNER_SIZE, "%u", (unsigned)owner);
	return user ? user->pw_name : number;
}
