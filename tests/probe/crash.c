/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crash.c: a rank of a job of one that dies in as many ways as there are, for tests of what its
 * handler writes down of its stack.
 *
 *	crash WORD...		words are done in order; "rank" first, or it is no rank
 */
#include <dlfcn.h>
#include <link.h>
#include <nccl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static char **words; /* the next one */
static const char *self = "";
static volatile int *volatile nowhere = (volatile int *)16;
static volatile int zero;
static pthread_barrier_t together;
static sigjmp_buf back;

/* Functions with names that tests look for; none may be folded into its caller. */
#ifdef __clang__
#define NAMED __attribute__((noinline, used)) static
#else
#define NAMED __attribute__((noinline, noipa, used)) static
#endif

static void say(const char *what)
{
	if (write(STDOUT_FILENO, what, strlen(what)) < 0)
		_exit(8);
}

static void do_rank(void)
{
	ncclUniqueId id;
	ncclComm_t comm;

	if (ncclGetUniqueId(&id) != ncclSuccess || ncclCommInitRank(&comm, 1, id, 0) != ncclSuccess)
		exit(9);
}

/* --- The plain ways --------------------------------------------------------------------------- */

NAMED int deepest(int n)
{
	*nowhere = n;
	return n + zero;
}

NAMED int deeper(int n)
{
	return n ? deeper(n - 1) + zero : deepest(n) + zero;
}

static void do_segv(void)
{
	deepest(1);
}
static void do_deep(void)
{
	deeper(atoi(*words++));
}

NAMED int divide(int by)
{
	return 7 / by;
}
static void do_fpe(void)
{
	zero = divide(zero);
}

NAMED void illegal(void)
{
	__builtin_trap();
}
static void do_ill(void)
{
	illegal();
}

NAMED void breakpoint(void)
{
	raise(SIGTRAP);
}
static void do_trap(void)
{
	breakpoint();
}

/* A page of a file that is shorter now than when it was mapped. */
NAMED int beyond_the_file(void)
{
	FILE *file = tmpfile();
	volatile char *at;

	if (!file || ftruncate(fileno(file), 4096))
		exit(9);
	at = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(file), 0);
	if (at == MAP_FAILED || ftruncate(fileno(file), 0)) // NOLINT
		exit(9);
	return *at;
}
static void do_bus(void)
{
	zero = beyond_the_file();
}

NAMED void give_up(void)
{
	abort();
}
static void do_abort(void)
{
	give_up();
}

NAMED int end_itself(void)
{
	return kill(getpid(), SIGTERM) + zero;
}

static void do_end_itself(void)
{
	end_itself();
}

static void do_raise(void)
{
	raise(atoi(*words++));
}

/* --- Stacks ----------------------------------------------------------------------------------- */

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

static void *overflow_thread(void *arg)
{
	zero = without_end(NULL);
	return arg;
}

/* In a thread that never calls anything of ours. */
static void do_overflow_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, overflow_thread, NULL);
	pthread_join(thread, NULL);
}

NAMED void lose_the_stack(void)
{
#if defined(__x86_64__)
	__asm__ volatile("movabsq $0x1234567812345678, %%rsp\n\tpushq %%rax" ::: "memory");
#endif
}
static void do_wild(void)
{
	lose_the_stack();
}

NAMED int call_nowhere(void)
{
	int (*volatile f)(void) = (int (*)(void))8; /* NOLINT */

	return f() + zero;
}
static void do_jump(void)
{
	zero = call_nowhere();
}

/* Machine code that nothing describes: push rbp; mov rbp, rsp; mov eax, [16]. */
NAMED int call_unknown_code(void)
{
	static const unsigned char code[] = {
		0x55, 0x48, 0x89, 0xe5, 0x8b, 0x04, 0x25, 0x10, 0, 0, 0, 0x5d, 0xc3};
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int (*f)(void);

	if (at == MAP_FAILED) // NOLINT
		exit(9);
	memcpy(at, code, sizeof(code));
	*(void **)&f = at;
	return f() + zero;
}
static void do_jit(void)
{
	zero = call_unknown_code();
}

/* --- Bad moments ------------------------------------------------------------------------------ */

static void *idle(void *arg)
{
	pause();
	return arg;
}

/* Faults while libc holds its arena's lock, which it takes once there are threads. */
NAMED void damage_the_heap(void)
{
	size_t *volatile big = malloc(4096);
	void *volatile after = malloc(4096);
	pthread_t thread;

	pthread_create(&thread, NULL, idle, NULL);
	free(big);
	((volatile size_t *)big)[0] = ((volatile size_t *)big)[1] = 16;
	big = malloc(8192);
	free(after);
}
static void do_malloc(void)
{
	damage_the_heap();
}

NAMED void free_twice(void)
{
	void *volatile at = malloc(64);

	free(at);
	free(at);
}
static void do_free(void)
{
	free_twice();
}

/* The loader holds its lock while it shows its list. */
static int in_the_list(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)info, (void)size, (void)arg;
	return deepest(2);
}
static void do_list(void)
{
	dl_iterate_phdr(in_the_list, NULL);
}

/* One thread holds it, another one dies. */
static void *beside_the_list(void *arg)
{
	deepest(5);
	return arg;
}
static int hold_the_list(struct dl_phdr_info *info, size_t size, void *arg)
{
	pthread_t thread;

	(void)info, (void)size;
	pthread_create(&thread, NULL, beside_the_list, NULL);
	return pthread_join(thread, arg);
}
static void do_beside(void)
{
	void *left = NULL;

	dl_iterate_phdr(hold_the_list, &left);
}

