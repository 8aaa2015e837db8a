/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/elf-file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "stack/module.h"

#define ELF_FILE_SECTIONS 262144 /* more is nonsense; code with one section per function has less */
#define ELF_FILE_NAMES	  (16u << 20)
#define ELF_FILE_NOTES	  (1u << 20)

static int elf_file_pread(int fd, uint64_t at, char *to, size_t len)
{
	while (len) {
		ssize_t got = pread(fd, to, len, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			return -ENODATA;
		to += got;
		at += (uint64_t)got;
		len -= (size_t)got;
	}
	return 0;
}

int elf_file_read(const struct elf_file *file, uint64_t at, void *to, size_t len)
{
	if (at > file->size || len > file->size - at)
		return -ENODATA;
	if (file->fd >= 0)
		return elf_file_pread(file->fd, at, to, len);
	return stack_memory_read(file->image, MODULE_FILE + at, to, len);
}

/* How many sections there are and which one has their names: large numbers stand in section 0. */
static size_t elf_file_count(const struct elf_file *file, uint64_t *ret_names)
{
	Elf64_Shdr first;
	size_t nr = file->head.e_shnum;

	*ret_names = file->head.e_shstrndx;
	if (!file->head.e_shoff || file->head.e_shentsize != sizeof(first))
		return 0;
	if (nr && file->head.e_shstrndx != SHN_XINDEX)
		return nr;
	if (elf_file_read(file, file->head.e_shoff, &first, sizeof(first)) < 0)
		return 0;
	if (file->head.e_shstrndx == SHN_XINDEX)
		*ret_names = first.sh_link;
	return nr ? nr : first.sh_size;
}

static void elf_file_sections(struct elf_file *file)
{
	uint64_t names;
	size_t nr = elf_file_count(file, &names), bytes = nr * sizeof(*file->sections);

	/* What cannot be all there is not allocated: a file of 64 bytes may claim anything. */
	if (nr == 0 || nr > ELF_FILE_SECTIONS || file->head.e_shoff > file->size)
		return;
	if (file->fd >= 0 && bytes > file->size - file->head.e_shoff)
		return;
	file->sections = alloc_zeroed(nr, sizeof(*file->sections));
	if (elf_file_read(file, file->head.e_shoff, file->sections, bytes) < 0) {
		free(file->sections);
		file->sections = NULL;
		return;
	}
	file->nsections = nr;
	if (names < nr)
		(void)elf_file_content(
			file, &file->sections[names], ELF_FILE_NAMES, &file->names);
}

static int elf_file_begin(struct elf_file *file)
{
	const unsigned char *ident = file->head.e_ident;
	int error = elf_file_read(file, 0, &file->head, sizeof(file->head));

	if (error)
		return error == -ENODATA || error == -EFAULT ? -ENOEXEC : error;
	if (memcmp(ident, ELFMAG, SELFMAG) != 0 || ident[EI_CLASS] != ELFCLASS64 ||
		ident[EI_DATA] != ELFDATA2LSB)
		return -ENOEXEC;
	elf_file_sections(file);
	return 0;
}

int elf_file_open(struct elf_file *file, int fd)
{
	struct stat st;

	*file = (struct elf_file){.fd = fd};
	if (fd < 0)
		return -EBADF;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -ENOEXEC;
	file->size = (uint64_t)st.st_size;
	return elf_file_begin(file);
}

int elf_file_open_image(struct elf_file *file, struct stack_memory *image)
{
	*file = (struct elf_file){.fd = -1, .image = image, .size = MODULE_FILE};
	return elf_file_begin(file);
}

const Elf64_Shdr *elf_file_named(const struct elf_file *file, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < file->nsections; i++) {
		uint32_t at = file->sections[i].sh_name;

		/* A str has a NUL behind its end, so the name ends in any case. */
		if (at < file->names.len && file->names.len - at >= len &&
			strcmp(file->names.text + at, name) == 0)
			return &file->sections[i];
	}
	return NULL;
}

const Elf64_Shdr *elf_file_typed(const struct elf_file *file, uint32_t type)
{
	for (size_t i = 0; i < file->nsections; i++)
		if (file->sections[i].sh_type == type)
			return &file->sections[i];
	return NULL;
}

const Elf64_Shdr *elf_file_section_at(const struct elf_file *file, uint64_t address)
{
	for (size_t i = 0; i < file->nsections; i++) {
		const Elf64_Shdr *section = &file->sections[i];

		if (section->sh_flags & SHF_ALLOC && !(section->sh_flags & SHF_TLS) &&
			address >= section->sh_addr &&
			address - section->sh_addr < section->sh_size)
			return section;
	}
	return NULL;
}

const Elf64_Shdr *elf_file_linked(const struct elf_file *file, const Elf64_Shdr *section)
{
	return section->sh_link < file->nsections ? &file->sections[section->sh_link] : NULL;
}

int elf_file_content(const struct elf_file *file, const Elf64_Shdr *section, size_t cap,
	struct str *into)
{
	uint64_t size = section->sh_size;
	int error;

	if (section->sh_type == SHT_NOBITS || size == 0)
		return 0;
	if (size > cap)
		return -EFBIG;
	if (section->sh_offset > file->size || size > file->size - section->sh_offset)
		return -ENODATA;
	error = elf_file_read(file, section->sh_offset, str_room(into, size), size);
	if (!error)
		str_grow(into, size);
	else
		str_cut(into, into->len);
	return error;
}

size_t elf_file_text(const struct elf_file *file, const Elf64_Shdr *strings, uint64_t offset,
	char *to, size_t size)
{
	uint64_t left;

	to[0] = '\0';
	if (!strings || strings->sh_type != SHT_STRTAB || offset >= strings->sh_size)
		return 0;
	left = strings->sh_size - offset;
	if (left > size - 1)
		left = size - 1;
	if (strings->sh_offset > UINT64_MAX - offset ||
		elf_file_read(file, strings->sh_offset + offset, to, left) < 0)
		return 0;
	to[left] = '\0';
	return strlen(to);
}

/* The build id in a section of notes; each note is three words, a name and a content. */
static size_t elf_file_note_id(const struct str *notes, uint8_t *to, size_t size)
{
	size_t at = 0;

	while (notes->len - at >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr note;
		size_t name, content, left;

		memcpy(&note, notes->text + at, sizeof(note));
		at += sizeof(note);
		left = notes->len - at;
		name = ((size_t)note.n_namesz + 3) & ~(size_t)3;
		content = ((size_t)note.n_descsz + 3) & ~(size_t)3;
		if (name > left || note.n_descsz > left - name)
			return 0;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
			memcmp(notes->text + at, "GNU", 4) == 0) {
			size_t len = note.n_descsz < size ? note.n_descsz : size;

			memcpy(to, notes->text + at + name, len);
			return len;
		}
		if (content > left - name)
			return 0;
		at += name + content;
	}
	return 0;
}

size_t elf_file_build_id(const struct elf_file *file, uint8_t *to, size_t size)
{
	size_t len = 0;

	for (size_t i = 0; i < file->nsections && !len; i++) {
		struct str notes = {0};

		if (file->sections[i].sh_type == SHT_NOTE &&
			elf_file_content(file, &file->sections[i], ELF_FILE_NOTES, &notes) == 0)
			len = elf_file_note_id(&notes, to, size);
		str_release(&notes);
	}
	return len;
}

void elf_file_close(struct elf_file *file)
{
	if (!file)
		return;
	free(file->sections);
	str_release(&file->names);
	*file = (struct elf_file){.fd = -1};
}
