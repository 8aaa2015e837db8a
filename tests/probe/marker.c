/* SPDX-License-Identifier: Apache-2.0 */
/*
 * marker.c: marks from a program linked in any way; built thrice, see local.mk. Given the path of
 * a library that has mark_from_library(), it is loaded privately and asked to mark as well.
 */
#include <stdio.h>

#include "probes/inquest.h"

#ifdef MARKER_LIBRARY
void mark_from_library(void);
__attribute__((visibility("default"))) void mark_from_library(void)
{
	inquest_step(3);
	inquest_note("from a library");
}
#else
int main(int argc, char **argv)
{
	inquest_span_begin(INQUEST_CHECKPOINT, "save", NULL);
	inquest_span_end(INQUEST_CHECKPOINT, "save");
	inquest_note("from the program");
	if (argc > 1) {
		void *lib = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
		void (*mark)(void);

		*(void **)&mark = lib ? dlsym(lib, "mark_from_library") : NULL;
		if (!mark)
			return 8;
		mark();
	}
	puts("marked");
	return 5; /* so that the ring stays */
}
#endif
