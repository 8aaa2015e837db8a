/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/core/core.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "base/file.h"
#include "proc/argarea.h"
#include "proc/core/core-file.h"
#include "proc/core/core-maps.h"
#include "proc/core/core-memory.h"
#include "proc/core/core-unpack.h"
#include "proc/symbols/python-find.h"
#include "proc/threads/walk.h"

#define NS_PER_S	 1000000000ll
#define CORE_ENVIRONMENT (256u << 10) /* bytes of the environment that are read */

/* A core being read; what is taken of it goes into a snapshot. */
struct taking {
	int fd; /* of the unpacked core */
	struct core_file core;
	struct stack_maps maps;
	struct str missing;
};

static bool head_is_core(const Elf64_Ehdr *head)
{
	return memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 && head->e_type == ET_CORE;
}

bool core_is(const char *path)
{
	int fd = file_open(path);
	const char *slash = strrchr(path, '/');
	Elf64_Ehdr head = {0};
	struct stat st;
	bool is = false;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		switch (core_packing(fd)) {
		case CORE_PLAIN:
			/* A core of 32 bits has its type at the same place. */
			is = pread(fd, &head, sizeof(head), 0) >= EI_NIDENT + 2 &&
				head_is_core(&head);
			break;
		case CORE_ZSTD:
			is = core_unpack_head(fd, &head, sizeof(head)) == 0 && head_is_core(&head);
			break;
		default: /* what is in it cannot be seen, so its name decides */
			is = strncmp(slash ? slash + 1 : path, "core", 4) == 0;
		}
	}
	close(fd);
	return is;
}

#if defined(__x86_64__)
static struct unwind_regs core_regs(const elf_gregset_t regs)
{
	struct user_regs_struct r;

	memcpy(&r, regs, sizeof(r));
	return (struct unwind_regs){
		.known = (1u << UNWIND_REGS) - 1,
		.value = {r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8, r.r9, r.r10,
			r.r11, r.r12, r.r13, r.r14, r.r15, r.rip},
	};
}

/*
 * Takes the system call that the thread was in, if any: the kernel keeps its number in orig_rax
 * until it returns.
 */
static void core_syscall(const elf_gregset_t regs, struct snapshot_thread *thread)
{
	struct user_regs_struct r;

	memcpy(&r, regs, sizeof(r));
	if ((int64_t)r.orig_rax < 0)
		return;
	thread->in_syscall = true;
	thread->syscall = (int64_t)r.orig_rax;
	thread->args[0] = r.rdi;
	thread->args[1] = r.rsi;
	thread->args[2] = r.rdx;
	thread->args[3] = r.r10;
	thread->args[4] = r.r8;
	thread->args[5] = r.r9;
}
#else
static struct unwind_regs core_regs(const elf_gregset_t regs)
{
	(void)regs;
	return (struct unwind_regs){0};
}

static void core_syscall(const elf_gregset_t regs, struct snapshot_thread *thread)
{
	(void)regs, (void)thread;
}
#endif

static int compare_threads(const void *va, const void *vb)
{
	const struct snapshot_thread *a = va, *b = vb;

	return (a->tid > b->tid) - (a->tid < b->tid);
}

/* Takes all threads, each once, by tid. */
static void core_threads(const struct core_file *core, struct snapshot *ret)
{
	size_t nr = 0;

	ret->threads = arena_new_many(&ret->arena, struct snapshot_thread, core->threads.nr);
	for (size_t i = 0; i < core->threads.nr; i++) {
		const struct core_thread *from = &core->threads.items[i];
		struct snapshot_thread *thread = &ret->threads[i];

		*thread = (struct snapshot_thread){.tid = from->tid, .own = from->tid,
			.how = SNAPSHOT_CORE, .wchan = "", .kernel = "",
			.regs = core_regs(from->regs)};
		core_syscall(from->regs, thread);
		if (from->tid == core->pid)
			memcpy(thread->comm, core->comm, sizeof(thread->comm));
	}
	qsort(ret->threads, core->threads.nr, sizeof(*ret->threads), compare_threads);
	for (size_t i = 0; i < core->threads.nr; i++)
		if (!nr || ret->threads[nr - 1].tid != ret->threads[i].tid)
			ret->threads[nr++] = ret->threads[i];
	ret->nthreads = nr;
}

/* True if a signal ends a process with a core by default: any other is what a debugger left. */
static bool signal_makes_cores(int signo)
{
	static const int makes[] = {SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV,
		SIGXCPU, SIGXFSZ, SIGSYS};

	for (size_t i = 0; i < sizeof(makes) / sizeof(makes[0]); i++)
		if (makes[i] == signo)
			return true;
	return false;
}

/* Returns the mapping of a file that holds an address; NULL if none does. */
static const struct core_mapping *find_mapping(const struct core_file *core, uint64_t at)
{
	const struct core_mapping *list = core->mappings.items;
	size_t place = bisect(0, core->mappings.nr, i, list[i].end <= at);

	return place < core->mappings.nr && list[place].start <= at ? &list[place] : NULL;
}

