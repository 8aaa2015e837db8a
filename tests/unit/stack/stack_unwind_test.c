/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk, over an object and a stack made by hand, and over a thread of this process: what it
 * says, that it ends whatever it is given, and that it is the same over packed copies.
 */
#include "tests/unit/unit.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/file.h"
#include "stack/excerpt.h"
#include "stack/unwind.h"
#include "tests/unit/stack_object.h"

#define CALL(n) (OBJECT_BASE + OBJECT_CALL(n))
#define WORDS	(0x10000 / 8)

/* -- a process made by hand -------------------------------------------------------------------- */

struct process {
	struct stack_memory memory; /* the stack, and JIT's code */
	uint64_t stack[WORDS];
	unsigned char jit[4096];
	struct object object;
	struct stack_maps maps;
	struct modules *modules;
	struct unwinder *unwinder;
	struct unwind_stack walked;
};

static int process_read(struct stack_memory *memory, uint64_t at, void *to, size_t len)
{
	struct process *process = (struct process *)memory;
	uint64_t on_stack = at - OBJECT_STACK, in_jit = at - OBJECT_JIT;

	if (at >= OBJECT_STACK && on_stack < sizeof(process->stack) &&
		len <= sizeof(process->stack) - on_stack)
		memcpy(to, (char *)process->stack + on_stack, len);
	else if (at >= OBJECT_JIT && in_jit < sizeof(process->jit) &&
		 len <= sizeof(process->jit) - in_jit)
		memcpy(to, process->jit + in_jit, len);
	else
		return -EFAULT;
	return 0;
}

static struct process *process_new(void)
{
	struct process *process = calloc(1, sizeof(*process));

	assert_non_null(process);
	process->memory.read = process_read;
	for (size_t i = 0; i < sizeof(process->jit); i += 16)
		process->jit[i] = 0xe8;
	object_make(&process->object);
	stack_maps_parse(&process->maps, OBJECT_MAPS, strlen(OBJECT_MAPS));
	return process;
}

static const struct unwind_stack *process_walk_from(
	struct process *process, const struct unwind_regs *regs)
{
	if (!process->unwinder) {
		process->modules = modules_new();
		modules_add(process->modules, 0x800000001, 77, "/lib/object.so",
			&process->object.memory, NULL);
		process->unwinder =
			unwinder_new(&process->maps, process->modules, &process->memory);
	}
	unwind_stack_release(&process->walked);
	unwinder_walk(process->unwinder, regs, &process->walked);
	return &process->walked;
}

/* From the first words of the stack, SP and PC known only. */
static const struct unwind_stack *process_walk(struct process *process, uint64_t pc)
{
	struct unwind_regs regs = {.known = 1u << UNWIND_SP | 1u << UNWIND_IP};

	regs.value[UNWIND_SP] = OBJECT_STACK;
	regs.value[UNWIND_IP] = pc;
	return process_walk_from(process, &regs);
}

static void process_free(struct process *process)
{
	unwind_stack_release(&process->walked);
	unwinder_free(process->unwinder);
	modules_free(process->modules);
	stack_maps_release(&process->maps);
	free(process);
}

static void frames_are_those_that_the_object_describes(void **state)
{
	struct process *process = process_new();
	const struct unwind_stack *stack;

	(void)state;
	process->stack[1] = CALL(3);
	process->stack[3] = CALL(255);
	process->stack[5] = 0;
	stack = process_walk(process, CALL(1));
	assert_int_equal(stack->end, UNWIND_OUTERMOST);
	assert_int_equal(stack->nframes, 3);
	assert_int_equal(stack->frames[1].pc, CALL(3));
	assert_int_equal(stack->frames[1].module_pc, OBJECT_CALL(3));
	assert_int_equal(stack->frames[2].sp, OBJECT_STACK + 32);
	assert_string_equal(stack->frames[2].module->path, "/lib/object.so");
	assert_int_equal(unwind_lookup_pc(stack, 0), CALL(1));
	assert_int_equal(unwind_lookup_pc(stack, 2), CALL(255) - 1);
	assert_string_equal(unwind_end_text(stack->end), "");
	process_free(process);
}

