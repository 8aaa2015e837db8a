/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The receipt: what is known of the job and its environment, and what is not. What all ranks have
 * in common is a line; where they differ the few come first. The longer form has more of each.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "job/caches.h"
#include "viewer/pane/pane-alike.h"
#include "words/receipt-words.h"
#include "words/wording.h"

#define FEW  6 /* lines of one key */
#define MANY 200 /* in the longer form */

/* The order of the page. */
enum section {
	SECTION_EVIDENCE,
	SECTION_HOSTS,
	SECTION_TRAITS,
	SECTION_CACHES,
	SECTION_SHARDS,
	SECTION_STEPS,
	SECTION_LOGS,
};

/* The pane while it is filled. */
struct receipt_fill {
	struct pane_fill fill;
	struct alikes alikes;
};

/* Adds a line, and takes its words over. Returns its number. */
static size_t add(
	const struct receipt_fill *r, const char *key, struct str *words, const char *cite)
{
	struct pane_words line = pane_words_of(key);

	line.words = *words;
	line.cite = cite;
	line.style = STYLE_FAINT;
	*words = (struct str){0};
	return pane_words_add(&r->fill, &line);
}

/* Adds a section as the page has it, but that all is equally worth reading. */
static void add_section(const struct receipt_fill *r, struct page *page, enum page_kind kind)
{
	struct page_section section = page_section(page, kind, NULL);

	for (size_t i = 0; i < section.n; i++) {
		struct pane_words line = pane_words_of_line(r->fill.scene, &section.lines[i]);

		line.style = STYLE_FAINT;
		pane_words_add(&r->fill, &line);
	}
}

/* -- the job ----------------------------------------------------------------------------------- */

/* Adds "sft-41 (slurm:33.0): 8/8 ranks, attempt 1, stage STEADY, ended with status 0". */
static void add_job(const struct receipt_fill *r, struct page *page)
{
	struct page_section section = page_section(page, PAGE_JOB, NULL);
	const struct job *job = r->fill.scene->job;
	struct str words = {0};

	for (size_t i = 0; i < section.n; i++) {
		str_printf(&words, "%s%s", i > 1 ? ", " : i ? ": " : "", section.lines[i].words);
		if (!i && *job->name && strcmp(job->name, job->id) != 0)
			str_printf(&words, " (%s)", job->id);
	}
	if (job->ended == JOB_YES)
		str_printf(&words, ", ended with status %d", job->exit_status);
	add(r, "job", &words, "");
}

/* Adds where all comes from. */
static void add_origin(const struct receipt_fill *r)
{
	const struct scene *scene = r->fill.scene;
	struct str words = {0};

	str_printf(&words, "%s%s", scene->origin ? scene->origin : "",
		scene->live ? ", live" : "");
	add(r, "from", &words, "");
}

/* Adds when the job was launched, and looked at. */
static void add_times(const struct receipt_fill *r)
{
	const struct job *job = r->fill.scene->job;
	struct str words = {0};

	if (job->launched != JOB_UNKNOWN) {
		str_add(&words, "launched ");
		pane_add_date(&words, job->launched);
		str_add(&words, "; ");
	}
	str_add(&words, "looked at ");
	pane_add_date(&words, job->gathered);
	str_add(&words, " UTC");
	add(r, "when", &words, "");
}

/* Adds what would end the job by itself. */
static void add_limits(const struct receipt_fill *r)
{
	const struct verdicts *verdicts = r->fill.scene->verdicts;
	const struct job *job = r->fill.scene->job;
	const struct verdict *first = &verdicts->at[0];
	struct str words = {0};
	char text[CLOCK_TEXT_SIZE];

	if (verdicts->n && first->watchdog_left != JOB_UNKNOWN) {
		const struct wording_limit *limit = wording_limit(first->watchdog);

		if (first->watchdog_left <= 0)
			str_add(&words, r->fill.scene->live ? limit->over : limit->was_over);
		else
			str_printf(&words, "%s %s, when it was looked at", limit->ahead,
				clock_format(first->watchdog_left, text));
		add(r, "limit", &words, wording_limit_cite(first));
	}
	if (job->deadline != JOB_UNKNOWN) {
		str_add(&words, "the job's time ends ");
		pane_add_date(&words, job->deadline);
		str_add(&words, " UTC");
		add(r, "limit", &words, job->deadline_cite);
	}
	if (!verdicts->n ||
		(first->watchdog_left == JOB_UNKNOWN && job->deadline == JOB_UNKNOWN)) {
		str_add(&words, "nothing is known that would end it");
		add(r, "limit", &words, "");
	}
}

