/* SPDX-License-Identifier: Apache-2.0 */
/*
 * torture [--kills N] [--slots N] [--threads N] [--stall N] [--seed N] [--life US]
 *         [--break WORD]
 *
 * Writers in a child process are killed (SIGKILL) at a random instant, N times. They stall between
 * the phases of a slot (naps, spins, sched_yield: every N-th phase on average) and, by a signal,
 * at any instruction; every eighth time all are stopped (SIGSTOP) first. Two readers race with them
 * and with each other: this process takes snapshots, another reads the slots where they lie as
 * well. What may be found is exactly:
 *
 *   living:  no record that is not what was written; every ticket accounted for
 *   stopped: as dead
 *   dead:    as living; what the writers noted as done is there, word by word, and what they had
 *            not begun is not; in flight is one record per writer at most; every board that was
 *            ever written is readable; counters of losses say what was lost
 *
 * The exit status is 1 where anything else was found. --break (publish, loss, board, claim, shared)
 * makes the writers do one thing wrong, which must be found: a test that cannot fail proves
 * nothing.
 */
#include "tests/ring/torture.h"

#include <getopt.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ring/ring-snapshot.h"

static const char *const breakages[] = {"nothing", "publish", "loss", "board", "claim", "shared"};

/* The second reader's door: it is inside only while `open`. */
struct door {
	int open, inside;
	struct findings found;
};

static struct torture torture = {.writers = 2, .stall = 200};
static unsigned kills = 100, seed = 1;
static unsigned life = 1500; /* microseconds at most, once all have begun */

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* --- Readers ---------------------------------------------------------------------------------- */

static void take_snapshot(struct findings *found)
{
	void *bytes;
	size_t size;

	if (ring_snapshot(torture.fd, &bytes, &size))
		abort();
	inquest_living(&torture, bytes, size, found);
	free(bytes);
}

static pid_t begin_process(void)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		abort();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
	}
	return pid;
}

static void read_for_ever(struct door *door)
{
	for (uint64_t turn = 0;; turn++) {
		__atomic_store_n(&door->inside, 1, __ATOMIC_SEQ_CST);
		if (!__atomic_load_n(&door->open, __ATOMIC_SEQ_CST)) {
			__atomic_store_n(&door->inside, 0, __ATOMIC_SEQ_CST);
			sched_yield();
		} else if (turn % 8) {
			inquest_in_place(&torture, &door->found);
		} else {
			take_snapshot(&door->found);
		}
	}
}

static void set_door(struct door *door, int open)
{
	__atomic_store_n(&door->open, open, __ATOMIC_SEQ_CST);
	while (!open && __atomic_load_n(&door->inside, __ATOMIC_SEQ_CST))
		sched_yield();
}

/* --- A round ---------------------------------------------------------------------------------- */

static void prepare(uint64_t round)
{
	struct truth *truth = torture.truth;

	memset(torture.ring.base, 0, torture.ring.layout.size);
	fixture_format(&torture.ring, torture.ring.base);
	for (uint32_t i = 0; torture.slots && i <= torture.ring.layout.lanes; i++)
		torture.ring.w.lanes[i].n = torture.slots;
	memset(truth, 0, offsetof(struct truth, log));
	truth->round = round;
}

static int has_begun(void)
{
	for (unsigned who = 1; who <= torture.writers; who++)
		if (!torture.truth->writer[who].deed[DEED_CLAIM].ended)
			return 0;
	return 1;
}

/* Reads on until it is time. */
static void watch(uint64_t us, struct findings *living)
{
	uint64_t late = now_us() + 1000000, until;

	while (!has_begun() && now_us() < late)
		take_snapshot(living);
	for (until = now_us() + us; now_us() < until;)
		take_snapshot(living);
}

