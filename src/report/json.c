/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schema inquest/1: every key always there, null for what is not known, in the order in which they
 * are added here; fixed decimals; strings valid UTF-8. So equal verdicts give equal bytes. Keys are
 * only ever added. inquest-verdicts(7) describes the classes, inquest(1) the document.
 */
#include <inttypes.h>
#include <json-c/json.h>
#include <string.h>

#include "base/clock.h"
#include "job/firsts.h"
#include "job/names.h"
#include "report/escape.h"
#include "report/headline.h"
#include "report/report.h"
#include "report/wording.h"

static struct json_object *text_or_null(const char *text)
{
	struct str safe = {0};
	struct json_object *object;

	if (!text)
		return NULL;
	escape_to_utf8(&safe, text);
	object = json_object_new_string_len(str_text(&safe), (int)safe.len);
	str_release(&safe);
	return object;
}

static struct json_object *words_of(const struct verdict_fact *fact)
{
	struct str words = {0};
	struct json_object *object;

	wording_fact(&words, fact);
	object = text_or_null(str_text(&words));
	str_release(&words);
	return object;
}

static struct json_object *number_or_null(int64_t number)
{
	return number == JOB_UNKNOWN ? NULL : json_object_new_int64(number);
}

/* Seconds with one decimal, cut, as the text report cuts them. */
static struct json_object *tenths_or_null(int64_t ns)
{
	char text[32];
	int64_t tenths;

	if (ns == JOB_UNKNOWN)
		return NULL;
	tenths = ns < 0 ? 0 : ns / (CLOCK_NS_PER_S / 10);
	snprintf(text, sizeof(text), "%" PRId64 ".%" PRId64, tenths / 10, tenths % 10);
	return json_object_new_double_s((double)tenths / 10, text);
}

static struct json_object *ranks_array(const struct job *job, struct verdict_ranks ranks)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < ranks.n; i++)
		json_object_array_add(
			array, json_object_new_int(job->ranks[ranks.at[i]].world_rank));
	return array;
}

static struct json_object *key_text(uint64_t key)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%016" PRIx64, key);
	return json_object_new_string(text);
}

static const struct job_group *group_at(const struct job *job, int group)
{
	return group >= 0 && (size_t)group < job->ngroups ? &job->groups[group] : NULL;
}

static struct json_object *job_object(const struct verdicts *verdicts)
{
	const struct job *job = verdicts->job;
	struct json_object *object = json_object_new_object();
	struct json_object *hosts = json_object_new_array();
	int seen = 0;

	for (size_t i = 0; i < job->nranks; i++)
		seen += job->ranks[i].process != JOB_NONE;
	for (size_t i = 0; i < job->nhosts; i++)
		json_object_array_add(hosts, text_or_null(job->hosts[i].name));
	json_object_object_add(object, "id", text_or_null(job->id));
	json_object_object_add(object, "name", *job->name ? text_or_null(job->name) : NULL);
	json_object_object_add(object, "world_size",
		job->world_size == JOB_NONE ? NULL : json_object_new_int(job->world_size));
	json_object_object_add(object, "ranks_seen", json_object_new_int(seen));
	json_object_object_add(object, "hosts", hosts);
	json_object_object_add(object, "stage", text_or_null(verdict_stage_name(verdicts->stage)));
	json_object_object_add(object, "attempt", json_object_new_int(job->attempt));
	json_object_object_add(object, "ended",
		job->ended == JOB_MAYBE ? NULL : json_object_new_boolean(job->ended == JOB_YES));
	json_object_object_add(object, "exit_status",
		job->ended == JOB_YES ? json_object_new_int(job->exit_status) : NULL);
	return object;
}

static struct json_object *seats_array(const struct job *job, const struct verdict *verdict)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < verdict->nunknown; i++) {
		const struct verdict_seat *seat = &verdict->unknown_members[i];
		const struct job_group *group = group_at(job, seat->group);
		struct json_object *object = json_object_new_object();

		json_object_object_add(object, "group", group ? key_text(group->key) : NULL);
		json_object_object_add(object, "seat", json_object_new_int64(seat->seat));
		json_object_array_add(array, object);
	}
	return array;
}

static struct json_object *group_object(const struct job_group *group)
{
	struct json_object *object;

