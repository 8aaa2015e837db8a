/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel writes the note of the thread that died first, and behind it those of the whole
 * process. Debuggers write cores of living processes in the same form, with a signal note for each
 * thread. So of each kind of note that is not a thread's the first one counts.
 */
#include "proc/core/core-notes.h"

#include <gelf.h>
#include <signal.h>
#include <string.h>

struct note {
	uint32_t type;
	const char *bytes;
	size_t len;
};

/* NT_PRSTATUS: adds a thread; the first one tells the signal. */
static void note_thread(struct core_file *core, const struct note *note)
{
	struct elf_prstatus status;
	struct core_thread *thread;

	if (note->len < sizeof(status) || core->threads.nr >= CORE_THREADS)
		return;
	memcpy(&status, note->bytes, sizeof(status));
	thread = array_add(&core->threads);
	thread->tid = (uint32_t)status.pr_pid;
	memcpy(thread->regs, status.pr_reg, sizeof(thread->regs));
	if (core->threads.nr == 1 && !core->signal_known) {
		core->signo = status.pr_cursig;
		/* Another note tells who sent it; until then it counts as the kernel's. */
		core->code = SI_KERNEL;
	}
}

/* NT_PRPSINFO: pid, name and arguments. */
static void note_process(struct core_file *core, const struct note *note)
{
	struct elf_prpsinfo info;

	if (note->len < sizeof(info) || core->pid)
		return;
	memcpy(&info, note->bytes, sizeof(info));
	core->pid = (uint32_t)info.pr_pid;
	memcpy(core->comm, info.pr_fname, sizeof(core->comm) - 1);
	memcpy(core->arguments, info.pr_psargs, sizeof(info.pr_psargs));
}

/* NT_SIGINFO: the signal, and its sender or the address of the fault. */
static void note_signal(struct core_file *core, const struct note *note)
{
	siginfo_t info;

	if (note->len < sizeof(info) || core->signal_known)
		return;
	memcpy(&info, note->bytes, sizeof(info));
	core->signal_known = true;
	core->signo = info.si_signo;
	core->code = info.si_code;
	if (info.si_code <= 0)
		core->sender = (uint32_t)info.si_pid;
	else if (info.si_signo == SIGSEGV || info.si_signo == SIGBUS ||
		info.si_signo == SIGILL || info.si_signo == SIGFPE || info.si_signo == SIGTRAP)
		core->fault_addr = (uint64_t)(uintptr_t)info.si_addr;
}

/* NT_AUXV: addresses. */
static void note_auxv(struct core_file *core, const struct note *note)
{
	for (size_t at = 0; note->len - at >= sizeof(Elf64_auxv_t); at += sizeof(Elf64_auxv_t)) {
		Elf64_auxv_t entry;

		memcpy(&entry, note->bytes + at, sizeof(entry));
		switch (entry.a_type) {
		case AT_NULL:
			return;
		case AT_SYSINFO_EHDR:
			core->vdso = entry.a_un.a_val;
			break;
		case AT_ENTRY:
			core->entry = entry.a_un.a_val;
			break;
		case AT_EXECFN:
			core->execfn = entry.a_un.a_val;
			break;
		case AT_RANDOM:
			core->random = entry.a_un.a_val;
			break;
		default:
			break;
		}
	}
}

/*
 * NT_FILE: two words (how many files, the size of a page), three words for each file, then their
 * names.
 */
static void note_files(struct core_file *core, const struct note *note)
{
	uint64_t count, page, words[3];
	const char *name, *end = note->bytes + note->len;

	if (core->mappings.nr || note->len < 2 * sizeof(uint64_t))
		return;
	memcpy(&count, note->bytes, sizeof(count));
	memcpy(&page, note->bytes + sizeof(count), sizeof(page));
	if (count > (note->len - 2 * sizeof(uint64_t)) / sizeof(words)) {
		core->notes_cut = true;
		return;
	}
	name = note->bytes + 2 * sizeof(uint64_t) + count * sizeof(words);
	for (uint64_t i = 0; i < count && name < end; i++) {
		size_t len = strnlen(name, (size_t)(end - name));
		struct core_mapping *mapping;

		memcpy(words, note->bytes + 2 * sizeof(uint64_t) + i * sizeof(words),
			sizeof(words));
		if (words[0] < words[1]) {
			mapping = array_add(&core->mappings);
			*mapping = (struct core_mapping){.start = words[0], .end = words[1],
				.offset = words[2] * page,
				.path = arena_text_max(&core->arena, name, len)};
		}
		name += len + 1;
	}
}

/* Takes in one note. */
static void note_take(struct core_file *core, const struct note *note)
{
	switch (note->type) {
	case NT_PRSTATUS:
		note_thread(core, note);
		break;
	case NT_PRPSINFO:
		note_process(core, note);
		break;
	case NT_SIGINFO:
		note_signal(core, note);
		break;
	case NT_AUXV:
		note_auxv(core, note);
		break;
	case NT_FILE:
		note_files(core, note);
		break;
	default:
		break;
	}
}

void core_notes_read(struct core_file *core, Elf_Data *notes)
{
	const char *bytes = notes->d_buf;
	size_t at = 0, next, name, content;
	GElf_Nhdr head;

	while ((next = gelf_getnote(notes, at, &head, &name, &content)) > 0) {
		struct note note = {head.n_type, bytes + content, head.n_descsz};

		if (head.n_namesz == sizeof("CORE") &&
			memcmp(bytes + name, "CORE", sizeof("CORE")) == 0)
			note_take(core, &note);
		at = next;
	}
	core->notes_cut |= at < notes->d_size && notes->d_size - at >= sizeof(head);
}
