/* SPDX-License-Identifier: Apache-2.0 */
#include "words/receipt-words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "words/receipt-table.h"
#include "words/wording.h"

#define NOT_KNOWN "not known"

/* -- pieces ------------------------------------------------------------------------------------ */

void receipt_add_date(struct str *into, int64_t when)
{
	time_t seconds = (time_t)(when / CLOCK_NS_PER_S);
	char text[64] = NOT_KNOWN;
	struct tm parts;

	if (when != JOB_UNKNOWN && when > 0 && gmtime_r(&seconds, &parts))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &parts);
	str_add(into, text);
}

/* Appends the later date; only its time if it is the same day. */
static void add_until(struct str *into, int64_t from, int64_t until)
{
	struct str first = {0}, second = {0};
	size_t day = strlen("2026-11-22 ");

	receipt_add_date(&first, from);
	receipt_add_date(&second, until);
	str_add(into, first.len > day && second.len > day && !memcmp(first.text, second.text, day)
			      ? second.text + day
			      : str_text(&second));
	str_release(&first);
	str_release(&second);
}

void receipt_add_span(struct str *into, int64_t ns)
{
	char text[CLOCK_TEXT_SIZE];

	str_add(into, ns == JOB_UNKNOWN ? NOT_KNOWN : clock_format(ns, text));
}

void receipt_add_ranks(struct str *into, const int64_t *numbers, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t last = i;

		while (last + 1 < n && numbers[last + 1] == numbers[last] + 1)
			last++;
		str_printf(into, "%s%" PRId64, i ? "," : "", numbers[i]);
		if (last > i)
			str_printf(into, "%s%" PRId64, last > i + 1 ? "-" : ",", numbers[last]);
		i = last;
	}
}

/* Appends texts, with that between them. */
static void add_texts(struct str *into, const struct launch_texts *texts, const char *between)
{
	for (size_t i = 0; i < texts->n; i++)
		str_printf(into, "%s%s", i ? between : "", texts->at[i]);
}

/* -- the answer -------------------------------------------------------------------------------- */

void receipt_state(struct str *into, const struct receipt *receipt)
{
	if (receipt->lost)
		str_add(into, "lost");
	else if (!strcmp(receipt->state, "error") && receipt->exit_status != JOB_UNKNOWN)
		str_printf(into, "failed %" PRId64, receipt->exit_status);
	else if (!strcmp(receipt->state, "error"))
		str_add(into, "failed");
	else
		str_add(into, *receipt->state ? receipt->state : NOT_KNOWN);
}

void receipt_title(struct str *into, const struct receipt *receipt)
{
	static const struct {
		const char *state, *words;
	} all[] = {{"launched", " WAS LAUNCHED"}, {"running", " RUNS"}, {"hung", " HANGS"},
		{"ok", " ENDED OK"}, {"recorded", ", AS A BUNDLE HAS IT: NO END RECORDED"}};
	const char *words = ": " NOT_KNOWN;

	str_add(into, *receipt->launch.name ? receipt->launch.name : receipt->launch.job);
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (!strcmp(receipt->state, all[i].state))
			words = all[i].words;
	if (receipt->lost) {
		str_add(into, ": NO END RECORDED; last seen ");
		receipt_add_date(into, receipt->seen);
		str_add(into, " UTC");
	} else if (!strcmp(receipt->state, "error")) {
		str_printf(into, " FAILED, STATUS %" PRId64, receipt->exit_status);
	} else {
		str_add(into, words);
	}
}

/* -- lines of the whole run -------------------------------------------------------------------- */

/* Adds a line of these words, which are emptied. */
static struct receipt_line *add(struct receipt_page *page, const char *key, struct str *words)
{
	struct receipt_line *line = array_add(&page->lines);

	line->key = key;
	line->words = str_detach(words);
	line->cite = "";
	return line;
}

