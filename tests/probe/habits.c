/* SPDX-License-Identifier: Apache-2.0 */
/*
 * habits.c: a rank with habits of its own: threads on stacks of its own, signal stacks, descriptors
 * closed by number, children, little memory. What it prints and how it ends must not depend on us.
 *
 *	habits WORD...		words are done in order
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <nccl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define FIRST 3
#define LAST  300 /* descriptors that are the program's own: beyond where others keep theirs */

static char **words; /* the next one */
static char *self;
static volatile int *volatile nowhere = (volatile int *)16;
static volatile int zero;
static __thread sigjmp_buf back;
static pthread_key_t key;
static pthread_barrier_t together;

#ifdef __clang__
#define NAMED __attribute__((noinline, used)) static
#else
#define NAMED __attribute__((noinline, noipa, used)) static
#endif

/* Without stdio, which is not to be trusted where this is called. */
static void say(const char *what, long n)
{
	char line[160];
	int length = snprintf(line, sizeof(line), "%s %ld\n", what, n);

	if (write(STDOUT_FILENO, line, (size_t)length) < 0)
		_exit(8);
}

static void must(int ok, const char *what)
{
	if (!ok) {
		say(what, errno);
		_exit(9);
	}
}

static int number(void)
{
	must(*words != NULL, "no number");
	return atoi(*words++);
}

static void become_rank(void)
{
	ncclUniqueId id;
	ncclComm_t comm;

	must(ncclGetUniqueId(&id) == ncclSuccess, "id");
	errno = 77;
	must(ncclCommInitRank(&comm, 1, id, 0) == ncclSuccess, "init");
}

/* errno is that of whoever set it last, and that was not us. */
static void do_rank(void)
{
	become_rank();
	say("errno", errno);
}

/* --- Deaths ----------------------------------------------------------------------------------- */

NAMED int deepest(void)
{
	return *nowhere + zero;
}
NAMED void do_segv(void)
{
	zero = deepest();
}

NAMED int without_end(volatile char *above)
{
	volatile char here[512];

	here[0] = above ? (char)(above[0] | 1) : 1;
	return here[0] ? here[0] + without_end(here) : 0;
}
static void do_overflow(void)
{
	zero = without_end(NULL);
}

static void do_exit(void)
{
	exit(number());
}

/* The word that comes next. */
NAMED void act(void);

NAMED void *act_in_thread(void *arg)
{
	act();
	return arg;
}

static void ends(const char *who, int status)
{
	say(who, WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status));
}

/* --- Threads ---------------------------------------------------------------------------------- */

static void in_thread(const pthread_attr_t *attr)
{
	pthread_t thread;

	must(!pthread_create(&thread, attr, act_in_thread, NULL), "pthread_create");
	must(!pthread_join(thread, NULL), "pthread_join");
}

static void do_thread(void)
{
	in_thread(NULL);
}

/* The smallest stack that there may be. */
static void do_min_thread(void)
{
	pthread_attr_t attr;

	must(!pthread_attr_init(&attr), "attr");
	must(!pthread_attr_setstacksize(&attr, (size_t)sysconf(_SC_THREAD_STACK_MIN)), "size");
	in_thread(&attr);
}

/* A stack of the program's own, with a page below that nobody may touch. */
static void do_own_thread(void)
{
	const size_t size = 256 * 1024;
	char *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attr;

	must(at != MAP_FAILED && !mprotect(at, 4096, PROT_NONE), "mmap"); // NOLINT
	must(!pthread_attr_init(&attr), "attr");
	must(!pthread_attr_setstack(&attr, at + 4096, size - 4096), "stack");
	in_thread(&attr);
}

static long mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	long n = 0;

	must(maps != NULL, "maps");
	for (int c; (c = getc(maps)) != EOF;)
		n += c == '\n';
	fclose(maps);
	return n;
}

/* From a line of status, in KiB. */
static long status_of(const char *what)
{
	FILE *status = fopen("/proc/self/status", "r");
	char line[256];
	long n = -1;

	must(status != NULL, "status");
	while (n < 0 && fgets(line, sizeof(line), status))
		if (!strncmp(line, what, strlen(what)))
			n = atol(line + strlen(what) + 1);
	fclose(status);
	return n;
}

static void *stay(void *arg)
{
	pthread_barrier_wait(&together);
	pthread_barrier_wait(&together);
	return arg;
}

