/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schema inquest/1: every key is always there, null for what is not known, in the order in which
 * they are added here; decimals are fixed; strings are valid UTF-8. So equal verdicts give equal
 * bytes. Keys are only ever added. inquest-verdicts(7) describes the classes, inquest(1) the
 * document.
 */
#include <inttypes.h>
#include <json-c/json.h>
#include <string.h>

#include "base/clock.h"
#include "job/firsts.h"
#include "job/names.h"
#include "words/escape.h"
#include "words/headline.h"
#include "words/coverage.h"
#include "words/last-quotes.h"
#include "words/next.h"
#include "words/preset.h"
#include "words/tense.h"
#include "report/json-coverage.h"
#include "report/json-line.h"
#include "report/json-parts.h"
#include "report/json-stacks.h"
#include "report/report.h"
#include "words/wording.h"

/* Makes the words of a fact. */
static struct json_object *words_of(const struct verdict_fact *fact)
{
	struct str words = {0};
	struct json_object *object;

	wording_fact(&words, fact);
	object = json_text(str_text(&words));
	str_release(&words);
	return object;
}

/* Makes a group's key, as a text: a program that reads numbers as doubles would spoil it. */
static struct json_object *key_text(uint64_t key)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%016" PRIx64, key);
	return json_object_new_string(text);
}

/* Returns a group by its number; NULL where there is none of that number. */
static const struct job_group *group_at(const struct job *job, int group)
{
	return group >= 0 && (size_t)group < job->ngroups ? &job->groups[group] : NULL;
}

/* Makes what is known of the job itself. */
static struct json_object *job_object(const struct verdicts *verdicts)
{
	const struct job *job = verdicts->job;
	struct json_object *object = json_object_new_object();
	struct json_object *hosts = json_object_new_array();
	int seen = 0;

	job_for_each_rank(job, rank)
		seen += job_rank(job, rank)->process != JOB_NONE;
	for (size_t i = 0; i < job->nhosts; i++)
		json_object_array_add(hosts, json_text(job->hosts[i].name));
	json_object_object_add(object, "id", json_text(job->id));
	json_object_object_add(object, "name", *job->name ? json_text(job->name) : NULL);
	json_object_object_add(object, "world_size",
		job->world_size == JOB_NONE ? NULL : json_object_new_int(job->world_size));
	json_object_object_add(object, "ranks_seen", json_object_new_int(seen));
	json_object_object_add(object, "hosts", hosts);
	json_object_object_add(object, "stage", json_text(verdict_stage_name(verdicts->stage)));
	json_object_object_add(object, "attempt", json_object_new_int(job->attempt));
	json_object_object_add(object, "ended",
		job->ended == JOB_MAYBE ? NULL : json_object_new_boolean(job->ended == JOB_YES));
	json_object_object_add(object, "exit_status",
		job->ended == JOB_YES && job->exit_status >= 0
			? json_object_new_int(job->exit_status)
			: NULL);
	return object;
}

/* Makes the list of members whose rank nobody knows, by group and seat. */
static struct json_object *seats_array(const struct job *job, const struct verdict *verdict)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < verdict->nunknown; i++) {
		const struct verdict_seat *seat = &verdict->unknown_members[i];
		const struct job_group *group = group_at(job, seat->group);
		struct json_object *object = json_object_new_object();

		json_object_object_add(object, "group", group ? key_text(group->key) : NULL);
		json_object_object_add(object, "seat", json_object_new_int64(seat->seat.n));
		json_object_array_add(array, object);
	}
	return array;
}

/* Makes a group; null for none. Its size is null where nobody told it. */
static struct json_object *group_object(const struct job_group *group)
{
	struct json_object *object;

	if (!group)
		return NULL;
	object = json_object_new_object();
	json_object_object_add(object, "id", key_text(group->key));
	json_object_object_add(object, "name", json_text(group->name));
	json_object_object_add(
		object, "size", group->sized ? json_object_new_int64(group->size) : NULL);
	return object;
}

/* Makes the operation that a verdict is about; null where it is about none. */
static struct json_object *op_object(const struct verdict *verdict)
{
	struct json_object *object;

	if (!verdict->op_index)
		return NULL;
	object = json_object_new_object();
	json_object_object_add(object, "index", json_object_new_int64((int64_t)verdict->op_index));
	json_object_object_add(object, "name", json_text(job_op_name(verdict->op.op)));
	return object;
}

/* Makes an array of the numbers of a set; null for each rank whose number nobody knows. */
static struct json_object *add_ranks(const struct job *job, struct verdict_ranks ranks)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < ranks.n; i++)
		json_object_array_add(array, json_rank(job, ranks.at[i]));
	return array;
}

