/* SPDX-License-Identifier: Apache-2.0 */
/*
 * There are two sets of workers. The first takes the stacks: each worker has a share of the targets
 * and goes through it sample by sample; in the end it sends the modules that walks have met, with
 * what walking needs of them. The second looks the names up, module by module: that takes longest,
 * may be lost, and is done once for each module however many processes have it.
 *
 * A target that blocks its helper is asked once more, by the next helper, for nothing but what
 * takes no lock of it, and then left. That next helper knows the samples that there are already
 * from their exhibits, which it inherits.
 */
#include "evidence/gather/stacks-gather.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/str.h"
#include "evidence/format/stacks.h"
#include "evidence/gather/workers.h"
#include "evidence/gather/stacks-module.h"
#include "proc/threads/capture.h"
#include "proc/threads/sleep-clock.h"

#define GATHER_SAMPLES 3
#define GATHER_NAMING  5 /* how many times the deadline the names of one module may take */

/* What is still asked of a target. */
enum gather_state {
	TARGET_OPEN,
	TARGET_STUCK, /* it blocked a helper: only facts that take no lock are asked from now on */
	TARGET_LEFT,  /* nothing more is asked of it */
};

/* One target, as its worker and we see it. */
struct gather_target {
	const struct stacks_target *target;
	enum gather_state state;
	size_t exhibit[GATHER_SAMPLES]; /* 1 + its index in `into`, by sample; 0: not taken */
	int64_t taken;			/* when the last sample was, monotonic ns; 0 not yet */
	struct snapshot snapshots[GATHER_SAMPLES]; /* only in the helper */
};

/* The targets of one worker. */
struct gather_share {
	struct gather_target *targets;
	size_t nr;
};

/* One gathering of stacks. */
struct gather {
	struct evidence *into;
	const char *host;
	const struct stacks_options *options;
	unsigned samples;
	struct gather_target *targets;
	struct gather_share shares[WORKERS_MOST];
	size_t workers;
	struct stacks_names names;
};

/* --- In the helper: stacks -------------------------------------------------------------------- */

/* What a helper uses for all of its targets. */
struct helper_means {
	struct images *images;
	struct sleep_clock *clock;
};

/* Waits until a pause has passed since the target's last sample. */
static void helper_pause(const struct gather *gather, const struct gather_target *target)
{
	int64_t until = target->taken + gather->options->pause_ms * CLOCK_NS_PER_MS;
	int64_t left = until - clock_monotonic_ns();
	struct timespec time = {
		.tv_sec = left / CLOCK_NS_PER_S, .tv_nsec = left % CLOCK_NS_PER_S};

	if (target->taken && left > 0)
		(void)nanosleep(&time, NULL);
}

/* Returns the pid that exhibits name the target by. */
static uint32_t goes_by(const struct gather_target *target)
{
	return target->target->as ? target->target->as : target->target->id.pid;
}

/* Adds what a capture gave. Where it has no thread, only a gap with its words is added. */
static void helper_add(const struct gather *gather, const struct gather_target *target,
	const struct snapshot *snapshot, int error, const struct complaint *why,
	struct evidence *into)
{
	struct str words = {0};

	if (target->target->passing && (error == -ESRCH || snapshot_of_ended(snapshot)))
		return;
	if (snapshot->nthreads && (!error || error == -EPERM)) {
		stacks_add(into, gather->host, target->target->rank, snapshot);
		if (target->target->as)
			into->at[into->n - 1].pid = target->target->as;
		return;
	}
	str_printf(&words, "stacks: %s", complaint_text(why));
	evidence_add_gap(into, gather->host, goes_by(target), str_text(&words));
	str_release(&words);
}

/* Takes one sample of one target, and adds it. */
static void helper_take(const struct gather *gather, struct gather_target *target,
	unsigned sample, const struct helper_means *means, struct evidence *into)
{
	struct snapshot *snapshot = &target->snapshots[sample];
	struct capture_options options = {.mode = gather->options->mode,
		.raw_stacks = gather->options->raw_stacks,
		.no_logs = gather->options->no_logs,
		.means = gather->options->means,
		.facts_only = target->state == TARGET_STUCK,
		.sample = gather->options->first + sample,
		.clock = means->clock};
	struct complaint why = {0};
	int error;

	if (sample && target->snapshots[sample - 1].nthreads)
		options.before = &target->snapshots[sample - 1];
	helper_pause(gather, target);
	error = capture_take(target->target->id, &options, means->images, snapshot, &why);
	target->taken = clock_monotonic_ns();
	helper_add(gather, target, snapshot, error, &why, into);
	if ((error && error != -EPERM) || target->state == TARGET_STUCK)
		target->state = TARGET_LEFT;
	complaint_release(&why);
}