/* What ten threads take that have stacks of 256 KiB: more than 400 KiB each? */
static void do_cost(void)
{
	const char *what = *words++;
	long before = status_of(what);
	pthread_attr_t attr;
	pthread_t threads[10];

	pthread_barrier_init(&together, NULL, 11);
	must(!pthread_attr_init(&attr), "attr");
	must(!pthread_attr_setstacksize(&attr, (size_t)256 * 1024), "size");
	for (int i = 0; i < 10; i++)
		must(!pthread_create(&threads[i], &attr, stay, NULL), "thread");
	pthread_barrier_wait(&together);
	say("costly", status_of(what) - before > 10 * 400l);
	pthread_barrier_wait(&together);
	for (int i = 0; i < 10; i++)
		must(!pthread_join(threads[i], NULL), "join");
}

/* What is mapped from here on is locked, where that is allowed. */
static void do_lock(void)
{
	mlockall(MCL_FUTURE);
}

/* Threads that cannot begin leave nothing behind. */
static void do_no_threads(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	long before = mappings();
	int err = 0;

	must(!pthread_attr_init(&attr), "attr");
	must(!pthread_attr_setstacksize(&attr, 1ul << 46), "size");
	for (int n = 200; n > 0; n--)
		err = pthread_create(&thread, &attr, act_in_thread, NULL);
	say("pthread_create", err);
	say("left behind", mappings() > before + 20);
}

static void at_end(void *arg)
{
	say("cleanup", (long)(intptr_t)arg);
}

static void at_thread_end(void *arg)
{
	say("destructor", (long)(intptr_t)arg);
}

static void *leave(void *arg)
{
	pthread_setspecific(key, arg);
	pthread_cleanup_push(at_end, arg);
	if (arg == (void *)1) // NOLINT
		pthread_exit(arg);
	for (;;)
		pause();
	pthread_cleanup_pop(0);
	return NULL;
}

/* One that leaves by itself, and one that is cancelled. */
static void do_cleanup(void)
{
	void *left;

	must(!pthread_key_create(&key, at_thread_end), "key");
	for (intptr_t n = 1; n <= 2; n++) {
		pthread_t thread;

		must(!pthread_create(&thread, NULL, leave, (void *)n), // NOLINT
			"pthread_create");
		if (n == 2)
			must(!pthread_cancel(thread), "cancel");
		must(!pthread_join(thread, &left), "join");
		say("left", left == PTHREAD_CANCELED ? -1 : (long)(intptr_t)left); // NOLINT
	}
}

/* A signal stack of a thread's own, and then the one from before again. */
static void *change_stacks(void *arg)
{
	char *mine = malloc(65536);
	stack_t wanted = {.ss_sp = mine, .ss_size = 65536}, old, now;

	must(mine && !sigaltstack(&wanted, &old), "sigaltstack");
	must(!sigaltstack(NULL, &now) && now.ss_sp == mine, "mine");
	must(!sigaltstack(&old, NULL), "old");
	if (arg) /* some keep it, and end with it */
		must(!sigaltstack(&wanted, NULL), "again");
	else
		free(mine);
	return NULL;
}

static void do_stacks(void)
{
	long before = mappings();

	for (int n = number(); n > 0; n--) {
		pthread_t thread;

		must(!pthread_create(&thread, NULL, change_stacks, n % 5 ? NULL : &self), "thread");
		must(!pthread_join(thread, NULL), "join");
	}
	say("left behind", mappings() > before + 20);
}

/* The main thread goes, the others stay: much of /proc/PID is empty from now on. */
NAMED void *outlive(void *arg)
{
	char state[512] = "", path[64];
	int fd;

	pthread_barrier_wait(&together);
	snprintf(path, sizeof(path), "/proc/self/stat");
	while (!strstr(state, ") Z ")) {
		usleep(1000);
		fd = open(path, O_RDONLY);
		must(fd >= 0 && read(fd, state, sizeof(state) - 1) > 0, "stat");
		close(fd);
	}
	act();
	_exit(zero);
	return arg;
}

static void do_outlive(void)
{
	pthread_t thread;

	pthread_barrier_init(&together, NULL, 2);
	must(!pthread_create(&thread, NULL, outlive, NULL), "thread");
	pthread_barrier_wait(&together);
	pthread_exit(NULL);
}

/* --- Signals ---------------------------------------------------------------------------------- */

static void on_jump(int sig)
{
	siglongjmp(back, sig);
}

/* A stack of its own for handlers, as a runtime would have it. */
static void do_altstack(void)
{
	stack_t mine = {.ss_size = 65536};

	mine.ss_sp = malloc(mine.ss_size);
	must(mine.ss_sp && !sigaltstack(&mine, NULL), "sigaltstack");
}

static void on_deep(int sig)
{
	volatile char room[400000];

	memset((char *)room, sig, sizeof(room));
	say("deep", room[sizeof(room) - 1]);
}