/* Says when it ran, for how long, in how many attempts, and how it ended. */
static void say_when(struct receipt_page *page, const struct receipt *r)
{
	int64_t until = r->ended != JOB_UNKNOWN ? r->ended : r->seen;
	struct str words = {0};

	receipt_add_date(&words, r->launch.launched);
	str_add(&words, r->ended != JOB_UNKNOWN ? " to " : "; seen until ");
	add_until(&words, r->launch.launched, until);
	str_add(&words, " UTC, ");
	receipt_add_span(&words, receipt_took(r));
	if (r->attempts != JOB_UNKNOWN)
		str_printf(&words, ", %" PRId64 " attempt%s", r->attempts,
			r->attempts == 1 ? "" : "s");
	if (r->exit_status != JOB_UNKNOWN)
		str_printf(&words, ", status %" PRId64, r->exit_status);
	else
		str_add(&words, ", no end recorded");
	add(page, "when", &words);
}

/* Says the verdict, what the run said last, and its bundle. */
static void say_verdict(struct receipt_page *page, const struct receipt *r)
{
	struct str words = {0};

	if (*r->verdict)
		str_add(&words, r->verdict);
	if (r->hangs != JOB_UNKNOWN && r->hangs > 0)
		str_printf(&words, "%s%" PRId64 " earlier one%s it moved on from",
			words.len ? "; " : "", r->hangs, r->hangs == 1 ? "" : "s");
	if (words.len)
		add(page, "verdict", &words);
	if (*r->last_words) {
		str_printf(&words, "\"%s\"", r->last_words);
		add(page, "said", &words);
	}
	if (*r->bundle) {
		str_printf(&words, "%s", r->bundle);
		add(page, "bundle", &words);
	}
}

/* Says what was run, where, and of which revision. */
static void say_launch(struct receipt_page *page, const struct job_launch *launch)
{
	struct str words = {0};

	add_texts(&words, &launch->argv, " ");
	str_printf(&words, "%s%s%s", words.len ? "" : NOT_KNOWN, *launch->cwd ? "  in " : "",
		launch->cwd);
	add(page, "command", &words);
	if (*launch->revision) {
		str_add_bytes(&words, launch->revision, strnlen(launch->revision, 12));
		if (*launch->branch)
			str_printf(&words, " %s",
				!strncmp(launch->branch, "refs/heads/", 11) ? launch->branch + 11
									    : launch->branch);
		str_add(&words, launch->dirty == JOB_YES ? ", DIRTY (tracked files differ)"
				: launch->dirty == JOB_NO ? ", clean"
							  : ", whether it was clean is not known");
	} else {
		str_add(&words, "revision not known: no git there");
	}
	add(page, "code", &words);
}

/* Says what machine it ran on. */
static void say_machine(struct receipt_page *page, const struct job_launch *launch)
{
	struct str words = {0};

	str_add(&words, *launch->host ? launch->host : "host " NOT_KNOWN);
	if (launch->cpus != JOB_UNKNOWN)
		str_printf(&words, ", %" PRId64 " CPUs", launch->cpus);
	if (launch->memory != JOB_UNKNOWN) {
		str_add(&words, ", ");
		wording_bytes(&words, launch->memory);
	}
	if (*launch->kernel)
		str_printf(&words, ", linux %s", launch->kernel);
	if (*launch->image)
		str_printf(&words, ", image %s", launch->image);
	add(page, "machine", &words);
}

/*
 * Tells storage: "data nfs4 /data/x; cache ext4 /tmp/torchinductor_me", one path for each role and
 * type.
 */
static void say_storage(struct receipt_page *page, const struct job_launch *launch)
{
	struct str words = {0};

	for (size_t i = 0; i < launch->nstorage; i++) {
		const struct launch_storage *one = &launch->storage[i];
		bool told = false;

		for (size_t k = 0; k < i && !told; k++)
			told = !strcmp(launch->storage[k].role, one->role) &&
			       !strcmp(launch->storage[k].type, one->type);
		if (!told)
			str_printf(&words, "%s%s %s%s%s", words.len ? "; " : "", one->role,
				one->type, *one->path ? " " : "", one->path);
	}
	if (words.len)
		add(page, "storage", &words);
}

/* Says with what framework it ran, and how many ranks there were. */
static void say_runtime(struct receipt_page *page, const struct receipt *r)
{
	const char *const parts[] = {r->framework, r->backend, r->mode};
	struct str words = {0};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (*parts[i])
			str_printf(&words, "%s%s", words.len ? ", " : "", parts[i]);
	if (*r->python)
		str_printf(&words, "%sPython %s", words.len ? ", " : "", r->python);
	if (words.len)
		str_add(&words, ", ");
	if (r->world_size != JOB_UNKNOWN && r->nranks)
		str_printf(&words, "%" PRId64 " ranks", r->world_size);
	else if (r->nranks || r->left_out > 0)
		str_printf(&words, "%zu ranks seen", r->nranks + (size_t)r->left_out);
	else
		str_add(&words, "no rank was seen");
	add(page, "runtime", &words);
}

