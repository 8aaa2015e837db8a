/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_BLANK_MODULE_H
#define TESTS_UNIT_BLANK_MODULE_H

/* The image of a module of whose file only is asked: one segment, all zeros else. */

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "stack/module.h"

static inline int blank_read(struct stack_memory *memory, uint64_t at, void *to, size_t len)
{
	struct {
		Elf64_Ehdr head;
		Elf64_Phdr load;
	} file = {.head = {.e_ident = ELFMAG "\2\1\1", .e_type = ET_DYN, .e_machine = EM_X86_64,
			  .e_version = 1, .e_phoff = sizeof(Elf64_Ehdr), .e_phnum = 1,
			  .e_phentsize = sizeof(Elf64_Phdr)},
		.load = {.p_type = PT_LOAD, .p_filesz = 4096, .p_memsz = 4096}};

	(void)memory;
	at &= ~MODULE_FILE;
	if (at > sizeof(file) || len > sizeof(file) - at)
		return -EFAULT;
	memcpy(to, (const char *)&file + at, len);
	return 0;
}

#endif