/*
 * Makes a fact. `rank` is the one that it is about, null where it is about none or several; `ranks`
 * are all.
 */
static struct json_object *fact_object(const struct job *job, const struct verdict_fact *fact)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "rank",
		fact->ranks.n == 1 ? json_rank(job, fact->ranks.at[0]) : NULL);
	json_object_object_add(object, "ranks", add_ranks(job, fact->ranks));
	json_object_object_add(object, "fact", words_of(fact));
	json_object_object_add(object, "cite", json_text(fact->cite));
	return object;
}

/* Makes the list of what speaks for a verdict. */
static struct json_object *evidence_array(const struct job *job, const struct verdict *verdict)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < verdict->nevidence; i++)
		json_object_array_add(array, fact_object(job, &verdict->evidence[i]));
	return array;
}

/* Makes the list of classes that were ruled out, each with the fact that did so. */
static struct json_object *ruled_out_array(const struct verdict *verdict)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < verdict->nruled_out; i++) {
		const struct verdict_ruled_out *out = &verdict->ruled_out[i];
		struct json_object *object = json_object_new_object();

		json_object_object_add(
			object, "class", json_text(verdict_class_name(out->class)));
		json_object_object_add(object, "why", words_of(&out->why));
		json_object_object_add(object, "cite", json_text(out->why.cite));
		json_object_array_add(array, object);
	}
	return array;
}

/* Makes the list of camps: two where ranks do different things, else none or one. */
static struct json_object *camps_array(const struct job *job, const struct verdict *verdict)
{
	struct json_object *array = json_object_new_array();

	if (verdict->camp_a.n)
		json_object_array_add(array, add_ranks(job, verdict->camp_a));
	if (verdict->camp_b.n)
		json_object_array_add(array, add_ranks(job, verdict->camp_b));
	return array;
}

/* Adds what is told in words: headline, evidence, what was ruled out, and the next step. */
static void add_sentences(struct json_object *object, const struct verdicts *verdicts,
	const struct verdict *verdict, enum tense tense)
{
	struct steps steps = {0};
	struct str sentence = {0};

	headline_sentence(&sentence, verdicts, verdict);
	json_object_object_add(object, "headline", json_text(str_text(&sentence)));
	json_object_object_add(object, "evidence", evidence_array(verdicts->job, verdict));
	json_object_object_add(object, "ruled_out", ruled_out_array(verdict));
	json_object_object_add(object, "cause", json_text(verdict_cause_name(verdict->cause)));
	json_object_object_add(object, "where", json_text(verdict_where_name(verdict->where)));
	str_cut(&sentence, 0);
	next_add(&steps, verdicts, verdict, tense);
	coverage_add_surety(&steps, verdicts, verdict, tense);
	preset_add(&steps, verdicts, verdict);
	steps_add_text(&sentence, &steps);
	steps_release(&steps);
	json_object_object_add(
		object, "next", sentence.len ? json_text(str_text(&sentence)) : NULL);
	str_release(&sentence);
}

/* Makes seconds with one decimal, cut, as the text report cuts them; null for JOB_UNKNOWN. */
static struct json_object *add_tenths(int64_t ns)
{
	char text[32];
	int64_t tenths;

	if (ns == JOB_UNKNOWN)
		return NULL;
	tenths = ns < 0 ? 0 : ns / (CLOCK_NS_PER_S / 10);
	snprintf(text, sizeof(text), "%" PRId64 ".%" PRId64, tenths / 10, tenths % 10);
	return json_object_new_double_s((double)tenths / 10, text);
}

/* Makes one verdict. */
static struct json_object *verdict_object(
	const struct verdicts *verdicts, const struct verdict *verdict, enum tense tense)
{
	const struct job *job = verdicts->job;
	struct json_object *object = json_object_new_object();
	int64_t left = verdict->watchdog_left;

	json_object_object_add(object, "class", json_text(verdict_class_name(verdict->class)));
	json_object_object_add(object, "family", json_text(verdict_family_name(verdict->class)));
	json_object_object_add(
		object, "confidence", json_text(verdict_confidence_name(verdict->confidence)));
	json_object_object_add(
		object, "outlook", json_text(verdict_outlook_name(verdict->outlook)));
	json_object_object_add(object, "watchdog_s",
		json_number(left == JOB_UNKNOWN ? left : left / CLOCK_NS_PER_S));
	json_object_object_add(
		object, "watchdog", json_text(verdict_limit_name(verdict->watchdog)));
	json_object_object_add(object, "culprits", add_ranks(job, verdict->culprits));
	json_object_object_add(object, "victims", add_ranks(job, verdict->victims));
	json_object_object_add(object, "camps", camps_array(job, verdict));
	json_object_object_add(object, "unknown_members", seats_array(job, verdict));
	json_object_object_add(object, "group", group_object(group_at(job, verdict->group)));
	json_object_object_add(object, "op", op_object(verdict));
	json_object_object_add(object, "waiting_s", add_tenths(verdict->waiting));
	add_sentences(object, verdicts, verdict, tense);
	return object;
}

