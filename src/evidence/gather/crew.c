/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/gather/crew.h"

#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/str.h"

/* A parcel on its way; then come the label and the bytes. */
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

void crew_send(int out, const struct parcel *parcel)
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
	/* Where nobody listens any more, nobody waits for us either. */
	(void)captor_send(out, bytes.text, bytes.len, exhibit->bytes, exhibit->len);
	str_release(&bytes);
}

void crew_send_all(int out, struct evidence *evidence)
{
	for (size_t i = 0; i < evidence->n; i++)
		crew_send(out,
			&(struct parcel){
				.what = PARCEL_EXHIBIT, .exhibit = evidence->at[i]});
	for (size_t i = 0; i < evidence->ngaps; i++)
		crew_send(out,
			&(struct parcel){.what = PARCEL_GAP,
				.exhibit = {.pid = evidence->gaps[i].pid,
					.label = evidence->gaps[i].what}});
	evidence_release(evidence);
}

void crew_send_step(int out, uint64_t number)
{
	crew_send(out, &(struct parcel){.what = PARCEL_STEP, .number = number});
}

/* What a new helper is told. */
struct crew_start {
	struct crew *crew;
	size_t hand;
};

static void crew_serve(int out, void *arg)
{
	const struct crew_start *start = arg;
	struct crew *crew = start->crew;

	crew->work->work(crew->arg, start->hand, crew->hands[start->hand].at, out);
}

/* --- Outside ---------------------------------------------------------------------------------- */

static void hand_extend(struct crew *crew, struct crew_hand *hand)
{
	hand->until = clock_monotonic_ns() + crew->deadline_ms * CLOCK_NS_PER_MS;
}

static void hand_start(struct crew *crew, size_t i)
{
	struct crew_start start = {crew, i};
	struct crew_hand *hand = &crew->hands[i];
	int error;

	hand->over = hand->at >= hand->steps;
	if (hand->over)
		return;
	error = captor_start(&hand->captor, crew_serve, &start);
	hand_extend(crew, hand);
	if (!error)
		return;
	hand->over = true;
	crew->work->none(crew->arg, i, hand->at, error);
}

/* False where these bytes are no parcel. */
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

static void hand_take(struct crew *crew, size_t i, const struct str *bytes)
{
	struct crew_hand *hand = &crew->hands[i];
	struct parcel parcel;
	char *label = NULL;

	if (parcel_open(bytes, &parcel, &label)) {
		crew->work->take(crew->arg, i, hand->at, &parcel);
		hand->at += parcel.what == PARCEL_STEP;
	}
	free(label);
	hand_extend(crew, hand);
}

static void hand_receive(struct crew *crew, size_t i, struct str *bytes)
{
	struct crew_hand *hand = &crew->hands[i];
	int got = captor_receive(&hand->captor, hand->until, bytes);

	if (got > 0) {
		hand_take(crew, i, bytes);
		return;
	}
	captor_end(&hand->captor);
	if (got == 0 || hand->at >= hand->steps)
		hand->over = true;
	else if (!crew->work->lost(crew->arg, i, hand->at, got))
		hand->at++;
	if (!hand->over)
		hand_start(crew, i);
}

/* Waits for whoever has something, or is late. */
static void crew_await(struct crew *crew, struct str *bytes)
{
	struct pollfd fds[CREW_HANDS];
	size_t who[CREW_HANDS];
	int64_t first = INT64_MAX, left;
	nfds_t nr = 0;

	for (size_t i = 0; i < crew->nr; i++) {
		const struct crew_hand *hand = &crew->hands[i];

		if (hand->over)
			continue;
		fds[nr] = (struct pollfd){.fd = hand->captor.fd, .events = POLLIN};
		who[nr++] = i;
		first = hand->until < first ? hand->until : first;
	}
	left = first - clock_monotonic_ns();
	(void)poll(fds, nr, left > 0 ? (int)(left / CLOCK_NS_PER_MS) + 1 : 0);
	for (nfds_t i = 0; i < nr; i++)
		if (fds[i].revents || clock_monotonic_ns() > crew->hands[who[i]].until)
			hand_receive(crew, who[i], bytes);
}

static bool crew_is_busy(const struct crew *crew)
{
	for (size_t i = 0; i < crew->nr; i++)
		if (!crew->hands[i].over)
			return true;
	return false;
}

size_t crew_hands_for(size_t things)
{
	cpu_set_t set;
	size_t hands = CREW_HANDS;

	if (sched_getaffinity(0, sizeof(set), &set) == 0 && (size_t)CPU_COUNT(&set) < hands)
		hands = (size_t)CPU_COUNT(&set);
	return things < hands ? things : hands;
}

void crew_run(struct crew *crew)
{
	struct str bytes = {0};

	for (size_t i = 0; i < crew->nr; i++)
		hand_start(crew, i);
	while (crew_is_busy(crew))
		crew_await(crew, &bytes);
	str_release(&bytes);
}
