/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/ahead.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/crew.h"
#include "evidence/gather/measure.h"

#define AHEAD_SHARE (64u << 10) /* bytes of exhibits that are worth one more thread */

/*
 * Admits an exhibit: 0, or negative with words. One too large for its kind, or for the memory there
 * may be, is lost as a whole.
 */
static int admit(struct meter *meter, const struct exhibit *exhibit, struct complaint *why)
{
	if (exhibit->len > measure_of(exhibit->kind)->most)
		return complaint_set(why, "%zu bytes, which is larger than any", exhibit->len);
	if (!meter_admits(meter, measure_cost(exhibit->kind, exhibit->len), METER_DECODING))
		return complaint_set(why, METER_REFUSED);
	return 0;
}

/*
 * Exhibits before number i have had their turn: from here on what they were admitted counts only as
 * far as they hold it.
 */
static void settle(struct ahead *ahead, size_t i)
{
	for (; ahead->decoded < i && ahead->decoded < ahead->to; ahead->decoded++)
		meter_join(&ahead->slots[ahead->decoded - ahead->from].meter);
}

/* Discards what is prepared and was not taken. */
static void discard(struct ahead *ahead)
{
	settle(ahead, ahead->to);
	for (size_t i = 0; i < ahead->to - ahead->from; i++) {
		if (ahead->slots[i].ready)
			ahead->decoder->discard(ahead->slots[i].ready);
		complaint_release(&ahead->slots[i].refused);
		ahead->slots[i] = (struct ahead_slot){0};
	}
	ahead->from = ahead->to = ahead->decoded = 0;
}

/* Prepares one exhibit of those admitted, on any thread. */
static void prepare(void *context, size_t worker, size_t i)
{
	const struct ahead *ahead = context;
	const struct exhibit *exhibit = ahead->exhibits[ahead->from + i];
	struct ahead_slot *slot = &ahead->slots[i];

	(void)worker;
	if (!exhibit->damaged && !slot->refused.words)
		slot->ready = ahead->decoder->prepare(exhibit, slot->host);
}

/* True if exhibit i is to be prepared with those since `from`, which have so many bytes. */
static bool is_of_these(const struct ahead *ahead, size_t i, size_t bytes)
{
	const struct exhibit *exhibit = ahead->exhibits[i];

	return i == ahead->from ||
	       (exhibit->kind == ahead->decoder->kind && i - ahead->from < AHEAD_MOST &&
		       exhibit->len <= AHEAD_BYTES && bytes + exhibit->len <= AHEAD_BYTES);
}

/*
 * Prepares exhibits from i on. One thread alone prepares each in its turn, which takes less memory.
 */
static void look_ahead(struct ahead *ahead, const struct decoder *decoder,
	struct decode_context *context, size_t i)
{
	bool alone = crew_size(AHEAD_MOST) < 2;
	size_t bytes = 0;

	discard(ahead);
	if (!alone && decoder->set_up && ahead->decoder != decoder)
		decoder->set_up();
	if (!ahead->slots)
		ahead->slots = alloc_zeroed(AHEAD_MOST, sizeof(*ahead->slots));
	ahead->decoder = decoder;
	ahead->from = ahead->to = ahead->decoded = i;
	while (ahead->to < ahead->n && is_of_these(ahead, ahead->to, bytes)) {
		const struct exhibit *exhibit = ahead->exhibits[ahead->to];
		struct ahead_slot *slot = &ahead->slots[ahead->to++ - i];

		slot->host = context_host(context, exhibit->host);
		slot->meter = meter_of_worker(context->meter);
		if (!exhibit->damaged && !admit(&slot->meter, exhibit, &slot->refused))
			bytes += exhibit->len;
		if (alone)
			break;
	}
	crew_each(crew_size(bytes / AHEAD_SHARE), ahead->to - i, prepare, ahead);
}

bool ahead_has(struct ahead *ahead, const struct decoder *decoder, struct decode_context *context,
	size_t i, struct complaint *why)
{
	struct ahead_slot *slot;

	context->ready = NULL;
	settle(ahead, i);
	if (!decoder->prepare)
		return !admit(context->meter, ahead->exhibits[i], why);
	if (i < ahead->from || i >= ahead->to)
		look_ahead(ahead, decoder, context, i);
	slot = &ahead->slots[i - ahead->from];
	context->ready = slot->ready;
	if (slot->refused.words)
		complaint_set(why, "%s", complaint_text(&slot->refused));
	return !slot->refused.words;
}

void ahead_release(struct ahead *ahead)
{
	discard(ahead);
	free(ahead->slots);
}
