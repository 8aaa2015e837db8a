/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/reach/answers.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/sha256.h"
#include "cmd/cmd.h"
#include "cmd/reach/reason.h"
#include "cmd/run/save.h"
#include "evidence/format/bundle.h"
#include "evidence/format/json-put.h"

/* -- What one answer was ---------------------------------------------------------------------- */

/* Sets the node to LACKS; of several reasons the first stays. */
void answer_lacks(struct collect_node *node, const char *format, ...)
{
	va_list args;

	node->state = COLLECT_LACKS;
	if (node->why.len)
		return;
	va_start(args, format);
	str_vprintf(&node->why, format, args);
	va_end(args);
}

/* Says in the node's `why` how its launcher ended without an answer. */
static void tell_ending(struct collect_node *node, int status)
{
	const char *program = reason_program(node->argv);
	size_t len = strlen(program);
	struct str said = {0};
	bool names_itself;

	reason_read(&node->said, &said, &node->advice);
	if (!said.len)
		str_add(&said, str_text(&node->frames.words));
	names_itself = !strncmp(str_text(&said), program, len) && str_text(&said)[len] == ':';
	if (WIFSIGNALED(status))
		answer_lacks(node, "%s was ended by signal %d%s%s", program, WTERMSIG(status),
			said.len ? ": " : "", str_text(&said));
	else if (said.len)
		answer_lacks(node, "%s%s%s (status %d)", names_itself ? "" : program,
			names_itself ? "" : ": ", str_text(&said), WEXITSTATUS(status));
	else
		answer_lacks(node, "%s ended without an answer, status %d", program,
			WEXITSTATUS(status));
	str_release(&said);
}

/* Says that the node's time is over; though perhaps its launcher has said why. */
static void tell_late(struct collect_node *node, int deadline_ms)
{
	double seconds = deadline_ms / 1000.0;
	struct str said = {0};
	size_t came;

	if (frames_cut(&node->frames, &came))
		answer_lacks(node,
			"cut at the deadline: %zu of %zu bytes of its answer came within %g s",
			came, node->frames.size, seconds);
	else if (reason_read(&node->said, &said, &node->advice))
		answer_lacks(node, "no answer within %g s: %s", seconds, str_text(&said));
	else
		answer_lacks(node, "no answer within %g s", seconds);
	str_release(&said);
}

/* Says in the node's `why` why no more has come; nothing where all has. */
static void tell_lack(struct collect_node *node, bool late, int status, int deadline_ms)
{
	const struct frames *frames = &node->frames;

	if (late && !frames->wrong.len)
		tell_late(node, deadline_ms);
	frames_end(&node->frames);
	if (frames->wrong.len)
		answer_lacks(node, "%s", str_text(&frames->wrong));
	else if (frames->fail)
		answer_lacks(node, "%s", str_text(&frames->words));
	else if (!late && !frames->bundles.nr && !frames->none)
		tell_ending(node, status);
}

/* The part of an answer that came whole is kept, even where the rest lacks. */
void answer_settle(struct collect_node *node, bool late, int status, int deadline_ms)
{
	const struct frames *frames = &node->frames;

	if (!late)
		frames_end(&node->frames);
	node->state = COLLECT_WAITING;
	/* A launcher that takes its time to end has said all before. */
	if (!frames->done || frames->wrong.len || frames->fail ||
		(!frames->bundles.nr && !frames->none))
		tell_lack(node, late, status, deadline_ms);
	if (frames->bundles.nr)
		node->state = COLLECT_ANSWERED; /* what came whole stands; `why` says what lacks */
	else if (node->state == COLLECT_WAITING)
		node->state = COLLECT_NOTHING;
}

/* -- All of them ------------------------------------------------------------------------------ */

/* What is at hand while the answers are taken. */
struct taking {
	struct collect *collect;
	struct bundle_groups *groups;
	size_t first; /* the first part of the node that is taken now */
};

#define LIST_NAME "nodes" /* of the file that says who was asked */

/*
 * Appends a node's name as part of a file's name. If that needs another spelling, or looks like the
 * list, a sum is appended: ns/a is not ns_a.
 */
static void add_name(struct str *path, const char *name)
{
	size_t before = path->len;
	char sum[SHA256_TEXT_SIZE];

	save_add_part(path, name);
	if (!strcmp(str_text(path) + before, name) && strcmp(name, LIST_NAME) != 0)
		return;
	sha256_text(name, strlen(name), sum);
	str_printf(path, "-%.8s", sum);
}

/* Appends DIR/[.before-]KEY.NODE[.2].inq; name NULL: the list's path. */
static void add_path(const struct taking *t, const char *before, const char *name, size_t which,
	struct str *path)
{
	str_printf(path, "%s/%s", t->collect->keep, before);
	save_add_part(path, t->collect->key);
	str_add_char(path, '.');
	if (name)
		add_name(path, name);
	else
		str_add(path, LIST_NAME);
	if (which)
		str_printf(path, ".%zu", which + 1);
	str_add(path, BUNDLE_SUFFIX);
}

/*
 * Keeps an earlier answer of a node under a name that reading the folder ignores: beside the other
 * nodes' present answers it would be of another moment.
 */
static void put_aside(const struct taking *t, const char *name)
{
	bool found = true;

	for (size_t which = 0; found && which < FRAMES_MOST; which++) {
		struct str path = {0}, aside = {0};

		add_path(t, "", name, which, &path);
		add_path(t, ".before-", name, which, &aside);
		found = rename(str_text(&path), str_text(&aside)) == 0;
		str_release(&path);
		str_release(&aside);
	}
}

