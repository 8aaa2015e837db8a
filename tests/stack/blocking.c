/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blocking: 43 threads, each in another system call that blocks. Writes "ready PID", and when it is
 * sent a line on stdin, one line for each call that has returned meanwhile: "returned NAME ERROR".
 * None of them should ever, since nothing that they wait for comes.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif

static const struct timespec long_time = {.tv_sec = 100000};
static char folder[] = "/tmp/blocking-XXXXXX";

/* What a thread may use: each has its own. */
struct things {
	int pipe[2], pair[2], epoll;
	struct epoll_event event;
	struct timespec until;
	sigset_t signals;
	char bytes[8192];
};

static void things_make(struct things *things)
{
	struct timeval time = {.tv_sec = 100000};

	if (pipe(things->pipe) || socketpair(AF_UNIX, SOCK_STREAM, 0, things->pair))
		exit(77);
	things->epoll = epoll_create1(0);
	things->event.events = EPOLLIN;
	epoll_ctl(things->epoll, EPOLL_CTL_ADD, things->pipe[0], &things->event);
	clock_gettime(CLOCK_REALTIME, &things->until);
	things->until.tv_sec += long_time.tv_sec;
	sigemptyset(&things->signals);
	sigaddset(&things->signals, SIGUSR2);
	/* Of the other end, so that plain reads of this one have no limit. */
	setsockopt(things->pair[1], SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
	setsockopt(things->pair[1], SOL_SOCKET, SO_SNDTIMEO, &time, sizeof(time));
}

static void fill_up(int fd)
{
	static const char bytes[4096];
	int flags = fcntl(fd, F_GETFL);

	fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	while (write(fd, bytes, sizeof(bytes)) > 0)
		;
	fcntl(fd, F_SETFL, flags);
}

static int locked_file(int want_flock)
{
	char path[64];
	struct flock lock = {.l_type = F_WRLCK};
	int fd, ready[2];
	char byte;

	snprintf(path, sizeof(path), "%s/lock%d", folder, want_flock);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	if (want_flock) {
		flock(fd, LOCK_EX);
	} else if (pipe(ready) == 0 && fork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		fcntl(fd, F_SETLK, &lock);
		if (write(ready[1], "", 1) == 1)
			for (;;)
				pause();
	} else if (read(ready[0], &byte, 1) != 1) {
		exit(77);
	}
	return open(path, O_RDWR);
}

static pid_t sleeping_child(void)
{
	pid_t child = fork();

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	return child;
}

static int listening(struct sockaddr_in *address)
{
	socklen_t size = sizeof(*address);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	address->sin_family = AF_INET;
	address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(fd, (struct sockaddr *)address, size) || listen(fd, 1))
		exit(77);
	getsockname(fd, (struct sockaddr *)address, &size);
	return fd;
}

/* --- The calls -------------------------------------------------------------------------------- */

#define CALL(name) static long call_##name(struct things *t)

