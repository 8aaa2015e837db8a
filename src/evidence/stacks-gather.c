/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several helpers, each with a share of the targets, one after the other, sample by sample, and in
 * the end the modules of its share. Each exhibit comes back as a parcel as soon as it is made. A
 * helper that does not answer in time is left behind with the target that it was looking at: a new
 * one asks that target once more, for nothing but what takes no lock of it, and goes on with the
 * rest. It knows the samples that there are already from the exhibits, which it inherits.
 */
#include "evidence/stacks.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/str.h"
#include "evidence/stacks-module.h"
#include "proc/captor.h"

#define GATHER_HELPERS 8
#define GATHER_SAMPLES 3
#define GATHER_NAMING  4 /* times the deadline for what concerns a module */

enum gather_state {
	TARGET_OPEN,
	TARGET_STUCK, /* it blocked a helper: only facts from now on */
	TARGET_LEFT,  /* nothing more of it */
};

/* One target, as its share's helper and we see it. */
struct gather_target {
	const struct stacks_target *target;
	enum gather_state state;
	size_t exhibit[GATHER_SAMPLES]; /* 1 + place in `into`; 0: not taken */
	int64_t taken;			/* monotonic ns; 0 not yet */
	struct snapshot snapshots[GATHER_SAMPLES]; /* a helper's own */
};

struct gather_share {
	struct gather *gather;
	struct gather_target *targets;
	size_t nr;
	size_t at; /* sample * nr + target: what is being done; samples * nr: the modules */
	struct captor captor;
	int64_t until; /* its next parcel is due */
	bool over;
};

struct gather {
	struct evidence *into;
	size_t first; /* exhibit that is ours */
	const char *host;
	const struct stacks_options *options;
	unsigned samples;
	struct gather_target *targets;
	struct gather_share shares[GATHER_HELPERS];
	size_t nr_shares;
};

/* --- Parcels ---------------------------------------------------------------------------------- */

enum parcel_what {
	PARCEL_EXHIBIT,
	PARCEL_GAP,
	PARCEL_STEP, /* the step `at` is done, a new one begins */
};

/* Then come the label (or the words of the gap) and the bytes. */
struct parcel {
	uint32_t what;
	uint32_t kind;
	int32_t rank;
	uint32_t pid;
	uint64_t start_time;
	int64_t when;
	uint64_t label_len;
	uint64_t at;
	uint32_t state; /* of the target of that step */
};

static bool parcel_send(
	int out, struct parcel parcel, const char *label, const void *bytes, size_t len)
{
	struct str head = {0};
	bool sent;

	parcel.label_len = strlen(label);
	str_add_bytes(&head, &parcel, sizeof(parcel));
	str_add(&head, label);
	sent = captor_send(out, head.text, head.len, bytes, len);
	str_release(&head);
	return sent;
}

/* All that a piece of work has added to an evidence of the helper's own, which is empty then. */
static void parcel_send_all(int out, struct evidence *evidence)
{
	for (size_t i = 0; i < evidence->n; i++) {
		const struct exhibit *exhibit = &evidence->at[i];
		const struct parcel parcel = {.what = PARCEL_EXHIBIT,
			.kind = exhibit->kind,
			.rank = exhibit->rank,
			.pid = exhibit->pid,
			.start_time = exhibit->start_time,
			.when = exhibit->when};

		parcel_send(out, parcel, exhibit->label, exhibit->bytes, exhibit->len);
	}
	for (size_t i = 0; i < evidence->ngaps; i++)
		parcel_send(out,
			(struct parcel){.what = PARCEL_GAP, .pid = evidence->gaps[i].pid},
			evidence->gaps[i].what, NULL, 0);
	evidence_release(evidence);
}

/* --- In the helper ---------------------------------------------------------------------------- */

/* Waits until a pause has passed since a target's last sample. */
static void helper_pause(const struct gather_share *share, const struct gather_target *target)
{
	int64_t until = target->taken + share->gather->options->pause_ms * CLOCK_NS_PER_MS;
	int64_t left = until - clock_monotonic_ns();
	struct timespec time = {
		.tv_sec = left / CLOCK_NS_PER_S, .tv_nsec = left % CLOCK_NS_PER_S};

	if (target->taken && left > 0)
		(void)nanosleep(&time, NULL);
}

