/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/stacks/decode-frames.h"

#include <string.h>

#include "base/str.h"
#include "decode/stacks/demangle.h"

#define FRAMES_KERNEL 32 /* the most functions of one kernel stack; the kernel shows 64 at most */

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Returns a function's name for people. */
static const char *readable(struct arena *arena, const char *function)
{
	struct str name = {0};
	const char *kept;

	demangle_add(&name, function);
	kept = arena_text(arena, str_text(&name));
	str_release(&name);
	return kept;
}

/*
 * Adds code of a module: `at` is an address of the module, as it is looked up (before the end of a
 * call). NULL module: nothing is known of it but `name`, as "[anon-exec]".
 */
static void frames_add_code(struct decode_frames *into, struct arena *arena,
	const struct module *module, uint64_t at, const char *name)
{
	struct job_frame *frame = array_add(&into->all);
	const struct module_symbol *symbol = module ? module_symbol_at(module, at) : NULL;

	frame->kind = JOB_FRAME_NATIVE;
	frame->module = arena_text(arena, module ? file_name(module->path) : name ? name : "");
	frame->function = symbol ? readable(arena, symbol->function) : "";
	frame->file = symbol ? arena_text(arena, symbol->file) : "";
	frame->line = symbol && symbol->line <= INT32_MAX ? (int)symbol->line : 0;
	if (module && !*frame->function)
		frame->offset = at;
}

/*
 * Adds code that no module was gathered for. In a file the offset tells the place, and is the same
 * in all ranks; in generated code, or without a map, nothing does.
 */
static void add_unknown(
	struct decode_frames *into, struct arena *arena, const struct stack_map *map, uint64_t pc)
{
	bool file = map && (*map->path == '/' || *map->path == '[');

	frames_add_code(into, arena, NULL, 0,
		file  ? file_name(map->path)
		: map ? "[anon-exec]"
		      : "[unmapped]");
	if (file)
		into->all.items[into->all.nr - 1].offset = pc - map->start + map->offset;
}

/* Adds one native frame of a walk. */
static void frames_add_native(struct decode_frames *into, struct arena *arena,
	const struct stack_maps *maps, const struct unwind_stack *stack, size_t frame)
{
	const struct unwind_frame *this = &stack->frames[frame];
	uint64_t pc = unwind_lookup_pc(stack, frame);

	if (this->module)
		frames_add_code(into, arena, this->module, this->module_pc - (this->pc - pc), NULL);
	else
		add_unknown(into, arena, stack_maps_find(maps, pc), pc);
	into->all.items[into->all.nr - 1].guessed = this->guessed;
}

void frames_add_python(
	struct decode_frames *into, struct arena *arena, const struct python_frame *frame)
{
	*array_add(&into->all) = (struct job_frame){
		.kind = JOB_FRAME_PYTHON,
		.function = arena_text(arena, frame->function),
		.module = "",
		.file = arena_text(arena, frame->file),
		.line = frame->line <= INT32_MAX ? (int)frame->line : 0,
	};
}

static void add_kernel_function(
	struct decode_frames *into, struct arena *arena, const char *name, size_t len)
{
	*array_add(&into->all) = (struct job_frame){
		.kind = JOB_FRAME_KERNEL,
		.function = arena_text_max(arena, name, len),
		.module = "",
		.file = "",
	};
}

/* True for functions that every system call comes through. */
static bool is_entry(const char *name, size_t len)
{
	static const char *const entries[] = {"do_syscall_64", "entry_SYSCALL_64_after_hwframe",
		"x64_sys_call", "ret_from_fork", "ret_from_fork_asm"};

	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
		if (strlen(entries[i]) == len && !memcmp(entries[i], name, len))
			return true;
	return false;
}

/* Lines are like "[<0>] futex_wait_queue+0x60/0x90". */
void frames_add_kernel(struct decode_frames *into, struct arena *arena, const char *lines,
	const char *wchan, bool all)
{
	size_t added = 0;

	while (*lines && added < (all ? FRAMES_KERNEL : 1)) {
		size_t line = strcspn(lines, "\n");
		const char *name = memchr(lines, ']', line);
		size_t len;

		name = name && (size_t)(name - lines) + 2 < line ? name + 2 : lines;
		len = strcspn(name, "+\n ");
		if (len && !is_entry(name, len)) {
			add_kernel_function(into, arena, name, len);
			added++;
		}
		lines += line + (lines[line] == '\n');
	}
	if (!added && *wchan && strcmp(wchan, "0") != 0)
		add_kernel_function(into, arena, wchan, strlen(wchan));
}

void frames_add_merged(struct decode_frames *into, struct arena *arena,
	const struct stack_maps *maps, const struct unwind_stack *native,
	const struct merged_stack *merged)
{
	for (size_t i = 0; i < merged->nframes; i++) {
		const struct merged_frame *frame = &merged->frames[i];

		if (frame->python)
			frames_add_python(into, arena, frame->python);
		else
			frames_add_native(into, arena, maps, native, frame->index);
	}
}

/* True for files of a library, "libc.so.6", "libc-2.28.so". */
static bool is_library(const char *module, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(module, name, len) && strchr(".-", module[len]);
}

/* Marks our own frames that have only libc's further in. */
static void mark_own(struct decode_frames *frames)
{
	struct job_frame *frame;

	array_for_each (&frames->all, frame) {
		if (frame->kind != JOB_FRAME_NATIVE)
			continue;
		if (is_library(frame->module, "libinquest-probe"))
			frame->plumbing = true;
		else if (!is_library(frame->module, "libc") &&
			!is_library(frame->module, "libpthread"))
			return;
	}
}

void frames_mark_plumbing(struct decode_frames *frames, bool died)
{
	struct job_frame *frame;
	bool python = false;

	array_for_each (&frames->all, frame)
		python |= frame->kind == JOB_FRAME_PYTHON;
	array_for_each (&frames->all, frame)
		frame->plumbing = python && frame->kind == JOB_FRAME_NATIVE &&
				  merge_is_plumbing(frame->function);
	if (died)
		mark_own(frames);
}

static const char *const syscalls[] = {
#define SYSCALL(number, name) [number] = #name,
#include "decode/syscalls.def"
#undef SYSCALL
};

const char *frames_syscall(int64_t number)
{
	const char *name = NULL;

	if (number >= 0 && (size_t)number < sizeof(syscalls) / sizeof(syscalls[0]))
		name = syscalls[number];
	return name ? name : "";
}
