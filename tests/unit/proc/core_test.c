/* SPDX-License-Identifier: Apache-2.0 */
/* Cores made by hand: what is told of threads, maps and memory, and what damage costs. */
#include "proc/core/core.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/procfs.h>
#include <sys/user.h>
#include <unistd.h>

#include "base/str.h"
#include "proc/core/core-file.h"
#include "proc/core/core-maps.h"
#include "proc/core/core-memory.h"
#include "stack/maps.h"
#include "tests/unit/made_file.h"
#include "tests/unit/unit.h"

#define STACK_AT   0x7ffc00000000ull
#define STACK_SIZE 0x2000
#define DATA_AT	   0x500000ull
#define EXECFN	   (STACK_AT + 0x1f00)
#define RANDOM	   (STACK_AT + 0x1e00)
#define ENVIRON	   "\0RANK=5\0LOCAL_RANK=1\0"

/* -- making one -------------------------------------------------------------------------------- */

static void add_note(struct str *notes, uint32_t type, const void *bytes, size_t len)
{
	Elf64_Nhdr head = {5, (uint32_t)len, type};

	str_add_bytes(notes, &head, sizeof(head));
	str_add_bytes(notes, "CORE\0\0\0", 8);
	str_add_bytes(notes, bytes, len);
	while (notes->len % 4)
		str_add_char(notes, '\0');
}

static void add_thread(struct str *notes, int tid, uint64_t ip, long syscall)
{
	struct elf_prstatus status = {.pr_pid = tid, .pr_cursig = SIGSEGV};
	struct user_regs_struct regs = {.rip = ip, .rsp = STACK_AT + 0x100, .rbp = 7,
		.orig_rax = (unsigned long long)syscall, .rdi = 11, .r10 = 44};

	memcpy(status.pr_reg, &regs, sizeof(regs));
	add_note(notes, NT_PRSTATUS, &status, sizeof(status));
}

static void add_files(struct str *notes)
{
	static const uint64_t words[] = {2, 4096, 0x400000, 0x402000, 0, 0x402000, 0x403000, 2};
	struct str note = {0};

	str_add_bytes(&note, words, sizeof(words));
	str_add_bytes(&note, "/no/such/program\0/no/such\nfile (deleted)", 41);
	add_note(notes, NT_FILE, note.text, note.len);
	str_release(&note);
}

static void make_notes(struct str *notes)
{
	struct elf_prpsinfo info = {.pr_pid = 70, .pr_fname = "program",
		.pr_psargs = "program --epochs 3"};
	const uint64_t auxv[] = {AT_ENTRY, 0x400100, AT_EXECFN, EXECFN, AT_RANDOM, RANDOM,
		AT_NULL, 0};
	siginfo_t signal = {.si_signo = SIGSEGV, .si_code = SEGV_MAPERR};

	signal.si_addr = (void *)0x1234;
	add_thread(notes, 72, 0x400200, -1);
	add_note(notes, NT_PRPSINFO, &info, sizeof(info));
	add_note(notes, NT_SIGINFO, &signal, sizeof(signal));
	add_note(notes, NT_AUXV, auxv, sizeof(auxv));
	add_files(notes);
	add_thread(notes, 70, 0x400300, 202);
	add_thread(notes, 71, 0x400300, -1);
}

static Elf64_Phdr segment(
	uint32_t type, uint64_t at, uint64_t offset, uint64_t size, uint32_t flags)
{
	return (Elf64_Phdr){.p_type = type, .p_vaddr = at, .p_offset = offset, .p_filesz = size,
		.p_memsz = size, .p_flags = flags};
}