/* One sample of one target, into evidence. */
static void helper_take(struct gather_share *share, struct gather_target *target, unsigned sample,
	struct images *images, struct evidence *into)
{
	struct gather *gather = share->gather;
	struct snapshot *snapshot = &target->snapshots[sample];
	struct capture_options options = {.mode = gather->options->mode,
		.facts_only = target->state == TARGET_STUCK,
		.sample = sample};
	struct complaint why = {0};
	struct str words = {0};
	int error;

	if (sample && target->snapshots[sample - 1].nthreads)
		options.before = &target->snapshots[sample - 1];
	helper_pause(share, target);
	error = capture_take(target->target->id, &options, images, snapshot, &why);
	target->taken = clock_monotonic_ns();
	if (snapshot->nthreads && (!error || error == -EPERM))
		stacks_add(into, gather->host, target->target->rank, snapshot);
	if (error && !(error == -EPERM && snapshot->nthreads)) {
		str_printf(&words, "stacks: %s", complaint_text(&why));
		evidence_add_gap(into, gather->host, target->target->id.pid, str_text(&words));
		snapshot_release(snapshot);
	}
	if (error && error != -EPERM)
		target->state = TARGET_LEFT;
	if (target->state == TARGET_STUCK)
		target->state = TARGET_LEFT;
	str_release(&words);
	complaint_release(&why);
}

/* The samples that an earlier helper of this share has taken, out of their exhibits. */
static void helper_restore(struct gather_share *share, struct images *images)
{
	for (size_t i = 0; i < share->nr; i++) {
		struct gather_target *target = &share->targets[i];

		for (unsigned k = 0; k < share->gather->samples; k++) {
			struct snapshot *snapshot = &target->snapshots[k];
			struct stack_maps maps = {0};

			if (!target->exhibit[k] ||
				stacks_read(&share->gather->into->at[target->exhibit[k] - 1],
					snapshot, NULL) < 0)
				continue;
			/* Its files are opened through it: not if that is what blocks. */
			if (snapshot->memory && target->state == TARGET_OPEN) {
				stack_maps_parse(&maps, snapshot->maps, strlen(snapshot->maps));
				images_open(images, snapshot->pid, &maps,
					excerpt_memory(snapshot->memory), NULL);
				stack_maps_release(&maps);
			}
		}
	}
}

/* First all that walking needs, then the names, which may take their time. */
static void helper_send_modules(struct gather_share *share, struct images *images, int out)
{
	struct stacks_wanteds wanteds = {0};
	struct stacks_wanted *wanted;
	struct evidence found = {0};
	const char *host = share->gather->host;
	struct snapshot *all =
		alloc_zeroed(share->nr * GATHER_SAMPLES + 1, sizeof(struct snapshot));
	size_t nr = 0;

	for (size_t i = 0; i < share->nr; i++)
		for (unsigned k = 0; k < share->gather->samples; k++)
			if (share->targets[i].snapshots[k].memory)
				all[nr++] = share->targets[i].snapshots[k];
	stacks_want(&wanteds, images, all, nr);
	array_for_each(&wanteds.all, wanted)
		stacks_add_module(
			&found, host, wanted->module, images_excerpt(images, wanted->module));
	parcel_send_all(out, &found);
	array_for_each(&wanteds.all, wanted) {
		stacks_name(images, wanted, &wanteds.arena);
		stacks_add_module(&found, host, wanted->module, NULL);
		parcel_send_all(out, &found);
	}
	stacks_wanted_release(&wanteds);
	free(all);
}

