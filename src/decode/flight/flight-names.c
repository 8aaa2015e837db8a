/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells what an entry's name, sizes and types mean, in the words of the job. Counts are as NCCL
 * counts: of what a rank gives, of ReduceScatter what it gets. Where members may lawfully give
 * different amounts (AlltoAll), or one of them gives for all (Scatter), no count is compared.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "decode/flight/decode-flight.h"
#include "job/names.h"

/* No tensor has more bytes. */
#define BYTES_MOST ((uint64_t)1 << 48)

/* A type of another name: equal to any other such. */
#define DTYPE_OTHER 0xfc

/* Returns the name without "nccl:". */
static const char *bare(const char *name)
{
	const char *colon = strchr(name, ':');

	return colon ? colon + 1 : name;
}

/* Returns an op's kind, by the first of these words in its name; case and '_' do not count. */
static uint8_t kind_of(const char *name)
{
	static const struct {
		const char *part;
		uint8_t op;
	} table[] = {
		{"barrier", JOB_OP_BARRIER},
		{"allreduce", JOB_OP_ALLREDUCE},
		{"reducescatter", JOB_OP_REDUCESCATTER},
		{"allgather", JOB_OP_ALLGATHER},
		{"alltoall", JOB_OP_ALLTOALL},
		{"broadcast", JOB_OP_BROADCAST},
		{"reduce", JOB_OP_REDUCE},
		{"scatter", JOB_OP_SCATTER},
		{"gather", JOB_OP_GATHER},
	};
	char plain[64];
	size_t n = 0;

	for (; *name && n + 1 < sizeof(plain); name++)
		if (*name != '_')
			plain[n++] = *name >= 'A' && *name <= 'Z' ? (char)(*name + 32) : *name;
	plain[n] = '\0';
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (strstr(plain, table[i].part))
			return table[i].op;
	return JOB_OP_OTHER;
}

/* Returns a type as ncclDataType_t, by PyTorch's or Python's name for it, if there is one. */
static uint8_t dtype_of(const char *name)
{
	static const struct {
		const char *name;
		uint8_t dtype;
	} table[] = {
		{"Float", 7}, {"float32", 7}, {"float", 7}, {"BFloat16", 9}, {"bfloat16", 9},
		{"Half", 6}, {"float16", 6}, {"half", 6}, {"Double", 8}, {"float64", 8},
		{"double", 8}, {"Long", 4}, {"int64", 4}, {"long", 4}, {"Int", 2}, {"int32", 2},
		{"int", 2}, {"Char", 0}, {"int8", 0}, {"Byte", 1}, {"uint8", 1}, {"Bool", 1},
		{"bool", 1}, {"Float8_e4m3fn", 10}, {"float8_e4m3fn", 10}, {"Float8_e5m2", 11},
		{"float8_e5m2", 11}, {"UInt32", 3}, {"uint32", 3}, {"UInt64", 5}, {"uint64", 5},
	};

	if (!*name)
		return JOB_DTYPE_UNTOLD;
	if (!strncmp(name, "torch.", 6))
		name += 6;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (!strcmp(name, table[i].name))
			return table[i].dtype;
	return DTYPE_OTHER;
}

/* Reads "0->3" or "3<-0", which follow the word: the own seat, and the peer's. */
static bool parse_peers(
	const char *text, struct group_rank *ret_me, struct group_rank *ret_peer)
{
	char *end;
	unsigned long me = strtoul(text, &end, 10), peer;

	if (end == text || (strncmp(end, "->", 2) && strncmp(end, "<-", 2)))
		return false;
	text = end + 2;
	peer = strtoul(text, &end, 10);
	if (end == text || me >= UINT32_MAX || peer >= UINT32_MAX)
		return false;
	*ret_me = group_rank((uint32_t)me);
	*ret_peer = group_rank((uint32_t)peer);
	return true;
}