/* Packages that jobs of this kind stand on: these are named, the others counted. */
static const char *const named[] = {"torch", "jax", "triton", "pytorch_triton", "numpy",
	"nvidia_nccl_cu12", "nvidia_nccl_cu13", "transformers", "accelerate", "deepspeed",
	"lightning", "ray", "flash_attn", "mpi4py"};

/* True for a package that is named. */
static bool is_named(const char *package)
{
	for (size_t i = 0; i < sizeof(named) / sizeof(*named); i++)
		if (!strcmp(package, named[i]))
			return true;
	return false;
}

/* Says which packages were there. */
static void say_packages(struct receipt_page *page, const struct receipt *r, bool all)
{
	struct str words = {0};
	size_t more = 0;

	if (!r->packages_known)
		return;
	for (size_t i = 0; i < r->npackages; i++) {
		if (!all && !is_named(r->packages[i].name))
			more++;
		else
			str_printf(&words, "%s%s %s", words.len ? ", " : "", r->packages[i].name,
				r->packages[i].value);
	}
	if (more)
		str_printf(&words, "%s%zu%s: --all lists them", words.len ? "; " : "", more,
			words.len ? " more" : "");
	if (r->packages_cut)
		str_printf(&words, "%sthere were more than had room", words.len ? "; " : "");
	add(page, "packages", &words);
}

/* Returns how many GPUs each rank may open; JOB_UNKNOWN where ranks differ. */
static int64_t gpus_of(const struct receipt *r)
{
	int64_t gpus = r->nranks ? r->ranks[0].gpus : JOB_UNKNOWN;

	for (size_t i = 0; i < r->nranks; i++)
		if (r->ranks[i].gpus != gpus)
			return JOB_UNKNOWN;
	return gpus;
}

/* Says which GPUs were asked for, and which were there. */
static void say_gpus(struct receipt_page *page, const struct receipt *r)
{
	const char *asked = launch_variable(&r->launch, "CUDA_VISIBLE_DEVICES");
	const struct launch_texts *gpus = &r->launch.gpus;
	int64_t readable = gpus_of(r);
	struct str words = {0};

	if (asked)
		str_printf(&words, "asked: CUDA_VISIBLE_DEVICES=%s", asked);
	else
		str_printf(&words, "asked: %s", r->launch.env_known ? "not said" : NOT_KNOWN);
	str_add(&words, "; seen: ");
	for (size_t i = 0; i < gpus->n; i++) {
		size_t same = 1;

		while (i + same < gpus->n && !strcmp(gpus->at[i], gpus->at[i + same]))
			same++;
		str_printf(&words, "%s%zu x %s", i ? ", " : "", same, gpus->at[i]);
		i += same - 1;
	}
	if (!gpus->n && readable != JOB_UNKNOWN)
		str_printf(&words, "%" PRId64 " that a rank may open", readable);
	else if (!gpus->n)
		str_add(&words, NOT_KNOWN);
	if (*r->launch.driver)
		str_printf(&words, ", driver %s", r->launch.driver);
	add(page, "gpus", &words);
}

/* -- caches, compiles, input ------------------------------------------------------------------- */

/* Appends the numbers of those ranks for which `is` holds. Returns how many they are. */
static size_t add_those(struct str *into, const struct receipt *r,
	bool (*is)(const struct receipt *r, const struct receipt_rank *rank, int what), int what)
{
	int64_t *numbers = alloc_zeroed(r->nranks + 1, sizeof(*numbers));
	size_t n = 0;

	for (size_t i = 0; i < r->nranks; i++)
		if (is(r, &r->ranks[i], what))
			numbers[n++] = r->ranks[i].number == JOB_UNKNOWN ? (int64_t)i
									 : r->ranks[i].number;
	receipt_add_ranks(into, numbers, n);
	free(numbers);
	return n;
}