/* Whatever is allocated here ends with the helper. */
static void helper_work(int out, void *arg)
{
	struct gather_share *share = arg;
	struct images *images = images_new();
	struct evidence found = {0};

	if (share->at)
		helper_restore(share, images);
	for (; share->at < share->gather->samples * share->nr; share->at++) {
		struct gather_target *target = &share->targets[share->at % share->nr];
		unsigned sample = (unsigned)(share->at / share->nr);

		if (target->state != TARGET_LEFT)
			helper_take(share, target, sample, images, &found);
		parcel_send_all(out, &found);
		parcel_send(out,
			(struct parcel){.what = PARCEL_STEP,
				.at = share->at,
				.state = target->state},
			"", NULL, 0);
	}
	helper_send_modules(share, images, out);
}

/* --- Receiving -------------------------------------------------------------------------------- */

static void gather_add_gap(struct gather *gather, uint32_t pid, const char *what, const char *more)
{
	struct str words = {0};

	str_printf(&words, "stacks: %s%s", what, more);
	evidence_add_gap(gather->into, gather->host, pid, str_text(&words));
	str_release(&words);
}

/* A module that another helper, or an earlier parcel, told of already. */
static struct exhibit *gather_find_module(const struct gather *gather, const char *label)
{
	for (size_t i = gather->first; i < gather->into->n; i++)
		if (gather->into->at[i].kind == EXHIBIT_MODULE &&
			!strcmp(gather->into->at[i].label, label))
			return &gather->into->at[i];
	return NULL;
}

static void share_take_exhibit(struct gather_share *share, const struct parcel *parcel,
	const char *label, const uint8_t *bytes, size_t len)
{
	struct gather *gather = share->gather;
	const struct exhibit about = {
		.kind = (enum exhibit_kind)parcel->kind,
		.host = (char *)gather->host,
		.rank = parcel->rank,
		.pid = parcel->pid,
		.start_time = parcel->start_time,
		.when = parcel->when,
		.label = (char *)label,
		.bytes = (uint8_t *)bytes,
		.len = len,
	};
	struct exhibit *known = NULL;

	if (parcel->kind == EXHIBIT_MODULE)
		known = gather_find_module(gather, label);
	if (known) {
		(void)stacks_merge_module(known, &about);
		return;
	}
	evidence_add(gather->into, &about, alloc_copy(bytes, len), len);
	if (parcel->kind == EXHIBIT_STACKS)
		share->targets[share->at % share->nr].exhibit[share->at / share->nr] =
			gather->into->n;
}

static int64_t share_due(const struct gather_share *share)
{
	const struct stacks_options *options = share->gather->options;
	int64_t ms = options->deadline_ms;

	if (share->at >= share->gather->samples * share->nr)
		ms *= GATHER_NAMING;
	return clock_monotonic_ns() + (ms + options->pause_ms) * CLOCK_NS_PER_MS;
}

static void share_take_parcel(struct gather_share *share, const struct str *bytes)
{
	struct parcel parcel;
	const char *rest = bytes->text + sizeof(parcel);
	char *label;
	size_t len;

	if (bytes->len < sizeof(parcel))
		return;
	memcpy(&parcel, bytes->text, sizeof(parcel));
	len = bytes->len - sizeof(parcel);
	if (parcel.label_len > len)
		return;
	label = alloc_copy(rest, parcel.label_len);
	if (parcel.what == PARCEL_STEP) {
		share->targets[share->at % share->nr].state = (enum gather_state)parcel.state;
		share->at++;
	} else if (parcel.what == PARCEL_GAP) {
		evidence_add_gap(share->gather->into, share->gather->host, parcel.pid, label);
	} else {
		share_take_exhibit(share, &parcel, label,
			(const uint8_t *)rest + parcel.label_len, len - parcel.label_len);
	}
	free(label);
	share->until = share_due(share);
}

/* --- Helpers that are lost -------------------------------------------------------------------- */

static void share_start(struct gather_share *share)
{
	int error = captor_start(&share->captor, helper_work, share);

	share->until = share_due(share);
	if (!error)
		return;
	share->over = true;
	for (size_t i = 0; i < share->nr; i++)
		gather_add_gap(share->gather, share->targets[i].target->id.pid,
			"no helper process could be started: ", strerror(-error));
}

