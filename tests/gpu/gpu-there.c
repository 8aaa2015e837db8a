/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu-there: is there a GPU that a program of ours may use? Says how many, or why not; exit 77.
 * Nothing of CUDA is needed to build it.
 */
#include <dlfcn.h>
#include <stdio.h>

typedef int init_fn(unsigned flags);
typedef int count_fn(int *count);

static int none(const char *why)
{
	printf("no GPU here: %s\n", why);
	return 77;
}

int main(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	init_fn *init = driver ? (init_fn *)dlsym(driver, "cuInit") : NULL;
	count_fn *count = driver ? (count_fn *)dlsym(driver, "cuDeviceGetCount") : NULL;
	int gpus = 0, error;
	char why[80];

	if (!init || !count)
		return none("no driver library libcuda.so.1");
	error = init(0);
	if (!error)
		error = count(&gpus);
	snprintf(why, sizeof(why), "the driver says error %d", error);
	if (error)
		return none(why);
	if (!gpus)
		return none("the driver knows none");
	printf("%d GPU%s\n", gpus, gpus == 1 ? "" : "s");
	return 0;
}
