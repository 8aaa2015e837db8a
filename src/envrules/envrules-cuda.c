/* SPDX-License-Identifier: Apache-2.0 */
/* Variables that the CUDA driver reads. */
#include <stdio.h>
#include <string.h>

#include "envrules/envrules-lists.h"

/* Returns how many devices a list names; CUDA ends it at the first that is no device. */
static int devices_in(const char *value)
{
	int nr = 0;

	for (;;) {
		size_t len = strcspn(value, ",");

		value += strspn(value, " ");
		if (len == 0 || *value == '-' || *value == '\0')
			return nr;
		nr++;
		if (!value[len = strcspn(value, ",")])
			return nr;
		value += len + 1;
	}
}

/* True if no device is named. The next five are conditions of rules: a value of NULL is not set. */
static bool hides_all(const struct envrules_launch *launch, const char *value)
{
	(void)launch;
	return value && devices_in(value) == 0;
}

/* True if some ranks would have no device. */
static bool has_fewer_than_ranks(const struct envrules_launch *launch, const char *value)
{
	return value && launch->ranks > 0 && devices_in(value) > 0 &&
		devices_in(value) < launch->ranks;
}

/* True if one name stands twice in the list. */
static bool has_one_twice(const struct envrules_launch *launch, const char *value)
{
	(void)launch;
	for (const char *one = value; one && *one; one += strcspn(one, ",")) {
		size_t len;

		one += *one == ',';
		len = strcspn(one, ",");
		for (const char *at = one + len; len && *at; at += strcspn(at, ",")) {
			at += *at == ',';
			if (strcspn(at, ",") == len && !strncmp(at, one, len))
				return true;
		}
	}
	return false;
}

/* True if the list is not the devices 0, 1, 2, ... as they come. */
static bool renumbers(const struct envrules_launch *launch, const char *value)
{
	char expected[8];

	(void)launch;
	if (!value || devices_in(value) == 0)
		return false;
	for (int i = 0; *value; i++) {
		size_t len = strcspn(value, ",");

		if ((size_t)snprintf(expected, sizeof(expected), "%d", i) != len ||
			strncmp(value, expected, len) != 0)
			return true;
		value += len + (value[len] == ',');
	}
	return false;
}

/* True for a number of 1. */
static bool is_one(const struct envrules_launch *launch, const char *value)
{
	(void)launch;
	return envrules_number(value) == 1;
}

static const struct envrule rules[] = {
	{"CUDA_VISIBLE_DEVICES", ENVRULE_FAIL, hides_all, "names no device: no rank sees a GPU",
		"unset it, or name the devices of the job",
		"CUDA C Programming Guide, environment variables"},
	{"CUDA_VISIBLE_DEVICES", ENVRULE_FAIL, has_fewer_than_ranks,
		"names fewer devices than ranks: LOCAL_RANK goes beyond its end",
		"name one for each rank of this machine",
		"CUDA C Programming Guide, environment variables"},
	{"CUDA_VISIBLE_DEVICES", ENVRULE_FAIL, has_one_twice,
		"names a device twice: two ranks would share it, and NCCL refuses that",
		"name each device once", "NCCL 2.28 init.cc (Duplicate GPU detected)"},
	{"CUDA_VISIBLE_DEVICES", ENVRULE_NOTE, renumbers,
		"renumbers: cuda:0 of a rank is the first of the list, not GPU 0 of nvidia-smi",
		NULL,
		"CUDA C Programming Guide, environment variables"},
	{"CUDA_DEVICE_MAX_CONNECTIONS", ENVRULE_WARN, is_one,
		"puts all streams into one hardware queue: communication waits behind compute",
		"unset it, unless sequence or tensor parallel overlap of Megatron asks for it",
		"CUDA C Programming Guide; Megatron-LM arguments.py"},
	{"CUDA_LAUNCH_BLOCKING", ENVRULE_WARN, envrules_is_on,
		"each kernel launch waits for its end: nothing overlaps, and some NCCL uses hang",
		"unset it; it is for finding the line of an error",
		"CUDA C Programming Guide; NVIDIA/nccl issue 750"},
	{"CUDA_CACHE_DISABLE", ENVRULE_WARN, is_one,
		"kernels that are compiled at load time are compiled anew by each rank",
		"unset it", "CUDA C Programming Guide, environment variables"},
};

const struct envrules_list envrules_of_cuda = {rules, sizeof(rules) / sizeof(rules[0])};