/* The core: of its program there are these bytes, its data and its stack are whole. */
static void make_core_with(struct str *core, const void *program, size_t size)
{
	char stack[STACK_SIZE] = {0}, data[64];
	Elf64_Phdr heads[5];
	Elf64_Ehdr head = {.e_ident = ELFMAG "\2\1\1", .e_type = ET_CORE, .e_machine = EM_X86_64,
		.e_version = 1, .e_phoff = sizeof(head), .e_phnum = 5,
		.e_phentsize = sizeof(Elf64_Phdr)};
	uint64_t at = sizeof(head) + sizeof(heads);
	struct str notes = {0};

	make_notes(&notes);
	memset(data, 'd', sizeof(data));
	memcpy(stack + (EXECFN - STACK_AT) - sizeof(ENVIRON) + 1, ENVIRON, sizeof(ENVIRON) - 1);
	heads[0] = segment(PT_NOTE, 0, at, notes.len, 0);
	at += notes.len;
	heads[1] = segment(PT_LOAD, 0x400000, at, size, PF_R | PF_X);
	heads[1].p_memsz = 0x2000;
	heads[2] = segment(PT_LOAD, DATA_AT, at + size, sizeof(data), PF_R | PF_W);
	heads[2].p_memsz = 0x1000;
	heads[3] = segment(
		PT_LOAD, STACK_AT, at + size + sizeof(data), sizeof(stack), PF_R | PF_W);
	heads[4] = heads[2]; /* the same again: overlaps, and is left out */
	str_add_bytes(core, &head, sizeof(head));
	str_add_bytes(core, heads, sizeof(heads));
	str_add_bytes(core, notes.text, notes.len);
	str_add_bytes(core, program, size);
	str_add_bytes(core, data, sizeof(data));
	str_add_bytes(core, stack, sizeof(stack));
	str_release(&notes);
}

/* Its program is there by name only. */
static void make_core(struct str *core)
{
	make_core_with(core, NULL, 0);
}

/* The beginning of an object that has this build id, in a core. */
static void make_core_of_build(struct str *core, const char *id)
{
	struct {
		Elf64_Ehdr head;
		Elf64_Phdr segments[2];
		Elf64_Nhdr note;
		char owner[4], id[8];
	} object = {
		.head = {.e_ident = ELFMAG "\2\1\1", .e_type = ET_DYN, .e_machine = EM_X86_64,
			.e_version = 1, .e_phoff = sizeof(Elf64_Ehdr), .e_phnum = 2,
			.e_ehsize = sizeof(Elf64_Ehdr), .e_phentsize = sizeof(Elf64_Phdr)},
		.note = {4, 8, NT_GNU_BUILD_ID},
		.owner = "GNU",
	};
	size_t note = sizeof(object.head) + sizeof(object.segments);

	memcpy(object.id, id, sizeof(object.id));
	object.segments[0] = segment(PT_LOAD, 0, 0, 0x2000, PF_R | PF_X);
	object.segments[1] = segment(PT_NOTE, note, note, sizeof(object) - note, PF_R);
	make_core_with(core, &object, sizeof(object));
}

/* A file of these bytes without a name; the path to it goes into ret. */
static int file_of(const char *bytes, size_t len, char ret[64])
{
	int fd = made_file(bytes, len);

	snprintf(ret, 64, "/proc/self/fd/%d", fd);
	return fd;
}

/* -- tests ------------------------------------------------------------------------------------- */

static void threads_signal_and_words_are_told(void **state)
{
	struct images *images = images_new();
	struct core_words words = {0};
	struct complaint why = {0};
	struct snapshot snapshot;
	struct str core = {0};
	char path[64];
	int fd;

	(void)state;
	make_core(&core);
	fd = file_of(core.text, core.len, path);
	assert_true(core_is(path));
	assert_int_equal(core_take(path, images, &snapshot, &words, &why), 0);
	assert_int_equal(snapshot.mode, SNAPSHOT_OF_CORE);
	assert_int_equal(snapshot.pid, 70);
	assert_int_equal(snapshot.nthreads, 3);
	assert_int_equal(snapshot.threads[0].tid, 70);
	assert_string_equal(snapshot.threads[0].comm, "program");
	assert_true(snapshot.threads[0].in_syscall);
	assert_int_equal(snapshot.threads[0].syscall, 202);
	assert_int_equal(snapshot.threads[0].args[0], 11);
	assert_int_equal(snapshot.threads[0].args[3], 44);
	assert_false(snapshot.threads[2].in_syscall);
	assert_int_equal(snapshot.threads[2].regs.value[UNWIND_IP], 0x400200);
	assert_int_equal(snapshot.threads[2].regs.value[UNWIND_BP], 7);
	assert_int_equal(snapshot.signo, SIGSEGV);
	assert_int_equal(snapshot.fault_code, SEGV_MAPERR);
	assert_int_equal(snapshot.fault_addr, 0x1234);
	assert_int_equal(snapshot.fault_tid, 72);
	assert_int_equal(snapshot.fault_sender, 0);
	assert_string_equal(snapshot.exe, "/no/such/program");
	assert_non_null(memmem(words.environment.text, words.environment.len, ENVIRON,
		sizeof(ENVIRON) - 1));
	assert_memory_equal(words.arguments.text, "program\0--epochs\0003", 19);
	core_words_release(&words);
	snapshot_release(&snapshot);
	images_free(images);
	str_release(&core);
	close(fd);
}