/* True if the rank's cache was in that state (enum cache_state) at the start. For add_those(). */
static bool has_cache(const struct receipt *r, const struct receipt_rank *rank, int what)
{
	return receipt_cache(r, rank) == (enum cache_state)what;
}

/* True if it is known so (enum job_known) that the rank reused its cache. For add_those(). */
static bool has_reused(const struct receipt *r, const struct receipt_rank *rank, int what)
{
	return receipt_reused(r, rank) == (enum job_known)what;
}

/* Appends how many files the caches of that state had. */
static void add_files(struct str *into, const struct receipt *r, enum cache_state state)
{
	int64_t least = INT64_MAX, most = JOB_UNKNOWN;

	for (size_t i = 0; i < r->nranks; i++) {
		int64_t files = r->ranks[i].cache_files;

		if (receipt_cache(r, &r->ranks[i]) != state || files == JOB_UNKNOWN)
			continue;
		least = files < least ? files : least;
		most = files > most ? files : most;
	}
	if (most == least)
		str_printf(into, " (%" PRId64 " files)", most);
	else if (most != JOB_UNKNOWN)
		str_printf(into, " (%" PRId64 "-%" PRId64 " files)", least, most);
}

/* Appends how many files the caches had at the end. */
static void add_after(struct str *into, const struct receipt *r)
{
	if (!r->after_known)
		str_add(into, NOT_KNOWN);
	for (size_t i = 0; i < r->nafter && r->after_known; i++)
		str_printf(into, "%s%" PRId64 "%s files%s%s", i ? ", " : "", r->after[i].files,
			r->after[i].cut ? " or more" : "", r->nafter > 1 ? " in " : "",
			r->nafter > 1 ? r->after[i].path : "");
}

/* Says which caches were cold or warm, how many files they had at the end, and who reused them. */
static void say_caches(struct receipt_page *page, const struct receipt *r)
{
	struct str words = {0}, ranks = {0};

	if (!r->nranks)
		return;
	for (enum cache_state state = CACHE_UNKNOWN; state <= CACHE_WARM; state++) {
		str_cut(&ranks, 0);
		if (!add_those(&ranks, r, has_cache, (int)state))
			continue;
		str_printf(&words, "%s%s %s", words.len ? ", " : "start: ", ranks.text,
			state ? caches_state_name(state) : NOT_KNOWN);
		if (state)
			add_files(&words, r, state);
	}
	str_add(&words, "; end: ");
	add_after(&words, r);
	str_cut(&ranks, 0);
	if (add_those(&ranks, r, has_reused, JOB_YES))
		str_printf(&words, "; reused by %s", ranks.text);
	str_cut(&ranks, 0);
	if (add_those(&ranks, r, has_reused, JOB_NO))
		str_printf(&words, "; rebuilt by %s", ranks.text);
	add(page, "cache", &words);
	str_release(&ranks);
}

/* Says how long ranks compiled, and how much of that came after the first step. */
static void say_compiles(struct receipt_page *page, const struct receipt *r)
{
	int64_t later = 0;
	struct str words = {0};

	if (r->compiled == JOB_UNKNOWN)
		return;
	str_add(&words, "some rank compiled for ");
	receipt_add_span(&words, r->compiled);
	str_add(&words, " of ");
	receipt_add_span(&words, receipt_took(r));
	for (size_t i = 0; i < r->nranks; i++)
		if (r->ranks[i].recompiling > later)
			later = r->ranks[i].recompiling;
	if (later) {
		str_add(&words, "; one for ");
		receipt_add_span(&words, later);
		str_add(&words, " of it after its first step");
	}
	add(page, "badput", &words);
}

/*
 * Appends the least and the most that ranks took; `member` is the offset of that time in
 * receipt_rank. Returns false where no rank's is known.
 */
static bool add_range(struct str *into, const struct receipt *r, size_t member)
{
	int64_t least = INT64_MAX, most = JOB_UNKNOWN;

	for (size_t i = 0; i < r->nranks; i++) {
		int64_t n;

		memcpy(&n, (const char *)&r->ranks[i] + member, sizeof(n));
		if (n == JOB_UNKNOWN)
			continue;
		least = n < least ? n : least;
		most = n > most ? n : most;
	}
	if (most == JOB_UNKNOWN)
		return false;
	receipt_add_span(into, least);
	if (most != least) {
		str_add(into, " to ");
		receipt_add_span(into, most);
	}
	return true;
}

