/* SPDX-License-Identifier: Apache-2.0 */
#include "report/json-coverage.h"

#include <string.h>

#include "report/json-parts.h"
#include "words/coverage.h"
#include "words/tense.h"

/* The names of kinds of evidence, in the order of the bits. */
static const struct {
	unsigned bit;
	const char *name;
} kinds[] = {
	{JOB_KNOWS_RING, "ring"},
	{JOB_KNOWS_PROC, "proc"},
	{JOB_KNOWS_SAMPLES, "samples"},
	{JOB_KNOWS_EXIT, "exit"},
	{JOB_KNOWS_COMPLETION, "completion"},
	{JOB_KNOWS_CENSUS, "census"},
	{JOB_KNOWS_LOG, "log"},
	{JOB_KNOWS_STACKS, "stacks"},
	{JOB_KNOWS_DUMP, "dump"},
};

struct json_object *json_stamp(int64_t realtime)
{
	struct str text = {0};
	struct json_object *object;

	tense_add_stamp(&text, realtime);
	object = text.len ? json_text(str_text(&text)) : NULL;
	str_release(&text);
	return object;
}

/* Makes how many there should be, by whose word, and how many were seen. Takes `missing` over. */
static struct json_object *expected_object(
	const struct job_expected *expected, size_t seen, struct json_object *missing)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "expected",
		expected->n == JOB_NONE ? NULL : json_object_new_int(expected->n));
	json_object_object_add(object, "by", *expected->by ? json_text(expected->by) : NULL);
	json_object_object_add(object, "seen", json_object_new_int64((int64_t)seen));
	json_object_object_add(object, "missing", missing);
	return object;
}

/* Lists the ranks of which nothing was seen; null where nobody says how many there should be. */
static struct json_object *missing_ranks(const struct job *job)
{
	struct json_object *array;

	if (job->coverage.ranks.n == JOB_NONE)
		return NULL;
	array = json_object_new_array();
	job_for_each_rank(job, rank)
		if (job_rank(job, rank)->process == JOB_NONE)
			json_object_array_add(array, json_rank(job, rank));
	return array;
}

/* Makes a list of names such as "m2,m4". */
static struct json_object *names_array(const char *at)
{
	struct json_object *array = json_object_new_array();

	while (*at) {
		struct str name = {0};
		size_t len = strcspn(at, ",");

		str_add_bytes(&name, at, len);
		json_object_array_add(array, json_text(str_text(&name)));
		str_release(&name);
		at += len + (at[len] == ',');
	}
	return array;
}

/* Lists the missing hosts; null where it is not known which they are. */
static struct json_object *missing_hosts(const struct job_coverage *coverage)
{
	const char *at = coverage->hosts_missing;

	if (!*at &&
		(coverage->hosts.n == JOB_NONE || coverage->hosts_seen < (size_t)coverage->hosts.n))
		return NULL;
	return names_array(at);
}

/* Makes the same of hosts; "part" lists those of which only a part was seen. */
static struct json_object *hosts_object(const struct job_coverage *coverage)
{
	struct json_object *object = expected_object(
		&coverage->hosts, coverage->hosts_seen, missing_hosts(coverage));

	if (*coverage->hosts_part)
		json_object_object_add(object, "part", names_array(coverage->hosts_part));
	return object;
}

/* Makes the list of kinds of evidence. */
static struct json_object *kinds_array(unsigned known)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (known & kinds[i].bit)
			json_object_array_add(array, json_text(kinds[i].name));
	return array;
}

/* Returns how many records were lost, as far as that was counted. */
static int64_t lost_records(const struct job *job)
{
	int64_t lost = 0;

	job_for_each_rank(job, rank)
		if (job_rank(job, rank)->lost_records > 0)
			lost += job_rank(job, rank)->lost_records;
	return lost;
}

struct json_object *json_coverage(const struct verdicts *verdicts, enum tense tense)
{
	const struct job_coverage *coverage = &verdicts->job->coverage;
	struct json_object *object = json_object_new_object();
	struct steps steps = {0};
	struct str remedy = {0};

	coverage_add_remedy(&steps, verdicts, tense);
	steps_add_text(&remedy, &steps);
	steps_release(&steps);
	json_object_object_add(
		object, "whole", json_object_new_boolean(verdicts->lack == VERDICT_LACKS_NOTHING));
	json_object_object_add(object, "ranks",
		expected_object(
			&coverage->ranks, coverage->ranks_seen, missing_ranks(verdicts->job)));
	json_object_object_add(object, "hosts", hosts_object(coverage));
	json_object_object_add(object, "kinds", kinds_array(coverage->kinds));
	json_object_object_add(object, "from", json_stamp(coverage->from));
	json_object_object_add(object, "to", json_stamp(coverage->to));
	json_object_object_add(
		object, "lost_records", json_object_new_int64(lost_records(verdicts->job)));
	json_object_object_add(object, "get", remedy.len ? json_text(str_text(&remedy)) : NULL);
	str_release(&remedy);
	return object;
}