/* Writes one bundle into the folder, and appends its path to `path`; complains if that fails. */
static void keep(const struct taking *t, const char *name, size_t which,
	const struct evidence *evidence, struct str *path)
{
	struct complaint why = {0};

	add_path(t, "", name, which, path);
	if (bundle_write(evidence, str_text(path), &why) < 0)
		cmd_complain("bundle not saved: %s: try another -o", complaint_text(&why));
	complaint_release(&why);
}

/*
 * True if the node was looked at by way of another name of it before: its processes, all of them
 * and no other, are there already. A node that has only some of them in common may be another: its
 * own answer is kept.
 */
static bool is_taken(const struct taking *t, size_t part)
{
	for (size_t i = 0; i < t->first; i++)
		if (bundle_groups_alike(t->groups, i, part))
			return true;
	return false;
}

/*
 * True if that bundle came before, byte by byte: a line that came twice, a launcher that ran it
 * twice.
 */
static bool is_repeated(const struct collect_node *node, size_t which)
{
	const struct str *mine = &node->frames.bundles.items[which];

	for (size_t i = 0; i < which; i++) {
		const struct str *other = &node->frames.bundles.items[i];

		if (other->len == mine->len && !memcmp(other->text, mine->text, mine->len))
			return true;
	}
	return false;
}

/*
 * Adds one bundle of a node. False where it cannot be read, is empty, or its machine has answered
 * before.
 */
static bool take_bundle(struct taking *t, struct collect_node *node, size_t which)
{
	const struct str *bytes = &node->frames.bundles.items[which];
	struct evidence evidence = {.meter = t->collect->meter};
	struct complaint why = {0};
	struct str path = {0};
	bool taken = false;

	if (bundle_unpack(str_text(bytes), bytes->len, &evidence, &why) < 0) {
		answer_lacks(node, "its answer is no bundle: %s", complaint_text(&why));
	} else if (evidence.n) {
		if (t->collect->keep)
			keep(t, node->name, which, &evidence, &path);
		else
			str_add(&path, node->name);
		bundle_groups_add(t->groups, str_text(&path), &evidence);
		taken = !is_taken(t, t->groups->parts.nr - 1);
		if (!taken)
			bundle_groups_drop_last(t->groups);
	}
	evidence_release(&evidence);
	complaint_release(&why);
	str_release(&path);
	return taken;
}

/* Adds a node's bundles, and frees them. False where it gave nothing that was not there already. */
static bool take_node(struct taking *t, struct collect_node *node)
{
	size_t taken = 0;

	t->first = t->groups->parts.nr;
	for (size_t i = 0; i < node->frames.bundles.nr; i++)
		taken += !is_repeated(node, i) && take_bundle(t, node, i);
	frames_drop_bundles(&node->frames);
	if (!taken && node->state == COLLECT_ANSWERED)
		node->state = COLLECT_NOTHING;
	return taken;
}

/* -- Who was asked ---------------------------------------------------------------------------- */

/* Returns the JSON object for one node that was asked: its name, its state, and why it lacks. */
static struct json_object *node_object(const struct collect_node *node)
{
	static const char *const names[] = {[COLLECT_WAITING] = "lacks",
		[COLLECT_ANSWERED] = "answered",
		[COLLECT_NOTHING] = "nothing",
		[COLLECT_LACKS] = "lacks"};
	struct json_object *object = json_object_new_object();

	json_put_text(object, "name", node->name);
	json_put_text(object, "state",
		node->state == COLLECT_ANSWERED && node->why.len ? "part"
								 : names[node->state]);
	if (node->why.len)
		json_put_text(object, "why", str_text(&node->why));
	return object;
}

/* Adds the bundle that says who was asked, with a gap for each node that lacks. */
static void add_coverage(struct taking *t)
{
	struct json_object *object = json_object_new_object();
	struct json_object *list = json_object_new_array();
	struct exhibit about = {.kind = EXHIBIT_COVERAGE, .rank = -1, .when = clock_realtime_ns()};
	struct evidence evidence = {0};
	struct collect_node *node;
	struct str text = {0}, path = {0};
	size_t len;

	json_put_text(object, "schema", "inquest-coverage/1");
	json_put_text(object, "key", t->collect->key);
	array_for_each (&t->collect->nodes, node) {
		json_object_array_add(list, node_object(node));
		if (node->why.len)
			evidence_add_gap(&evidence, node->name, 0, str_text(&node->why));
	}
	json_object_object_add(object, "nodes", list);
	json_put_end(object, &text);
	len = text.len;
	evidence_add(&evidence, &about, (uint8_t *)str_detach(&text), len);
	if (t->collect->keep)
		keep(t, NULL, 0, &evidence, &path);
	else
		str_add(&path, LIST_NAME);
	bundle_groups_add(t->groups, str_text(&path), &evidence);
	str_release(&path);
}

size_t answers_take(struct collect *collect, struct bundle_groups *groups)
{
	struct taking t = {.collect = collect, .groups = groups};
	struct collect_node *node;
	struct complaint why = {0};
	size_t answered = 0;

	if (collect->keep && save_make_folder(collect->keep, &why) < 0) {
		cmd_complain("bundles not saved: %s: try another -o", complaint_text(&why));
		collect->keep = NULL;
	}
	array_for_each (&collect->nodes, node) {
		if (collect->keep)
			put_aside(&t, node->name);
		answered += take_node(&t, node);
	}
	add_coverage(&t);
	complaint_release(&why);
	return answered;
}