/* -- of each rank ------------------------------------------------------------------------------ */

/* Moves words into the pane's arena. */
static char *in_arena(const struct receipt_fill *r, struct str *words)
{
	char *text = arena_text(&r->fill.into->arena, str_text(words));

	str_release(words);
	return text;
}

/* Says of each rank which kinds of evidence there are. */
static void say_evidence(struct receipt_fill *r)
{
	static const struct {
		unsigned flag;
		const char *name;
	} kinds[] = {
		{JOB_KNOWS_RING, "ring"},
		{JOB_KNOWS_DUMP, "dump of the Flight Recorder: how far it came, not what it does"},
		{JOB_KNOWS_CENSUS, "census"},
		{JOB_KNOWS_COMPLETION, "completion of ops"},
		{JOB_KNOWS_PROC, "/proc"},
		{JOB_KNOWS_SAMPLES, "CPU samples"},
		{JOB_KNOWS_STACKS, "stacks"},
		{JOB_KNOWS_LOG, "stderr"},
		{JOB_KNOWS_EXIT, "life or end"},
	};
	const struct job *job = r->fill.scene->job;
	const char *texts[512] = {NULL};

	job_for_each_rank(job, rank) {
		unsigned knows = job_rank(job, rank)->knows & 511;
		struct str words = {0};

		for (size_t k = 0; !texts[knows] && k < sizeof(kinds) / sizeof(*kinds); k++)
			if (knows & kinds[k].flag)
				str_printf(&words, "%s%s", words.len ? ", " : "", kinds[k].name);
		if (!texts[knows])
			texts[knows] = words.len ? in_arena(r, &words) : "nothing";
		alikes_add(&r->alikes, SECTION_EVIDENCE, "known", texts[knows], rank, "");
	}
}

/*
 * Returns what is said of a host. Of many hosts only those are named of which something is to be
 * told.
 */
static const char *host_words(const struct receipt_fill *r, const struct job_host *host)
{
	bool odd = host->agent_alive == JOB_NO || host->oom_kills > 0;
	struct str words = {0};
	char text[CLOCK_TEXT_SIZE];

	if (odd || r->fill.scene->job->nhosts <= FEW)
		str_printf(&words, "%s; ", host->name);
	if (host->oom_kills != JOB_UNKNOWN)
		str_printf(&words, "oom_kill +%" PRId64 "; ", host->oom_kills);
	if (host->clock_error != JOB_UNKNOWN)
		str_printf(&words, "clock within %s; ", clock_format(host->clock_error, text));
	str_printf(&words, "agent %s",
		host->agent_alive == JOB_YES  ? "alive"
		: host->agent_alive == JOB_NO ? "gone"
					      : "not known");
	return in_arena(r, &words);
}

/* Says of each rank its host, and when that host's agent was heard last. */
static void say_hosts(struct receipt_fill *r)
{
	const struct job *job = r->fill.scene->job;
	const char **texts = alloc_zeroed(job->nhosts + 1, sizeof(*texts));

	for (size_t i = 0; i < job->nhosts; i++)
		texts[i] = host_words(r, &job->hosts[i]);
	job_for_each_rank(job, rank) {
		int number = job_rank(job, rank)->host;
		const struct job_host *host;
		struct alike *alike;

		if (number < 0 || (size_t)number >= job->nhosts)
			continue;
		host = &job->hosts[number];
		alike = alikes_add(&r->alikes, SECTION_HOSTS, "host", texts[number], rank,
			host->cite);
		alike->last = true;
		if (host->agent_beat == JOB_UNKNOWN || host->gathered < host->agent_beat)
			continue;
		alike->number = host->gathered - host->agent_beat;
		alike->unit = ALIKE_TIME;
		alike->before = ", last word ";
		alike->after = " before";
	}
	free(texts);
}

