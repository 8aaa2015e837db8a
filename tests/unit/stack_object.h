/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_STACK_OBJECT_H
#define TESTS_UNIT_STACK_OBJECT_H

/*
 * An ELF object made by hand, whose every byte a test can choose. Its code is not where it is in
 * the file: text lies at OBJECT_TEXT, and at offset 0x1000 of the file. Every 16 bytes of it begin
 * with a call. One FDE says how to leave it: by default, CFA is rsp + 16 and the return address on
 * top below it.
 */

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "stack/module.h"

#define OBJECT_SIZE 0x2000
#define OBJECT_HDR  0x300 /* .eh_frame_hdr */
#define OBJECT_NOTE 0x400
#define OBJECT_CIE  0x500
#define OBJECT_FDE  0x800
#define OBJECT_TEXT 0x3000
#define OBJECT_CALL(n) (OBJECT_TEXT + 16ull * (n) + 5) /* the return address of the n-th call */

#define OBJECT_BASE 0x7f1100000000ull /* where it is mapped */
#define OBJECT_MAPS                                                                                \
	"7f1100000000-7f1100001000 r--p 00000000 08:01 77 /lib/object.so\n"                        \
	"7f1100003000-7f1100004000 r-xp 00001000 08:01 77 /lib/object.so\n"                        \
	"7f2200000000-7f2200001000 r-xp 00000000 00:00 0\n"                                        \
	"7f3300000000-7f3300010000 rw-p 00000000 00:00 0 [stack]\n"
#define OBJECT_JIT   0x7f2200000000ull /* code of nobody */
#define OBJECT_STACK 0x7f3300000000ull

struct object {
	struct stack_memory memory;
	union {
		unsigned char file[OBJECT_SIZE];
		struct {
			Elf64_Ehdr header;
			Elf64_Phdr segments[4];
		} elf;
	};
};

/* A program of CFI instructions. */
struct object_cfi {
	const void *bytes;
	size_t len;
};
#define OBJECT_CFI(text) ((struct object_cfi){text, sizeof(text) - 1})

static inline int object_read(struct stack_memory *memory, uint64_t at, void *to, size_t len)
{
	struct object *object = (struct object *)memory;
	uint64_t offset = at >= MODULE_FILE ? at - MODULE_FILE
			  : at >= OBJECT_TEXT ? at - OBJECT_TEXT + 0x1000
					      : at;

	if (offset > OBJECT_SIZE || len > OBJECT_SIZE - offset)
		return -EFAULT;
	if (at < OBJECT_TEXT && at + len > 0x1000)
		return -EFAULT;
	memcpy(to, object->file + offset, len);
	return 0;
}

static inline void object_put32(struct object *object, size_t at, uint32_t value)
{
	memcpy(object->file + at, &value, sizeof(value));
}

/* A CIE or FDE: its length, then head and program, with nops up to a multiple of 4. */
static inline void object_put_cfi(struct object *object, size_t at, const void *head, size_t size,
	struct object_cfi program)
{
	size_t len = (size + program.len + 3) & ~(size_t)3;

	memset(object->file + at, 0, len + 4);
	object_put32(object, at, (uint32_t)len);
	memcpy(object->file + at + 4, head, size);
	memcpy(object->file + at + 4 + size, program.bytes, program.len);
}

/* The augmentation is "zR" with pointers relative to where they stand, of 4 bytes. */
static inline void object_set_cie(struct object *object, struct object_cfi program)
{
	static const char head[] = "\0\0\0\0" /* id */
				   "\1"	      /* version */
				   "zR\0"     /* augmentation */
				   "\1\x78"   /* code 1, data -8 */
				   "\x10"     /* return address: column 16 */
				   "\1\x1b";  /* its size; pointers' encoding */

	object_put_cfi(object, OBJECT_CIE, head, sizeof(head) - 1, program);
}

static inline void object_set_fde(struct object *object, struct object_cfi program)
{
	uint32_t words[3] = {OBJECT_FDE + 4 - OBJECT_CIE, OBJECT_TEXT - (OBJECT_FDE + 8), 0x1000};
	unsigned char head[sizeof(words) + 1] = {0};

	memcpy(head, words, sizeof(words));
	object_put_cfi(object, OBJECT_FDE, head, sizeof(head), program);
}

static inline void object_headers(struct object *object)
{
	object->elf.header = (Elf64_Ehdr){
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 4,
	};
	object->elf.segments[0] = (Elf64_Phdr){PT_LOAD, PF_R, 0, 0, 0, 0x1000, 0x1000, 0x1000};
	object->elf.segments[1] = (Elf64_Phdr){PT_LOAD, PF_R | PF_X, 0x1000, OBJECT_TEXT,
		OBJECT_TEXT, 0x1000, 0x1000, 0x1000};
	object->elf.segments[2] = (Elf64_Phdr){
		PT_GNU_EH_FRAME, PF_R, OBJECT_HDR, OBJECT_HDR, OBJECT_HDR, 20, 20, 4};
	object->elf.segments[3] = (Elf64_Phdr){
		PT_NOTE, PF_R, OBJECT_NOTE, OBJECT_NOTE, OBJECT_NOTE, 24, 24, 4};
}

static inline void object_make(struct object *object)
{
	static const unsigned char hdr[] = {1, 0x1b, 3, 0x3b};
	static const char note[] = "\4\0\0\0" "\10\0\0\0" "\3\0\0\0" "GNU\0" "buildid!";

	memset(object, 0, sizeof(*object));
	object->memory.read = object_read;
	object_headers(object);
	memcpy(object->file + OBJECT_HDR, hdr, sizeof(hdr));
	object_put32(object, OBJECT_HDR + 4, OBJECT_CIE - OBJECT_HDR - 4);
	object_put32(object, OBJECT_HDR + 8, 1);
	object_put32(object, OBJECT_HDR + 12, OBJECT_TEXT - OBJECT_HDR);
	object_put32(object, OBJECT_HDR + 16, OBJECT_FDE - OBJECT_HDR);
	memcpy(object->file + OBJECT_NOTE, note, sizeof(note) - 1);
	/* def_cfa rsp+8, the return address at CFA-8; then def_cfa_offset 16 */
	object_set_cie(object, OBJECT_CFI("\x0c\x07\x08\x90\x01"));
	object_set_fde(object, OBJECT_CFI("\x0e\x10"));
	for (size_t i = 0x1000; i < OBJECT_SIZE; i += 16)
		object->file[i] = 0xe8;
}

#endif
