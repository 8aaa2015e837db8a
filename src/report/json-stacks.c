/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks in JSON: a bounded part in the document of verdicts, all of them in a document of their
 * own. As in json.c keys are always there, and only ever added under a schema's name.
 */
#include "report/json-stacks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "job/stacktree/stackfacts.h"
#include "words/summary.h"
#include "words/escape.h"
#include "words/frames.h"
#include "report/json-parts.h"
#include "words/rank-names.h"
#include "report/report.h"

/* Bounds in the document of verdicts. */
#define CULPRITS_MOST 16
#define CLASSES_MOST  16
#define FRAMES_MOST   200

/* Makes a text; null for "". */
static struct json_object *known_or_null(const char *text)
{
	return *text ? json_text(text) : NULL;
}

/* Makes true or false; null for what may be so or not. */
static struct json_object *known_boolean(enum job_known known)
{
	return known == JOB_MAYBE ? NULL : json_object_new_boolean(known == JOB_YES);
}

/* Makes a number as "0x..." in a text. */
static struct json_object *hexadecimal(uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, number);
	return json_object_new_string(text);
}

/* Makes one frame. */
static struct json_object *frame_object(const struct job_frame *frame)
{
	static const char *const kinds[] = {
		[JOB_FRAME_NATIVE] = "native",
		[JOB_FRAME_PYTHON] = "python",
		[JOB_FRAME_KERNEL] = "kernel",
	};
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "kind", json_text(kinds[frame->kind]));
	json_object_object_add(object, "function", known_or_null(frame->function));
	json_object_object_add(object, "module", known_or_null(frame->module));
	json_object_object_add(object, "file", known_or_null(frame->file));
	json_object_object_add(
		object, "line", frame->line ? json_object_new_int(frame->line) : NULL);
	json_object_object_add(object, "offset", frame->offset ? hexadecimal(frame->offset) : NULL);
	json_object_object_add(object, "plumbing", json_object_new_boolean(frame->plumbing));
	json_object_object_add(object, "guessed", json_object_new_boolean(frame->guessed));
	return object;
}

/*
 * Makes `nr` frames in full, `most` at most; a caller that counts puts the number into "nframes".
 */
static struct json_object *frames_array(
	const struct job *job, const uint32_t *frames, size_t nr, size_t most)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < nr && i < most; i++)
		json_object_array_add(array, frame_object(&job->frames[frames[i]]));
	return array;
}

/* Makes a list of numbers. */
static struct json_object *numbers_array(const uint32_t *numbers, size_t nr)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < nr; i++)
		json_object_array_add(array, json_object_new_int64(numbers[i]));
	return array;
}

/* Makes the arguments of the system call that the thread is in; null where it is in none. */
static struct json_object *args_array(const struct job_stack *stack)
{
	struct json_object *array;

	if (!*stack->syscall)
		return NULL;
	array = json_object_new_array();
	for (size_t i = 0; i < 6; i++)
		json_object_array_add(array, hexadecimal(stack->args[i]));
	return array;
}

/* Makes all that is known of a stack but its frames. */
static struct json_object *stack_object(const struct job *job, const struct job_stack *stack)
{
	static const char *const hows[] = {
		[JOB_STACK_PEEKED] = "peeked",
		[JOB_STACK_STOPPED] = "stopped",
		[JOB_STACK_CORE] = "core",
		[JOB_STACK_FATAL] = "fatal",
		[JOB_STACK_NONE] = NULL,
	};
	const char state[] = {stack->state, 0};
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "rank", json_rank(job, stack->rank));
	json_object_object_add(
		object, "pid", json_object_new_int64(job->processes[stack->process].pid));
	json_object_object_add(object, "tid", json_object_new_int64(stack->tid));
	json_object_object_add(object, "main", json_object_new_boolean(stack->main));
	json_object_object_add(object, "thread", known_or_null(stack->thread));
	json_object_object_add(object, "how", json_text(hows[stack->how]));
	json_object_object_add(object, "cut", known_or_null(stack->cut));
	json_object_object_add(object, "merged", json_object_new_boolean(stack->merged));
	json_object_object_add(object, "state", known_or_null(state));
	json_object_object_add(object, "wchan", known_or_null(stack->wchan));
	json_object_object_add(object, "syscall", known_or_null(stack->syscall));
	json_object_object_add(object, "args", args_array(stack));
	json_object_object_add(object, "samples", json_object_new_int64(stack->samples));
	json_object_object_add(object, "moved", known_boolean(stack->moved));
	json_object_object_add(object, "still", json_object_new_int64((int64_t)stack->still));
	json_object_object_add(object, "cpu_ns", json_number(stack->cpu_delta));
	json_object_object_add(object, "holds_gil", known_boolean(stack->holds_gil));
	json_object_object_add(object, "waits_gil", json_object_new_boolean(stack->waits_gil));
	json_object_object_add(object, "cite", json_text(stack->cite));
	return object;
}

