/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/symbols/elf-file.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "stack/module.h"

/* more is nonsense; code with one section per function has fewer */
#define ELF_FILE_SECTIONS 262144
#define ELF_FILE_NAMES	  (16u << 20) /* bytes of all names of sections */
#define ELF_FILE_NOTES	  (1u << 20) /* bytes of all sections of notes together */
#define ELF_FILE_IMAGE	  (64u << 10) /* bytes copied of an image, at most */
#define ELF_FILE_PAGE	  4096

/* Reads all of `len` bytes. Returns 0 or -errno; -ENODATA if the file ends before. */
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
	memcpy(to, file->copy + at, len);
	return 0;
}

/*
 * True if libelf may see the file. Where the head has no room for the number of sections, libelf
 * makes as many as section 0 says there are: in a file with a large hole, more than there is
 * memory.
 */
static bool elf_file_is_sane(const struct elf_file *file)
{
	const unsigned char *ident = file->head.e_ident;
	Elf64_Shdr first;

	if (memcmp(ident, ELFMAG, SELFMAG) != 0 || ident[EI_CLASS] != ELFCLASS64 ||
		ident[EI_DATA] != ELFDATA2LSB)
		return false;
	if (file->head.e_shnum || !file->head.e_shoff)
		return true;
	return elf_file_read(file, file->head.e_shoff, &first, sizeof(first)) < 0 ||
		first.sh_size <= ELF_FILE_SECTIONS;
}

/* Copies the table of sections, and notes which section has their names. */
static void elf_file_sections(struct elf_file *file)
{
	size_t nr, names;

	if (file->head.e_shentsize != sizeof(Elf64_Shdr) || elf_getshdrnum(file->elf, &nr) < 0 ||
		nr == 0)
		return;
	file->sections = alloc_zeroed(nr, sizeof(*file->sections));
	for (size_t i = 0; i < nr; i++)
		if (!gelf_getshdr(elf_getscn(file->elf, i), &file->sections[i]))
			return;
	file->nsections = nr;
	if (elf_getshdrstrndx(file->elf, &names) == 0 && names < nr &&
		elf_file_strings(file, &file->sections[names], ELF_FILE_NAMES))
		file->names = names;
}

/* Reads head and sections of a file whose bytes are at hand. Returns 0 or -errno. */
static int elf_file_begin(struct elf_file *file)
{
	int error = elf_file_read(file, 0, &file->head, sizeof(file->head));

	if (error)
		return error == -ENODATA ? -ENOEXEC : error;
	if (!elf_file_is_sane(file))
		return -ENOEXEC;
	elf_version(EV_CURRENT);
	if (file->fd >= 0)
		file->elf = elf_begin(file->fd, ELF_C_READ, NULL);
	else
		file->elf = elf_memory(file->copy, file->size);
	if (elf_kind(file->elf) != ELF_K_ELF)
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

/*
 * Copies what can be read of an image from its beginning on. Copies nothing if its table of
 * sections lies far behind (a library whose file is gone), since what is read of images is kept in
 * the evidence.
 */
static void elf_file_copy(struct elf_file *file, struct stack_memory *image)
{
	size_t step = ELF_FILE_PAGE, at = 0;
	Elf64_Ehdr head;

	if (stack_memory_read(image, MODULE_FILE, &head, sizeof(head)) < 0 ||
		head.e_shoff >= ELF_FILE_IMAGE)
		return;
	file->copy = alloc_zeroed(1, ELF_FILE_IMAGE);
	while (step && at < ELF_FILE_IMAGE) {
		if (at + step <= ELF_FILE_IMAGE &&
			stack_memory_read(image, MODULE_FILE + at, file->copy + at, step) == 0)
			at += step;
		else
			step /= 2;
	}
	file->size = at;
}

int elf_file_open_image(struct elf_file *file, struct stack_memory *image)
{
	*file = (struct elf_file){.fd = -1};
	elf_file_copy(file, image);
	return elf_file_begin(file);
}

const char *elf_file_name(const struct elf_file *file, const Elf64_Shdr *section)
{
	const char *name = NULL;

	if (file->names)
		name = elf_strptr(file->elf, file->names, section->sh_name);
	return name ? name : "";
}

const Elf64_Shdr *elf_file_named(const struct elf_file *file, const char *name)
{
	for (size_t i = 0; i < file->nsections; i++)
		if (strcmp(elf_file_name(file, &file->sections[i]), name) == 0)
			return &file->sections[i];
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

Elf_Data *elf_file_data(const struct elf_file *file, const Elf64_Shdr *section, size_t cap)
{
	if (section->sh_type == SHT_NOBITS || section->sh_flags & SHF_COMPRESSED ||
		section->sh_size == 0 || section->sh_size > cap)
		return NULL;
	return elf_getdata(elf_getscn(file->elf, (size_t)(section - file->sections)), NULL);
}

/*
 * The section is read as a whole, once, and must end in NUL: elf_strptr() would unpack a section of
 * any size, and would search one without end, from its end on, for each text anew.
 */
bool elf_file_strings(const struct elf_file *file, const Elf64_Shdr *section, size_t cap)
{
	Elf_Data *data =
		section->sh_type == SHT_STRTAB ? elf_file_data(file, section, cap) : NULL;

	return data && data->d_size && ((const char *)data->d_buf)[data->d_size - 1] == '\0';
}

size_t elf_file_text(const struct elf_file *file, const Elf64_Shdr *strings, uint64_t offset,
	char *to, size_t size)
{
	uint64_t left;

	to[0] = '\0';
	if (!strings || strings->sh_type != SHT_STRTAB || strings->sh_flags & SHF_COMPRESSED ||
		offset >= strings->sh_size)
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

/* Copies the build id in a section of notes. Returns its length; 0 none. */
static size_t elf_file_note_id(Elf_Data *notes, uint8_t *to, size_t size)
{
	size_t at = 0, name, content;
	GElf_Nhdr note;

	while ((at = gelf_getnote(notes, at, &note, &name, &content)) > 0) {
		const char *bytes = notes->d_buf;

		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU") &&
			memcmp(bytes + name, "GNU", sizeof("GNU")) == 0) {
			if (size > note.n_descsz)
				size = note.n_descsz;
			memcpy(to, bytes + content, size);
			return size;
		}
	}
	return 0;
}

size_t elf_file_build_id(const struct elf_file *file, uint8_t *to, size_t size)
{
	size_t len = 0, room = ELF_FILE_NOTES;

	for (size_t i = 0; i < file->nsections && !len; i++) {
		const Elf64_Shdr *section = &file->sections[i];
		Elf_Data *notes;

		if (section->sh_type != SHT_NOTE)
			continue;
		notes = elf_file_data(file, section, room);
		if (notes) {
			room -= section->sh_size;
			len = elf_file_note_id(notes, to, size);
		}
	}
	return len;
}

void elf_file_close(struct elf_file *file)
{
	if (!file)
		return;
	elf_end(file->elf);
	free(file->sections);
	free(file->copy);
	*file = (struct elf_file){.fd = -1};
}
