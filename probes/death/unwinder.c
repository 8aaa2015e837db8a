/* SPDX-License-Identifier: Apache-2.0 */
#include "probes/death/unwinder.h"

#include <string.h>
#include <ucontext.h>

#include "probes/dl.h"
#include "probes/lowfds.h"
#include "probes/sys.h"

#if defined(__x86_64__)
#include <libunwind.h>

#define UNWINDER_SONAME	   "libunwind-x86_64.so.8"
#define UNWINDER_HDR_TABLE 12 /* where the table is, behind a header of four-byte words */
#define UNWINDER_TRAMPOLINE 0x80000000u /* flag of a frame: a signal handler returns to it */

/* A cursor of any version. */
union unwinder_cursor {
	unw_cursor_t cursor;
	uint64_t room[256];
};

/* Writer: unwinder_arm(), and what it calls. */
static struct {
	/* The loaded libunwind may copy more of us than its header here says. */
	union {
		unw_accessors_t calls;
		void *room[32];
	} accessors;
	unw_addr_space_t space; /* NULL: there is no unwinder */
	unw_addr_space_t (*create)(unw_accessors_t *, int);
	int (*cache)(unw_addr_space_t, unw_caching_policy_t);
	void (*flush)(unw_addr_space_t, unw_word_t, unw_word_t);
	int (*init)(unw_cursor_t *, unw_addr_space_t, void *);
	int (*step)(unw_cursor_t *);
	int (*get)(unw_cursor_t *, int, unw_word_t *);
	int (*search)(unw_addr_space_t, unw_word_t, unw_dyn_info_t *, unw_proc_info_t *, int,
		void *);
} unwinder;

/* --- What libunwind asks of us ---------------------------------------------------------------- */

/*
 * Returns the object that holds ip: 1 + its place in walk->object; UINT32_MAX: it is in
 * walk->other; 0: none.
 */
static uint32_t unwinder_object(struct unwinder_walk *walk, uint64_t ip)
{
	uint32_t n = walk->nobjects;

	for (uint32_t i = 0; i < n; i++)
		if (ip >= walk->object[i].start && ip < walk->object[i].end)
			return i + 1;
	if (n == RING_TRACE_MODULES)
		return object_find(&walk->memory, ip, &walk->other) ? 0 : UINT32_MAX;
	if (object_find(&walk->memory, ip, walk->object + n))
		return 0;
	walk->nobjects++;
	return n + 1;
}

/*
 * Fills in the binary search table of .eh_frame_hdr, which all linkers write: version 1, a
 * four-byte relative pointer, a four-byte count, entries of four bytes relative to the header.
 */
static int unwinder_table(
	struct unwinder_walk *walk, const struct object *object, unw_dyn_info_t *ret)
{
	static const uint8_t usual[4] = {1, 0x1b, 0x03, 0x3b};
	uint8_t encodings[4];
	uint32_t count;

	if (!object->eh_frame_hdr ||
		self_read(&walk->memory, object->eh_frame_hdr, encodings, sizeof(encodings)) ||
		memcmp(encodings, usual, sizeof(usual)) != 0 ||
		self_read(&walk->memory, object->eh_frame_hdr + 8, &count, sizeof(count)))
		return -UNW_ENOINFO;
	memset(ret, 0, sizeof(*ret));
	ret->format = UNW_INFO_FORMAT_REMOTE_TABLE;
	ret->start_ip = object->start;
	ret->end_ip = object->end;
	ret->u.rti.segbase = object->eh_frame_hdr;
	ret->u.rti.table_data = object->eh_frame_hdr + UNWINDER_HDR_TABLE;
	ret->u.rti.table_len = count * 8ul / sizeof(unw_word_t);
	return 0;
}

static int unwinder_find(unw_addr_space_t space, unw_word_t ip, unw_proc_info_t *ret,
	int need_unwind_info, void *arg)
{
	struct unwinder_walk *walk = arg;
	uint32_t found = unwinder_object(walk, ip);
	unw_dyn_info_t table;
	int err = -UNW_ENOINFO;

	if (found)
		err = unwinder_table(walk,
			found == UINT32_MAX ? &walk->other : walk->object + found - 1, &table);
	if (!err) {
		memset(ret, 0, sizeof(*ret));
		err = unwinder.search(space, ip, &table, ret, need_unwind_info, walk);
	}
	walk->blind = err != 0;
	return err;
}

/* Does nothing: what find gave lies in libunwind's own pool. */
static void unwinder_put(unw_addr_space_t space, unw_proc_info_t *info, void *arg)
{
	(void)space, (void)info, (void)arg;
}