/* Returns "never", "blocked-fallback", ..., as option --stop calls the mode. Never NULL. */
static const char *mode_name(enum job_snapshot_mode mode)
{
	static const char *const names[] = {
		[JOB_SNAPSHOT_NEVER] = "never",
		[JOB_SNAPSHOT_FALLBACK] = "blocked-fallback",
		[JOB_SNAPSHOT_CONSISTENT] = "consistent",
		[JOB_SNAPSHOT_CORE] = "core",
	};

	return names[mode];
}

/* Adds how stacks were taken, and how much that disturbed the job. */
static void add_taken(struct json_object *object, const struct job *job)
{
	struct disturbed disturbed = disturbed_by(job);

	json_object_object_add(
		object, "stop", disturbed.live ? json_text(mode_name(disturbed.mode)) : NULL);
	json_object_object_add(object, "samples", json_object_new_int64(disturbed.samples));
	json_object_object_add(object, "span_ns", json_object_new_int64(disturbed.span));
	json_object_object_add(object, "threads", json_object_new_int64(disturbed.threads));
	json_object_object_add(object, "threads_stopped", json_object_new_int64(disturbed.stopped));
	json_object_object_add(
		object, "longest_stop_ns", json_object_new_int64(disturbed.longest_stop));
	json_object_object_add(object, "threads_cut", json_object_new_int64(disturbed.cut));
}

/* -- the part in the document of verdicts ------------------------------------------------------ */

/* True if the rank is also a culprit of an earlier verdict. */
static bool is_said(const struct verdicts *verdicts, size_t verdict, size_t culprit)
{
	struct rank_index rank = verdicts->at[verdict].culprits.at[culprit];

	for (size_t i = 0; i < verdict; i++)
		if (ranks_have(verdicts->at[i].culprits, rank))
			return true;
	return false;
}

/* Makes the list of the culprits' main stacks, each once. */
static struct json_object *culprits_array(const struct verdicts *verdicts)
{
	struct json_object *array = json_object_new_array();
	const struct job *job = verdicts->job;

	for (size_t i = 0; i < verdicts->n; i++)
		for (size_t k = 0; k < verdicts->at[i].culprits.n; k++) {
			const struct job_stack *stack =
				stackfacts_main(job, verdicts->at[i].culprits.at[k]);
			struct json_object *object;

			if (!stack || is_said(verdicts, i, k) ||
				json_object_array_length(array) >= CULPRITS_MOST)
				continue;
			object = stack_object(job, stack);
			json_object_object_add(
				object, "nframes", json_object_new_int64((int64_t)stack->nframes));
			json_object_object_add(object, "frames",
				frames_array(job, stack->frames, stack->nframes, FRAMES_MOST));
			json_object_array_add(array, object);
		}
	return array;
}

/*
 * Adds the members of a class: world ranks, and the pids of processes that have no such number.
 * Behind the ranks a set numbers processes without rank.
 */
static void add_members(struct json_object *object, const struct stacktree *tree, uint32_t set)
{
	const struct stacktree_set *members = &tree->sets[set];
	struct json_object *ranks = json_object_new_array();
	struct json_object *pids = json_object_new_array();
	const struct job *job = tree->job;

	for (size_t i = 0; i < members->n; i++) {
		struct rank_index rank = members->at[i];
		int process = rank.i - (int)job->nranks;
		struct json_object *number = process < 0 ? json_rank(job, rank) : NULL;

		if (number) {
			json_object_array_add(ranks, number);
			continue;
		}
		process = process < 0 ? job_rank(job, rank)->process : process;
		json_object_array_add(pids, json_object_new_int64(job->processes[process].pid));
	}
	json_object_object_add(object, "ranks", ranks);
	json_object_object_add(object, "pids", pids);
}

/* Makes a class: who is in it, and whether its threads moved. */
static struct json_object *class_object(const struct stacktree *tree,
	const struct stacktree_class *class, const struct frames_motion *motion)
{
	struct json_object *object = json_object_new_object();

	add_members(object, tree, class->set);
	json_object_object_add(object, "threads", json_object_new_int64(class->threads));
	json_object_object_add(object, "whole", json_object_new_boolean(class->whole));
	json_object_object_add(object, "moved", json_object_new_int64((int64_t)motion->moved));
	json_object_object_add(object, "still", json_object_new_int64((int64_t)motion->still));
	json_object_object_add(object, "cite", json_text(motion->first->cite));
	return object;
}

/* Adds the first kind of stack of a class, in full as far as that goes. */
static void add_first_stack(struct json_object *object, const struct stacktree *tree,
	const struct stacktree_class *class)
{
	uint32_t path[FRAMES_MOST];
	size_t n = stacktree_path(tree, class->leaves[0], path, FRAMES_MOST);

	json_object_object_add(object, "nframes", json_object_new_int64((int64_t)n));
	json_object_object_add(object, "frames", frames_array(tree->job, path, n, FRAMES_MOST));
}

struct json_object *json_stacks(const struct verdicts *verdicts)
{
	struct json_object *object, *classes;
	struct frames_motion *motions;
	struct stacktree *tree;

