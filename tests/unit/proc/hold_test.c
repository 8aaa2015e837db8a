/* SPDX-License-Identifier: Apache-2.0 */
/*
 * After a stop of all threads: what their run counts tell. Those who go on waiting have ours taken
 * out of it; those who do not are waited for together and not for long, however many they are.
 */
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "proc/threads/capture.h"
#include "tests/unit/proc/child.h"

#define THREADS 300
/* One by one each would have taken fifty naps. */
#define NAPS_MOST 5000

/* How many threads stand where they were told to: of the parent and the child. */
static unsigned *standing;
static bool wakes_elsewhere;

/* A stop by ptrace ends a wait in epoll_wait() (proc/threads/stop.h), and no other is like it. */
static void *stand(void *arg)
{
	struct epoll_event event;
	int fd = epoll_create1(EPOLL_CLOEXEC);

	(void)arg;
	__atomic_add_fetch(standing, 1, __ATOMIC_SEQ_CST);
	if (wakes_elsewhere)
		while (epoll_wait(fd, &event, 1, -1) == 0)
			;
	for (;;)
		pause();
	return NULL;
}

static void stand_all(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread, &attr, stand, NULL) != 0)
			_exit(1);
}

static size_t blocked(const struct snapshot *snapshot, bool stopped)
{
	size_t n = 0;

	for (size_t i = 0; i < snapshot->nthreads; i++)
		n += snapshot->threads[i].in_syscall &&
		     (!stopped || snapshot->threads[i].how == SNAPSHOT_STOPPED);
	return n;
}

static void take(pid_t pid, enum snapshot_mode mode, struct snapshot *ret)
{
	struct capture_options options = {.mode = mode, .stop_ms = 1000};
	struct images *images = images_new();

	assert_int_equal(capture_take((struct proc_id){(uint32_t)pid, 0}, &options, images, ret,
				 &(struct complaint){0}),
		0);
	images_free(images);
}

/* A child all of whose threads wait, and never go on by themselves. */
static pid_t waiting_child(void)
{
	struct snapshot snapshot;
	pid_t pid;
	bool ready;

	standing = mmap(
		NULL, sizeof(*standing), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(standing != MAP_FAILED);
	*standing = 0;
	pid = child_of(stand_all);
	do {
		take(pid, SNAPSHOT_NEVER, &snapshot);
		ready = __atomic_load_n(standing, __ATOMIC_SEQ_CST) == THREADS &&
			blocked(&snapshot, false) == THREADS + 1;
		snapshot_release(&snapshot);
	} while (!ready);
	return pid;
}

static long naps(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw;
}

/* Returns how many threads' run counts tell of them after a stop; its naps go to *ret_naps. */
static size_t stop_all(long *ret_naps)
{
	pid_t pid = waiting_child();
	struct snapshot snapshot;
	size_t told = 0;
	long before = naps();

	take(pid, SNAPSHOT_CONSISTENT, &snapshot);
	*ret_naps = naps() - before;
	if (!blocked(&snapshot, true)) { /* no ptrace here */
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		skip();
	}
	for (size_t i = 0; i < snapshot.nthreads; i++) {
		const struct snapshot_thread *thread = &snapshot.threads[i];

		if (thread->how != SNAPSHOT_STOPPED || !thread->run_count)
			continue;
		assert_in_range(thread->our_runs, 1, 2);
		told++;
	}
	snapshot_release(&snapshot);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	munmap(standing, sizeof(*standing));
	return told;
}

static void who_goes_on_waiting_is_told_by_his_runs(void **state)
{
	size_t told = 0;
	long took;

	(void)state;
	wakes_elsewhere = false;
	/* On crowded cores they may not get back in time: then nothing is said of them. */
	for (int tries = 0; !told && tries < 50; tries++)
		told = stop_all(&took);
	assert_true(told > 0);
}

static void who_does_not_is_not_waited_for_one_by_one(void **state)
{
	long took;

	(void)state;
	wakes_elsewhere = true;
	assert_true(stop_all(&took) <= 1); /* its first one pauses, and does so again */
	assert_true(took < NAPS_MOST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_goes_on_waiting_is_told_by_his_runs),
		cmocka_unit_test(who_does_not_is_not_waited_for_one_by_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
