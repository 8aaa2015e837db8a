/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/agent/agent-receipt.h"

#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "cmd/agent/agent-keep.h"
#include "cmd/run/save.h"
#include "decode/decode-receipts.h"
#include "evidence/agent/agentfiles.h"
#include "evidence/gather/receipt-look.h"
#include "report/receipt-json.h"

/* Whoever reads that a run was seen last so long ago may take it for over. */
#define EVERY_NS (30 * CLOCK_NS_PER_S)
/*
 * ms without word from the saver, after which the receipt is written by a helper that outlives us.
 */
#define END_MS 1000

#define PATHS_MOST 16
#define WALK_NS	   (CLOCK_NS_PER_S / 2) /* for counting all caches together, at the end */

/* --- What it says ----------------------------------------------------------------------------- */

/* Reads what was launched, from the job's folder. */
static void read_launch(const struct agent *agent, struct arena *arena, struct receipt *ret)
{
	struct receipt read;
	struct str path = {0}, text = {0};

	str_printf(&path, "%s/" AGENT_RECEIPT_FILE, agent->dir->path.text);
	if (file_read(path.text, AGENT_FILE_CAP, &text, NULL) == 0 &&
		receipt_read(str_text(&text), text.len, arena, &read, NULL) == 0)
		ret->launch = read.launch;
	str_release(&path);
	str_release(&text);
}

/* Puts the packages that the ranks may import into the receipt. */
static void put_packages(const struct agent *agent, struct arena *arena, struct receipt *ret)
{
	const char *list = str_text(&agent->packages.list);
	struct launch_variable *packages;
	size_t n = 0;

	for (const char *at = list; (at = strchr(at, '\n')); at++)
		n++;
	packages = arena_new_many(arena, struct launch_variable, n + 1);
	n = 0;
	for (const char *line = list; *line; line += strcspn(line, "\n") + 1) {
		size_t name = strcspn(line, " ");

		packages[n++] = (struct launch_variable){arena_text_max(arena, line, name),
			arena_text_max(arena, line + name + 1, strcspn(line, "\n") - name - 1)};
	}
	ret->packages = packages;
	ret->npackages = n;
	ret->packages_known = n > 0;
	ret->packages_cut = agent->packages.cut;
}

/* Fills in the figures of the last look and what was launched; then what only we know. */
static void fill(const struct agent *agent, struct arena *arena, struct receipt *ret)
{
	const struct agent_fellows *fellows = &agent->fellows;
	const char *verdict = fellows->verdict ? fellows->verdict : agent->headline;
	const char *bundle = fellows->bundle ? fellows->bundle : str_text(&agent->bundle);

	if (!agent->measured.len || receipt_read(agent->measured.text, agent->measured.len, arena,
					    ret, NULL) < 0)
		*ret = receipt_nothing();
	read_launch(agent, arena, ret);
	put_packages(agent, arena, ret);
	ret->launch.job = agent->dir->id;
	ret->launch.launched = agent->dir->launched;
	ret->state = agent->status;
	ret->seen = clock_realtime_ns();
	ret->ended = agent->ended ? ret->seen : JOB_UNKNOWN;
	ret->exit_status = agent->ended ? agent->exit_status : JOB_UNKNOWN;
	ret->hangs = agent->moved_on;
	ret->verdict = verdict ? verdict : "";
	ret->bundle = bundle;
	ret->last_words = agent->last_words ? agent->last_words : "";
}

void agent_receipt_measure(struct agent *agent, const struct look *look)
{
	struct receipt receipt;
	struct arena arena = {0};

	if (!look->job)
		return;
	receipt_measure(look->job, agent->dir->id, &arena, &receipt);
	str_cut(&agent->measured, 0);
	receipt_json(&agent->measured, &receipt, RECEIPT_FILE_CAP);
	arena_release(&arena);
}

/* --- Writing ---------------------------------------------------------------------------------- */

/* A receipt to be written, as the saver gets it. */
struct receipt_wish {
	const struct agent *agent;
	uint32_t pid; /* of the agent, since a helper has another */
	bool count; /* true to count the caches as they are at the end */
};

/* True if that cache has been counted, or has no path. */
static bool has_path(const struct launch_cache *caches, size_t n, const char *path)
{
	return !*path || launch_cache(caches, n, path);
}

/* Counts the caches of ranks that compiled: nobody else has touched theirs. */
static void count_caches(struct arena *arena, struct receipt *receipt)
{
	struct launch_cache *caches = arena_new_many(arena, struct launch_cache, PATHS_MOST);
	int64_t until = clock_monotonic_ns() + WALK_NS;
	size_t n = 0;

	for (size_t i = 0; i < receipt->nranks && n < PATHS_MOST; i++) {
		const char *path = receipt->ranks[i].cache;
		struct look_tree tree;

		if (has_path(caches, n, path) || receipt->ranks[i].compiling == JOB_UNKNOWN ||
			clock_monotonic_ns() > until)
			continue;
		tree = look_at_tree(path);
		caches[n++] = (struct launch_cache){path, tree.files, tree.bytes, !tree.complete};
	}
	receipt->after = caches;
	receipt->nafter = n;
	receipt->after_known = n > 0;
}

/* Appends the path of the receipt. */
static void add_path(const struct agent *agent, struct str *into)
{
	char host[256] = "";

	gethostname(host, sizeof(host) - 1);
	str_printf(into, "%s/", agent->options.output);
	save_add_part(into, agent->dir->id);
	str_add_char(into, '.');
	save_add_part(into, host);
	str_add(into, RECEIPT_SUFFIX);
}

/* Writes the receipt. Runs in the helper: all memory is a copy, and the storage may not answer. */
static int write_receipt(const void *what, struct str *said, struct complaint *why)
{
	const struct receipt_wish *wish = what;
	struct str path = {0}, text = {0};
	struct receipt receipt;
	struct arena arena = {0};
	int err = save_make_folder(wish->agent->options.output, why);

	(void)said;
	if (!err) {
		fill(wish->agent, &arena, &receipt);
		receipt.agent_pid = wish->pid;
		receipt.agent_start_time = (int64_t)proc_start_time(wish->pid);
		if (wish->count)
			count_caches(&arena, &receipt);
		receipt_json(&text, &receipt, RECEIPT_MOST - 1);
		str_add_char(&text, '\n');
		add_path(wish->agent, &path);
		err = file_write(path.text, str_text(&text), text.len, 0600, why);
	}
	arena_release(&arena);
	str_release(&path);
	str_release(&text);
	return err;
}

/* Begins to write a receipt. */
static void begin(struct agent *agent)
{
	const struct receipt_wish wish = {agent, (uint32_t)getpid(), agent->ended};
	struct complaint why = {0};

	agent->noting = saver_begin(&agent->saver, write_receipt, &wish, &why);
	agent->noted = agent->status;
	complaint_release(&why);
}

void agent_receipt_turn(struct agent *agent, int64_t now)
{
	bool old = !agent->noted || strcmp(agent->noted, agent->status) != 0;

	agent_packages_turn(agent, now);
	if ((!old && now < agent->due.receipt) || agent->saver.helper.pid)
		return;
	agent->due.receipt = now + EVERY_NS;
	begin(agent);
}

void agent_receipt_end(struct agent *agent)
{
	if (agent->saver.helper.pid)
		return;
	begin(agent);
	agent_keep_news(agent, END_MS);
}