static void stacks_that_make_no_sense_end(void **state)
{
	struct process *process = process_new();
	struct unwind_regs regs = {.known = (1u << UNWIND_REGS) - 1};

	(void)state;
	/* Each word is a return address: as deep as the memory, or cut. */
	for (size_t i = 0; i < WORDS; i++)
		process->stack[i] = CALL(i % 250);
	assert_int_equal(process_walk(process, CALL(1))->end, UNWIND_TOO_DEEP);
	assert_int_equal(process->walked.nframes, UNWIND_FRAMES);
	regs.value[UNWIND_IP] = CALL(1);
	regs.value[UNWIND_SP] = OBJECT_STACK + sizeof(process->stack) - 64;
	assert_int_equal(process_walk_from(process, &regs)->end, UNWIND_NO_MEMORY);
	assert_int_equal(process->walked.nframes, 5);
	/* Stack pointers into nowhere, or wrapping around. */
	for (uint64_t sp = UINT64_MAX; sp > UINT64_MAX - 64; sp--) {
		regs.value[UNWIND_SP] = sp;
		assert_int_equal(process_walk_from(process, &regs)->end, UNWIND_NO_MEMORY);
		assert_int_equal(process->walked.nframes, 1);
	}
	/* A return address that is no code. */
	process->stack[1] = 0x1234;
	process->stack[2] = 0;
	process->stack[3] = 0;
	assert_int_equal(process_walk(process, CALL(1))->frames[1].pc, 0x1234);
	assert_null(process->walked.frames[1].module);
	process_free(process);
}

static void a_frame_that_does_not_lie_further_out_ends_the_walk(void **state)
{
	struct process *process = process_new();
	struct unwind_regs regs = {.known = (1u << UNWIND_REGS) - 1};

	(void)state;
	/* CFA = rbx + 16, which never changes: each frame is its own caller. */
	object_set_fde(&process->object, OBJECT_CFI("\x0c\x03\x10"));
	for (size_t i = 0; i < 64; i++)
		process->stack[i] = CALL(i);
	regs.value[UNWIND_IP] = CALL(1);
	regs.value[UNWIND_SP] = OBJECT_STACK;
	regs.value[3] = OBJECT_STACK + 64;
	assert_int_equal(process_walk_from(process, &regs)->end, UNWIND_NO_MEMORY);
	assert_int_equal(process->walked.nframes, 2);
	process_free(process);
}

static void a_register_that_is_not_known_is_asked_for_only_where_it_is_needed(void **state)
{
	struct process *process = process_new();
	struct unwind_regs regs = {
		.known = 1u << UNWIND_SP | 1u << UNWIND_IP | 1u << UNWIND_BP};

	(void)state;
	object_set_fde(&process->object, OBJECT_CFI("\x0c\x06\x10")); /* CFA = rbp + 16 */
	process->stack[9] = 0;
	assert_int_equal(process_walk(process, CALL(1))->end, UNWIND_NEEDS_REGISTER);
	assert_int_equal(process->walked.nframes, 1);
	regs.value[UNWIND_IP] = CALL(1);
	regs.value[UNWIND_SP] = OBJECT_STACK;
	regs.value[UNWIND_BP] = OBJECT_STACK + 64;
	assert_int_equal(process_walk_from(process, &regs)->end, UNWIND_OUTERMOST);
	process_free(process);
}