	if (!group)
		return NULL;
	object = json_object_new_object();
	json_object_object_add(object, "id", key_text(group->key));
	json_object_object_add(object, "name", text_or_null(group->name));
	json_object_object_add(object, "size", json_object_new_int64(group->size));
	return object;
}

static struct json_object *op_object(const struct verdict *verdict)
{
	struct json_object *object;

	if (!verdict->op_index)
		return NULL;
	object = json_object_new_object();
	json_object_object_add(object, "index", json_object_new_int64((int64_t)verdict->op_index));
	json_object_object_add(object, "name", text_or_null(job_op_name(verdict->op.op)));
	return object;
}

/* `rank` is the one it is about, null where it is about none or several; `ranks` are all. */
static struct json_object *fact_object(const struct job *job, const struct verdict_fact *fact)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "rank",
		fact->ranks.n == 1 ? json_object_new_int(job->ranks[fact->ranks.at[0]].world_rank)
				   : NULL);
	json_object_object_add(object, "ranks", ranks_array(job, fact->ranks));
	json_object_object_add(object, "fact", words_of(fact));
	json_object_object_add(object, "cite", text_or_null(fact->cite));
	return object;
}

static struct json_object *evidence_array(const struct job *job, const struct verdict *verdict)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < verdict->nevidence; i++)
		json_object_array_add(array, fact_object(job, &verdict->evidence[i]));
	return array;
}

static struct json_object *ruled_out_array(const struct verdict *verdict)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < verdict->nruled_out; i++) {
		const struct verdict_ruled_out *out = &verdict->ruled_out[i];
		struct json_object *object = json_object_new_object();

		json_object_object_add(
			object, "class", text_or_null(verdict_class_name(out->class)));
		json_object_object_add(object, "why", words_of(&out->why));
		json_object_object_add(object, "cite", text_or_null(out->why.cite));
		json_object_array_add(array, object);
	}
	return array;
}

static struct json_object *camps_array(const struct job *job, const struct verdict *verdict)
{
	struct json_object *array = json_object_new_array();

	if (verdict->camp_a.n)
		json_object_array_add(array, ranks_array(job, verdict->camp_a));
	if (verdict->camp_b.n)
		json_object_array_add(array, ranks_array(job, verdict->camp_b));
	return array;
}

static void add_sentences(
	struct json_object *object, const struct verdicts *verdicts, const struct verdict *verdict)
{
	struct str sentence = {0};

	headline_sentence(&sentence, verdicts, verdict);
	json_object_object_add(object, "headline", text_or_null(str_text(&sentence)));
	json_object_object_add(object, "evidence", evidence_array(verdicts->job, verdict));
	json_object_object_add(object, "ruled_out", ruled_out_array(verdict));
	json_object_object_add(object, "cause", text_or_null(verdict_cause_name(verdict->cause)));
	json_object_object_add(object, "where", text_or_null(verdict_where_name(verdict->where)));
	str_cut(&sentence, 0);
	wording_next(&sentence, verdicts, verdict);
	json_object_object_add(
		object, "next", sentence.len ? text_or_null(str_text(&sentence)) : NULL);
	str_release(&sentence);
}

static struct json_object *verdict_object(
	const struct verdicts *verdicts, const struct verdict *verdict)
{
	const struct job *job = verdicts->job;
	struct json_object *object = json_object_new_object();
	int64_t left = verdict->watchdog_left;

	json_object_object_add(object, "class", text_or_null(verdict_class_name(verdict->class)));
	json_object_object_add(object, "family", text_or_null(verdict_family_name(verdict->class)));
	json_object_object_add(
		object, "confidence", text_or_null(verdict_confidence_name(verdict->confidence)));
	json_object_object_add(
		object, "outlook", text_or_null(verdict_outlook_name(verdict->outlook)));
	json_object_object_add(object, "watchdog_s",
		number_or_null(left == JOB_UNKNOWN ? left : left / CLOCK_NS_PER_S));
	json_object_object_add(
		object, "watchdog", text_or_null(verdict_limit_name(verdict->watchdog)));
	json_object_object_add(object, "culprits", ranks_array(job, verdict->culprits));
	json_object_object_add(object, "victims", ranks_array(job, verdict->victims));
	json_object_object_add(object, "camps", camps_array(job, verdict));
	json_object_object_add(object, "unknown_members", seats_array(job, verdict));
	json_object_object_add(object, "group", group_object(group_at(job, verdict->group)));
	json_object_object_add(object, "op", op_object(verdict));
	json_object_object_add(object, "waiting_s", tenths_or_null(verdict->waiting));
	add_sentences(object, verdicts, verdict);
	return object;
}