static int unwinder_no_list(unw_addr_space_t space, unw_word_t *at, void *arg)
{
	(void)space, (void)at, (void)arg;
	return -UNW_ENOINFO;
}

static int unwinder_memory(
	unw_addr_space_t space, unw_word_t at, unw_word_t *value, int write, void *arg)
{
	struct unwinder_walk *walk = arg;

	(void)space;
	if (write || self_read(&walk->memory, at, value, sizeof(*value)))
		return -UNW_EINVAL;
	return 0;
}

static int unwinder_register(
	unw_addr_space_t space, unw_regnum_t nr, unw_word_t *value, int write, void *arg)
{
	static const signed char place[] = {
		[UNW_X86_64_RAX] = REG_RAX,
		[UNW_X86_64_RDX] = REG_RDX,
		[UNW_X86_64_RCX] = REG_RCX,
		[UNW_X86_64_RBX] = REG_RBX,
		[UNW_X86_64_RSI] = REG_RSI,
		[UNW_X86_64_RDI] = REG_RDI,
		[UNW_X86_64_RBP] = REG_RBP,
		[UNW_X86_64_RSP] = REG_RSP,
		[UNW_X86_64_R8] = REG_R8,
		[UNW_X86_64_R9] = REG_R9,
		[UNW_X86_64_R10] = REG_R10,
		[UNW_X86_64_R11] = REG_R11,
		[UNW_X86_64_R12] = REG_R12,
		[UNW_X86_64_R13] = REG_R13,
		[UNW_X86_64_R14] = REG_R14,
		[UNW_X86_64_R15] = REG_R15,
		[UNW_X86_64_RIP] = REG_RIP,
	};
	const struct unwinder_walk *walk = arg;

	(void)space;
	if (write || nr < 0 || nr >= (int)sizeof(place))
		return -UNW_EBADREG;
	*value = walk->regs[place[nr]];
	return 0;
}

static int unwinder_no_fpreg(
	unw_addr_space_t space, unw_regnum_t nr, unw_fpreg_t *value, int write, void *arg)
{
	(void)space, (void)nr, (void)value, (void)write, (void)arg;
	return -UNW_EBADREG;
}

static int unwinder_no_resume(unw_addr_space_t space, unw_cursor_t *cursor, void *arg)
{
	(void)space, (void)cursor, (void)arg;
	return -UNW_EINVAL;
}

static int unwinder_no_name(unw_addr_space_t space, unw_word_t at, char *to, size_t size,
	unw_word_t *offset, void *arg)
{
	(void)space, (void)at, (void)to, (void)size, (void)offset, (void)arg;
	return -UNW_ENOINFO;
}

/* --- Arming ----------------------------------------------------------------------------------- */

/*
 * Makes the address space, and a cursor in it: now libunwind begins, for good, with what it keeps.
 * That is a pipe by which its other half tries whether memory is there. Ours never does, so nothing
 * is written to who has these numbers later.
 */
static void unwinder_create(struct unwinder_walk *walk)
{
	static const uint64_t regs[NGREG];
	union unwinder_cursor cursor;
	struct lowfds lowfds;

	lowfds_hold(&lowfds);
	unwinder.space = unwinder.create(&unwinder.accessors.calls, 0);
	walk->regs = regs;
	if (unwinder.space)
		unwinder.init(&cursor.cursor, unwinder.space, walk);
	lowfds_release(&lowfds);
}

static int unwinder_look_up(void *lib)
{
	const struct {
		void **slot;
		const char *name;
	} all[] = {
		{(void **)&unwinder.create, "_Ux86_64_create_addr_space"},
		{(void **)&unwinder.cache, "_Ux86_64_set_caching_policy"},
		{(void **)&unwinder.flush, "_Ux86_64_flush_cache"},
		{(void **)&unwinder.init, "_Ux86_64_init_remote"},
		{(void **)&unwinder.step, "_Ux86_64_step"},
		{(void **)&unwinder.get, "_Ux86_64_get_reg"},
		{(void **)&unwinder.search, "_Ux86_64_dwarf_search_unwind_table"},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		*all[i].slot = dl_sym(lib, all[i].name);
		if (!*all[i].slot)
			return -1;
	}
	return 0;
}

void unwinder_arm(struct unwinder_walk *walk)
{
	unw_accessors_t *calls = &unwinder.accessors.calls;
	void *lib = dl_open(UNWINDER_SONAME, RTLD_NOW | RTLD_LOCAL);

	object_arm();
	if (lib && !unwinder_look_up(lib)) {
		calls->find_proc_info = unwinder_find;
		calls->put_unwind_info = unwinder_put;
		calls->get_dyn_info_list_addr = unwinder_no_list;
		calls->access_mem = unwinder_memory;
		calls->access_reg = unwinder_register;
		calls->access_fpreg = unwinder_no_fpreg;
		calls->resume = unwinder_no_resume;
		calls->get_proc_name = unwinder_no_name;
		unwinder_create(walk);
	}
	/* Leave its default size: another one is mapped anew at each flush. */
	if (unwinder.space)
		unwinder.cache(unwinder.space, UNW_CACHE_GLOBAL);
}

