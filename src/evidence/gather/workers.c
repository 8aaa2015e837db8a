/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/gather/workers.h"

#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/str.h"

/* What is sent of a parcel first; then come the label and the bytes. */
struct parcel_head {
	uint32_t what;
	uint32_t kind;
	int32_t rank;
	uint32_t pid;
	uint64_t start_time;
	int64_t when;
	uint64_t number;
	uint64_t label_len;
};

/* --- In the helper ---------------------------------------------------------------------------- */

void parcel_send(int out, const struct parcel *parcel)
{
	const struct exhibit *exhibit = &parcel->exhibit;
	const char *label = exhibit->label ? exhibit->label : "";
	const struct parcel_head head = {.what = parcel->what,
		.kind = exhibit->kind,
		.rank = exhibit->rank,
		.pid = exhibit->pid,
		.start_time = exhibit->start_time,
		.when = exhibit->when,
		.number = parcel->number,
		.label_len = strlen(label)};
	struct str bytes = {0};

	str_add_bytes(&bytes, &head, sizeof(head));
	str_add(&bytes, label);
	/* Where nobody listens any more, nobody waits for us either, so errors do not matter. */
	(void)helper_send(out, bytes.text, bytes.len, exhibit->bytes, exhibit->len);
	str_release(&bytes);
}

void parcel_send_all(int out, struct evidence *evidence)
{
	for (size_t i = 0; i < evidence->n; i++)
		parcel_send(out,
			&(struct parcel){
				.what = PARCEL_EXHIBIT, .exhibit = evidence->at[i]});
	for (size_t i = 0; i < evidence->ngaps; i++)
		parcel_send(out,
			&(struct parcel){.what = PARCEL_GAP,
				.exhibit = {.pid = evidence->gaps[i].pid,
					.label = evidence->gaps[i].what}});
	evidence_release(evidence);
}

void parcel_send_step(int out, uint64_t number)
{
	parcel_send(out, &(struct parcel){.what = PARCEL_STEP, .number = number});
}

/* What a new helper is given. */
struct worker_start {
	struct workers *workers;
	size_t worker;
};

static void workers_serve(int out, void *arg)
{
	const struct worker_start *start = arg;
	struct workers *workers = start->workers;

	workers->task->work(workers->arg, start->worker, workers->all[start->worker].at, out);
}

/* --- Outside ---------------------------------------------------------------------------------- */

/* Gives the worker's present step its full time anew. */
static void worker_extend(struct workers *workers, struct worker *worker)
{
	worker->until = clock_monotonic_ns() + workers->deadline_ms * CLOCK_NS_PER_MS;
}

/* Starts a helper for the worker's steps from the present one on. */
static void worker_start(struct workers *workers, size_t i)
{
	struct worker_start start = {workers, i};
	struct worker *worker = &workers->all[i];
	int error;

	worker->over = worker->at >= worker->steps;
	if (worker->over)
		return;
	error = helper_start(&worker->helper, workers_serve, &start);
	worker_extend(workers, worker);
	if (!error)
		return;
	worker->over = true;
	workers->task->none(workers->arg, i, worker->at, error);
}

/*
 * Reads a parcel, whose bytes lie in `bytes`. Returns false where these are none. The caller frees
 * *ret_label.
 */
static bool parcel_open(const struct str *bytes, struct parcel *ret, char **ret_label)
{
	struct parcel_head head;
	const char *rest;
	size_t len;

	if (bytes->len < sizeof(head))
		return false;
	memcpy(&head, bytes->text, sizeof(head));
	rest = bytes->text + sizeof(head);
	len = bytes->len - sizeof(head);
	if (head.label_len > len)
		return false;
	*ret_label = alloc_copy(rest, head.label_len);
	*ret = (struct parcel){.what = (enum parcel_what)head.what,
		.number = head.number,
		.exhibit = {.kind = (enum exhibit_kind)head.kind,
			.rank = head.rank,
			.pid = head.pid,
			.start_time = head.start_time,
			.when = head.when,
			.label = *ret_label,
			.bytes = (uint8_t *)rest + head.label_len,
			.len = len - head.label_len}};
	return true;
}

/* Passes a parcel on to the task. */
static void worker_take(struct workers *workers, size_t i, const struct str *bytes)
{
	struct worker *worker = &workers->all[i];
	struct parcel parcel;
	char *label = NULL;

	if (parcel_open(bytes, &parcel, &label)) {
		workers->task->take(workers->arg, i, worker->at, &parcel);
		worker->at += parcel.what == PARCEL_STEP;
	}
	free(label);
	worker_extend(workers, worker);
}

/* Takes what a worker has to say: a parcel, or its end. */
static void worker_receive(struct workers *workers, size_t i, struct str *bytes)
{
	struct worker *worker = &workers->all[i];
	int got = helper_receive(&worker->helper, worker->until, bytes);

	if (got > 0) {
		worker_take(workers, i, bytes);
		return;
	}
	helper_end(&worker->helper);
	if (got == 0 || worker->at >= worker->steps)
		worker->over = true;
	else if (!workers->task->lost(workers->arg, i, worker->at, got))
		worker->at++;
	if (!worker->over)
		worker_start(workers, i);
}

/* Waits until a worker has something to say, or is late, and deals with all that do. */
static void workers_await(struct workers *workers, struct str *bytes)
{
	struct pollfd fds[WORKERS_MOST];
	size_t who[WORKERS_MOST];
	int64_t first = INT64_MAX, left;
	nfds_t nr = 0;

	for (size_t i = 0; i < workers->nr; i++) {
		const struct worker *worker = &workers->all[i];

		if (worker->over)
			continue;
		fds[nr] = (struct pollfd){.fd = worker->helper.fd, .events = POLLIN};
		who[nr++] = i;
		first = worker->until < first ? worker->until : first;
	}
	left = first - clock_monotonic_ns();
	(void)poll(fds, nr, left > 0 ? (int)(left / CLOCK_NS_PER_MS) + 1 : 0);
	for (nfds_t i = 0; i < nr; i++)
		if (fds[i].revents || clock_monotonic_ns() > workers->all[who[i]].until)
			worker_receive(workers, who[i], bytes);
}

static bool workers_is_busy(const struct workers *workers)
{
	for (size_t i = 0; i < workers->nr; i++)
		if (!workers->all[i].over)
			return true;
	return false;
}

size_t workers_for(size_t things)
{
	cpu_set_t set;
	size_t workers = WORKERS_MOST;

	if (sched_getaffinity(0, sizeof(set), &set) == 0 && (size_t)CPU_COUNT(&set) < workers)
		workers = (size_t)CPU_COUNT(&set);
	return things < workers ? things : workers;
}

void workers_run(struct workers *workers)
{
	struct str bytes = {0};

	for (size_t i = 0; i < workers->nr; i++)
		worker_start(workers, i);
	while (workers_is_busy(workers))
		workers_await(workers, &bytes);
	str_release(&bytes);
}