/*
 * Reads the samples that an earlier helper of this share has taken out of their exhibits. Modules
 * are opened through processes, but not through one that blocks whoever does that.
 */
static void helper_restore(
	const struct gather *gather, const struct gather_share *share, struct images *images)
{
	for (size_t i = 0; i < share->nr; i++) {
		struct gather_target *target = &share->targets[i];

		for (unsigned k = 0; k < gather->samples; k++) {
			struct snapshot *snapshot = &target->snapshots[k];
			struct stack_maps maps = {0};

			if (!target->exhibit[k] ||
				stacks_read(&gather->into->at[target->exhibit[k] - 1], snapshot,
					NULL) < 0 ||
				!snapshot->memory || target->state != TARGET_OPEN)
				continue;
			stack_maps_parse(&maps, snapshot->maps, strlen(snapshot->maps));
			images_open(images, snapshot->pid, &maps,
				excerpt_memory(snapshot->memory), NULL);
			stack_maps_release(&maps);
		}
	}
}

/* Sends the modules as walks have read them, and which of their addresses want names. */
static void helper_send_modules(const struct gather *gather, const struct gather_share *share,
	struct images *images, int out)
{
	struct stacks_wanteds wanteds = {0};
	struct stacks_wanted *wanted;
	struct evidence found = {0};
	struct snapshot *all =
		alloc_zeroed(share->nr * GATHER_SAMPLES + 1, sizeof(struct snapshot));
	size_t nr = 0;

	for (size_t i = 0; i < share->nr; i++)
		for (unsigned k = 0; k < gather->samples; k++)
			if (share->targets[i].snapshots[k].memory)
				all[nr++] = share->targets[i].snapshots[k];
	stacks_want(&wanteds, images, all, nr);
	array_for_each(&wanteds.all, wanted) {
		struct str bytes = {0};

		stacks_add_module(&found, gather->host, wanted->module,
			images_excerpt(images, wanted->module));
		parcel_send_all(out, &found);
		stacks_names_pack(wanted, &bytes);
		parcel_send(out,
			&(struct parcel){.what = PARCEL_OWN,
				.exhibit = {.bytes = (uint8_t *)bytes.text,
					.len = bytes.len}});
		str_release(&bytes);
	}
	stacks_wanted_release(&wanteds);
	free(all);
}

/*
 * Does a worker's steps. A step is one sample of one target; the last one sends the modules. What
 * is allocated here is freed by the helper's end.
 */
static void gather_steps(void *arg, size_t worker, size_t step, int out)
{
	const struct gather *gather = arg;
	const struct gather_share *share = &gather->shares[worker];
	const struct helper_means means = {images_new(), sleep_clock_new()};
	struct evidence found = {0};

	if (step)
		helper_restore(gather, share, means.images);
	for (; step < gather->samples * share->nr; step++) {
		struct gather_target *target = &share->targets[step % share->nr];

		if (target->state != TARGET_LEFT)
			helper_take(gather, target, (unsigned)(step / share->nr), &means, &found);
		parcel_send_all(out, &found);
		parcel_send_step(out, target->state);
	}
	helper_send_modules(gather, share, means.images, out);
	sleep_clock_free(means.clock);
	parcel_send_step(out, 0);
}

/* --- Receiving -------------------------------------------------------------------------------- */

static void gather_add_gap(struct gather *gather, uint32_t pid, const char *what)
{
	struct str words = {0};

	str_printf(&words, "stacks: %s", what);
	evidence_add_gap(gather->into, gather->host, pid, str_text(&words));
	str_release(&words);
}