int unwinder_is_armed(void)
{
	return unwinder.space != NULL;
}

/* --- Walking ---------------------------------------------------------------------------------- */

/*
 * True if a signal handler returns to here: "mov $15, %rax; syscall", which nobody called.
 * libunwind's own answer is about the frame itself in one version and about the one beneath it in
 * another.
 */
static int unwinder_is_trampoline(struct unwinder_walk *walk, uint64_t pc)
{
	static const uint8_t sigreturn[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
	uint8_t code[sizeof(sigreturn)];

	return !self_read(&walk->memory, pc, code, sizeof(code)) &&
	       !memcmp(code, sigreturn, sizeof(code));
}

/* Adds the frame that the cursor is at. Returns 0, or -1 if it is the one before again. */
static int unwinder_add(struct unwinder_walk *walk, unw_cursor_t *cursor, uint32_t *flags,
	struct ring_traceback *into)
{
	struct ring_trace_frame *f = into->frame + into->nframes;
	unw_word_t pc = 0, sp = 0;
	uint32_t object;

	if (unwinder.get(cursor, UNW_REG_IP, &pc) || unwinder.get(cursor, UNW_REG_SP, &sp))
		return -1;
	if (into->nframes && f[-1].pc == pc && f[-1].sp == sp)
		return -1;
	*flags |= unwinder_is_trampoline(walk, pc) ? UNWINDER_TRAMPOLINE : 0;
	if (*flags & UNWINDER_TRAMPOLINE)
		*flags |= RING_TRACE_F_EXACT;
	/* Behind a call that never returns the next function may begin. */
	object = unwinder_object(walk, *flags & RING_TRACE_F_EXACT ? pc : pc - 1);
	*f = (struct ring_trace_frame){
		.pc = pc,
		.sp = sp,
		.module = object == UINT32_MAX ? 0 : object,
		.flags = *flags & ~UNWINDER_TRAMPOLINE,
	};
	__atomic_store_n(&into->nframes, into->nframes + 1, __ATOMIC_RELEASE);
	return 0;
}

/* Returns how the walk ended; `step` is what the last step returned. */
static uint32_t unwinder_end(
	const struct unwinder_walk *walk, int step, const struct ring_traceback *into)
{
	if (step > 0)
		return into->nframes == RING_TRACE_FRAMES ? RING_TRACE_TOO_DEEP
							  : RING_TRACE_NO_MEMORY;
	if (step == 0 && !walk->blind)
		return RING_TRACE_OUTERMOST;
	return walk->memory.misses ? RING_TRACE_NO_MEMORY : RING_TRACE_NO_INFO;
}

void unwinder_walk(
	struct unwinder_walk *walk, const uint64_t *regs, struct ring_traceback *into)
{
	union unwinder_cursor cursor;
	uint32_t flags = RING_TRACE_F_EXACT;
	int step = 1;

	if (!unwinder.space) {
		into->end = RING_TRACE_NO_UNWINDER;
		return;
	}
	walk->regs = regs;
	unwinder.flush(unwinder.space, 0, 0); /* objects may have come and gone */
	if (unwinder.init(&cursor.cursor, unwinder.space, walk)) {
		into->end = RING_TRACE_NO_INFO;
		return;
	}
	while (into->nframes < RING_TRACE_FRAMES) {
		if (unwinder_add(walk, &cursor.cursor, &flags, into))
			break;
		flags = flags & UNWINDER_TRAMPOLINE ? RING_TRACE_F_EXACT : 0;
		walk->blind = 0;
		step = unwinder.step(&cursor.cursor);
		if (step <= 0)
			break;
		if (walk->blind)
			flags |= RING_TRACE_F_GUESSED;
	}
	into->end = unwinder_end(walk, step, into);
}

#else /* another machine: libunwind's registers are not known here */

void unwinder_arm(struct unwinder_walk *walk)
{
	(void)walk;
	object_arm();
}

int unwinder_is_armed(void)
{
	return 0;
}

void unwinder_walk(
	struct unwinder_walk *walk, const uint64_t *regs, struct ring_traceback *into)
{
	(void)walk, (void)regs;
	into->end = RING_TRACE_NO_UNWINDER;
}

#endif
