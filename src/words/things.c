/* SPDX-License-Identifier: Apache-2.0 */
#include "words/things.h"

#include <inttypes.h>
#include <string.h>

#include "job/names.h"

/* -- operations -------------------------------------------------------------------------------- */

/* Returns the name of the operation. */
static const char *op_name(const struct verdict_thing *thing)
{
	return job_op_name(thing->sig.op);
}

/* Appends "AllReduce sum 4096 float32". */
static void add_sig(struct str *into, const struct verdict_thing *thing)
{
	const struct job_sig *sig = &thing->sig;
	const char *dtype = job_dtype_name(sig->dtype), *redop = job_redop_name(sig->redop);

	str_add(into, job_op_name(sig->op));
	if (sig->redop != JOB_NO_REDOP && job_op_reduces(sig->op))
		str_printf(into, " %s", redop ? redop : "own reduction");
	if (!job_op_carries(sig->op))
		return;
	if (sig->count != JOB_NO_COUNT)
		str_printf(into, " %" PRIu64, sig->count);
	str_printf(into, " %s", dtype ? dtype : "elements");
	if (job_op_is_rooted(sig->op) && is_group_rank(sig->peer))
		str_printf(into, " root %u", sig->peer.n);
}

/* Appends the init of a group. */
static void add_init(struct str *into, const struct verdict_thing *thing)
{
	str_printf(into, "init of %s", thing->name);
}

/* Appends the split of a group. */
static void add_split(struct str *into, const struct verdict_thing *thing)
{
	str_printf(into, "split of %s", thing->name);
}

/* Appends a lock by whom it is of. */
static void add_lock(struct str *into, const struct verdict_thing *thing)
{
	str_printf(into, "the lock of %s", *thing->name ? thing->name : "a file");
}

/* Appends a send or receive, with the group that it is in. */
static void add_pair(struct str *into, const struct verdict_thing *thing)
{
	str_printf(into, "%s of %s", op_name(thing), thing->name);
}

/*
 * Appends an operation; they count from 1. Of which group it is may not be known, nor which of its
 * operations it is.
 */
static void add_op(struct str *into, const struct verdict_thing *thing)
{
	str_add(into, op_name(thing));
	if (thing->index)
		str_printf(into, " #%" PRIu64, thing->index);
	if (*thing->name)
		str_printf(into, " of %s", thing->name);
}

/* -- places in code ---------------------------------------------------------------------------- */

/* Returns the path behind the last folder that tells only where Python lies. */
static const char *short_path(const char *path)
{
	static const char *const roots[] = {"/site-packages/", "/dist-packages/"};
	const char *slash = strrchr(path, '/');

	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		const char *at = strstr(path, roots[i]);

		if (at)
			return at + strlen(roots[i]);
	}
	return slash ? slash + 1 : path;
}

void things_add_frame(struct str *into, const struct job_frame *frame)
{
	const char *function = *frame->function ? frame->function : "unknown code";

	if (*frame->file && frame->line)
		str_printf(into, "%s:%d in %s", short_path(frame->file), frame->line, function);
	else if (frame->kind == JOB_FRAME_KERNEL || !*frame->module)
		str_add(into, function);
	else
		str_printf(into, "%s of %s", function, frame->module);
}

/* Appends a frame. */
static void add_frame(struct str *into, const struct verdict_thing *thing)
{
	things_add_frame(into, thing->frames[0]);
}

/* Bytes of where a rank died that are read easily, on one line and the next. */
#define DEATH_LENGTH 80

/* Appends "step (train.py:40)", "ncclAllReduce (libnccl.so.2)". */
static void add_short_frame(struct str *into, const struct job_frame *frame)
{
	const char *slash = strrchr(frame->file, '/');
	const char *file = slash ? slash + 1 : frame->file;

	str_add(into, frame->function[0] ? frame->function : "?");
	if (*file && frame->line > 0)
		str_printf(into, " (%s:%d)", file, frame->line);
	else if (frame->module[0] || *file)
		str_printf(into, " (%s)", frame->module[0] ? frame->module : file);
}

/* Appends the first n frames, innermost first. */
static void add_first_frames(struct str *into, const struct verdict_thing *thing, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		str_add(into, i ? " < " : "");
		add_short_frame(into, thing->frames[i]);
	}
}

/*
 * Appends where a rank died. The program's own line must be read, whatever the names of libraries,
 * so where all is too long only one frame stands before it.
 */
static void add_frames(struct str *into, const struct verdict_thing *thing)
{
	const struct job_frame *own = thing->frames[thing->n];
	struct str first = {0}, mine = {0};
	size_t n = thing->n;

	add_first_frames(&first, thing, n);
	if (own)
		add_short_frame(&mine, own);
	if (first.len + mine.len > DEATH_LENGTH) {
		n = 1;
		str_cut(&first, 0);
		add_first_frames(&first, thing, n);
	}
	str_add(into, str_text(&first));
	if (thing->index >= n)
		str_printf(into, " < ... < %s", str_text(&mine));
	str_release(&first);
	str_release(&mine);
}