/* Says how long ranks waited for input, and for checkpoints. */
static void say_waits(struct receipt_page *page, const struct receipt *r)
{
	bool whole = true;
	struct str words = {0};

	if (!r->nranks)
		return;
	for (size_t i = 0; i < r->nranks; i++)
		whole &= r->ranks[i].input == JOB_UNKNOWN ||
			 r->ranks[i].inputs >= r->ranks[i].batches;
	str_add(&words, "a rank's waits for its loader: ");
	if (!add_range(&words, r, offsetof(struct receipt_rank, input)))
		str_add(&words, NOT_KNOWN);
	else if (!whole)
		str_add(&words, " or more");
	str_add(&words, "; checkpoints: ");
	if (!add_range(&words, r, offsetof(struct receipt_rank, checkpoint)))
		str_add(&words, "none seen");
	add(page, "input", &words);
}

/* -- environment ------------------------------------------------------------------------------- */

/* Settings whose absence is worth a word, since many jobs have them. */
static const char *const settings[] = {"CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_MAX_CONNECTIONS",
	"PYTORCH_ALLOC_CONF", "NCCL_DEBUG", "TORCHINDUCTOR_CACHE_DIR"};

/* Says which variables were kept, set by force, or withheld. */
static void say_env(struct receipt_page *page, const struct job_launch *launch, bool all)
{
	struct str words = {0};
	bool first = true;

	if (!launch->env_known) {
		str_add(&words, NOT_KNOWN);
		add(page, "env", &words);
		return;
	}
	str_printf(&words, "%zu variable%s kept%s", launch->nenv, launch->nenv == 1 ? "" : "s",
		all ? "" : ": --all lists them");
	add(page, "env", &words);
	for (size_t i = 0; i < launch->nenv && all; i++) {
		str_printf(&words, "%s=%s", launch->env[i].name, launch->env[i].value);
		add(page, "", &words);
	}
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
		if (!launch_variable(launch, settings[i])) {
			str_printf(&words, "%s%s", first ? "" : ", ", settings[i]);
			first = false;
		}
	if (!first)
		add(page, "unset", &words);
	add_texts(&words, &launch->forced, ", ");
	if (words.len)
		add(page, "forced", &words);
	if (launch->withheld.n)
		add_texts(&words, &launch->withheld, ", ");
	else
		str_add(&words, "no variable by its name; secrets elsewhere are stars");
	add(page, "withheld", &words);
}

/* Says what is not known. */
static void say_unknown(struct receipt_page *page, const struct receipt *r)
{
	const struct {
		bool known;
		const char *what;
	} all[] = {{*r->launch.revision, "code revision"}, {r->launch.gpus_known, "GPU class"},
		{*r->launch.image, "image"}, {r->ended != JOB_UNKNOWN, "end"},
		{r->nranks > 0, "ranks"}};
	struct str words = {0};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (!all[i].known)
			str_printf(&words, "%s%s", words.len ? ", " : "", all[i].what);
	if (r->left_out > 0)
		str_printf(&words, "%sfigures of %" PRId64 " ranks, for which there was no room",
			words.len ? ", " : "", r->left_out);
	if (words.len)
		add(page, NOT_KNOWN, &words);
}

/* -- all of it --------------------------------------------------------------------------------- */

void receipt_page_of(struct receipt_page *page, const struct receipt *receipt, bool all)
{
	say_verdict(page, receipt);
	say_when(page, receipt);
	say_launch(page, &receipt->launch);
	say_machine(page, &receipt->launch);
	say_storage(page, &receipt->launch);
	say_runtime(page, receipt);
	say_packages(page, receipt, all);
	say_gpus(page, receipt);
	say_caches(page, receipt);
	say_compiles(page, receipt);
	say_waits(page, receipt);
	say_env(page, &receipt->launch, all);
	say_unknown(page, receipt);
	receipt_table(page, receipt);
}

void receipt_page_release(struct receipt_page *page)
{
	for (size_t i = 0; i < page->lines.nr; i++)
		free(page->lines.items[i].words);
	for (size_t i = 0; i < page->table.nr; i++)
		free(page->table.items[i]);
	array_release(&page->lines);
	array_release(&page->table);
}