/* Takes in what a helper has sent. */
static void gather_take(void *arg, size_t worker, size_t step, const struct parcel *parcel)
{
	struct gather *gather = arg;
	struct gather_share *share = &gather->shares[worker];
	struct gather_target *target = &share->targets[step % share->nr];
	unsigned sample = (unsigned)(step / share->nr);

	switch (parcel->what) {
	case PARCEL_EXHIBIT:
		stacks_put(gather->into, gather->host, &parcel->exhibit);
		if (parcel->exhibit.kind == EXHIBIT_STACKS && sample < gather->samples)
			target->exhibit[sample] = gather->into->n;
		break;
	case PARCEL_GAP:
		evidence_add_gap(gather->into, gather->host, parcel->exhibit.pid,
			parcel->exhibit.label);
		break;
	case PARCEL_STEP:
		if (sample < gather->samples)
			target->state = (enum gather_state)parcel->number;
		break;
	case PARCEL_OWN:
		stacks_names_want(&gather->names, parcel->exhibit.bytes, parcel->exhibit.len);
		break;
	}
}

/* Notes what is missing since a helper was lost. Returns true to try its step once more. */
static bool gather_lost(void *arg, size_t worker, size_t step, int error)
{
	struct gather *gather = arg;
	struct gather_share *share = &gather->shares[worker];
	struct gather_target *target = &share->targets[step % share->nr];
	uint32_t pid = goes_by(target);

	if (step >= gather->samples * share->nr) {
		gather_add_gap(gather, 0, "not all modules could be read in time");
		return false;
	}
	if (error != -ETIMEDOUT)
		gather_add_gap(gather, pid, "the helper that looked at it came to an end");
	else if (target->state == TARGET_OPEN)
		gather_add_gap(gather, pid,
			"it did not let itself be looked at in time (a thread that sleeps in the "
			"kernel holds its address space): only facts of its threads");
	else
		gather_add_gap(gather, pid, "nor could facts of its threads be had in time");
	if (target->state == TARGET_OPEN) {
		target->state = TARGET_STUCK;
		return true;
	}
	target->state = TARGET_LEFT;
	return false;
}

/* Notes that nobody takes the stacks of a worker's share. */
static void gather_none(void *arg, size_t worker, size_t step, int error)
{
	struct gather *gather = arg;
	const struct gather_share *share = &gather->shares[worker];
	struct str words = {0};

	(void)step;
	str_printf(&words, "no helper process could be started: %s", strerror(-error));
	for (size_t i = 0; i < share->nr; i++)
		gather_add_gap(gather, goes_by(&share->targets[i]), str_text(&words));
	str_release(&words);
}

/* --- All of it -------------------------------------------------------------------------------- */

/* Gives each worker its share of the targets. */
static void gather_share_out(struct gather *gather, struct workers *workers, size_t nr)
{
	size_t next = 0;

	workers->nr = workers_for(nr);
	for (size_t i = 0; i < workers->nr; i++) {
		size_t end = nr * (i + 1) / workers->nr;

		gather->shares[i] =
			(struct gather_share){gather->targets + next, end - next};
		workers->all[i].steps = gather->samples * (end - next) + 1;
		next = end;
	}
}

static unsigned gather_samples(const struct stacks_options *options)
{
	if (options->samples < 1)
		return 1;
	return options->samples < GATHER_SAMPLES ? options->samples : GATHER_SAMPLES;
}

void stacks_gather(struct evidence *into, const char *host, const struct stacks_target *targets,
	size_t nr, const struct stacks_options *options)
{
	static const struct workers_task task = {
		gather_steps, gather_take, gather_lost, gather_none};
	struct gather gather = {.into = into,
		.host = host,
		.options = options,
		.samples = gather_samples(options),
		.names = {.into = into, .host = host}};
	struct workers workers = {.task = &task,
		.arg = &gather,
		.deadline_ms = options->deadline_ms + options->pause_ms};

	if (!nr)
		return;
	gather.targets = alloc_zeroed(nr, sizeof(*gather.targets));
	for (size_t i = 0; i < nr; i++)
		gather.targets[i].target = &targets[i];
	gather_share_out(&gather, &workers, nr);
	workers_run(&workers);
	stacks_names_find(&gather.names, options->deadline_ms * GATHER_NAMING);
	free(gather.targets);
}