/* Who sent it nobody says: SI_USER, which is 0, would be a sender from outside (told.c). */
static void a_signal_that_a_thread_alone_tells_has_no_sender(void **state)
{
	struct str bytes = {0};
	struct core_file core;
	char *note;
	char path[64];
	int fd;

	(void)state;
	make_core(&bytes);
	note = memmem(bytes.text, bytes.len, &(uint32_t){NT_SIGINFO}, sizeof(uint32_t));
	assert_non_null(note);
	memcpy(note, &(uint32_t){NT_TASKSTRUCT}, sizeof(uint32_t));
	fd = file_of(bytes.text, bytes.len, path);
	assert_int_equal(core_file_open(&core, fd, NULL), 0);
	assert_false(core.signal_known);
	assert_int_equal(core.signo, SIGSEGV);
	assert_int_equal(core.code, SI_KERNEL);
	assert_int_equal(core.sender, 0);
	core_file_close(&core);
	str_release(&bytes);
	close(fd);
}

static void maps_are_made_of_segments_and_files(void **state)
{
	struct core_file core, other;
	struct stack_maps maps = {0}, theirs = {0};
	struct str bytes = {0}, text = {0}, again = {0};
	const struct stack_map *map;
	char path[64];
	int fd;

	(void)state;
	make_core(&bytes);
	fd = file_of(bytes.text, bytes.len, path);
	assert_int_equal(core_file_open(&core, fd, NULL), 0);
	core_maps_text(&core, &text);
	assert_int_equal(stack_maps_parse(&maps, text.text, text.len), 0);
	assert_int_equal(maps.all.nr, 4);
	map = stack_maps_find(&maps, 0x401000);
	assert_true(map->executable && !map->writable && map->ino);
	assert_string_equal(map->path, "/no/such/program");
	/* Mapped, but in no segment: taken for code. */
	map = stack_maps_find(&maps, 0x402000);
	assert_true(map->executable && map->deleted);
	assert_int_equal(map->offset, 0x2000);
	assert_string_equal(map->path, "/no/such\nfile");
	map = stack_maps_find(&maps, DATA_AT);
	assert_true(map->writable && !map->ino);
	assert_string_equal(stack_maps_find(&maps, STACK_AT)->path, "[stack]");
	/* The same core, the same text; of another process, other inodes. */
	core_maps_text(&core, &again);
	assert_string_equal(text.text, again.text);
	close(fd);
	bytes.text[sizeof(Elf64_Ehdr) + 5 * sizeof(Elf64_Phdr) + 12 + 8 + 200] ^= 1;
	fd = file_of(bytes.text, bytes.len, path);
	assert_int_equal(core_file_open(&other, fd, NULL), 0);
	str_cut(&again, 0);
	core_maps_text(&other, &again);
	stack_maps_parse(&theirs, again.text, again.len);
	assert_int_not_equal(
		stack_maps_find(&maps, 0x401000)->ino, stack_maps_find(&theirs, 0x401000)->ino);
	core_file_close(&core);
	core_file_close(&other);
	stack_maps_release(&maps);
	stack_maps_release(&theirs);
	str_release(&bytes);
	str_release(&text);
	str_release(&again);
	close(fd);
}

/* The inode of the file that is mapped there. */
static uint64_t inode_at(const struct str *bytes, uint64_t at)
{
	struct stack_maps maps = {0};
	struct str text = {0};
	struct core_file core;
	char path[64];
	int fd = file_of(bytes->text, bytes->len, path);
	uint64_t ino;

	assert_int_equal(core_file_open(&core, fd, NULL), 0);
	core_maps_text(&core, &text);
	assert_int_equal(stack_maps_parse(&maps, text.text, text.len), 0);
	ino = stack_maps_find(&maps, at)->ino;
	stack_maps_release(&maps);
	str_release(&text);
	core_file_close(&core);
	close(fd);
	return ino;
}