/* -- calls ------------------------------------------------------------------------------------- */

/* The words for calls that have no name in code (verdict/activities/activities.h). */
static const char *const calls[][2] = {
	{CALL_STORE, "the store"},
	{CALL_STORE_ID, "the store for the unique id"},
	{CALL_JAX_BARRIER, "a barrier of JAX"},
	{CALL_JAX_KEY, "JAX's store, for a key"},
	{CALL_DDP, "DDP's all_reduce"},
	{CALL_FUTURE, "a future"},
	{CALL_RPC, "a remote procedure call"},
	{CALL_SHARED_BARRIER, "a shared barrier"},
	{CALL_MESSAGES, "the message queue"},
	{CALL_VALUE, "the value of an array"},
	{CALL_COMPUTATION, "a computation"},
	{CALL_FILE_LOCK, "a file's lock"},
	{CALL_PROCESS_LOCK, "a lock between processes"},
	{CALL_MUTEX, "a mutex"},
};

const char *things_call(enum activity activity, const char *call)
{
	static const char *const names[ACTIVITIES] = {[ACTIVITY_COLLECTIVE] = "a collective",
		[ACTIVITY_P2P] = "a send or receive",
		[ACTIVITY_INIT] = "init",
		[ACTIVITY_STORE] = "the store",
		[ACTIVITY_DEVICE] = "a wait for the GPU"};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (!strcmp(calls[i][0], call))
			return calls[i][1];
	return *call ? call : names[activity] ? names[activity] : "";
}

/* Appends a call. */
static void add_call(struct str *into, const struct verdict_thing *thing)
{
	const char *call = things_call((enum activity)thing->activity, thing->name);

	str_add(into, *call ? call : "a call");
}

/* -- what a rank has --------------------------------------------------------------------------- */

/* Appends "0/1 = 5f3a 41 nodes 2 collectives"; for a graph that was not compiled, that. */
static void add_graph(struct str *into, const struct verdict_thing *thing)
{
	if (!thing->text)
		str_printf(into, "%s not compiled", thing->name);
	else
		str_printf(into, "%s%s%s", thing->name, *thing->name ? " = " : "", thing->text);
}

/* Appends how rows were dealt out: "7 x 4 + 0", "5 x 4 + 2 + 2 x 0". */
static void add_deal(struct str *into, const struct verdict_thing *thing)
{
	const struct verdict_deal *deal = &thing->deal;

	str_printf(into, "%" PRId64 " x %" PRId64, deal->full, deal->most);
	if (deal->rest >= 0)
		str_printf(into, " + %" PRId64, deal->rest);
	if (deal->none == 1)
		str_add(into, " + 0");
	else if (deal->none)
		str_printf(into, " + %" PRId64 " x 0", deal->none);
}

/* Appends the shape of a batch. */
static void add_shape(struct str *into, const struct verdict_thing *thing)
{
	for (unsigned i = 0; i < thing->shard->ndim; i++)
		str_printf(into, "%s%" PRIu64, i ? "x" : "", thing->shard->dims[i]);
}

/* Appends processes by name and pid. */
static void add_processes(struct str *into, const struct verdict_thing *thing)
{
	for (size_t i = 0; i < thing->n; i++)
		str_printf(into, "%s%s (pid %u)", i ? ", " : "", thing->processes[i]->comm,
			thing->processes[i]->pid);
}

/* Appends pids, and "..." where there are more. */
static void add_pids(struct str *into, const struct verdict_thing *thing)
{
	for (size_t i = 0; i < thing->n; i++)
		str_printf(into, "%s%u", i ? ", " : "", thing->processes[i]->pid);
	str_add(into, thing->more ? ", ..." : "");
}

void things_add(struct str *into, const struct verdict_thing *thing)
{
	static void (*const add[])(struct str *into, const struct verdict_thing *thing) = {
		[THING_SIG] = add_sig,
		[THING_INIT] = add_init,
		[THING_SPLIT] = add_split,
		[THING_LOCK] = add_lock,
		[THING_PAIR] = add_pair,
		[THING_OP] = add_op,
		[THING_FRAME] = add_frame,
		[THING_FRAMES] = add_frames,
		[THING_CALL] = add_call,
		[THING_GRAPH] = add_graph,
		[THING_SHAPE] = add_shape,
		[THING_DEAL] = add_deal,
		[THING_PROCESSES] = add_processes,
		[THING_PIDS] = add_pids,
	};

	add[thing->kind](into, thing);
}
