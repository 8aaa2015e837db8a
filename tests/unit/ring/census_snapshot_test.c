/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process table is copied while a slot of it changes hands: its process ends and another takes
 * it, or it becomes another program. The writer is a child that goes on, by single steps, between
 * any two words that the reader reads, so that a look may see anything that a machine may show.
 */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ring/census-read.h"
#include "ring/census-write.h"
#include "tests/unit/unit.h"

#define LOOKS 100

/*
 * The writer; and at which words of this look it goes on for how many steps, and then, it may be,
 * until there is a process to be seen.
 */
static struct {
	pid_t pid;
	const struct census_slot *slot;
	uint32_t word;
	struct {
		uint32_t at, steps, until;
	} goes[3];
} writer;

static int is_seen(void)
{
	return writer.slot->state == CENSUS_CANDIDATE || writer.slot->state == CENSUS_EXITED;
}

static void writer_goes_on(uint32_t steps, uint32_t until)
{
	int status;

	for (uint32_t i = 0; i < steps || (until && !is_seen()); i++) {
		assert_int_equal(ptrace(PTRACE_SINGLESTEP, writer.pid, NULL, NULL), 0);
		assert_int_equal(waitpid(writer.pid, &status, 0), writer.pid);
		assert_true(WIFSTOPPED(status));
	}
}

/* A table in which a slot is claimed as soon as the reader knows how many are in use. */
static struct {
	uint8_t *base;
	uint32_t slot;
} late;

/* The reader's: of the header and the first slot word by word, while the writer goes on. */
ssize_t pread(int fd, void *to, size_t size, off_t from)
{
	const size_t slow = sizeof(struct census_header) + sizeof(struct census_slot);
	size_t done = 0;

	if (late.base && size == sizeof(uint32_t)) { /* of the slots that were ever used */
		ssize_t got = syscall(SYS_pread64, fd, to, size, from);

		census_raise((void *)late.base, late.slot);
		return got;
	}
	while (writer.pid && done + 8 <= size && (size_t)from + done + 8 <= slow) {
		for (int i = 0; i < 3; i++)
			if (writer.word == writer.goes[i].at)
				writer_goes_on(writer.goes[i].steps, writer.goes[i].until);
		writer.word++;
		if (syscall(SYS_pread64, fd, (char *)to + done, 8ul, from + (off_t)done) != 8)
			return -1;
		done += 8;
	}
	if (done == size)
		return (ssize_t)done;
	return done ? (ssize_t)done : syscall(SYS_pread64, fd, to, size, from);
}

/* --- The writer ------------------------------------------------------------------------------- */

/* All that is said of a program of this number. */
static void fill(struct census_slot *s, int32_t program)
{
	s->rank = s->local_rank = s->world_size = s->restart = program;
	s->birth_tsc = s->birth_realtime = (uint64_t)program;
	memset(s->comm, 'a' + program % 26, sizeof(s->comm) - 1);
	memset(s->exe, 'a' + program % 26, sizeof(s->exe) - 1);
}

static int says_one_program(const struct census_slot *s)
{
	int32_t program = s->rank;

	for (size_t i = 0; i + 1 < sizeof(s->exe); i++)
		if (s->exe[i] != 'a' + program % 26 || s->comm[i % 15] != s->exe[i])
			return 0;
	return s->local_rank == program && s->world_size == program && s->restart == program &&
	       s->birth_tsc == (uint64_t)program && s->birth_realtime == s->birth_tsc &&
	       s->pid == (uint32_t)program / 2 && s->start_time == 7 * (uint64_t)s->pid &&
	       (s->state != CENSUS_EXITED || s->exit_status == program);
}

/* Process after process in slot 0, each two programs; every other one ends badly, and is spent. */
static void live(void *base)
{
	struct census_slot *s = census_slot_at(base, 0);

	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(77);
	raise(SIGSTOP);
	for (int32_t program = 2;; program += 2) {
		const struct census_who me = {
			.pid = (uint32_t)program / 2, .start_time = 7 * (uint64_t)program / 2};

		if (census_take(base, 0, s->head, &me))
			_exit(1);
		fill(s, program);
		census_publish(base, 0, CENSUS_CANDIDATE);
		if (census_take_over(base, &me))
			_exit(2);
		fill(s, program + 1);
		census_flag(base, 0, CENSUS_F_TASK); /* no rank would be missed */
		census_publish(base, 0, CENSUS_CANDIDATE);
		census_exit(base, 0, program & 2 ? program + 1 : 0, 1, 1);
	}
}