/* Makes the list of rules that lacked what they need, of which ranks. */
static struct json_object *not_judged_array(const struct verdicts *verdicts)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < verdicts->nnot_judged; i++) {
		const struct verdict_not_judged *not = &verdicts->not_judged[i];
		struct json_object *object = json_object_new_object();
		struct str needs = {0};

		json_object_object_add(
			object, "rule", json_text(verdict_class_name(not ->class)));
		wording_need(&needs, verdicts->job, not );
		json_object_object_add(object, "needs", json_text(str_text(&needs)));
		str_release(&needs);
		json_object_object_add(object, "ranks", add_ranks(verdicts->job, not ->ranks));
		json_object_array_add(array, object);
	}
	return array;
}

/* Makes a text; null for "". */
static struct json_object *known_text(const char *text)
{
	return *text ? json_text(text) : NULL;
}

/*
 * Makes how one rank came to its first step. `most` is how many files the fullest cache of any rank
 * has.
 */
static struct json_object *first_object(
	const struct job *job, struct rank_index rank, const struct firsts *first, int64_t most)
{
	const struct cache_found *cache = &first->cache;
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "rank", json_rank(job, rank));
	json_object_object_add(object, "framework", known_text(first->framework));
	json_object_object_add(object, "mode", known_text(first->mode));
	json_object_object_add(object, "backend", known_text(first->backend));
	json_object_object_add(object, "gpus", json_number(first->gpus));
	json_object_object_add(object, "cache", json_text(cache->path));
	json_object_object_add(object, "cache_files",
		cache->path ? json_number(cache->files) : NULL);
	json_object_object_add(object, "cache_bytes",
		cache->path ? json_number(cache->bytes) : NULL);
	json_object_object_add(object, "cache_state",
		json_text(caches_state_name(caches_state(cache, most))));
	json_object_object_add(object, "first_compile_s", add_tenths(first->compile));
	json_object_object_add(object, "compiling_s", add_tenths(first->compiling));
	json_object_object_add(object, "first_collective_s", add_tenths(first->collective));
	json_object_object_add(object, "first_step_s", add_tenths(first->step));
	json_object_object_add(object, "timeout_s", add_tenths(first->timeout));
	json_object_object_add(object, "heartbeat_s", add_tenths(first->heartbeat));
	json_object_object_add(object, "last_words", json_text(last_words_of(job, rank)));
	return object;
}

/* Makes an array of how each rank came to its first step. */
static struct json_object *firsts_array(const struct job *job)
{
	struct json_object *array = json_object_new_array();
	struct firsts *firsts = firsts_new(job);
	int64_t most = caches_most(job);

	job_for_each_rank(job, rank)
		json_object_array_add(array, first_object(job, rank, &firsts[rank.i], most));
	firsts_free(firsts);
	return array;
}

/* Makes the list of what was recorded and is gone, or could not be read. */
static struct json_object *losses_array(const struct job *job)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < job->nlosses; i++) {
		const struct job_loss *loss = &job->losses[i];
		struct json_object *object = json_object_new_object();

		json_object_object_add(object, "rank", json_rank(job, loss->rank));
		json_object_object_add(object, "what", json_text(loss->what));
		json_object_object_add(object, "count", json_number(loss->count));
		json_object_object_add(object, "cite", json_text(loss->cite));
		json_object_array_add(array, object);
	}
	return array;
}

/* Lists the files that were asked for: what each was taken for, or why it was passed over. */
static struct json_object *files_array(const struct report_options *options)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < options->nfiles; i++) {
		const struct page_file *file = &options->files[i];
		struct json_object *object = json_object_new_object();

		json_object_object_add(object, "path", json_text(file->path));
		json_object_object_add(
			object, "taken_for", file->is ? json_text(file->is) : NULL);
		json_object_object_add(
			object, "passed_over", file->why ? json_text(file->why) : NULL);
		json_object_array_add(array, object);
	}
	return array;
}