/* Returns the count that is compared; JOB_NO_COUNT none. */
static uint64_t count_of(const struct flight_entry *entry, uint8_t op)
{
	const struct flight_tensors *tensors =
		op == JOB_OP_REDUCESCATTER || op == JOB_OP_RECV ? &entry->outputs : &entry->inputs;
	uint64_t count;

	if (op == JOB_OP_ALLTOALL || op == JOB_OP_SCATTER || op == JOB_OP_BARRIER ||
		op == JOB_OP_OTHER || !tensors->nr || !flight_tensors_count(tensors, &count))
		return JOB_NO_COUNT;
	return count;
}

/* Returns the bytes of one element; 0 unknown. */
static uint64_t width_of(uint8_t dtype)
{
	static const uint8_t widths[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};

	return dtype < sizeof(widths) ? widths[dtype] : 0;
}

/* Finds the bytes of the k-th tensor; false where they are not known, or too many to be true. */
static bool bytes_of(const struct flight_tensors *tensors, uint32_t k, uint64_t *ret)
{
	const struct flight_tensors one = {
		.items = &tensors->items[k], .nr = 1, .known = tensors->known};
	uint64_t width = width_of(dtype_of(one.items->dtype));

	if (!width || !flight_tensors_count(&one, ret) || *ret > BYTES_MOST / width)
		return false;
	*ret *= width;
	return true;
}

/* Returns what an all-to-all with one tensor gives and awaits in all, "*24:32". */
static const char *sums_of(struct arena *arena, const struct flight_entry *entry)
{
	uint64_t gives, awaits;

	if (!bytes_of(&entry->inputs, 0, &gives) || !bytes_of(&entry->outputs, 0, &awaits))
		return "";
	return arena_printf(arena, "*%" PRIu64 ":%" PRIu64, gives, awaits);
}

const char *flight_parts(struct arena *arena, const struct flight_entry *entry)
{
	struct str text = {0};
	const char *result = "";
	bool known = entry->inputs.nr > 1 && entry->inputs.nr == entry->outputs.nr;
	uint64_t gives, awaits;

	if (entry->inputs.nr == 1 && entry->outputs.nr == 1)
		return sums_of(arena, entry);
	for (uint32_t i = 0; known && i < entry->inputs.nr; i++) {
		known = bytes_of(&entry->inputs, i, &gives) &&
			bytes_of(&entry->outputs, i, &awaits) && gives < UINT32_MAX &&
			awaits < UINT32_MAX;
		if (known)
			str_printf(&text, "%s%" PRIu64 ":%" PRIu64, i ? "," : "", gives, awaits);
	}
	if (known)
		result = arena_text(arena, str_text(&text));
	str_release(&text);
	return result;
}

/*
 * True for "coalesced" and "ALLGATHER_coalesced"; but "allreduce_coalesced" is an op like any
 * other.
 */
static bool ends_launch(const char *name)
{
	size_t len = strlen(name), end = strlen("coalesced");

	if (len < end || strcmp(name + len - end, "coalesced"))
		return false;
	for (size_t i = 0; i < len - end; i++)
		if (name[i] >= 'a' && name[i] <= 'z')
			return false;
	return true;
}

bool flight_signature(const struct flight_entry *entry, struct job_sig *ret,
	struct group_rank *ret_seat)
{
	const char *name = bare(entry->name);
	const struct flight_tensors *typed = entry->inputs.nr ? &entry->inputs : &entry->outputs;

	*ret_seat = NO_GROUP_RANK;
	*ret = (struct job_sig){.redop = JOB_NO_REDOP, .peer = NO_GROUP_RANK};
	if (!strncmp(name, "send ", 5) || !strncmp(name, "recv ", 5)) {
		ret->op = *name == 's' ? JOB_OP_SEND : JOB_OP_RECV;
		parse_peers(name + 5, ret_seat, &ret->peer);
	} else {
		ret->op = kind_of(name);
	}
	ret->count = count_of(entry, ret->op);
	ret->dtype = typed->nr ? dtype_of(typed->items[0].dtype) : JOB_DTYPE_UNTOLD;
	return !ends_launch(name);
}
