/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Of several exhibits that are prepared at once, each is admitted beside those before it: together
 * they may not take more memory than there is, though none of them has taken any yet.
 */
#include "tests/unit/unit.h"

#include "base/crew.h"
#include "base/meter.h"
#include "decode/ahead.h"
#include "evidence/gather/measure.h"

#define MANY 3
#define LEN  (170u << 10) /* three are less than AHEAD_BYTES */
#define COST measure_cost(EXHIBIT_STACKS, LEN)

static size_t prepared;

static void *prepare(const struct exhibit *exhibit, const struct decode_host *host)
{
	(void)exhibit;
	(void)host;
	__atomic_fetch_add(&prepared, 1, __ATOMIC_RELAXED);
	return &prepared;
}

static void discard(void *ready)
{
	assert_ptr_equal(ready, &prepared);
}

/* How many of the exhibits may be decoded where there is room for so many, and half a one. */
static size_t admitted(uint64_t fit)
{
	static const struct decoder decoder = {
		.kind = EXHIBIT_STACKS, .prepare = prepare, .discard = discard};
	uint64_t held = meter_held();
	struct meter meter = {.most = (held + fit * COST + COST / 2) / 3 * 4, .held = held};
	struct decode_context context = {.meter = &meter};
	struct exhibit like = {.kind = EXHIBIT_STACKS, .host = (char *)"h", .len = LEN};
	const struct exhibit *exhibits[MANY] = {&like, &like, &like};
	struct ahead ahead = {.exhibits = exhibits, .n = MANY};
	size_t n = 0;

	prepared = 0;
	for (size_t i = 0; i < MANY; i++) {
		struct complaint why = {0};

		n += ahead_has(&ahead, &decoder, &context, i, &why);
		complaint_release(&why);
	}
	ahead_release(&ahead);
	assert_int_equal(prepared, n);
	assert_int_equal(meter.taken, 0);
	array_release(&context.hosts);
	free(context.host_index);
	arena_release(&context.arena);
	return n;
}

static void all_fit(void **state)
{
	(void)state;
	assert_int_equal(admitted(MANY), MANY);
}

static void those_that_are_not_decoded_yet_count(void **state)
{
	(void)state;
	if (crew_size(MANY) < 2)
		skip();
	assert_int_equal(admitted(2), 2);
	assert_int_equal(admitted(1), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_fit),
		cmocka_unit_test(those_that_are_not_decoded_yet_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
