/* SPDX-License-Identifier: Apache-2.0 */
/*
 * caller.c: calls a library with NVTX in it, loaded as a plugin is.
 *
 *	caller LIBRARY range DOMAIN	one range of that domain (fixtures/nvtxnccl/other.c): prints
 *					what NVTX answered, -2 where nobody listens
 *	caller LIBRARY nccl		calls of NCCL's that need no GPU: prints what they answered
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static void *lib;

static void *find(const char *name)
{
	void *fn = dlsym(lib, name);

	if (!fn)
		fprintf(stderr, "no %s\n", name);
	return fn;
}

static int call_nccl(void)
{
	int (*start)(void) = (int (*)(void))find("ncclGroupStart");
	int (*end)(void) = (int (*)(void))find("ncclGroupEnd");
	int (*gather)(const void *, void *, size_t, int, void *, void *) =
		(int (*)(const void *, void *, size_t, int, void *, void *))find("ncclAllGather");
	int (*reduce)(const void *, void *, size_t, int, int, void *, void *) =
		(int (*)(const void *, void *, size_t, int, int, void *, void *))find(
			"ncclAllReduce");
	int (*send)(const void *, size_t, int, int, void *, void *) =
		(int (*)(const void *, size_t, int, int, void *, void *))find("ncclSend");

	if (!start || !end || !gather || !reduce || !send)
		return 2;
	printf("start %d", start());
	printf(" start %d", start());
	printf(" end %d", end());
	printf(" end %d", end());
	printf(" gather %d", gather(NULL, NULL, 1000, 7, NULL, NULL));
	printf(" gather %d", gather(NULL, NULL, 0, 7, NULL, NULL));
	printf(" reduce %d", reduce(NULL, NULL, 4096, 7, 2, NULL, NULL));
	printf(" send %d\n", send(NULL, 77, 7, 5, NULL, NULL));
	return 0;
}

int main(int argc, char **argv)
{
	int (*range)(const char *);

	if (argc < 3)
		return 2;
	lib = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	if (!lib) {
		fprintf(stderr, "%s\n", dlerror());
		return 2;
	}
	if (!strcmp(argv[2], "nccl"))
		return call_nccl();
	range = (int (*)(const char *))find("other_range");
	if (!range || argc < 4)
		return 2;
	printf("%d\n", range(argv[3]));
	return 0;
}