/* Fills in all of the snapshot but what walks find. */
static void core_facts(struct taking *taking, struct snapshot *ret)
{
	const struct core_file *core = &taking->core;
	const struct core_mapping *program = find_mapping(core, core->entry);
	struct str text = {0};
	struct stat st;

	ret->mode = SNAPSHOT_OF_CORE;
	ret->pid = ret->own = core->pid ? core->pid : core->threads.items[0].tid;
	ret->exe = arena_text(&ret->arena, program ? program->path : "");
	ret->missing = "";
	if (fstat(taking->fd, &st) == 0)
		ret->when = st.st_mtim.tv_sec * NS_PER_S + st.st_mtim.tv_nsec;
	if (signal_makes_cores(core->signo)) {
		ret->signo = core->signo;
		ret->fault_code = core->code;
		ret->fault_addr = core->fault_addr;
		ret->fault_sender = core->sender;
		ret->fault_tid = core->threads.items[0].tid;
	}
	core_maps_text(core, &text);
	ret->maps = arena_text(&ret->arena, str_text(&text));
	str_release(&text);
	core_threads(core, ret);
}

/* Says what is missing of the core. */
static void core_say_cuts(struct taking *taking)
{
	const struct core_file *core = &taking->core;

	if (core->notes_cut)
		str_add(&taking->missing,
			"the core's notes are cut or damaged: threads and files are missing\n");
	if (core->lacking)
		str_printf(&taking->missing,
			"the core is cut short: %llu bytes of memory are missing (ulimit -c, a "
			"full disk, or the collector's limit)\n",
			(unsigned long long)core->lacking);
	if (!core->mappings.nr)
		str_add(&taking->missing, "the core does not say which files were mapped\n");
}

/*
 * Reads the environment, which stands right before the name of the program, high on the first
 * stack.
 */
static void core_environment(
	const struct core_file *core, struct stack_memory *memory, struct str *into)
{
	const struct core_segment *stack = core_file_segment(core, core->execfn);
	size_t len;

	if (!stack)
		return;
	len = core->execfn - stack->start;
	if (len > CORE_ENVIRONMENT)
		len = CORE_ENVIRONMENT;
	if (stack_memory_read(memory, core->execfn - len, str_room(into, len), len) == 0)
		str_grow(into, len);
	else
		str_cut(into, 0);
}

/* Fills in the words: environment and arguments. */
static void core_say_words(
	const struct core_file *core, struct stack_memory *memory, struct core_words *words)
{
	core_environment(core, memory, &words->environment);
	for (const char *at = core->arguments; *at; at++)
		str_add_char(&words->arguments, *at == ' ' ? '\0' : *at);
	str_add_char(&words->arguments, '\0');
}

/* Opens the core's files, finds Python and walks all threads. */
static void core_walk(struct taking *taking, struct images *images, struct snapshot *ret,
	struct core_words *words)
{
	struct core_memory *core;
	struct stack_memory *memory;
	struct python_place places[PYTHON_PLACES];

	(void)stack_maps_parse(&taking->maps, ret->maps, strlen(ret->maps));
	core = core_memory_new(&taking->core, &taking->maps, images);
	memory = core_memory_of(core);
	images_open(images, 0, &taking->maps, memory, &taking->missing);
	ret->nplaces = python_find(images, &taking->maps, memory, places, &taking->missing);
	ret->places = arena_copy(&ret->arena, places, ret->nplaces * sizeof(*places));
	ret->memory = excerpt_new(memory);
	excerpt_be_reticent(ret->memory);
	argarea_bar_above(ret->memory, &taking->maps, taking->core.random);
	argarea_bar_above(ret->memory, &taking->maps, taking->core.execfn);
	walk_snapshot(ret, &taking->maps, images);
	if (words)
		core_say_words(&taking->core, memory, words);
	images_settle(images);
	excerpt_close(ret->memory);
	core_memory_free(core);
}

/* Opens the core, unpacked. Returns 0, or negative and words. */
static int core_open(const char *path, struct taking *taking, struct complaint *why)
{
	enum core_packing packing;
	int fd = file_open(path);

	taking->fd = fd;
	if (fd < 0)
		return complaint_errno(why, -fd, "cannot open it");
	packing = core_packing(fd);
	if (packing == CORE_PLAIN)
		return 0;
	taking->fd = core_unpack(fd, packing, &taking->missing, why);
	close(fd);
	return taking->fd < 0 ? -EINVAL : 0;
}

int core_take(const char *path, struct images *images, struct snapshot *ret,
	struct core_words *words, struct complaint *why)
{
	struct taking taking = {.fd = -1};
	int error;

	*ret = (struct snapshot){.exe = "", .maps = "", .missing = ""};
	error = core_open(path, &taking, why);
	if (!error)
		error = core_file_open(&taking.core, taking.fd, why);
	if (!error) {
		core_facts(&taking, ret);
		core_say_cuts(&taking);
		core_walk(&taking, images, ret, words);
		ret->missing = arena_text(&ret->arena, str_text(&taking.missing));
	} else {
		complaint_context(why, "%s", path);
	}
	core_file_close(&taking.core);
	stack_maps_release(&taking.maps);
	str_release(&taking.missing);
	if (taking.fd >= 0)
		close(taking.fd);
	return error;
}

void core_words_release(struct core_words *words)
{
	if (!words)
		return;
	str_release(&words->environment);
	str_release(&words->arguments);
}