static void frame_pointers_lead_through_code_of_nobody_and_not_in_circles(void **state)
{
	struct process *process = process_new();
	struct unwind_regs regs = {
		.known = 1u << UNWIND_SP | 1u << UNWIND_IP | 1u << UNWIND_BP};
	const struct unwind_stack *stack;

	(void)state;
	process->stack[4] = OBJECT_STACK + 8 * 20;
	process->stack[5] = OBJECT_JIT + 16 * 3 + 5;
	process->stack[20] = 0x1;
	process->stack[21] = CALL(7);
	process->stack[23] = 0;
	regs.value[UNWIND_IP] = OBJECT_JIT + 16;
	regs.value[UNWIND_SP] = OBJECT_STACK;
	regs.value[UNWIND_BP] = OBJECT_STACK + 8 * 4;
	stack = process_walk_from(process, &regs);
	assert_int_equal(stack->end, UNWIND_OUTERMOST);
	assert_int_equal(stack->nframes, 3);
	assert_false(stack->frames[0].guessed);
	assert_true(stack->frames[1].guessed && stack->frames[2].guessed);
	assert_int_equal(stack->frames[2].pc, CALL(7));
	assert_int_equal(stack->frames[2].sp, OBJECT_STACK + 8 * 22);
	/* A frame pointer that points to itself. */
	process->stack[4] = OBJECT_STACK + 8 * 4;
	process->stack[21] = 0;
	stack = process_walk_from(process, &regs);
	assert_int_equal(stack->end, UNWIND_NO_INFO);
	assert_int_equal(stack->nframes, 2);
	/* Without it: the next return address from which all is described. */
	process->stack[4] = 0;
	process->stack[12] = CALL(0) - 1; /* not behind a call */
	process->stack[14] = CALL(9);
	process->stack[16] = CALL(8);
	process->stack[18] = 0;
	stack = process_walk(process, OBJECT_JIT + 16);
	assert_int_equal(stack->end, UNWIND_OUTERMOST);
	assert_int_equal(stack->nframes, 3);
	assert_true(unwind_wants_registers(stack)); /* the frame pointer might lead there better, */
	regs.value[UNWIND_BP] = 0;
	stack = process_walk_from(process, &regs);
	assert_int_equal(stack->nframes, 3);
	assert_false(unwind_wants_registers(stack)); /* were it one */
	stack = process_walk(process, OBJECT_JIT + 16);
	assert_int_equal(stack->frames[1].pc, CALL(9));
	assert_true(stack->frames[1].guessed);
	assert_false(stack->frames[2].guessed);
	process_free(process);
}

