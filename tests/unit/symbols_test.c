/* SPDX-License-Identifier: Apache-2.0 */
/* Names of addresses, and addresses of names: the loader's word against ours. */
#include "proc/symbols.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/unit.h"

/* The C library: its file, and where it is loaded. */
static int libc_file(uint64_t *ret_base, void **ret_handle)
{
	void *handle = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
	struct link_map *map = NULL;
	int fd;

	assert_non_null(handle);
	assert_int_equal(dlinfo(handle, RTLD_DI_LINKMAP, &map), 0);
	fd = open(map->l_name, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	*ret_base = map->l_addr;
	*ret_handle = handle;
	return fd;
}

static void values_are_those_that_the_loader_gives(void **state)
{
	static const char *const names[] = {"hcreate_r", "environ", "getgrouplist"};
	uint64_t base, at = 0, size = 0;
	void *handle;
	int fd = libc_file(&base, &handle);

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(symbols_value(fd, names[i], &at, &size), 0);
		assert_ptr_equal((void *)(uintptr_t)(base + at), dlsym(handle, names[i]));
		assert_true(size > 0);
	}
	assert_int_equal(symbols_value(fd, "no such name", &at, &size), -ENOENT);
	dlclose(handle);
	close(fd);
}

static void sections_have_addresses(void **state)
{
	uint64_t base, at = 0, size = 0;
	void *handle;
	int fd = libc_file(&base, &handle);

	(void)state;
	assert_int_equal(symbols_section(fd, ".text", &at, &size), 0);
	assert_in_range((uintptr_t)dlsym(handle, "hcreate_r"), base + at, base + at + size - 1);
	assert_int_equal(symbols_section(fd, ".PyRuntime", &at, &size), -ENOENT);
	dlclose(handle);
	close(fd);
}

/* A file of these bytes without a name. */
static int file_of(const void *bytes, size_t len)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), (ssize_t)len);
	return fd;
}

static void what_is_no_elf_file_has_no_symbols(void **state)
{
	uint64_t at = 0, size = 0;
	Elf64_Ehdr head = {.e_shnum = 0xffff, .e_shentsize = sizeof(Elf64_Shdr)};
	int fd = file_of("#!/bin/sh\n", 10);

	(void)state;
	assert_int_equal(symbols_value(fd, "main", &at, &size), -ENOEXEC);
	close(fd);
	assert_true(symbols_value(-1, "main", &at, &size) < 0);
	memcpy(head.e_ident, ELFMAG "\2\1\1", 7);
	head.e_shoff = sizeof(head);
	fd = file_of(&head, sizeof(head));
	assert_int_equal(symbols_value(fd, "main", &at, &size), -ENOENT);
	assert_int_equal(symbols_section(fd, ".text", &at, &size), -ENOENT);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_those_that_the_loader_gives),
		cmocka_unit_test(sections_have_addresses),
		cmocka_unit_test(what_is_no_elf_file_has_no_symbols),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