CALL(read) { return read(t->pipe[0], t->bytes, 1); }
CALL(recv) { return recv(t->pair[0], t->bytes, 1, 0); }
CALL(recv_timeo) { return recv(t->pair[1], t->bytes, 1, 0); }
CALL(accept)
{
	struct sockaddr_in address = {0};

	(void)t;
	return accept(listening(&address), NULL, NULL);
}
CALL(epoll_wait) { return epoll_wait(t->epoll, &t->event, 1, -1); }
CALL(epoll_wait_timeout) { return epoll_wait(t->epoll, &t->event, 1, 100000000); }
CALL(epoll_pwait2)
{
	return syscall(SYS_epoll_pwait2, t->epoll, &t->event, 1, &long_time, NULL, 8);
}
CALL(poll) { return poll(&(struct pollfd){t->pipe[0], POLLIN, 0}, 1, -1); }
CALL(poll_timeout) { return poll(&(struct pollfd){t->pipe[0], POLLIN, 0}, 1, 100000000); }
CALL(ppoll) { return ppoll(&(struct pollfd){t->pipe[0], POLLIN, 0}, 1, &long_time, NULL); }
CALL(select)
{
	(void)t;
	return select(0, NULL, NULL, NULL, NULL);
}
CALL(pselect)
{
	(void)t;
	return pselect(0, NULL, NULL, NULL, &long_time, NULL);
}
CALL(nanosleep)
{
	(void)t;
	return nanosleep(&long_time, NULL);
}
CALL(clock_nanosleep)
{
	errno = clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t->until, NULL);
	return errno ? -1 : 0;
}
CALL(futex)
{
	int word = 0;

	(void)t;
	return syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
}
CALL(futex_timeout)
{
	int word = 0;

	(void)t;
	return syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &long_time, NULL, 0);
}
CALL(sem_wait)
{
	sem_t sem;

	(void)t;
	sem_init(&sem, 0, 0);
	return sem_wait(&sem);
}
CALL(sem_timedwait)
{
	sem_t sem;

	sem_init(&sem, 0, 0);
	return sem_timedwait(&sem, &t->until);
}
CALL(cond_wait)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

	(void)t;
	pthread_mutex_lock(&mutex);
	return pthread_cond_wait(&cond, &mutex);
}
CALL(cond_timedwait)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

	pthread_mutex_lock(&mutex);
	return pthread_cond_timedwait(&cond, &mutex, &t->until);
}
CALL(msgrcv) { return msgrcv(msgget(IPC_PRIVATE, 0600), t->bytes, 8, 0, 0); }
CALL(semop)
{
	(void)t;
	return semop(semget(IPC_PRIVATE, 1, 0600), &(struct sembuf){0, -1, 0}, 1);
}
CALL(semtimedop)
{
	(void)t;
	return semtimedop(
		semget(IPC_PRIVATE, 1, 0600), &(struct sembuf){0, -1, 0}, 1, &long_time);
}
CALL(sigtimedwait) { return sigtimedwait(&t->signals, NULL, &long_time); }
CALL(sigwaitinfo) { return sigwaitinfo(&t->signals, NULL); }
CALL(sigsuspend) { return sigsuspend(&t->signals); }
CALL(pause)
{
	(void)t;
	return pause();
}
CALL(io_getevents)
{
	aio_context_t context = 0;
	struct io_event event;

	(void)t;
	if (syscall(SYS_io_setup, 8, &context) < 0)
		return sem_wait(&(sem_t){0});
	return syscall(SYS_io_getevents, context, 1, 1, &event, NULL);
}
CALL(inotify)
{
	int fd = inotify_init();

	inotify_add_watch(fd, "/", IN_DELETE_SELF);
	return read(fd, t->bytes, sizeof(t->bytes));
}
CALL(eventfd) { return read(eventfd(0, 0), t->bytes, 8); }
CALL(signalfd) { return read(signalfd(-1, &t->signals, 0), t->bytes, sizeof(t->bytes)); }
CALL(timerfd) { return read(timerfd_create(CLOCK_MONOTONIC, 0), t->bytes, 8); }
CALL(flock)
{
	(void)t;
	return flock(locked_file(1), LOCK_EX);
}
CALL(setlkw)
{
	(void)t;
	return fcntl(locked_file(0), F_SETLKW, &(struct flock){.l_type = F_WRLCK});
}
CALL(waitpid)
{
	(void)t;
	return waitpid(sleeping_child(), NULL, 0);
}
CALL(waitid)
{
	siginfo_t info;

	(void)t;
	return waitid(P_PID, (id_t)sleeping_child(), &info, WEXITED);
}
CALL(open_fifo)
{
	char path[64];

	(void)t;
	snprintf(path, sizeof(path), "%s/fifo", folder);
	mkfifo(path, 0600);
	return open(path, O_RDONLY);
}
static mqd_t queue_of(const char *what)
{
	struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = 8};
	char name[64];
	mqd_t queue;

	snprintf(name, sizeof(name), "/blocking-%d-%s", (int)getpid(), what);
	queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
	mq_unlink(name);
	return queue;
}
CALL(mq_receive) { return mq_receive(queue_of("a"), t->bytes, sizeof(t->bytes), NULL); }
CALL(mq_timedreceive)
{
	return mq_timedreceive(queue_of("b"), t->bytes, sizeof(t->bytes), NULL, &t->until);
}
CALL(send_timeo)
{
	fill_up(t->pair[1]);
	return send(t->pair[1], t->bytes, sizeof(t->bytes), 0);
}
CALL(write)
{
	fill_up(t->pipe[1]);
	return write(t->pipe[1], t->bytes, sizeof(t->bytes));
}
CALL(recv_tcp)
{
	struct sockaddr_in address = {0};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	listening(&address);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)))
		exit(77);
	return recv(fd, t->bytes, 1, 0);
}
CALL(recvmmsg)
{
	struct iovec iovec = {t->bytes, 8};
	struct mmsghdr message = {.msg_hdr = {.msg_iov = &iovec, .msg_iovlen = 1}};

	return recvmmsg(t->pair[0], &message, 1, 0, NULL);
}