/* It did not answer, or it ended; a new one goes on behind what it was at. */
static void share_lose(struct gather_share *share, int error)
{
	struct gather *gather = share->gather;
	struct gather_target *target = &share->targets[share->at % share->nr];
	uint32_t pid = target->target->id.pid;

	captor_end(&share->captor);
	if (share->at >= gather->samples * share->nr) {
		gather_add_gap(gather, 0, "not all names of functions were found in time", "");
		share->over = true;
		return;
	}
	if (error == -ETIMEDOUT && target->state == TARGET_OPEN)
		gather_add_gap(gather, pid,
			"it did not let itself be looked at in time: a thread of it holds its "
			"address space, asleep in the kernel; only facts of its threads",
			"");
	else if (error == -ETIMEDOUT)
		gather_add_gap(gather, pid, "nor could facts of its threads be had in time", "");
	else
		gather_add_gap(gather, pid, "the helper that looked at it ended", "");
	if (target->state == TARGET_OPEN) {
		target->state = TARGET_STUCK;
	} else {
		target->state = TARGET_LEFT;
		share->at++;
	}
	share_start(share);
}

static void share_receive(struct gather_share *share, struct str *bytes)
{
	int got = captor_receive(&share->captor, share->until, bytes);

	if (got > 0) {
		share_take_parcel(share, bytes);
	} else if (got < 0) {
		share_lose(share, got);
	} else {
		captor_end(&share->captor);
		share->over = true;
	}
}

/* Waits for whoever has something, or is late. */
static void gather_await(struct gather *gather, struct str *bytes)
{
	struct pollfd fds[GATHER_HELPERS];
	struct gather_share *who[GATHER_HELPERS];
	int64_t first = INT64_MAX, left;
	nfds_t nr = 0;

	for (size_t i = 0; i < gather->nr_shares; i++) {
		struct gather_share *share = &gather->shares[i];

		if (share->over)
			continue;
		fds[nr] = (struct pollfd){.fd = share->captor.fd, .events = POLLIN};
		who[nr++] = share;
		first = share->until < first ? share->until : first;
	}
	left = first - clock_monotonic_ns();
	(void)poll(fds, nr, left > 0 ? (int)(left / CLOCK_NS_PER_MS) + 1 : 0);
	for (nfds_t i = 0; i < nr; i++)
		if (fds[i].revents || clock_monotonic_ns() > who[i]->until)
			share_receive(who[i], bytes);
}

/* --- All of it -------------------------------------------------------------------------------- */

static size_t gather_processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? (size_t)CPU_COUNT(&set) : 1;
}

static void gather_share_out(struct gather *gather, size_t nr)
{
	size_t helpers = gather_processors(), next = 0;

	helpers = helpers < GATHER_HELPERS ? helpers : GATHER_HELPERS;
	gather->nr_shares = nr < helpers ? nr : helpers;
	for (size_t i = 0; i < gather->nr_shares; i++) {
		struct gather_share *share = &gather->shares[i];
		size_t end = nr * (i + 1) / gather->nr_shares;

		share->gather = gather;
		share->targets = gather->targets + next;
		share->nr = end - next;
		next = end;
	}
}

void stacks_gather(struct evidence *into, const char *host, const struct stacks_target *targets,
	size_t nr, const struct stacks_options *options)
{
	struct gather gather = {
		.into = into, .first = into->n, .host = host, .options = options};
	struct str bytes = {0};
	bool more = nr > 0;

	gather.samples = options->samples < 1		       ? 1 :
			 options->samples > GATHER_SAMPLES ? GATHER_SAMPLES :
							       options->samples;
	gather.targets = alloc_zeroed(nr + 1, sizeof(*gather.targets));
	for (size_t i = 0; i < nr; i++)
		gather.targets[i].target = &targets[i];
	gather_share_out(&gather, nr);
	for (size_t i = 0; i < gather.nr_shares; i++)
		share_start(&gather.shares[i]);
	while (more) {
		gather_await(&gather, &bytes);
		more = false;
		for (size_t i = 0; i < gather.nr_shares; i++)
			more = more || !gather.shares[i].over;
	}
	str_release(&bytes);
	free(gather.targets);
}
