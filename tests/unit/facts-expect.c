/* SPDX-License-Identifier: Apache-2.0 */
/* What the judge must say of a job made by hand, in whatever order its facts arrive. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "tests/unit/facts.h"

/* "0-2,4": world ranks, as people write them. */
static void text_of(const struct job *job, struct verdict_ranks ranks, struct str *into)
{
	for (size_t i = 0, next; i < ranks.n; i = next) {
		int first = job_rank(job, ranks.at[i])->world_rank.n, last = first;

		for (next = i + 1; next < ranks.n; next++, last++)
			if (job_rank(job, ranks.at[next])->world_rank.n != last + 1)
				break;
		if (i)
			str_add_char(into, ',');
		str_printf(into, "%d", first);
		if (last > first)
			str_printf(into, "%c%d", last == first + 1 ? ',' : '-', last);
	}
}

void facts_print(const struct verdicts *v)
{
	for (size_t i = 0; i < v->n; i++) {
		struct str culprits = {0}, victims = {0}, camp = {0};

		text_of(v->job, v->at[i].culprits, &culprits);
		text_of(v->job, v->at[i].victims, &victims);
		text_of(v->job, v->at[i].camp_a, &camp);
		fprintf(stderr,
			"    %s (%s, %s): culprits [%s] victims [%s] camp [%s] cause %s where %s\n",
			verdict_class_name(v->at[i].class),
			verdict_confidence_name(v->at[i].confidence),
			verdict_outlook_name(v->at[i].outlook), str_text(&culprits),
			str_text(&victims), str_text(&camp),
			v->at[i].cause ? verdict_cause_name(v->at[i].cause) : "-",
			v->at[i].where ? verdict_where_name(v->at[i].where) : "-");
		str_release(&culprits);
		str_release(&victims);
		str_release(&camp);
	}
}

static void expect_ranks(const struct verdicts *v, const char *what, struct verdict_ranks ranks,
	const char *expected)
{
	struct str text = {0};

	if (!expected)
		return;
	text_of(v->job, ranks, &text);
	if (strcmp(str_text(&text), expected) != 0) {
		facts_print(v);
		fail_msg("%s are [%s], expected [%s]", what, str_text(&text), expected);
	}
	str_release(&text);
}

static void expect_innocence(const struct verdicts *v)
{
	for (size_t i = 0; i < v->n; i++)
		for (size_t k = 0; k < v->n; k++)
			for (size_t a = 0; a < v->at[i].culprits.n; a++)
				for (size_t b = 0; b < v->at[k].victims.n; b++)
					assert_int_not_equal(v->at[i].culprits.at[a].i,
						v->at[k].victims.at[b].i);
}

static enum verdict_confidence expect_once(
	const struct facts *f, enum verdict_class class, const char *culprits, const char *victims)
{
	struct job *job = facts_job(f);
	struct verdicts *v = verdicts_of(job);
	enum verdict_confidence confidence;

	assert_true(v->n > 0);
	if (v->at[0].class != class) {
		facts_print(v);
		fail_msg("verdict is %s, expected %s", verdict_class_name(v->at[0].class),
			verdict_class_name(class));
	}
	expect_ranks(v, "culprits", v->at[0].culprits, culprits);
	expect_ranks(v, "victims", v->at[0].victims, victims);
	expect_innocence(v);
	confidence = v->at[0].confidence;
	verdicts_free(v);
	job_free(job);
	return confidence;
}

/* Clocks never decide, whatever the hosts believe of theirs. */
static void expect_with_clocks(const struct facts *f, enum verdict_class class,
	const char *culprits, const char *victims, enum verdict_confidence confidence)
{
	static const double seconds[] = {-3600, -30, -3, 3, 30, 3600};

	for (int host = 0; f->nhosts > 1 && host < f->nhosts; host++)
		for (size_t i = 0; i < sizeof(seconds) / sizeof(*seconds); i++) {
			struct facts *set = facts_copy(f);

			facts_set_clock(set, host, seconds[i]);
			assert_int_equal(expect_once(set, class, culprits, victims), confidence);
			facts_free(set);
		}
}

void facts_expect(
	const struct facts *f, enum verdict_class class, const char *culprits, const char *victims)
{
	struct facts *shuffled = facts_copy(f);
	enum verdict_confidence confidence = expect_once(f, class, culprits, victims);

	shuffled->shuffle = 12345;
	expect_once(shuffled, class, culprits, victims);
	facts_free(shuffled);
	expect_with_clocks(f, class, culprits, victims, confidence);
}

void facts_expect_cause(const struct facts *f, enum verdict_class class, const char *culprits,
	enum verdict_cause cause)
{
	struct job *job = facts_job(f);
	struct verdicts *v = verdicts_of(job);

	facts_expect(f, class, culprits, NULL);
	if (v->at[0].cause != cause) {
		facts_print(v);
		fail_msg("cause is %d, expected %d", v->at[0].cause, cause);
	}
	verdicts_free(v);
	job_free(job);
}

void facts_expect_where(const struct facts *f, enum verdict_class class, const char *culprits,
	enum verdict_where where)
{
	struct job *job = facts_job(f);
	struct verdicts *v = verdicts_of(job);

	facts_expect(f, class, culprits, NULL);
	if (v->at[0].where != where) {
		facts_print(v);
		fail_msg("where is %d, expected %d", v->at[0].where, where);
	}
	verdicts_free(v);
	job_free(job);
}

uint64_t facts_culprits(const struct facts *f)
{
	struct job *job = facts_job(f);
	struct verdicts *v = verdicts_of(job);
	uint64_t bits = 0;

	for (size_t i = 0; i < v->n; i++)
		for (size_t k = 0; k < v->at[i].culprits.n; k++)
			bits |= UINT64_C(1) << job_rank(job, v->at[i].culprits.at[k])->world_rank.n;
	verdicts_free(v);
	job_free(job);
	return bits;
}
