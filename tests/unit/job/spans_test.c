/* SPDX-License-Identifier: Apache-2.0 */
/* The facts of one rank are found among those of all, however unevenly the ranks have them. */
#include "tests/unit/unit.h"

#include "job/spans.h"

#define RANKS 40
#define MOST  1200

/* As a fact of a job is: its rank stands somewhere in it. */
struct thing {
	char before[12];
	struct rank_index rank;
	char behind[5];
};

struct things {
	struct thing at[MOST];
	size_t n;
};

static void add(struct things *things, int rank, size_t n)
{
	while (n--)
		things->at[things->n++].rank = rank_index(rank);
}

/* Each rank has what stands there of it, and nothing else. */
static void expect_all(const struct things *things)
{
	for (int rank = 0; rank <= RANKS; rank++) {
		struct spans_range range = spans_range_of(things->at, things->n,
			sizeof(struct thing), offsetof(struct thing, rank), rank_index(rank));
		size_t from = 0, to;

		while (from < things->n && is_rank(things->at[from].rank) &&
			things->at[from].rank.i < rank)
			from++;
		to = from;
		while (to < things->n && things->at[to].rank.i == rank)
			to++;
		assert_int_equal(range.from, from);
		assert_int_equal(range.to, to);
	}
}

static void none_have_any(void **state)
{
	static struct things things;

	(void)state;
	expect_all(&things);
}

static void all_have_as_many(void **state)
{
	for (size_t each = 1; each < 4; each++) {
		struct things things = {0};

		for (int rank = 0; rank < RANKS; rank++)
			add(&things, rank, each);
		expect_all(&things);
	}
	(void)state;
}

/* Wherever it is, one has nearly all of them. */
static void one_has_nearly_all(void **state)
{
	for (int one = 0; one < RANKS; one++) {
		struct things things = {0};

		for (int rank = 0; rank < RANKS; rank++)
			add(&things, rank, rank == one ? 1000 : 1);
		expect_all(&things);
	}
	(void)state;
}

static void only_one_has_any(void **state)
{
	for (int one = 0; one < RANKS; one++) {
		struct things things = {0};

		add(&things, one, 7);
		expect_all(&things);
	}
	(void)state;
}

static void by_chance(void **state)
{
	unsigned seed = 7;

	(void)state;
	for (int time = 0; time < 200; time++) {
		struct things things = {0};

		for (int rank = 0; rank < RANKS; rank++) {
			seed = seed * 1103515245 + 12345;
			add(&things, rank, (seed >> 16) % 5 ? (seed >> 20) % 25 : 0);
		}
		expect_all(&things);
	}
}

static void those_of_no_rank_stand_behind(void **state)
{
	for (size_t none = 1; none < 100; none += 7) {
		struct things things = {0};

		for (int rank = 3; rank < RANKS; rank += 2)
			add(&things, rank, 1);
		add(&things, NO_RANK.i, none);
		expect_all(&things);
	}
	(void)state;
}

static void no_rank_has_none(void **state)
{
	struct things things = {0};
	struct spans_range range;

	(void)state;
	add(&things, 1, 5);
	range = spans_range_of(things.at, things.n, sizeof(struct thing),
		offsetof(struct thing, rank), NO_RANK);
	assert_int_equal(range.to - range.from, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(none_have_any),
		cmocka_unit_test(all_have_as_many),
		cmocka_unit_test(one_has_nearly_all),
		cmocka_unit_test(only_one_has_any),
		cmocka_unit_test(by_chance),
		cmocka_unit_test(those_of_no_rank_stand_behind),
		cmocka_unit_test(no_rank_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
