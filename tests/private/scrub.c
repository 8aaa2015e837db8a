/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scrub: what bundles hold, and bundles without what is private.
 *
 *	scrub --show EVIDENCE...	all exhibits unpacked, one after the other, heads and bytes
 *	scrub --whole BUNDLE...		names those with copies of stacks that no walk has read, or
 *					with names of who recorded them
 *	scrub BUNDLE...			writes each anew, as it would be recorded today: of memory
 *					what the walks read, of rings no copies of stacks, of texts
 *					no secrets; and other names instead of those
 *
 * Evidence is anything that `inquest diagnose' takes. Exit status 1: something was found, or could
 * not be read.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "evidence/format/bundle.h"
#include "evidence/format/stacks.h"
#include "evidence/gather/ring-redact.h"
#include "evidence/gather/source.h"

/* --- Walking stacks again -------------------------------------------------------------------- */

/* The modules of a host, with what they borrow. */
struct host_modules {
	struct modules *modules;
	ARRAY(struct excerpt *) images;
};

static void take_modules(
	struct host_modules *into, const struct evidence *evidence, const char *host)
{
	into->modules = modules_new();
	for (size_t i = 0; i < evidence->n; i++) {
		struct excerpt *image = NULL;

		if (evidence->at[i].kind == EXHIBIT_MODULE && !strcmp(evidence->at[i].host, host) &&
			stacks_read_module(&evidence->at[i], into->modules, &image, NULL) == 0 &&
			image)
			*array_add(&into->images) = image;
	}
}

static void release_modules(struct host_modules *modules)
{
	struct excerpt **image;

	modules_free(modules->modules);
	array_for_each (&modules->images, image)
		excerpt_free(*image);
	array_release(&modules->images);
}

static void walk_again(struct snapshot *snapshot, const struct modules *modules)
{
	struct stack_memory *memory = excerpt_memory(snapshot->memory);
	struct stack_maps maps = {0};
	struct unwinder *unwinder;

	stack_maps_parse(&maps, snapshot->maps, strlen(snapshot->maps));
	unwinder = unwinder_new(&maps, modules, memory);
	for (size_t i = 0; i < snapshot->nplaces; i++) {
		struct python_stacks python = {0};

		(void)python_stacks_read(memory, &snapshot->places[i], &python, NULL);
		python_stacks_release(&python);
	}
	for (size_t i = 0; i < snapshot->nthreads; i++) {
		const uint32_t needed = 1u << UNWIND_SP | 1u << UNWIND_IP;
		struct unwind_stack stack = {0};

		if ((snapshot->threads[i].regs.known & needed) != needed)
			continue;
		unwinder_walk(unwinder, &snapshot->threads[i].regs, &stack);
		unwind_stack_release(&stack);
	}
	unwinder_free(unwinder);
	stack_maps_release(&maps);
}

/* The exhibit as it would be recorded today; whether it had more than that. */
static bool scrub_stacks(struct evidence *evidence, struct exhibit *exhibit)
{
	struct host_modules modules = {0};
	struct evidence fresh = {0};
	struct snapshot snapshot = {0};
	bool more = false;

	if (stacks_read(exhibit, &snapshot, NULL) == 0 && snapshot.memory) {
		take_modules(&modules, evidence, exhibit->host);
		excerpt_be_reticent(snapshot.memory);
		walk_again(&snapshot, modules.modules);
		stacks_add(&fresh, exhibit->host, exhibit->rank, &snapshot);
		more = fresh.at[0].len < exhibit->len;
		if (more) {
			free(exhibit->bytes);
			exhibit->bytes = alloc_copy(fresh.at[0].bytes, fresh.at[0].len);
			exhibit->len = fresh.at[0].len;
		}
		release_modules(&modules);
	}
	evidence_release(&fresh);
	snapshot_release(&snapshot);
	return more;
}

static bool scrub_ring(struct exhibit *exhibit)
{
	uint8_t *before = alloc_copy(exhibit->bytes, exhibit->len);
	bool more;

	ring_redact(exhibit->bytes, exhibit->len, &(struct ring_redact_options){0});
	more = memcmp(before, exhibit->bytes, exhibit->len) != 0;
	free(before);
	return more;
}

/*
 * What tells of who recorded, and what stands for it: of one length, so that nothing moves. The
 * first is a folder that PyTorch names after its user.
 */
static const struct {
	const char *word, *instead;
} names[] = {
	{"torchinductor_root", "torchinductor_user"},
	{"/tmp/b/vtest", "/opt/inquest"},
	{"/tmp/b/vhead", "/opt/inquest"},
};

static bool scrub_names(void *bytes, size_t len)
{
	const char *end = (const char *)bytes + len;
	bool any = false;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t size = strlen(names[i].word);
		char *at = bytes;

		while ((at = memmem(at, (size_t)(end - at), names[i].word, size))) {
			memcpy(at, names[i].instead, size);
			any = true;
		}
	}
	return any;
}

/* True if there was anything to scrub. */
static bool scrub(struct evidence *evidence)
{
	bool any = false;

	for (size_t i = 0; i < evidence->n; i++) {
		struct exhibit *exhibit = &evidence->at[i];

		if (exhibit->damaged)
			continue;
		if (exhibit->kind == EXHIBIT_STACKS)
			any |= scrub_stacks(evidence, exhibit);
		if (exhibit->kind == EXHIBIT_RING)
			any |= scrub_ring(exhibit);
		any |= scrub_names(exhibit->bytes, exhibit->len);
		if (exhibit->label)
			any |= scrub_names(exhibit->label, strlen(exhibit->label));
	}
	return any;
}

/* --- What is asked for ----------------------------------------------------------------------- */

static void show(const struct evidence *evidence)
{
	for (size_t i = 0; i < evidence->n; i++) {
		const struct exhibit *exhibit = &evidence->at[i];

		printf("\n%s %s %s %u\n", exhibit->kind_name, exhibit->host, exhibit->label,
			exhibit->pid);
		fwrite(exhibit->bytes, 1, exhibit->len, stdout);
	}
	for (size_t i = 0; i < evidence->ngaps; i++)
		printf("\ngap %s %s\n", evidence->gaps[i].host, evidence->gaps[i].what);
}

/* Adds the evidence of an argument; false with words on stderr. */
static bool gather(const char *path, struct evidence *into)
{
	const struct source *source = source_core.claims(path)	   ? &source_core
				      : source_flight.claims(path) ? &source_flight
				      : source_log.claims(path)	   ? &source_log
								   : source_of(path);
	struct complaint why = {0};
	bool good = source && source->gather(path, into, &why) == 0;

	if (!good)
		fprintf(stderr, "%s: %s\n", path, source ? complaint_text(&why) : "no evidence");
	complaint_release(&why);
	return good;
}

int main(int argc, char **argv)
{
	bool shows = argc > 1 && !strcmp(argv[1], "--show");
	bool tells = argc > 1 && !strcmp(argv[1], "--whole");
	int status = 0;

	for (int i = 1 + (shows || tells); i < argc; i++) {
		struct evidence evidence = {0};

		if (!gather(argv[i], &evidence)) {
			status = 1;
		} else if (shows) {
			show(&evidence);
		} else if (scrub(&evidence) && tells) {
			printf("%s\n", argv[i]);
			status = 1;
		} else if (!tells && bundle_write(&evidence, argv[i], NULL) < 0) {
			status = 1;
		}
		evidence_release(&evidence);
	}
	return status;
}