/* --- The reader ------------------------------------------------------------------------------- */

static uint32_t dice = 1;

static uint32_t draw(uint32_t below)
{
	dice = dice * 1103515245u + 12345u;
	return (dice >> 8) % below;
}

/* Before the look, in the midst of what is copied, and anywhere. */
static void draw_steps(void)
{
	const uint32_t head = sizeof(struct census_header) / 8;
	const uint32_t slot = sizeof(struct census_slot) / 8;

	writer.word = 0;
	for (uint32_t i = 0; i < 3; i++) {
		writer.goes[i].at = i * (head + slot) + head + draw(slot);
		writer.goes[i].steps = i < 2 ? draw(400) : draw(40);
		writer.goes[i].until = i < 2 && draw(4);
	}
	writer.goes[0].at = 0;
}

static void a_slot_is_one_process_of_one_moment(void **state)
{
	const size_t size = sizeof(struct census_header) + sizeof(struct census_slot);
	int fd = memfd_create("census", MFD_CLOEXEC), status;
	size_t whole = 0;
	uint8_t *base;

	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(base != MAP_FAILED);
	census_format(base);
	census_open(base);
	writer.slot = census_slot_at(base, 0);
	writer.pid = fork();
	if (!writer.pid)
		live(base);
	assert_int_equal(waitpid(writer.pid, &status, 0), writer.pid);
	if (WIFEXITED(status)) {
		print_message("skipped: nobody may be traced here\n");
		skip();
	}
	for (int look = 0; look < LOOKS; look++) {
		struct census_view view;
		struct census_slot got;
		void *bytes;
		size_t copied;

		draw_steps();
		assert_int_equal(census_snapshot(fd, &bytes, &copied), 0);
		assert_int_equal(census_view_open(&view, bytes, copied), 0);
		if (census_view_slot(&view, 0, &got) == 1) {
			assert_true(says_one_program(&got));
			whole++;
		}
		free(bytes);
	}
	print_message("%zu of %d looks saw a process\n", whole, LOOKS);
	assert_true(whole > LOOKS / 4);
	kill(writer.pid, SIGKILL);
	waitpid(writer.pid, &status, 0);
	munmap(base, size);
	close(fd);
	(void)state;
}

/* Of a table for thousands nearly all is empty; nobody is left out who comes during the look. */
static void what_is_in_use_is_copied(void **state)
{
	static const struct {
		uint32_t used, late, copied;
	} cases[] = {
		{0, 0, 16},
		{3, 2, 19},
		{3, 18, 19},
		{3, 19, CENSUS_SLOTS},
		{CENSUS_SLOTS - 1, CENSUS_SLOTS - 1, CENSUS_SLOTS},
		{CENSUS_SLOTS, 0, CENSUS_SLOTS},
		{UINT32_MAX, 0, CENSUS_SLOTS},
	};

	writer.pid = 0;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t *base = calloc(1, CENSUS_SIZE);
		struct census_header *header = (void *)base;
		struct census_view view;
		size_t copied;
		void *bytes;
		int fd = memfd_create("census", MFD_CLOEXEC);

		census_format(base);
		census_open(base);
		header->high = cases[i].used;
		assert_int_equal(ftruncate(fd, CENSUS_SIZE), 0);
		assert_int_equal(pwrite(fd, base, CENSUS_SIZE, 0), CENSUS_SIZE);
		late.base = mmap(NULL, CENSUS_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		late.slot = cases[i].late;
		assert_int_equal(census_snapshot(fd, &bytes, &copied), 0);
		assert_int_equal(copied, census_slot_offset(cases[i].copied));
		assert_int_equal(census_view_open(&view, bytes, copied), 0);
		assert_int_equal(view.cut, 0);
		munmap(late.base, CENSUS_SIZE);
		late.base = NULL;
		free(bytes);
		free(base);
		close(fd);
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slot_is_one_process_of_one_moment),
		cmocka_unit_test(what_is_in_use_is_copied),
	};

	return cmocka_run_group_tests_name("census_snapshot", tests, NULL, NULL);
}