#define ENTRY(name) {#name, call_##name, 0, 0}
static struct call {
	const char *name;
	long (*call)(struct things *things);
	volatile int returned;
	int error;
} calls[] = {
	ENTRY(read), ENTRY(recv), ENTRY(recv_timeo), ENTRY(accept), ENTRY(epoll_wait),
	ENTRY(epoll_wait_timeout), ENTRY(epoll_pwait2), ENTRY(poll), ENTRY(poll_timeout),
	ENTRY(ppoll), ENTRY(select), ENTRY(pselect), ENTRY(nanosleep), ENTRY(clock_nanosleep),
	ENTRY(futex), ENTRY(futex_timeout), ENTRY(sem_wait), ENTRY(sem_timedwait),
	ENTRY(cond_wait), ENTRY(cond_timedwait), ENTRY(msgrcv), ENTRY(semop), ENTRY(semtimedop),
	ENTRY(sigtimedwait), ENTRY(sigwaitinfo), ENTRY(sigsuspend), ENTRY(pause),
	ENTRY(io_getevents), ENTRY(inotify), ENTRY(eventfd), ENTRY(signalfd), ENTRY(timerfd),
	ENTRY(flock), ENTRY(setlkw), ENTRY(waitpid), ENTRY(waitid), ENTRY(open_fifo),
	ENTRY(mq_receive), ENTRY(mq_timedreceive), ENTRY(send_timeo), ENTRY(write),
	ENTRY(recv_tcp), ENTRY(recvmmsg),
};
#define CALLS (sizeof(calls) / sizeof(calls[0]))

static void *do_call(void *arg)
{
	struct call *call = arg;
	struct things *things = calloc(1, sizeof(*things));

	things_make(things);
	errno = 0;
	call->error = call->call(things) < 0 ? errno : 0;
	call->returned = 1;
	for (;;)
		pause();
	return NULL;
}

/* How many of our threads are neither running nor about to. */
static size_t sleeping(void)
{
	size_t nr = 0;

	for (int tid = getpid(); tid < getpid() + 4096; tid++) {
		char path[64], text[256] = "";
		const char *state;
		int fd;

		snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
		fd = open(path, O_RDONLY);
		if (fd < 0)
			continue;
		if (read(fd, text, sizeof(text) - 1) > 0) {
			state = strrchr(text, ')');
			nr += state && state[2] == 'S';
		}
		close(fd);
	}
	return nr;
}

static void clean_up(void)
{
	char path[64];
	static const char *const names[] = {"lock0", "lock1", "fifo"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		unlink(path);
	}
	rmdir(folder);
}

int main(void)
{
	sigset_t signals;
	pthread_t thread;
	char line[16];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)unshare(CLONE_NEWIPC); /* where we may: its queues go with us */
	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	if (!mkdtemp(folder))
		return 77;
	for (size_t i = 0; i < CALLS; i++)
		if (pthread_create(&thread, NULL, do_call, &calls[i]))
			return 77;
	for (int tries = 0; sleeping() < CALLS && tries < 1000; tries++)
		usleep(10000);
	printf("ready %d calls %zu\n", (int)getpid(), CALLS);
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	usleep(200000); /* whoever was woken has said so by then */
	for (size_t i = 0; i < CALLS; i++)
		if (calls[i].returned)
			printf("returned %s %s\n", calls[i].name, strerror(calls[i].error));
	printf("that is all\n");
	fflush(stdout);
	clean_up();
	_exit(0);
}
