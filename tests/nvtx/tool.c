/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool.c: somebody else's injection library: counts what it is told, and says so at the end. With
 * TOOL_TAKES it takes only libraries of whose path that is a part.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int inits, taken, pushes, pops, payload_pops;

struct segment {
	size_t id, nr;
	intptr_t *slots;
};

struct module {
	uint16_t nvtx, size, module, compat;
	size_t nsegments;
	struct segment *segments;
};

int InitializeInjectionNvtx2(const void *(*tables)(uint32_t));
int InitializeInjectionNvtxExtension(struct module *module);

static const void *create(const char *name)
{
	return name;
}

static int push(const void *domain, const void *event)
{
	(void)domain;
	(void)event;
	return pushes++;
}

static int pop(const void *domain)
{
	(void)domain;
	return pops++;
}

static int pop_payload(const void *domain, const void *payloads, size_t nr)
{
	(void)domain;
	(void)payloads;
	(void)nr;
	return payload_pops++;
}

static int takes(const void *address)
{
	const char *part = getenv("TOOL_TAKES");
	Dl_info who;

	return !part || (dladdr(address, &who) && strstr(who.dli_fname, part));
}

int InitializeInjectionNvtx2(const void *(*tables)(uint32_t))
{
	const struct {
		size_t size;
		int (*module_table)(int, void ****, unsigned *);
	} *callbacks = tables(1);
	void ***slots;
	unsigned nr;

	inits++;
	if (!takes((const void *)tables) || !callbacks->module_table(5, &slots, &nr))
		return 0;
	taken++;
	*slots[12] = (void *)create;
	*slots[4] = (void *)push;
	*slots[5] = (void *)pop;
	return 1;
}

int InitializeInjectionNvtxExtension(struct module *module)
{
	if (module->module != 2 || !takes(module->segments->slots))
		return 0;
	module->segments->slots[4] = (intptr_t)pop_payload;
	return 1;
}

__attribute__((destructor)) static void tell(void)
{
	if (inits)
		fprintf(stderr, "tool: inits %d taken %d pushes %d pops %d of payloads %d\n",
			inits, taken, pushes, pops, payload_pops);
}
