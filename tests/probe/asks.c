/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks by weak references which functions there are, of the list that the test made of what the
 * probe shows. Compiled by the test as a program, as a library of it, and as an object that is
 * loaded later. Usage: asks [OBJECT]: prints what it finds, then what the object does.
 */
#include <dlfcn.h>
#include <stdio.h>

#define ASK(name) extern int name(int, ...) __attribute__((weak));
#include "list.h"
#undef ASK

static volatile struct {
	const char *name;
	int (*fn)(int, ...);
} by_table[] = {
#define ASK(name) {#name, name},
#include "list.h"
#undef ASK
};

/* By the code's own comparison, and by pointers that lie in data. */
int WHO(void);
int WHO(void)
{
	int found = 0;

#define ASK(name)                                                                                  \
	if (name)                                                                                  \
		found += printf("%s: %s\n", PART, #name) > 0;
#include "list.h"
#undef ASK
	for (unsigned i = 0; i < sizeof(by_table) / sizeof(by_table[0]); i++)
		if (by_table[i].fn)
			found += printf("%s, data: %s\n", PART, by_table[i].name) > 0;
	if (MPI_Abort)
		printf("%s: MPI_Abort says %d\n", PART, MPI_Abort(1, 7));
	printf("%s: %d found\n", PART, found);
	fflush(stdout);
	return found;
}

#ifdef ALONE
int main(void)
{
	WHO();
	return 0;
}
#endif

#ifdef PROGRAM
int in_library(void);

int main(int argc, char **argv)
{
	void *object = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	int (*in_object)(void) = object ? (int (*)(void))dlsym(object, "in_object") : NULL;

	WHO();
	in_library();
	if (in_object)
		in_object();
	return argc > 1 && !in_object;
}
#endif
