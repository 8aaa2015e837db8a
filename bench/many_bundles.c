/* SPDX-License-Identifier: Apache-2.0 */
/*
 * many_bundles.c: the bundles of a job of very many ranks, made of a recorded one of 64 on four
 * nodes.
 *
 *	many_bundles RANKS RECORDED FOLDER
 *
 * RECORDED/node-0.inq is written as it is, but for the size of the world; of node-1.inq there are
 * as many as it takes, each with a host, a boot id and ranks of its own. What else is in them is as
 * it was recorded: rings, stacks, modules, samples and logs. So rank 0, which still compiles, has
 * to be named, and all others wait.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "evidence/format/bundle-frame.h"
#include "evidence/format/bundle.h"
#include "ring/census.h"
#include "ring/ring-read.h"

#define PER_NODE  16
#define WORLD     64
#define TEMPLATES 2
#define HOST      "node-%u"

struct node {
	unsigned number, template;
	unsigned ranks; /* of the job */
	char host[32], host_was[32];
};

/* Of node n's ranks; those of a template have its number. */
static int32_t moved(const struct node *node, int32_t rank)
{
	return rank < 0 ? rank : rank + (int32_t)((node->number - node->template) * PER_NODE);
}

/* A boot id is a host's: four bytes of its own, in binary and in hexadecimal. */
static void give_boot(const struct node *node, uint8_t *id)
{
	for (int i = 0; i < 4; i++)
		id[i] = (uint8_t)(node->number >> (24 - 8 * i));
}

static void rewrite_ring(const struct node *node, uint8_t *bytes, size_t len)
{
	struct ring_header *header = (void *)bytes;
	struct ring_view view;

	if (ring_view_open(&view, bytes, len) < 0)
		exit(2);
	for (uint64_t i = 0; i < ring_view_count(&view, RING_S_GROUPS); i++) {
		const struct ring_part *part = &view.part[RING_S_GROUPS];
		struct ring_group *group =
			(void *)(bytes + (part->at - view.bytes) + i * part->elem_size);

		if (group->seq && group->size == WORLD) {
			group->size = node->ranks;
			group->rank = (uint32_t)moved(node, (int32_t)group->rank);
			group->ranks = 0;
		}
	}
	header->rank = moved(node, header->rank);
	header->world_size = (int32_t)node->ranks;
	give_boot(node, header->boot_id);
	snprintf(header->host, sizeof(header->host), "%s", node->host);
}

static void rewrite_census(const struct node *node, uint8_t *bytes)
{
	struct census_header *header = (void *)bytes;
	struct census_slot *slots = (void *)(bytes + sizeof(*header));

	give_boot(node, header->boot_id);
	for (uint32_t i = 0; i < header->high; i++) {
		slots[i].rank = moved(node, slots[i].rank);
		if (slots[i].world_size == WORLD)
			slots[i].world_size = (int32_t)node->ranks;
	}
}

/* Documents name the host, and the gathering its boot id. */
static uint8_t *rewrite_text(const struct node *node, const struct exhibit *exhibit, size_t *ret)
{
	static const char boot[] = "\"boot_id\":\"";
	const char *at = (const char *)exhibit->bytes, *found;
	const char *end = (const char *)exhibit->bytes + exhibit->len;
	struct str text = {0};

	while ((found = memmem(at, (size_t)(end - at), node->host_was, strlen(node->host_was)))) {
		str_add_bytes(&text, at, (size_t)(found - at));
		str_printf(&text, "%s", node->host);
		at = found + strlen(node->host_was);
	}
	str_add_bytes(&text, at, (size_t)(end - at));
	if (exhibit->kind == EXHIBIT_GATHER) {
		char *id = strstr(text.text, boot), number[9];

		snprintf(number, sizeof(number), "%08x", node->number);
		if (id)
			memcpy(id + strlen(boot), number, 8);
	}
	*ret = text.len;
	return (uint8_t *)text.text;
}

/* A ring is mostly zeros, which nobody has to touch; nor will who packs it. */
static uint8_t *copy_bytes(const struct exhibit *exhibit)
{
	uint8_t *copy = alloc_zeroed(1, exhibit->len + 1);

	for (size_t at = 0, piece; at < exhibit->len; at += piece) {
		piece = exhibit->len - at < BUNDLE_PAGE ? exhibit->len - at : BUNDLE_PAGE;
		if (!bundle_is_zero(exhibit->bytes + at, piece))
			memcpy(copy + at, exhibit->bytes + at, piece);
	}
	return copy;
}

/* The bytes that the node has instead of the template's. */
static uint8_t *rewrite(const struct node *node, const struct exhibit *exhibit, size_t *ret)
{
	uint8_t *bytes;

	if (exhibit->kind == EXHIBIT_GATHER || exhibit->kind == EXHIBIT_MANIFEST ||
		exhibit->kind == EXHIBIT_RECEIPT)
		return rewrite_text(node, exhibit, ret);
	*ret = exhibit->len;
	bytes = copy_bytes(exhibit);
	if (exhibit->kind == EXHIBIT_RING)
		rewrite_ring(node, bytes, exhibit->len);
	if (exhibit->kind == EXHIBIT_CENSUS)
		rewrite_census(node, bytes);
	return bytes;
}

static void write_node(const struct node *node, const struct evidence *template, const char *folder)
{
	struct evidence made = {0};
	struct str path = {0}, bundle = {0};
	FILE *file;

	for (size_t i = 0; i < template->n; i++) {
		struct exhibit about = template->at[i];
		size_t len;
		uint8_t *bytes = rewrite(node, &about, &len);

		about.host = (char *)node->host;
		about.rank = moved(node, about.rank);
		evidence_add(&made, &about, bytes, len);
	}
	bundle_pack(&made, &bundle);
	str_printf(&path, "%s/" HOST ".inq", folder, node->number);
	file = fopen(str_text(&path), "wx");
	if (!file || fwrite(str_text(&bundle), 1, bundle.len, file) != bundle.len || fclose(file)) {
		perror(str_text(&path));
		exit(2);
	}
	str_release(&bundle);
	str_release(&path);
	evidence_release(&made);
}

static void read_template(const char *folder, unsigned number, struct evidence *into)
{
	struct complaint why = {0};
	struct str path = {0};

	str_printf(&path, "%s/" HOST ".inq", folder, number);
	if (bundle_read(str_text(&path), into, &why) < 0) {
		fprintf(stderr, "many_bundles: %s\n", complaint_text(&why));
		exit(2);
	}
	str_release(&path);
}

int main(int argc, char **argv)
{
	struct evidence templates[TEMPLATES] = {{0}};
	struct node node = {.ranks = argc == 4 ? (unsigned)strtoul(argv[1], NULL, 10) : 0};

	if (node.ranks < PER_NODE * TEMPLATES || node.ranks % PER_NODE) {
		fprintf(stderr, "usage: many_bundles RANKS RECORDED FOLDER; RANKS is a multiple "
				"of 16, from 32 on\n");
		return 2;
	}
	for (unsigned i = 0; i < TEMPLATES; i++)
		read_template(argv[2], i, &templates[i]);
	for (; node.number < node.ranks / PER_NODE; node.number++) {
		node.template = node.number ? 1 : 0;
		snprintf(node.host, sizeof(node.host), HOST, node.number);
		snprintf(node.host_was, sizeof(node.host_was), HOST, node.template);
		write_node(&node, &templates[node.template], argv[3]);
	}
	for (int i = 0; i < TEMPLATES; i++)
		evidence_release(&templates[i]);
	return 0;
}