/* All writers at once stand still wherever they are: the ring must be as if they were dead. */
static void stop_and_look(pid_t pid, struct findings *dead)
{
	int status;

	kill(pid, SIGSTOP);
	if (waitpid(pid, &status, WUNTRACED) != pid || !WIFSTOPPED(status))
		abort();
	inquest_dead(&torture, torture.ring.base, torture.ring.layout.size, dead);
	kill(pid, SIGCONT);
}

static void kill_once(
	uint64_t round, struct door *door, struct findings *living, struct findings *dead)
{
	uint64_t us = (unsigned)rand_r(&seed) % life;
	pid_t pid;
	int status;

	prepare(round);
	pid = begin_process();
	if (!pid)
		victim_live(&torture);
	set_door(door, 1);
	watch(us, living);
	if (round % 8 == 0) {
		stop_and_look(pid, dead);
		watch(us / 4, living);
	}
	kill(pid, SIGKILL);
	if (waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status))
		abort();
	inquest_dead(&torture, torture.ring.base, torture.ring.layout.size, dead);
	set_door(door, 0);
}

/* --- The whole -------------------------------------------------------------------------------- */

static void say(const char *when, const struct findings *f)
{
	printf("%s: %lu rings, %lu records, %lu boards; %lu torn, %lu absent, %lu uncounted, "
	       "%lu unreadable boards, %lu in excess, %lu unsound",
		when, f->rings, f->records, f->boards, f->torn, f->absent, f->uncounted,
		f->unreadable, f->excess, f->unsound);
	printf(f->in_flight ? "; %lu in flight\n" : "\n", f->in_flight);
}

static void *shared_memory(size_t size, int fd)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
		fd < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		abort();
	return at;
}

static enum breakage breakage_of(const char *word)
{
	for (unsigned i = 0; i < sizeof(breakages) / sizeof(*breakages); i++)
		if (!strcmp(word, breakages[i]))
			return i;
	exit(2);
}

static void read_options(int argc, char **argv)
{
	static const struct option longs[] = {{"kills", 1, NULL, 'k'}, {"slots", 1, NULL, 'n'},
		{"threads", 1, NULL, 't'}, {"stall", 1, NULL, 's'}, {"seed", 1, NULL, 'r'},
		{"life", 1, NULL, 'l'}, {"break", 1, NULL, 'b'}, {0}};
	int c;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		unsigned n = (c == '?' || c == 'b') ? 0 : (unsigned)strtoul(optarg, NULL, 0);

		switch (c) {
		case 'k':
			kills = n;
			break;
		case 'n':
			torture.slots = n;
			break;
		case 't':
			torture.writers = n < WRITERS ? n : WRITERS;
			break;
		case 's':
			torture.stall = n;
			break;
		case 'l':
			life = n ? n : 1;
			break;
		case 'r':
			seed = n;
			break;
		case 'b':
			torture.breakage = breakage_of(optarg);
			break;
		default:
			exit(2);
		}
	}
}

int main(int argc, char **argv)
{
	struct findings living = {0}, dead = {0};
	struct door *door;
	pid_t reader;

	read_options(argc, argv);
	ring_layout(2, RING_RANK, &torture.ring.layout);
	torture.fd = memfd_create("torture", MFD_CLOEXEC);
	if (torture.fd < 0 || ftruncate(torture.fd, (off_t)torture.ring.layout.size))
		return 99;
	torture.ring.base = shared_memory(torture.ring.layout.size, torture.fd);
	torture.truth = shared_memory(sizeof(*torture.truth), -1);
	door = shared_memory(sizeof(*door), -1);
	prepare(0);
	printf("%u kills, %u threads, seed %u\n", kills, torture.writers, seed);
	fflush(stdout);
	reader = begin_process();
	if (!reader)
		read_for_ever(door);
	for (unsigned k = 1; k <= kills; k++)
		kill_once(k, door, &living, &dead);
	kill(reader, SIGKILL);
	waitpid(reader, NULL, 0);
	say("living", &living);
	say("beside", &door->found);
	say("dead", &dead);
	return findings_bad(&living) || findings_bad(&door->found) || findings_bad(&dead);
}