/* A handler that needs much, where an alternate stack would be used if there were one. */
static void do_deep(void)
{
	struct sigaction action = {.sa_handler = on_deep, .sa_flags = SA_ONSTACK}, old;

	sigemptyset(&action.sa_mask);
	must(!sigaction(SIGUSR1, &action, &old), "sigaction");
	must(!raise(SIGUSR1), "raise");
	must(!sigaction(SIGUSR1, &old, NULL), "sigaction");
}

/* Comes back from stack overflows by a jump out of its handler. */
static void do_recover(void)
{
	struct sigaction action = {.sa_handler = on_jump, .sa_flags = SA_ONSTACK}, old;
	volatile int left = number();

	sigemptyset(&action.sa_mask);
	must(!sigaction(SIGSEGV, &action, &old), "sigaction");
	while (left-- > 0)
		if (!sigsetjmp(back, 1))
			zero = without_end(NULL);
	must(!sigaction(SIGSEGV, &old, NULL), "sigaction");
	say("recovered", left);
}

/* The same of plain faults. */
static void do_survive(void)
{
	struct sigaction action = {.sa_handler = on_jump}, old;
	volatile int left = number();

	sigemptyset(&action.sa_mask);
	must(!sigaction(SIGSEGV, &action, &old), "sigaction");
	errno = 55;
	while (left-- > 0)
		if (!sigsetjmp(back, 1))
			zero = *nowhere;
	must(errno == 55, "errno");
	must(!sigaction(SIGSEGV, &old, NULL), "sigaction");
	say("survived", left);
}

static void on_fault(int sig)
{
	static volatile int again;

	say("fault", sig);
	if (again++)
		_exit(6);
	zero = *nowhere;
}

/* A handler that faults itself. */
static void do_nested(void)
{
	struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_NODEFER};

	sigemptyset(&action.sa_mask);
	must(!sigaction(SIGSEGV, &action, NULL), "sigaction");
}

static void do_block(void)
{
	sigset_t all;

	sigfillset(&all);
	must(!pthread_sigmask(SIG_BLOCK, &all, NULL), "mask");
}

/* --- Descriptors ------------------------------------------------------------------------------ */

static ino_t files[LAST + 1];

static void do_daemon(void)
{
	for (int fd = FIRST; fd < 1024; fd++)
		close(fd);
	for (int fd = FIRST; fd <= LAST; fd++) {
		char name[] = "fileXXXXXX";
		struct stat st;

		must(mkstemp(name) == fd && !unlink(name), "a descriptor is taken");
		must(write(fd, "mine", 4) == 4 && !lseek(fd, 0, SEEK_SET), "write");
		must(!fstat(fd, &st), "fstat");
		files[fd] = st.st_ino;
	}
}

/* They are what they were, nobody wrote to them, nobody read of them. */
static void do_mine(void)
{
	long others = 0;

	for (int fd = FIRST; fd <= LAST; fd++) {
		struct stat st;

		others += fstat(fd, &st) || st.st_ino != files[fd] || st.st_size != 4 ||
			  lseek(fd, 0, SEEK_CUR) != 0;
	}
	say("not mine", others);
}

static void do_next(void)
{
	int fd = open("/dev/null", O_RDONLY);

	say("next descriptor", fd);
	close(fd);
}

/* How many descriptors would be open in whom it execs; few can be, with `ulimit -n`. */
static void do_inherited(void)
{
	long n = 0;

	for (int fd = FIRST; fd < 1024; fd++) {
		int flags = fcntl(fd, F_GETFD);

		n += flags >= 0 && !(flags & FD_CLOEXEC);
	}
	say("inherited", n);
}

/* --- Children --------------------------------------------------------------------------------- */

static void do_fork(void)
{
	int status = 0;
	pid_t child = fork();

	if (!child)
		return; /* the rest of the words are the child's */
	must(waitpid(child, &status, 0) == child, "waitpid");
	ends("child", status);
	exit(0);
}

/* The child dies in its parent's memory; the parent does the rest of the words. */
static void do_vfork(void)
{
	int status = 0;
	pid_t child = vfork();

	if (!child) {
		zero = deepest();
		_exit(1);
	}
	must(waitpid(child, &status, 0) == child, "waitpid");
	ends("vfork child", status);
}

/* The same with a thread's own words. */
static void do_exec(void)
{
	words[-1] = self;
	execv("/proc/self/exe", words - 1);
	must(0, "exec");
}