/* Says how many devices the process may open, and which of them it was told to see. */
static void say_gpus(struct receipt_fill *r, const struct job_trait *trait)
{
	struct str words = {0};

	if (trait->number > 0)
		str_printf(&words, "%" PRId64 " readable", trait->number);
	else
		str_add(&words, trait->number ? "not known" : "no GPU readable");
	if (*trait->text)
		str_printf(&words, "; CUDA_VISIBLE_DEVICES=%s", trait->text);
	alikes_add(&r->alikes, SECTION_TRAITS, trait->key, in_arena(r, &words), trait->rank,
		trait->cite);
}

/* Says what processes have told of themselves. */
static void say_traits(struct receipt_fill *r)
{
	const struct job *job = r->fill.scene->job;

	for (size_t i = 0; i < job->ntraits; i++) {
		const struct job_trait *trait = &job->traits[i];
		bool bytes = strstr(trait->key, "-bytes") != NULL;
		struct alike *alike;

		/* Of caches more is known than a process tells itself. */
		if (!strcmp(trait->key, "cache") || !strcmp(trait->key, "cache-bytes"))
			continue;
		if (!strcmp(trait->key, "gpus")) {
			say_gpus(r, trait);
			continue;
		}
		alike = alikes_add(&r->alikes, SECTION_TRAITS, trait->key, trait->text, trait->rank,
			trait->cite);
		/* Of who it is, the number says what stands before it anyhow. */
		if (!strcmp(trait->key, "rank-source"))
			continue;
		alike->number = trait->number;
		alike->unit = bytes ? ALIKE_BYTES : ALIKE_COUNT;
		if (!strcmp(trait->key, "timeout") || !strcmp(trait->key, "heartbeat"))
			alike->unit = ALIKE_TIME;
	}
}

/* Says of each rank the cache that it started with. */
static void say_caches(struct receipt_fill *r)
{
	const struct job *job = r->fill.scene->job;
	int64_t most = caches_most(job);

	job_for_each_rank(job, rank) {
		struct cache_found found = caches_found(job, rank);
		const char *state = caches_state_name(caches_state(&found, most));
		struct str words = {0};
		struct alike *alike;

		if (!found.path)
			continue;
		str_printf(&words, "%s%s%s", state ? state : "", state ? ", " : "", found.path);
		alike = alikes_add(&r->alikes, SECTION_CACHES, "cache", in_arena(r, &words), rank,
			found.cite);
		alike->number = found.files;
		alike->after = found.cut ? " files or more" : " files";
	}
}

/* Says of each rank its shard, its steps, and what it wrote last. */
static void say_marks(struct receipt_fill *r)
{
	const struct job *job = r->fill.scene->job;

	for (size_t i = 0; i < job->nshards; i++) {
		const struct job_shard *shard = &job->shards[i];
		struct verdict_fact fact = {.kind = FACT_SHARD,
			.text = shard->loader,
			.text2 = "",
			.a = (int64_t)shard->rows,
			.b = (int64_t)shard->elements,
			.c = (int64_t)shard->index,
			.cite = shard->cite};
		struct str words = {0};

		wording_fact(&words, &fact);
		alikes_add(&r->alikes, SECTION_SHARDS, "shard", in_arena(r, &words), shard->rank,
			shard->cite);
	}
	for (size_t i = 0; i < job->nsteps; i++) {
		struct alike *alike = alikes_add(&r->alikes, SECTION_STEPS, "steps", "",
			job->steps[i].rank, job->steps[i].cite);

		alike->number = (int64_t)job->steps[i].n;
		alike->after = " done";
	}
	for (size_t i = 0; i < job->nlogs; i++) {
		const struct job_log *log = &job->logs[i];
		const char *line = *log->error ? log->error : log->last_line;

		if (*line)
			alikes_add(&r->alikes, SECTION_LOGS, "stderr", line, log->rank, log->cite)
				->quoted = true;
	}
}