static void files_of_one_build_are_one_and_of_two_are_two(void **state)
{
	struct str one = {0}, two = {0}, elsewhere = {0};

	(void)state;
	make_core_of_build(&one, "build 1");
	make_core_of_build(&two, "build 2");
	/* The second differs in nothing but that; not even its name tells. */
	assert_int_not_equal(inode_at(&one, 0x401000), inode_at(&two, 0x401000));
	/* Another process, which had other registers, of the same file. */
	str_add_bytes(&elsewhere, one.text, one.len);
	elsewhere.text[sizeof(Elf64_Ehdr) + 5 * sizeof(Elf64_Phdr) + 12 + 8 + 200] ^= 1;
	assert_int_equal(inode_at(&one, 0x401000), inode_at(&elsewhere, 0x401000));
	str_release(&one);
	str_release(&two);
	str_release(&elsewhere);
}

/* Same pid, same addresses, same registers: two containers without ASLR. */
static void files_without_build_id_are_their_process_own(void **state)
{
	struct str one = {0}, two = {0};

	(void)state;
	make_core(&one);
	make_core(&two);
	assert_int_equal(inode_at(&one, 0x401000), inode_at(&two, 0x401000));
	two.text[two.len - STACK_SIZE + (RANDOM - STACK_AT)] ^= 1;
	assert_int_not_equal(inode_at(&one, 0x401000), inode_at(&two, 0x401000));
	str_release(&one);
	str_release(&two);
}

static void memory_is_what_the_core_has_and_no_more(void **state)
{
	struct images *images = images_new();
	struct stack_maps maps = {0};
	struct str bytes = {0};
	struct core_memory *memory;
	struct core_file core;
	char path[64], got[128];
	int fd;

	(void)state;
	make_core(&bytes);
	fd = file_of(bytes.text, bytes.len - 0x1000, path); /* the stack's upper half is cut off */
	assert_int_equal(core_file_open(&core, fd, NULL), 0);
	assert_int_equal(core.lacking, 0x1000);
	memory = core_memory_new(&core, &maps, images);
	assert_int_equal(stack_memory_read(core_memory_of(memory), DATA_AT, got, 64), 0);
	assert_int_equal(got[0], 'd');
	assert_int_equal(got[63], 'd');
	assert_int_equal(stack_memory_read(core_memory_of(memory), DATA_AT + 1, got, 64), -EFAULT);
	assert_int_equal(stack_memory_read(core_memory_of(memory), DATA_AT - 1, got, 2), -EFAULT);
	assert_int_equal(stack_memory_read(core_memory_of(memory), 0x400000, got, 1), -EFAULT);
	assert_int_equal(stack_memory_read(core_memory_of(memory), UINT64_MAX, got, 8), -EFAULT);
	assert_int_equal(
		stack_memory_read(core_memory_of(memory), STACK_AT + 0xff8, got, 8), 0);
	assert_int_equal(
		stack_memory_read(core_memory_of(memory), STACK_AT + 0xff9, got, 8), -EFAULT);
	core_memory_free(memory);
	core_file_close(&core);
	images_free(images);
	str_release(&bytes);
	close(fd);
}

/* Its head leaves the number of segments to a section, as it must from 65535 on. */
static void count_in_a_section(struct str *core, uint32_t segments)
{
	Elf64_Shdr section = {.sh_info = segments};
	Elf64_Ehdr head;

	memcpy(&head, core->text, sizeof(head));
	head.e_phnum = PN_XNUM;
	head.e_shnum = 1;
	head.e_shentsize = sizeof(section);
	head.e_shoff = core->len;
	memcpy(core->text, &head, sizeof(head));
	str_add_bytes(core, &section, sizeof(section));
}

static void more_segments_than_its_head_can_count_are_counted_in_a_section(void **state)
{
	struct core_file core;
	struct str bytes = {0};
	char path[64];
	int fd;

	(void)state;
	make_core(&bytes);
	count_in_a_section(&bytes, 5);
	fd = file_of(bytes.text, bytes.len, path);
	assert_int_equal(core_file_open(&core, fd, NULL), 0);
	assert_int_equal(core.threads.nr, 3);
	assert_int_equal(core.segments.nr, 3);
	assert_false(core.notes_cut);
	core_file_close(&core);
	str_release(&bytes);
	close(fd);
}