static struct json_object *not_judged_array(const struct verdicts *verdicts)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < verdicts->nnot_judged; i++) {
		const struct verdict_not_judged *not = &verdicts->not_judged[i];
		struct json_object *object = json_object_new_object();

		json_object_object_add(
			object, "rule", text_or_null(verdict_class_name(not ->class)));
		json_object_object_add(object, "needs", text_or_null(not ->needs));
		json_object_object_add(object, "ranks", ranks_array(verdicts->job, not ->ranks));
		json_object_array_add(array, object);
	}
	return array;
}

static struct json_object *known_text(const char *text)
{
	return *text ? text_or_null(text) : NULL;
}

static struct json_object *first_object(
	const struct job_rank *rank, const struct firsts *first, int64_t most)
{
	const struct cache_found *cache = &first->cache;
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "rank", json_object_new_int(rank->world_rank));
	json_object_object_add(object, "framework", known_text(first->framework));
	json_object_object_add(object, "mode", known_text(first->mode));
	json_object_object_add(object, "backend", known_text(first->backend));
	json_object_object_add(object, "gpus", number_or_null(first->gpus));
	json_object_object_add(object, "cache", text_or_null(cache->path));
	json_object_object_add(object, "cache_files",
		cache->path ? number_or_null(cache->files) : NULL);
	json_object_object_add(object, "cache_bytes",
		cache->path ? number_or_null(cache->bytes) : NULL);
	json_object_object_add(object, "cache_state",
		text_or_null(caches_state_name(caches_state(cache, most))));
	json_object_object_add(object, "first_compile_s", tenths_or_null(first->compile));
	json_object_object_add(object, "compiling_s", tenths_or_null(first->compiling));
	json_object_object_add(object, "first_collective_s", tenths_or_null(first->collective));
	json_object_object_add(object, "first_step_s", tenths_or_null(first->step));
	json_object_object_add(object, "timeout_s", tenths_or_null(first->timeout));
	json_object_object_add(object, "heartbeat_s", tenths_or_null(first->heartbeat));
	return object;
}

/* An array of how each rank came to its first step. */
static struct json_object *firsts_array(const struct job *job)
{
	struct json_object *array = json_object_new_array();
	struct firsts *firsts = firsts_new(job);
	int64_t most = caches_most(job);

	for (size_t i = 0; i < job->nranks; i++)
		json_object_array_add(array, first_object(&job->ranks[i], &firsts[i], most));
	firsts_free(firsts);
	return array;
}

static struct json_object *losses_array(const struct job *job)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < job->nlosses; i++) {
		const struct job_loss *loss = &job->losses[i];
		struct json_object *object = json_object_new_object();

		json_object_object_add(object, "rank",
			loss->rank == JOB_NONE
				? NULL
				: json_object_new_int(job->ranks[loss->rank].world_rank));
		json_object_object_add(object, "what", text_or_null(loss->what));
		json_object_object_add(object, "count", number_or_null(loss->count));
		json_object_object_add(object, "cite", text_or_null(loss->cite));
		json_object_array_add(array, object);
	}
	return array;
}

void report_json_add(struct str *into, const struct verdicts *verdicts)
{
	struct json_object *object = json_object_new_object();
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < verdicts->n; i++)
		json_object_array_add(array, verdict_object(verdicts, &verdicts->at[i]));
	json_object_object_add(object, "schema", json_object_new_string("inquest/1"));
	json_object_object_add(object, "job", job_object(verdicts));
	json_object_object_add(object, "verdicts", array);
	json_object_object_add(object, "not_judged", not_judged_array(verdicts));
	json_object_object_add(object, "losses", losses_array(verdicts->job));
	json_object_object_add(object, "ranks", firsts_array(verdicts->job));
	escape_json(into, json_object_to_json_string_ext(
				  object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
}

static int json_write(
	FILE *file, const struct verdicts *verdicts, const struct report_options *options)
{
	struct str text = {0};

	(void)options;
	report_json_add(&text, verdicts);
	str_add_char(&text, '\n');
	fwrite(str_text(&text), 1, text.len, file);
	str_release(&text);
	return fflush(file) || ferror(file) ? -1 : 0;
}

const struct report report_json = {"json", json_write};