	if (!verdicts->job->nstacks)
		return NULL;
	object = json_object_new_object();
	classes = json_object_new_array();
	tree = stacktree_new(verdicts->job, &(const struct stacktree_options){0});
	motions = frames_motions(tree);
	add_taken(object, verdicts->job);
	json_object_object_add(object, "culprits", culprits_array(verdicts));
	json_object_object_add(object, "nclasses", json_object_new_int64((int64_t)tree->nclasses));
	for (size_t i = 0; i < tree->nclasses && i < CLASSES_MOST; i++) {
		struct json_object *class = class_object(tree, &tree->classes[i], &motions[i]);

		add_first_stack(class, tree, &tree->classes[i]);
		json_object_array_add(classes, class);
	}
	json_object_object_add(object, "classes", classes);
	free(motions);
	stacktree_free(tree);
	return object;
}

/* -- the document of stacks -------------------------------------------------------------------- */

/* Makes the list of all frames; the others refer to them by their place in it. */
static struct json_object *all_frames(const struct job *job)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < job->nframes; i++)
		json_object_array_add(array, frame_object(&job->frames[i]));
	return array;
}

/* Makes the list of all stacks, with the numbers of their frames. */
static struct json_object *all_stacks(const struct job *job)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < job->nstacks; i++) {
		struct json_object *object = stack_object(job, &job->stacks[i]);

		json_object_object_add(object, "frames",
			numbers_array(job->stacks[i].frames, job->stacks[i].nframes));
		json_object_array_add(array, object);
	}
	return array;
}

/* Makes the list of all nodes of the tree, each behind its parent. */
static struct json_object *all_nodes(const struct stacktree *tree)
{
	static const char *const kinds[] = {
		[STACKTREE_ROOT] = "root",
		[STACKTREE_FRAME] = "frame",
		[STACKTREE_CUT] = "cut",
		[STACKTREE_NONE] = "none",
	};
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < tree->nnodes; i++) {
		const struct stacktree_node *node = &tree->nodes[i];
		struct json_object *object = json_object_new_object();

		json_object_object_add(object, "parent",
			node->parent == JOB_NONE ? NULL : json_object_new_int(node->parent));
		json_object_object_add(object, "kind", json_text(kinds[node->kind]));
		json_object_object_add(object, "frame",
			node->kind == STACKTREE_FRAME ? json_object_new_int64(node->frame) : NULL);
		json_object_object_add(object, "cut", known_or_null(node->cut));
		json_object_object_add(object, "set", json_object_new_int64(node->set));
		json_object_object_add(object, "threads", json_object_new_int64(node->threads));
		json_object_object_add(object, "ends", json_object_new_int64(node->ends));
		json_object_object_add(object, "died", json_object_new_boolean(node->died));
		json_object_array_add(array, object);
	}
	return array;
}

/* Makes the list of all sets of members. */
static struct json_object *all_sets(const struct stacktree *tree)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < tree->nsets; i++) {
		struct json_object *object = json_object_new_object();

		add_members(object, tree, (uint32_t)i);
		json_object_array_add(array, object);
	}
	return array;
}

/* Makes the list of all classes, with the nodes in which they end. */
static struct json_object *all_classes(const struct stacktree *tree)
{
	struct frames_motion *motions = frames_motions(tree);
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < tree->nclasses; i++) {
		const struct stacktree_class *class = &tree->classes[i];
		struct json_object *object = class_object(tree, class, &motions[i]);
		struct json_object *leaves = json_object_new_array();

		for (size_t k = 0; k < class->nleaves; k++)
			json_object_array_add(leaves, json_object_new_int(class->leaves[k]));
		json_object_object_add(object, "set", json_object_new_int64(class->set));
		json_object_object_add(object, "leaves", leaves);
		json_object_array_add(array, object);
	}
	free(motions);
	return array;
}

/* Writes the document of stacks. -1 where the file cannot be written. */
static int stacks_json_write(
	FILE *file, const struct verdicts *verdicts, const struct report_options *options)
{
	const struct stacktree_options how = {.all = options->all_threads, .plumbing = true};
	struct stacktree *tree = stacktree_new(verdicts->job, &how);
	struct json_object *object = json_object_new_object();
	struct str text = {0};

	json_object_object_add(object, "schema", json_object_new_string("inquest-stacktree/1"));
	json_object_object_add(object, "job", known_or_null(verdicts->job->id));
	json_object_object_add(
		object, "all_threads", json_object_new_boolean(options->all_threads));
	add_taken(object, verdicts->job);
	json_object_object_add(object, "classes", all_classes(tree));
	json_object_object_add(object, "nodes", all_nodes(tree));
	json_object_object_add(object, "sets", all_sets(tree));
	json_object_object_add(object, "stacks", all_stacks(verdicts->job));
	json_object_object_add(object, "frames", all_frames(verdicts->job));
	escape_json(&text, json_object_to_json_string_ext(object,
				   JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	str_add_char(&text, '\n');
	fwrite(str_text(&text), 1, text.len, file);
	str_release(&text);
	json_object_put(object);
	stacktree_free(tree);
	return fflush(file) || ferror(file) ? -1 : 0;
}

const struct report report_stacks_json = {"stacks-json", stacks_json_write};