/* Where in the core its notes are. */
static struct str notes_of(struct str *core)
{
	Elf64_Phdr head;

	memcpy(&head, core->text + sizeof(Elf64_Ehdr), sizeof(head));
	return (struct str){.text = core->text + head.p_offset, .len = head.p_filesz};
}

static void notes_with_lying_lengths_end_there(void **state)
{
	static const uint32_t lies[] = {UINT32_MAX, UINT32_MAX - 3, 1u << 31, 1u << 16};
	const size_t second = sizeof(Elf64_Nhdr) + 8 + sizeof(struct elf_prstatus);

	(void)state;
	for (size_t i = 0; i < 4; i++)
		for (size_t field = 0; field < 8; field += 4) {
			struct core_file core;
			struct str bytes = {0};
			char path[64];
			int fd;

			make_core(&bytes);
			memcpy(notes_of(&bytes).text + second + field, &lies[i], sizeof(lies[i]));
			fd = file_of(bytes.text, bytes.len, path);
			assert_int_equal(core_file_open(&core, fd, NULL), 0);
			assert_int_equal(core.threads.nr, 1);
			assert_int_equal(core.pid, 0);
			assert_true(core.notes_cut);
			core_file_close(&core);
			str_release(&bytes);
			close(fd);
		}
}

/* A core with another head, and what becomes of it. */
static struct core_file with_head(struct str *bytes, const Elf64_Phdr *head, uint64_t size)
{
	struct core_file core;
	char path[64];
	int fd;

	memcpy(bytes->text + sizeof(Elf64_Ehdr), head, sizeof(*head));
	fd = file_of(bytes->text, bytes->len, path);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	core_file_open(&core, fd, NULL);
	return core;
}

static void notes_are_as_far_as_the_file_has_them(void **state)
{
	struct str bytes = {0};
	struct core_file core;
	Elf64_Phdr head;

	(void)state;
	make_core(&bytes);
	memcpy(&head, bytes.text + sizeof(Elf64_Ehdr), sizeof(head));
	head.p_filesz = 1ull << 60;
	core = with_head(&bytes, &head, bytes.len);
	assert_int_equal(core.threads.nr, 3);
	assert_true(core.notes_cut);
	close(core.elf.fd);
	core_file_close(&core);
	head.p_offset = UINT64_MAX - 8;
	core = with_head(&bytes, &head, bytes.len);
	assert_int_equal(core.threads.nr, 0);
	assert_true(core.notes_cut);
	close(core.elf.fd);
	core_file_close(&core);
	str_release(&bytes);
}

static void a_core_cut_short_while_it_is_read_has_no_more_memory(void **state)
{
	struct images *images = images_new();
	struct stack_maps maps = {0};
	struct core_memory *memory;
	struct str bytes = {0};
	struct core_file core;
	char path[64], got[8];
	int fd;

	(void)state;
	make_core(&bytes);
	fd = file_of(bytes.text, bytes.len, path);
	assert_int_equal(core_file_open(&core, fd, NULL), 0);
	assert_int_equal(ftruncate(fd, 4096), 0);
	memory = core_memory_new(&core, &maps, images);
	assert_int_equal(
		stack_memory_read(core_memory_of(memory), STACK_AT + 0x1800, got, 8), -EFAULT);
	core_memory_free(memory);
	core_file_close(&core);
	images_free(images);
	str_release(&bytes);
	close(fd);
}

static void of_a_core_of_many_gib_its_notes_are_read(void **state)
{
	struct str bytes = {0};
	struct core_file core;
	Elf64_Phdr head;
	uint64_t before;

	(void)state;
	make_core(&bytes);
	memcpy(&head, bytes.text + sizeof(Elf64_Ehdr), sizeof(head));
	before = made_file_read();
	core = with_head(&bytes, &head, 1ull << 37);
	assert_int_equal(core.threads.nr, 3);
	assert_in_range(made_file_read() - before, 0, 1 << 16);
	close(core.elf.fd);
	core_file_close(&core);
	str_release(&bytes);
}

