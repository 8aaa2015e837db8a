/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk peek|stop|stock PID: prints the native stack of each thread of a process, one line each:
 *
 *	TID END PC PC PC...	in hex, innermost first; behind a PC: s interrupted by a signal,
 *				g guessed, and the module's name with what is known of it
 *
 * peek: from SP and PC of /proc; stop: from all registers; stock: libunwind's own ptrace accessors,
 * to compare with. The first two walk a second time, over packed copies of all that the first walk
 * has read, and fail where that is not the same.
 */
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <libunwind-ptrace.h>

#include "base/array.h"
#include "base/file.h"
#include "proc/symbols/image.h"
#include "proc/threads/livemem.h"
#include "stack/unwind.h"

struct thread {
	pid_t tid;
	bool stopped;
	struct unwind_regs regs;
	struct unwind_stack stack;
};

static struct {
	ARRAY(struct thread) all;
} threads;

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "walk: %s: %s\n", what, strerror(errno));
	exit(2);
}

static int compare_threads(const void *va, const void *vb)
{
	const struct thread *a = va, *b = vb;

	return (a->tid > b->tid) - (a->tid < b->tid);
}

static void list(pid_t pid)
{
	char path[64];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		die(path);
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			array_add(&threads.all)->tid = atoi(entry->d_name);
	closedir(dir);
	array_sort(&threads.all, compare_threads);
}

static void peek(pid_t pid, struct thread *thread)
{
	char path[64];
	struct str text = {0};
	char *at;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", pid, thread->tid);
	if (file_read(path, 4096, &text, NULL) < 0 || !strncmp(str_text(&text), "running", 7))
		return;
	at = strrchr(text.text, ' ');
	thread->regs.value[UNWIND_IP] = strtoull(at, NULL, 16);
	*at = '\0';
	at = strrchr(text.text, ' ');
	thread->regs.value[UNWIND_SP] = strtoull(at, NULL, 16);
	thread->regs.known = 1u << UNWIND_IP | 1u << UNWIND_SP;
	str_release(&text);
}

static void stop(struct thread *thread)
{
	int status;

	if (ptrace(PTRACE_SEIZE, thread->tid, 0, 0) < 0 ||
		ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0) < 0 ||
		waitpid(thread->tid, &status, __WALL) < 0)
		die("cannot stop a thread");
	thread->stopped = true;
}

static void registers(struct thread *thread)
{
	struct user_regs_struct user;
	struct iovec where = {&user, sizeof(user)};

	if (ptrace(PTRACE_GETREGSET, thread->tid, NT_PRSTATUS, &where) < 0)
		die("cannot read registers");
	thread->regs = (struct unwind_regs){(1u << UNWIND_REGS) - 1,
		{user.rax, user.rdx, user.rcx, user.rbx, user.rsi, user.rdi, user.rbp, user.rsp,
			user.r8, user.r9, user.r10, user.r11, user.r12, user.r13, user.r14,
			user.r15, user.rip}};
}

static void stock(pid_t tid)
{
	unw_addr_space_t space = unw_create_addr_space(&_UPT_accessors, 0);
	void *arg = _UPT_create(tid);
	unw_cursor_t cursor;
	int step;

	if (unw_init_remote(&cursor, space, arg) < 0)
		die("unw_init_remote");
	printf("%d stock", tid);
	do {
		unw_word_t pc = 0;

		unw_get_reg(&cursor, UNW_REG_IP, &pc);
		if (!pc)
			break;
		printf(" %" PRIx64, (uint64_t)pc);
		step = unw_step(&cursor);
	} while (step > 0);
	puts("");
	_UPT_destroy(arg);
	unw_destroy_addr_space(space);
}

static void show(const struct thread *thread)
{
	static const char *const ends[] = {
		"outermost", "needs-register", "no-info", "no-memory", "too-deep"};

	printf("%d %s", thread->tid, thread->regs.known ? ends[thread->stack.end] : "running");
	for (size_t i = 0; i < thread->stack.nframes; i++) {
		const struct unwind_frame *frame = &thread->stack.frames[i];
		const char *name = frame->module ? strrchr(frame->module->path, '/') : NULL;

		printf(" %" PRIx64 "%s%s", frame->pc, frame->signal ? "s" : "",
			frame->guessed ? "g" : "");
		if (getenv("WALK_MODULES") && frame->module)
			printf(":%s%s+%" PRIx64, name ? name + 1 : frame->module->path,
				frame->module->replaced ? "!" : "", frame->module_pc);
	}
	puts("");
}