/* Its status, or that of a child that had to be killed because it would not end. */
static int await(pid_t child)
{
	int status = 0;

	for (int n = 0; n < 20000; n++) {
		if (waitpid(child, &status, WNOHANG) == child)
			return status;
		usleep(1000);
	}
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	return status;
}

static void *fork_some(void *arg)
{
	int *left = arg;

	pthread_barrier_wait(&together);
	for (; *left > 0; --*left) {
		pid_t child = fork();

		if (!child) {
			signal(SIGSEGV, SIG_DFL);
			_exit(deepest());
		}
		must(child > 0, "fork");
		if (WTERMSIG(await(child)) != SIGSEGV)
			break;
	}
	return NULL;
}

/* Children are forked while another thread faults again and again, and die as well: all of them. */
static void storm_once(void)
{
	struct sigaction action = {.sa_handler = on_jump};
	static volatile int faults = 60, left = 6;
	pthread_t thread;

	become_rank();
	sigemptyset(&action.sa_mask);
	must(!sigaction(SIGSEGV, &action, NULL), "sigaction");
	pthread_barrier_init(&together, NULL, 2);
	must(!pthread_create(&thread, NULL, fork_some, (int *)&left), "thread");
	pthread_barrier_wait(&together);
	while (faults-- > 0)
		if (!sigsetjmp(back, 1))
			zero = *nowhere;
	must(!pthread_join(thread, NULL), "join");
	_exit(left);
}

static void do_storm(void)
{
	int status = 0;

	for (int n = number(); n > 0 && !status; n--) {
		pid_t child = fork();

		if (!child)
			storm_once();
		must(child > 0, "fork");
		status = await(child);
	}
	ends("storm", status);
}

/* --- Limits ----------------------------------------------------------------------------------- */

/* So many KiB of address space, and no more. */
static void do_squeeze(void)
{
	struct rlimit limit;
	unsigned long pages = 0;
	FILE *statm = fopen("/proc/self/statm", "r");

	must(statm && fscanf(statm, "%lu", &pages) == 1, "statm");
	fclose(statm);
	limit.rlim_cur = limit.rlim_max = pages * 4096 + (rlim_t)number() * 1024;
	must(!setrlimit(RLIMIT_AS, &limit), "setrlimit");
}

/* From here on the kernel kills for anything but read, write and exit. */
static void do_seccomp(void)
{
	must(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT), "seccomp");
	if (write(STDOUT_FILENO, "strict\n", 7) == 7)
		syscall(SYS_exit, 3);
}

static void do_dlclose(void)
{
	for (int n = 0; n < 50; n++) {
		void *lib = dlopen("libutil.so.1", RTLD_NOW);
		void *more = dlopen("libresolv.so.2", RTLD_NOW);

		must(lib && more && !dlclose(more) && !dlclose(lib), "dlclose");
	}
}

/* A library whose thread-locals need room that the loader keeps in every thread. */
static void do_tls(void)
{
	void *lib = dlopen(*words++, RTLD_NOW);
	int (*count)(void) = NULL;

	if (lib)
		*(void **)&count = dlsym(lib, "tls_count");
	say("static thread-locals", count ? count() : -1);
}

static const struct {
	const char *word;
	void (*does)(void);
} deeds[] = {
	{"rank", do_rank},
	{"segv", do_segv},
	{"overflow", do_overflow},
	{"exit", do_exit},
	{"thread", do_thread},
	{"min-thread", do_min_thread},
	{"cost", do_cost},
	{"lock", do_lock},
	{"own-thread", do_own_thread},
	{"no-threads", do_no_threads},
	{"cleanup", do_cleanup},
	{"stacks", do_stacks},
	{"outlive", do_outlive},
	{"altstack", do_altstack},
	{"deep", do_deep},
	{"recover", do_recover},
	{"survive", do_survive},
	{"nested", do_nested},
	{"block", do_block},
	{"daemon", do_daemon},
	{"mine", do_mine},
	{"next", do_next},
	{"inherited", do_inherited},
	{"fork", do_fork},
	{"vfork", do_vfork},
	{"exec", do_exec},
	{"storm", do_storm},
	{"squeeze", do_squeeze},
	{"seccomp", do_seccomp},
	{"dlclose", do_dlclose},
	{"tls", do_tls},
};

NAMED void act(void)
{
	while (*words) {
		const char *word = *words++;
		size_t i = 0;

		while (i < sizeof(deeds) / sizeof(*deeds) && strcmp(word, deeds[i].word) != 0)
			i++;
		must(i < sizeof(deeds) / sizeof(*deeds), word);
		deeds[i].does();
	}
}

int main(int argc, char **argv)
{
	(void)argc;
	self = argv[0];
	words = argv + 1;
	act();
	return 0;
}