/* Lists the jobs whose bundles were there as well, with the files by which they can be judged. */
static struct json_object *left_array(const struct report_options *options)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < options->nleft; i++) {
		const struct report_left *left = &options->left[i];
		struct json_object *object = json_object_new_object();
		struct json_object *files = json_object_new_array();

		json_object_object_add(object, "id", known_text(left->id));
		json_object_object_add(object, "name", known_text(left->name));
		for (size_t k = 0; k < left->nfiles; k++)
			json_object_array_add(files, json_text(left->files[k]));
		json_object_object_add(object, "files", files);
		json_object_array_add(array, object);
	}
	return array;
}

/*
 * Tells who waits, for whom, and from when on it is a hang; null where it is not too early to tell.
 */
static struct json_object *early_object(const struct verdicts *verdicts)
{
	const struct verdict_early *early = &verdicts->early;
	struct json_object *object;

	if (!early->ranks.n)
		return NULL;
	object = json_object_new_object();
	json_object_object_add(object, "ranks", add_ranks(verdicts->job, early->ranks));
	json_object_object_add(object, "waits_for", add_ranks(verdicts->job, early->awaited));
	json_object_object_add(object, "age_s", add_tenths(early->age));
	json_object_object_add(object, "threshold_s", add_tenths(early->threshold));
	return object;
}

/* Returns "live", "ended" or "recorded", as the document calls the state. */
static const char *tense_name(enum tense tense)
{
	static const char *const names[] = {[TENSE_LIVE] = "live",
		[TENSE_ENDED] = "ended",
		[TENSE_RECORDED] = "recorded",
		[TENSE_PAST] = "recorded"};

	return names[tense];
}

/* Makes the document without the stacks. Where `bundle` is NULL, it has no such key. */
static struct json_object *document_of(
	const struct verdicts *verdicts, const struct report_options *options, const char *bundle)
{
	struct json_object *object = json_object_new_object();
	struct json_object *array = json_object_new_array();
	const struct tense_clock clock = {options->now, options->written};
	enum tense tense = tense_to_act(verdicts, options->live, &clock);

	for (size_t i = 0; i < verdicts->n; i++)
		if (verdicts->at[i].class != VERDICT_TOO_EARLY)
			json_object_array_add(
				array, verdict_object(verdicts, &verdicts->at[i], tense));
	json_object_object_add(object, "schema", json_object_new_string("inquest/1"));
	if (bundle)
		json_object_object_add(object, "bundle", known_text(bundle));
	json_object_object_add(object, "job", job_object(verdicts));
	json_object_object_add(object, "verdicts", array);
	json_object_object_add(object, "not_judged", not_judged_array(verdicts));
	json_object_object_add(object, "losses", losses_array(verdicts->job));
	json_object_object_add(object, "ranks", firsts_array(verdicts->job));
	json_object_object_add(object, "stacks", NULL);
	json_object_object_add(object, "as_of", json_stamp(verdicts->job->coverage.to));
	json_object_object_add(
		object, "state", json_text(tense_name(tense)));
	json_object_object_add(object, "coverage", json_coverage(verdicts, tense));
	json_object_object_add(object, "too_early", early_object(verdicts));
	json_object_object_add(object, "left_out", left_array(options));
	json_object_object_add(object, "files", files_array(options));
	return object;
}

/* Appends the whole document, with the stacks. */
static void add_all(
	struct str *into, const struct verdicts *verdicts, const struct report_options *options)
{
	struct json_object *object = document_of(verdicts, options, NULL);

	json_object_object_add(object, "stacks", json_stacks(verdicts));
	escape_json(into, json_object_to_json_string_ext(
				  object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
}

void report_json_add(struct str *into, const struct verdicts *verdicts)
{
	add_all(into, verdicts, &(const struct report_options){.live = true});
}

void report_json_line(
	struct str *into, const struct verdicts *verdicts, const char *bundle, size_t most)
{
	struct json_object *object =
		document_of(
		verdicts, &(const struct report_options){.live = true}, bundle ? bundle : "");

	json_line_add(into, object, most);
	json_object_put(object);
}

/* Writes the document and a newline. -1 where the file cannot be written. */
static int json_write(
	FILE *file, const struct verdicts *verdicts, const struct report_options *options)
{
	struct str text = {0};

	add_all(&text, verdicts, options);
	str_add_char(&text, '\n');
	fwrite(str_text(&text), 1, text.len, file);
	str_release(&text);
	return fflush(file) || ferror(file) ? -1 : 0;
}

const struct report report_json = {"json", json_write};