/* And while it runs a constructor: of tests/probe/libcrash.c. */
static void do_dlopen(void)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/.libs/libcrash.so", *words++);
	if (!dlopen(path, RTLD_NOW))
		say(dlerror());
}

NAMED void on_usr1(int sig)
{
	zero = sig - SIGUSR1;
	deepest(3);
}

NAMED void handle_usr1(int flags)
{
	struct sigaction act = {.sa_handler = on_usr1, .sa_flags = flags};

	sigemptyset(&act.sa_mask);
	sigaction(SIGUSR1, &act, NULL);
	raise(SIGUSR1);
}
NAMED void do_handler(void)
{
	handle_usr1(0);
}
NAMED void do_handler_onstack(void)
{
	handle_usr1(SA_ONSTACK);
}

static void *one_of_two(void *arg)
{
	pthread_barrier_wait(&together);
	deepest(4);
	return arg;
}

static void do_two(void)
{
	pthread_t thread;

	pthread_barrier_init(&together, NULL, 2);
	pthread_create(&thread, NULL, one_of_two, NULL);
	one_of_two(NULL);
}

/* A signal stack of the program's own, as small as they come. */
static void do_small_stack(void)
{
	size_t size = (size_t)sysconf(_SC_MINSIGSTKSZ);
	stack_t small = {.ss_size = size + 2048};

	small.ss_sp = malloc(small.ss_size);
	if (!small.ss_sp || sigaltstack(&small, NULL))
		exit(9);
}

/* --- Handlers of the program ------------------------------------------------------------------ */

static void on_jump(int sig)
{
	siglongjmp(back, sig);
}

NAMED void survive_once(void)
{
	struct sigaction act = {.sa_handler = on_jump}, old;

	sigemptyset(&act.sa_mask);
	sigaction(SIGSEGV, &act, &old);
	if (!sigsetjmp(back, 1))
		*nowhere = 1;
	sigaction(SIGSEGV, &old, NULL);
}

static void do_survive(void)
{
	for (int n = atoi(*words++); n > 0; n--)
		survive_once();
	say("survived\n");
}

/* What faulthandler does: last words, then what was there before, once more. */
static struct sigaction former;

static void on_last(int sig)
{
	say("last words\n");
	sigaction(sig, &former, NULL);
	raise(sig);
}

static void do_last_words(void)
{
	struct sigaction act = {.sa_handler = on_last, .sa_flags = SA_NODEFER | SA_ONSTACK};

	sigemptyset(&act.sa_mask);
	sigaction(SIGSEGV, &act, &former);
}

static void do_fork(void)
{
	int status = 0;
	pid_t child = fork();

	if (!child)
		return; /* the rest of the words are the child's */
	waitpid(child, &status, 0);
	printf("%s: child ended by signal %d\n", self, WTERMSIG(status));
	exit(0);
}

static void do_exit(void)
{
	exit(atoi(*words++));
}

int main(int argc, char **argv);

static void *words_in_thread(void *arg)
{
	main(0, words - 1);
	return arg;
}

/* The rest of the words, in a thread that has never called us. */
static void do_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, words_in_thread, NULL);
	pthread_join(thread, NULL);
}

/* The alternate stack of the calling thread, and whether what is right below it can be read. */
static void do_guard(void)
{
	stack_t stack = {.ss_flags = SS_DISABLE};
	int ends[2];

	sigaltstack(NULL, &stack);
	if (stack.ss_flags & SS_DISABLE || pipe(ends))
		printf("no stack\n");
	else
		printf("stack %zu there %zd below %zd\n", stack.ss_size,
			write(ends[1], stack.ss_sp, 1), write(ends[1], (char *)stack.ss_sp - 1, 1));
	fflush(stdout);
}

static const struct {
	const char *word;
	void (*does)(void);
} deeds[] = {
	{"rank", do_rank},
	{"segv", do_segv},
	{"deep", do_deep},
	{"fpe", do_fpe},
	{"ill", do_ill},
	{"trap", do_trap},
	{"bus", do_bus},
	{"abort", do_abort},
	{"raise", do_raise},
	{"end-itself", do_end_itself},
	{"overflow", do_overflow},
	{"overflow-thread", do_overflow_thread},
	{"wild", do_wild},
	{"jump", do_jump},
	{"jit", do_jit},
	{"malloc", do_malloc},
	{"free", do_free},
	{"list", do_list},
	{"beside", do_beside},
	{"dlopen", do_dlopen},
	{"handler", do_handler},
	{"handler-onstack", do_handler_onstack},
	{"two", do_two},
	{"small-stack", do_small_stack},
	{"survive", do_survive},
	{"last-words", do_last_words},
	{"fork", do_fork},
	{"exit", do_exit},
	{"thread", do_thread},
	{"guard", do_guard},
};

int main(int argc, char **argv)
{
	self = argc ? argv[0] : self;
	words = argv + 1;
	while (*words) {
		const char *word = *words++;
		size_t i = 0;

		while (i < sizeof(deeds) / sizeof(*deeds) && strcmp(word, deeds[i].word) != 0)
			i++;
		if (i == sizeof(deeds) / sizeof(*deeds))
			return 2;
		deeds[i].does();
	}
	return 0;
}