static void more_segments_than_any_process_has_are_not_read(void **state)
{
	struct str bytes = {0};
	struct core_file core;
	Elf64_Phdr notes;
	uint64_t before;

	(void)state;
	make_core(&bytes);
	count_in_a_section(&bytes, CORE_SEGMENTS + 1);
	before = made_file_read();
	memcpy(&notes, bytes.text + sizeof(Elf64_Ehdr), sizeof(notes));
	core = with_head(&bytes, &notes, 1ull << 39);
	assert_int_equal(core.threads.nr, 0);
	assert_true(core.notes_cut);
	assert_in_range(made_file_read() - before, 0, 1 << 16);
	close(core.elf.fd);
	core_file_close(&core);
	str_release(&bytes);
}

/* Takes the core of these bytes, whatever they are. */
static void survive(const char *bytes, size_t len)
{
	struct images *images = images_new();
	struct core_words words = {0};
	struct complaint why = {0};
	struct snapshot snapshot;
	char path[64];
	int fd = file_of(bytes, len, path);

	(void)core_is(path);
	if (core_take(path, images, &snapshot, &words, &why) < 0)
		assert_non_null(strstr(complaint_text(&why), path));
	else
		assert_true(snapshot.nthreads > 0);
	complaint_release(&why);
	core_words_release(&words);
	snapshot_release(&snapshot);
	images_free(images);
	close(fd);
}

static void damaged_and_cut_cores_are_survived(void **state)
{
	static const char flips[] = {(char)0xff, (char)0x80, 1};
	struct str core = {0};
	size_t notes;

	(void)state;
	make_core(&core);
	notes = core.len - STACK_SIZE;
	for (size_t i = 0; i < notes; i++) {
		core.text[i] ^= flips[i % sizeof(flips)];
		survive(core.text, core.len);
		core.text[i] ^= flips[i % sizeof(flips)];
	}
	for (size_t cut = 0; cut < notes; cut += 5)
		survive(core.text, cut);
	str_release(&core);
}

static void what_is_no_core_is_told_so(void **state)
{
	struct complaint why = {0};
	struct images *images = images_new();
	struct snapshot snapshot;
	struct str core = {0};
	char path[64];
	int fd;

	(void)state;
	make_core(&core);
	core.text[offsetof(Elf64_Ehdr, e_machine)] = (char)EM_AARCH64;
	fd = file_of(core.text, core.len, path);
	assert_true(core_is(path));
	assert_true(core_take(path, images, &snapshot, NULL, &why) < 0);
	assert_non_null(strstr(complaint_text(&why), "another kind of machine"));
	snapshot_release(&snapshot);
	close(fd);
	core.text[offsetof(Elf64_Ehdr, e_type)] = ET_DYN;
	fd = file_of(core.text, core.len, path);
	assert_false(core_is(path));
	close(fd);
	assert_false(core_is("/dev/null"));
	assert_false(core_is("/no/such/core"));
	assert_true(core_take("/no/such/core", images, &snapshot, NULL, &why) < 0);
	assert_non_null(strstr(complaint_text(&why), "No such file"));
	snapshot_release(&snapshot);
	complaint_release(&why);
	images_free(images);
	str_release(&core);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_signal_and_words_are_told),
		cmocka_unit_test(a_signal_that_a_thread_alone_tells_has_no_sender),
		cmocka_unit_test(maps_are_made_of_segments_and_files),
		cmocka_unit_test(files_of_one_build_are_one_and_of_two_are_two),
		cmocka_unit_test(files_without_build_id_are_their_process_own),
		cmocka_unit_test(memory_is_what_the_core_has_and_no_more),
		cmocka_unit_test(more_segments_than_its_head_can_count_are_counted_in_a_section),
		cmocka_unit_test(notes_with_lying_lengths_end_there),
		cmocka_unit_test(notes_are_as_far_as_the_file_has_them),
		cmocka_unit_test(a_core_cut_short_while_it_is_read_has_no_more_memory),
		cmocka_unit_test(of_a_core_of_many_gib_its_notes_are_read),
		cmocka_unit_test(more_segments_than_any_process_has_are_not_read),
		cmocka_unit_test(damaged_and_cut_cores_are_survived),
		cmocka_unit_test(what_is_no_core_is_told_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