static void hostile_unwind_information_ends_in_a_cut(void **state)
{
	static const struct object_cfi programs[] = {
		{"\x0f\x05\x31\x1f\x31\x1f\x1b", 7}, {"\x0f\x04\x31\x2f\xfc\xff", 6},
		{"\x09\x10\xff\xff\x03", 5}, {"\x0b", 1},
		{"\x0e\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 13}};

	(void)state;
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		struct process *process = process_new();
		struct unwind_regs regs = {.known = (1u << UNWIND_REGS) - 1};

		object_set_fde(&process->object, programs[i]);
		regs.value[UNWIND_IP] = CALL(1);
		regs.value[UNWIND_SP] = OBJECT_STACK;
		assert_int_equal(process_walk_from(process, &regs)->end, UNWIND_NO_INFO);
		assert_int_equal(process->walked.nframes, 1);
		process_free(process);
	}
}

/* xorshift: the same each time. */
static uint64_t draw(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* How many rounds a test of chance takes: UNWIND_ROUNDS times as many, where that is set. */
static int rounds(int n)
{
	const char *more = getenv("UNWIND_ROUNDS");

	return more ? n * atoi(more) : n;
}

static void programs_by_chance_are_refused_or_run_to_some_end(void **state)
{
	static const char likely[] =
		"\0\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20\21\22\23\26\33\37\50\57\60\77"
		"\x2e\x2f\x41\x50\x76\x77\x80\x86\x90\xc6\xff";
	struct process *process = process_new();
	struct unwind_regs regs = {.known = (1u << UNWIND_REGS) - 1};
	uint64_t seed = 0x7654321;
	int passed = 0;

	(void)state;
	for (int i = 0; i < WORDS; i++)
		process->stack[i] = i % 3 ? CALL(draw(&seed) % 256)
					  : OBJECT_STACK + 8 * (uint64_t)i;
	for (int i = 0; i < UNWIND_REGS; i++)
		regs.value[i] = OBJECT_STACK + 64 * (uint64_t)i;
	regs.value[UNWIND_SP] = OBJECT_STACK;
	for (int i = 0; i < rounds(20000); i++) {
		char program[24];
		size_t len = draw(&seed) % sizeof(program);

		for (size_t k = 0; k < len; k++)
			program[k] = draw(&seed) % 4 ? likely[draw(&seed) % (sizeof(likely) - 1)]
						     : (char)draw(&seed);
		object_set_fde(&process->object, (struct object_cfi){program, len});
		regs.value[UNWIND_IP] = CALL(draw(&seed) % 256);
		passed += process_walk_from(process, &regs)->end != UNWIND_NO_INFO;
		assert_true(process->walked.nframes >= 1);
		unwinder_free(process->unwinder); /* it keeps what it has learnt of the object */
		modules_free(process->modules);
		process->unwinder = NULL;
	}
	assert_true(passed > rounds(20000) / 100);
	process->modules = NULL;
	process_free(process);
}

/* -- this process ------------------------------------------------------------------------------ */

/* Memory of this process, from a bias on. */
struct own {
	struct stack_memory memory;
	uint64_t bias;
};

static int own_read(struct stack_memory *memory, uint64_t at, void *to, size_t len)
{
	const struct own *own = (const struct own *)memory;
	struct iovec here = {to, len}, there = {(void *)(uintptr_t)(own->bias + at), len};

	if (at >= MODULE_FILE || process_vm_readv(getpid(), &here, 1, &there, 1, 0) != (ssize_t)len)
		return -EFAULT;
	return 0;
}

/* All that a walk of this process needs, recording. */
#define OWN_MODULES 64
struct recording {
	struct stack_maps maps;
	struct modules *modules;
	struct own process, images[OWN_MODULES];
	struct excerpt *memory, *excerpts[OWN_MODULES];
	size_t n;
	struct unwind_regs regs;
	struct unwind_stack stack;
};

#define DEPTH 12
static uint64_t returns[DEPTH]; /* where each call of ourselves goes back to */
static int pipe_ends[2];
static pid_t blocked_tid;

__attribute__((noinline)) static long block(int depth)
{
	char byte;
	long r;

	returns[depth] = (uint64_t)__builtin_extract_return_addr(__builtin_return_address(0));
	r = depth ? block(depth - 1) : read(pipe_ends[0], &byte, 1);
	__asm__ volatile("" : "+r"(r));
	return r;
}

static void *blocked_thread(void *arg)
{
	__atomic_store_n(&blocked_tid, (pid_t)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
	block(DEPTH - 1);
	return arg;
}

/* SP and PC of the thread, once it is in its system call. */
static bool blocked_regs(struct unwind_regs *ret)
{
	struct str text = {0};
	uint64_t sp, pc;
	char path[64];
	int nr, n = 0;
	bool known = false;

	for (int i = 0; i < 6000 && !known; i++) {
		usleep(10000);
		snprintf(path, sizeof(path), "/proc/self/task/%d/syscall",
			__atomic_load_n(&blocked_tid, __ATOMIC_SEQ_CST));
		str_cut(&text, 0);
		if (file_read(path, 4096, &text, NULL) < 0)
			continue;
		n = sscanf(str_text(&text), "%d %*x %*x %*x %*x %*x %*x %lx %lx", &nr, &sp, &pc);
		known = n == 3 && nr == SYS_read;
	}
	str_release(&text);
	if (known) {
		*ret = (struct unwind_regs){.known = 1u << UNWIND_SP | 1u << UNWIND_IP};
		ret->value[UNWIND_SP] = sp;
		ret->value[UNWIND_IP] = pc;
	}
	return known;
}

static void record_modules(struct recording *recording)
{
	const struct stack_map *map, *first = NULL;

	array_for_each(&recording->maps.all, map) {
		size_t n = recording->n;

		if (!map->offset && map->path[0])
			first = map; /* its headers are there */
		if (!map->executable || !first || strcmp(first->path, map->path) != 0 ||
			n == OWN_MODULES || modules_find(recording->modules, map))
			continue;
		recording->images[n] = (struct own){{own_read}, first->start};
		recording->excerpts[n] = excerpt_new(&recording->images[n].memory);
		if (modules_add(recording->modules, map->dev, map->ino, map->path,
			    excerpt_memory(recording->excerpts[n]), NULL))
			recording->n++;
		else
			excerpt_free(recording->excerpts[n]);
	}
}

static struct recording *recording;

/* Blocks a thread, and walks its stack. */
static int record(void **state)
{
	struct str text = {0};
	struct unwinder *unwinder;
	pthread_t thread;

	(void)state;
	recording = calloc(1, sizeof(*recording));
	if (!recording || pipe(pipe_ends) < 0 ||
		pthread_create(&thread, NULL, blocked_thread, NULL) != 0)
		return -1;
	if (!blocked_regs(&recording->regs))
		return 0; /* a kernel that does not tell: what needs it skips */
	if (file_read("/proc/self/maps", 16u << 20, &text, NULL) < 0 ||
		stack_maps_parse(&recording->maps, text.text, text.len))
		return -1;
	str_release(&text);
	recording->modules = modules_new();
	record_modules(recording);
	recording->process = (struct own){{own_read}, 0};
	recording->memory = excerpt_new(&recording->process.memory);
	unwinder = unwinder_new(
		&recording->maps, recording->modules, excerpt_memory(recording->memory));
	unwinder_walk(unwinder, &recording->regs, &recording->stack);
	unwinder_free(unwinder);
	if (write(pipe_ends[1], "", 1) != 1)
		return -1;
	return pthread_join(thread, NULL);
}

static int forget(void **state)
{
	(void)state;
	modules_free(recording->modules);
	for (size_t i = 0; i < recording->n; i++)
		excerpt_free(recording->excerpts[i]);
	excerpt_free(recording->memory);
	stack_maps_release(&recording->maps);
	unwind_stack_release(&recording->stack);
	free(recording);
	return 0;
}

static void need_recording(void)
{
	if (!recording->regs.known)
		skip();
}

static void a_blocked_thread_is_walked_to_its_end(void **state)
{
	const struct unwind_stack *stack = &recording->stack;
	size_t found = 0;

	(void)state;
	need_recording();
	assert_true(stack->nframes > 0 && stack->frames[0].module != NULL);
	if (stack->end == UNWIND_NEEDS_REGISTER)
		skip(); /* this is a build with frame pointers */
	assert_int_equal(stack->end, UNWIND_OUTERMOST);
	for (size_t i = 0; i < stack->nframes && found < DEPTH; i++)
		found += stack->frames[i].pc == returns[found];
	assert_int_equal(found, DEPTH);
}

/* Walks over packed copies, of which one byte may be changed. Takes the copies' bytes. */
static void walk_copies(struct str *copies, struct unwind_stack *ret)
{
	struct excerpt *memory = excerpt_unpack(copies[0].text, copies[0].len, NULL);
	struct excerpt *images[OWN_MODULES] = {NULL};
	struct modules *modules = modules_new();
	struct unwinder *unwinder;

	for (size_t i = 0; i < recording->n; i++) {
		const struct module *module = modules_at(recording->modules, i);

		images[i] = excerpt_unpack(copies[i + 1].text, copies[i + 1].len, NULL);
		if (images[i])
			modules_add(modules, module->dev, module->ino, module->path,
				excerpt_memory(images[i]), NULL);
	}
	if (!memory)
		memory = excerpt_new(NULL);
	unwinder = unwinder_new(&recording->maps, modules, excerpt_memory(memory));
	unwinder_walk(unwinder, &recording->regs, ret);
	unwinder_free(unwinder);
	modules_free(modules);
	for (size_t i = 0; i < recording->n; i++)
		excerpt_free(images[i]);
	excerpt_free(memory);
}

static void pack_copies(struct str *copies)
{
	excerpt_pack(recording->memory, &copies[0]);
	for (size_t i = 0; i < recording->n; i++)
		excerpt_pack(recording->excerpts[i], &copies[i + 1]);
}

static void release_copies(struct str *copies)
{
	for (size_t i = 0; i <= recording->n; i++)
		str_release(&copies[i]);
}

static void the_walk_over_packed_copies_is_the_same_frame_for_frame(void **state)
{
	struct str copies[OWN_MODULES + 1] = {{0}};
	struct unwind_stack again;

	(void)state;
	need_recording();
	pack_copies(copies);
	walk_copies(copies, &again);
	assert_int_equal(again.end, recording->stack.end);
	assert_int_equal(again.nframes, recording->stack.nframes);
	for (size_t i = 0; i < again.nframes; i++) {
		const struct unwind_frame *a = &again.frames[i];
		const struct unwind_frame *b = &recording->stack.frames[i];

		assert_int_equal(a->pc, b->pc);
		assert_int_equal(a->sp, b->sp);
		assert_int_equal(a->module_pc, b->module_pc);
		assert_int_equal(!a->module, !b->module);
		assert_int_equal(a->guessed, b->guessed);
	}
	unwind_stack_release(&again);
	release_copies(copies);
}

static void copies_with_flipped_bytes_are_walked_to_some_end(void **state)
{
	struct str copies[OWN_MODULES + 1] = {{0}};
	uint64_t seed = 0x1234567;

	(void)state;
	need_recording();
	pack_copies(copies);
	for (int i = 0; i < rounds(3000); i++) {
		struct str *copy = &copies[draw(&seed) % (recording->n + 1)];
		struct unwind_stack stack;
		size_t at[3];
		char was[3];

		if (!copy->len)
			continue;
		for (int k = 0; k < 3; k++) {
			at[k] = draw(&seed) % copy->len;
			was[k] = copy->text[at[k]];
			copy->text[at[k]] = (char)(draw(&seed) >> 20);
		}
		walk_copies(copies, &stack);
		assert_true(stack.nframes >= 1 && stack.nframes <= UNWIND_FRAMES);
		assert_int_equal(stack.frames[0].pc, recording->regs.value[UNWIND_IP]);
		unwind_stack_release(&stack);
		for (int k = 2; k >= 0; k--)
			copy->text[at[k]] = was[k];
	}
	release_copies(copies);
}

/* Pages that are mapped. */
static long mapped(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long pages = 0;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%ld", &pages), 1);
	fclose(file);
	return pages;
}

/* ASan keeps what was freed for a while. */
#ifdef __SANITIZE_ADDRESS__
#define KEPT 100000
#else
#define KEPT 384
#endif

/* Who looks at a job for hours has thousands of unwinders, one after the other. */
static void unwinders_leave_nothing_mapped(void **state)
{
	struct process *process = process_new();
	long before = 0;

	(void)state;
	for (int i = 0; i < 512; i++) {
		if (i == 128)
			before = mapped();
		process->stack[1] = CALL(3);
		process_walk(process, CALL(1));
		unwinder_free(process->unwinder);
		modules_free(process->modules);
		process->unwinder = NULL;
		process->modules = NULL;
	}
	assert_true(mapped() - before < KEPT);
	process->modules = modules_new();
	process_free(process);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unwinders_leave_nothing_mapped),
		cmocka_unit_test(frames_are_those_that_the_object_describes),
		cmocka_unit_test(stacks_that_make_no_sense_end),
		cmocka_unit_test(a_frame_that_does_not_lie_further_out_ends_the_walk),
		cmocka_unit_test(a_register_that_is_not_known_is_asked_for_only_where_it_is_needed),
		cmocka_unit_test(frame_pointers_lead_through_code_of_nobody_and_not_in_circles),
		cmocka_unit_test(hostile_unwind_information_ends_in_a_cut),
		cmocka_unit_test(programs_by_chance_are_refused_or_run_to_some_end),
		cmocka_unit_test(a_blocked_thread_is_walked_to_its_end),
		cmocka_unit_test(the_walk_over_packed_copies_is_the_same_frame_for_frame),
		cmocka_unit_test(copies_with_flipped_bytes_are_walked_to_some_end),
	};

	return cmocka_run_group_tests(tests, record, forget);
}
