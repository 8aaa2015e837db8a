/* SPDX-License-Identifier: Apache-2.0 */
#include "job/backends.h"

#include <stddef.h>
#include <string.h>

struct backend {
	uint32_t number;
	const char *name;
	unsigned traits;
};

/* Short names for the traits, as the rows of backend.def write them. */
enum {
	IDS = BACKEND_IDS,
	NO_OPS = BACKEND_NO_OPS,
	APART = BACKEND_APART,
	GIVES_UP = BACKEND_GIVES_UP,
	EXACT = BACKEND_EXACT,
	DUMPED = BACKEND_DUMPED,
	RETIRES = BACKEND_RETIRES,
	USUAL = BACKEND_USUAL,
	TAGS = BACKEND_TAGS,
	FINALIZES = BACKEND_FINALIZES,
	ON_HOST = BACKEND_ON_HOST,
	DRIVEN = BACKEND_DRIVEN,
	UPTO = BACKEND_UPTO,
};

static const struct backend backends[] = {
#define BACKEND(upper, number, name, traits) {number, name, traits},
#include "lists/backend.def"
};

/* The backend of a name or number without a row. */
static const struct backend other = {.name = "other"};

#define N_BACKENDS (sizeof(backends) / sizeof(backends[0]))

/* A name without a row is asked again as "other". */
bool backend_has(const char *name, enum backend_trait trait)
{
	for (size_t i = 0; i < N_BACKENDS; i++)
		if (!strcmp(name, backends[i].name))
			return backends[i].traits & trait;
	return strcmp(name, other.name) && backend_has(other.name, trait);
}

const char *backend_name(uint32_t number)
{
	for (size_t i = 0; i < N_BACKENDS; i++)
		if (backends[i].number == number)
			return backends[i].name;
	return other.name;
}

const char *backend_usual(void)
{
	size_t i = 0;

	while (!(backends[i].traits & USUAL))
		i++;
	return backends[i].name;
}

const char *backend_of_entry(const char *entry)
{
	const char *colon = strchr(entry, ':');

	for (size_t i = 0; colon && i < N_BACKENDS; i++)
		if ((backends[i].traits & DUMPED) &&
			!strncmp(entry, backends[i].name, strlen(backends[i].name)))
			return backends[i].name;
	return other.name;
}
