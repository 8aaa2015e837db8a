/* SPDX-License-Identifier: Apache-2.0 */
#include "job/calls.h"

#include <stddef.h>
#include <string.h>

/* Short names for the traits of calls, as the rows of call.def write them. */
enum {
	INIT = CALL_INIT,
	SPLIT = CALL_SPLIT,
	CLOSES = CALL_CLOSES,
	LAUNCHES = CALL_LAUNCHES,
	DEVICE = CALL_DEVICE,
	KEYED = CALL_KEYED,
	OPENS = CALL_OPENS,
	SERVES = CALL_SERVES,
	TEXT = CALL_TEXT,
	AMONG = CALL_AMONG,
	SOME = CALL_SOME,
};

static const struct {
	const char *name;
	unsigned length; /* of the name: few have the same */
	unsigned traits;
} calls[] = {
#define CALL(number, name, traits) {#name, sizeof(#name) - 1, traits},
#define CALL_FAMILY(...)
#include "lists/call.def"
#undef CALL_FAMILY
#undef CALL
};

enum {
	PLAIN = 1,
	ON_HOST = 2,
};

struct family {
	const char *prefix;
	unsigned traits;
};

static const struct family families[] = {
#define CALL(...)
#define CALL_FAMILY(prefix, traits) {prefix, traits},
#include "lists/call.def"
#undef CALL_FAMILY
#undef CALL
};

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Returns the family by whose prefix the name begins; NULL: none. */
static const struct family *family_of(const char *name)
{
	for (size_t i = 0; i < N_OF(families); i++)
		if (!strncmp(name, families[i].prefix, strlen(families[i].prefix)))
			return &families[i];
	return NULL;
}

/* Returns the row of a call; N_OF(calls): it has none. */
static size_t row_of(const char *name)
{
	const size_t length = strlen(name);
	size_t i = 0;

	while (i < N_OF(calls) &&
		(calls[i].length != length || memcmp(name, calls[i].name, length) != 0))
		i++;
	return i;
}

unsigned call_traits(const char *name)
{
	size_t row = row_of(name);

	return row < N_OF(calls) ? calls[row].traits : 0;
}

/* A variant for large counts (MPI_Send_c) is recorded under the name without "_c". */
bool call_is_unrecorded(const char *name)
{
	char sister[64];
	size_t length = strlen(name);

	if (!family_of(name) || row_of(name) < N_OF(calls))
		return false;
	if (length < 2 || length > sizeof(sister) || strcmp(name + length - 2, "_c") != 0)
		return true;
	memcpy(sister, name, length - 2);
	sister[length - 2] = '\0';
	return row_of(sister) == N_OF(calls);
}

bool call_is_on_host(const char *name)
{
	const struct family *family = family_of(name);

	return family && family->traits & ON_HOST;
}

const char *call_plain_name(const char *name)
{
	const struct family *family = family_of(name);

	return family && family->traits & PLAIN ? name + strlen(family->prefix) : name;
}