static bool same(const struct unwind_stack *a, const struct unwind_stack *b)
{
	bool alike = a->nframes == b->nframes && a->end == b->end;

	for (size_t i = 0; alike && i < a->nframes; i++) {
		const struct unwind_frame *fa = &a->frames[i], *fb = &b->frames[i];

		alike = fa->pc == fb->pc && fa->sp == fb->sp && fa->signal == fb->signal &&
			fa->guessed == fb->guessed && fa->module_pc == fb->module_pc &&
			!fa->module == !fb->module &&
			(!fa->module || !strcmp(fa->module->path, fb->module->path));
	}
	return alike;
}

/* A copy of an excerpt, through its bytes. */
static struct excerpt *copy(const struct excerpt *excerpt)
{
	struct excerpt *again;
	struct str bytes = {0};

	excerpt_pack(excerpt, &bytes);
	again = excerpt_unpack(bytes.text, bytes.len, NULL);
	if (!again)
		die("excerpt_unpack");
	str_release(&bytes);
	return again;
}

static int walk_again(
	const struct stack_maps *maps, struct images *images, const struct excerpt *excerpt)
{
	struct excerpt *memory = copy(excerpt), *image[1024];
	struct modules *modules = modules_new();
	struct unwinder *unwinder;
	struct thread *thread;
	size_t n = modules_count(images_modules(images));
	int status = 0;

	for (size_t i = 0; i < n && i < 1024; i++) {
		const struct module *module = modules_at(images_modules(images), i);

		image[i] = copy(images_excerpt(images, module));
		if (!modules_add(modules, module->dev, module->ino, module->path,
			    excerpt_memory(image[i]), NULL))
			die("modules_add of a copy");
	}
	unwinder = unwinder_new(maps, modules, excerpt_memory(memory));
	array_for_each(&threads.all, thread) {
		struct unwind_stack stack = {0};

		if (!thread->regs.known)
			continue;
		unwinder_walk(unwinder, &thread->regs, &stack);
		if (!same(&stack, &thread->stack)) {
			printf("FAIL: thread %d walks another way over the copies\n", thread->tid);
			status = 1;
		}
		unwind_stack_release(&stack);
	}
	unwinder_free(unwinder);
	modules_free(modules);
	for (size_t i = 0; i < n && i < 1024; i++)
		excerpt_free(image[i]);
	excerpt_free(memory);
	return status;
}

static int walk(pid_t pid)
{
	struct livemem *live = livemem_new((uint32_t)pid);
	struct excerpt *excerpt = excerpt_new(livemem_memory(live));
	struct images *images = images_new();
	struct stack_maps maps = {.cut = false};
	struct str text = {0}, missing = {0};
	struct unwinder *unwinder;
	struct thread *thread;
	char path[64];
	int status;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	if (file_read(path, 64u << 20, &text, NULL) < 0)
		die(path);
	if (stack_maps_parse(&maps, text.text, text.len))
		die("maps");
	images_open(images, (uint32_t)pid, &maps, livemem_memory(live), &missing);
	fputs(str_text(&missing), stderr);
	unwinder = unwinder_new(&maps, images_modules(images), excerpt_memory(excerpt));
	array_for_each(&threads.all, thread) {
		if (thread->regs.known)
			unwinder_walk(unwinder, &thread->regs, &thread->stack);
		show(thread);
	}
	unwinder_free(unwinder);
	status = walk_again(&maps, images, excerpt);
	array_for_each(&threads.all, thread)
		unwind_stack_release(&thread->stack);
	images_free(images);
	excerpt_free(excerpt);
	livemem_free(live);
	stack_maps_release(&maps);
	str_release(&text);
	str_release(&missing);
	return status;
}

int main(int argc, char **argv)
{
	struct thread *thread;
	int status = 0;
	pid_t pid;

	if (argc != 3)
		return 2;
	pid = atoi(argv[2]);
	list(pid);
	array_for_each(&threads.all, thread) {
		if (!strcmp(argv[1], "peek"))
			peek(pid, thread);
		else
			stop(thread);
		if (!strcmp(argv[1], "stop"))
			registers(thread);
		if (!strcmp(argv[1], "stock"))
			stock(thread->tid);
	}
	if (strcmp(argv[1], "stock") != 0)
		status = walk(pid);
	array_for_each(&threads.all, thread)
		if (thread->stopped)
			ptrace(PTRACE_DETACH, thread->tid, 0, 0);
	array_release(&threads.all);
	return status;
}
