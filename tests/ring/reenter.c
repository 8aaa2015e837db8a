/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reenter [SIGNALS]: a signal every 50 us lands in the middle of records and writes records itself,
 * into the lane of the thread it interrupted. None may be lost, none torn.
 *
 * The same is then done to the reservation by a plain load and store, which must lose records: else
 * the signals did not land where it hurts and the first result means nothing.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>

#include "tests/ring/fixture.h"

#define FROM_MAIN    1
#define FROM_HANDLER 2

static struct fixture *ring;
static struct ring_lane *lane;
static uint64_t handled; /* records the handler wrote; only it counts them */
static int plain;

/* The reservation that is one step too many. */
static void plain_put(uint64_t tsc, const struct ring_record *r)
{
	uint64_t ticket = __atomic_load_n(&lane->head, __ATOMIC_RELAXED);

	ring_slot_publish(
		ring->w.slots + lane->first + (ticket & (lane->n - 1)), ticket, tsc, r);
	__atomic_store_n(&lane->head, ticket + 1, __ATOMIC_RELAXED);
}

static void put(uint64_t n, uint32_t who)
{
	struct ring_record r = sealed_record(n, who);

	if (plain)
		plain_put(sealed_tsc(n, who), &r);
	else
		ring_put(&ring->w, lane, sealed_tsc(n, who), &r);
}

static void on_timer(int signo)
{
	put(handled++, FROM_HANDLER);
}

/* Of the records in the lane: how many are torn, or not the successor of the one before. */
static uint64_t count_faults(uint64_t written)
{
	struct ring_view view = fixture_view(ring);
	struct ring_lane_view lv;
	struct ring_cursor c;
	struct ring_slot s;
	uint64_t next[3] = {0}, faults;

	ring_view_lane(&view, 0, &lv);
	faults = lv.head > written ? lv.head - written : written - lv.head;
	ring_cursor_open(&c, &lv);
	while (ring_cursor_next(&c, &s)) {
		uint32_t who = ring_meta_arg(s.meta);

		if (!sealed(&s) || who > FROM_HANDLER) {
			faults++;
			continue;
		}
		faults += next[who] && s.index != next[who];
		next[who] = s.index + 1;
	}
	return faults + c.tally.in_flight + c.tally.unbegun + c.tally.lapped;
}

/* Writes until `signals` came, or for five seconds; the faults found. */
static uint64_t torment(uint64_t signals)
{
	const struct itimerval every = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
	time_t end = time(NULL) + 5;
	uint64_t n = 0, faults;

	ring = fixture_new(2, RING_RANK);
	lane = ring_lane_claim(&ring->w, 1, "main");
	__atomic_store_n(&handled, 0, __ATOMIC_RELAXED);
	setitimer(ITIMER_REAL, &every, NULL);
	while (__atomic_load_n(&handled, __ATOMIC_RELAXED) < signals && time(NULL) < end)
		for (int i = 0; i < 1000; i++)
			put(n++, FROM_MAIN);
	setitimer(ITIMER_REAL, &never, NULL);
	faults = count_faults(n + handled);
	printf("%s: %lu records, %lu by signals, %lu faults\n", plain ? "plain" : "xadd", n,
		handled, faults);
	fixture_free(ring);
	return faults;
}

int main(int argc, char **argv)
{
	const struct sigaction action = {.sa_handler = on_timer, .sa_flags = SA_RESTART};
	uint64_t signals = argc > 1 ? strtoull(argv[1], NULL, 0) : 5000, faults;

	sigaction(SIGALRM, &action, NULL);
	faults = torment(signals);
	plain = 1;
	if (!torment(signals)) {
		printf("FAIL: the plain reservation lost nothing: no signal landed in it\n");
		return 1;
	}
	return faults ? 1 : 0;
}