/* -- what is not there, and what the look has cost --------------------------------------------- */

/* Adds what is not there. */
static void add_losses(const struct receipt_fill *r, struct page *page)
{
	struct page_section lost = page_section(page, PAGE_LOST, NULL);
	size_t most = r->fill.place->all ? MANY : FEW * 2;

	for (size_t i = 0; i < lost.n && i < most; i++) {
		struct pane_words line = pane_words_of_line(r->fill.scene, &lost.lines[i]);

		line.most = 2;
		pane_words_add(&r->fill, &line);
	}
	if (lost.n > most)
		pane_add(r->fill.into, STYLE_FAINT, "%*s... and %zu others", PANE_COLUMN, "",
			lost.n - most);
}

/* Adds what was recorded and is not there any more: it is drawn as such. */
static void add_holes(const struct receipt_fill *r)
{
	const struct tracks *tracks = r->fill.scene->tracks;
	uint64_t records = 0, ops = 0;
	size_t ranks = 0;
	struct str words = {0};

	for (size_t i = 0; i < tracks->n; i++) {
		const struct track *track = &tracks->at[i];

		ranks += track->holed;
		records += track->lost_records;
		ops += track->lost_ops;
	}
	if (!ranks)
		return;
	str_printf(&words, "of %zu rank%s", ranks, ranks == 1 ? "" : "s");
	if (records)
		str_printf(&words, ", %" PRIu64 " records of what threads did", records);
	if (ops)
		str_printf(&words, ", %" PRIu64 " operations of which only the number is known",
			ops);
	str_add(&words, ": drawn as holes");
	add(r, "not kept", &words, "");
}

/*
 * Adds what `inquest receipt' says of it, but for what stands above: in the longer form only, since
 * beside other panes it would take their room.
 */
static void add_run(const struct receipt_fill *r)
{
	static const char *const above[] = {"when", "verdict", "bundle", "said", "not known"};
	const struct job *job = r->fill.scene->job;
	struct receipt_page page = {0};
	struct receipt receipt;

	if (!job->nlaunches || !r->fill.place->all)
		return;
	receipt_measure(job, NULL, &r->fill.into->arena, &receipt);
	receipt_page_of(&page, &receipt, true);
	for (size_t i = 0; i < page.lines.nr; i++) {
		struct str words = {0};
		bool is_above = false;

		for (size_t k = 0; k < sizeof(above) / sizeof(*above); k++)
			is_above |= !strcmp(page.lines.items[i].key, above[k]);
		if (is_above)
			continue;
		str_add(&words, page.lines.items[i].words);
		add(r, page.lines.items[i].key, &words, receipt.launch.cite);
	}
	for (size_t i = 0; i < page.table.nr; i++)
		pane_add(r->fill.into, STYLE_FAINT, " %s", page.table.items[i]);
	receipt_page_release(&page);
}

void pane_fill_receipt(
	const struct scene *scene, const struct pane_place *place, struct pane_lines *into)
{
	struct receipt_fill r = {.fill = {scene, place, into}};
	struct page page = pane_page(scene);

	into->here = -1;
	add_origin(&r);
	add_section(&r, &page, PAGE_OTHERS);
	add_job(&r, &page);
	add_section(&r, &page, PAGE_FIRST);
	add_times(&r);
	add_limits(&r);
	add_losses(&r, &page);
	add_holes(&r);
	add_section(&r, &page, PAGE_READ);
	page_release(&page);
	say_evidence(&r);
	say_hosts(&r);
	say_traits(&r);
	say_caches(&r);
	say_marks(&r);
	alikes_tell(&r.alikes, &r.fill, place->all ? MANY : FEW);
	add_run(&r);
}
