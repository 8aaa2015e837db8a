/* SPDX-License-Identifier: Apache-2.0 */
/* What preflight reads out of texts of the kernel and of other programs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "preflight/bandwidth.h"
#include "preflight/cache-seed.h"
#include "preflight/interpreter.h"
#include "preflight/kernel-log.h"
#include "preflight/nics.h"
#include "proc/mounts.h"
#include "tests/unit/unit.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))

static const char mountinfo[] =
	"22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
	"30 22 0:26 / /dev/shm rw - tmpfs tmpfs rw\n"
	"31 22 0:40 / /data rw - nfs4 filer:/export rw\n"
	"32 31 0:41 / /data/scratch rw shared:9 - lustre mgs@tcp:/l rw\n"
	"33 22 0:42 / /ckpt\\040a rw - fuse.gcsfuse bucket rw\n"
	"34 22 0:43 / /data rw - xfs /dev/nvme0n1 rw\n";

static void a_path_lies_on_the_deepest_mount_and_of_two_on_the_later(void **state)
{
	static const struct {
		const char *path, *type, *mount;
	} all[] = {
		{"/home/me", "ext4", "/"},
		{"/dev/shm/x", "tmpfs", "/dev/shm"},
		{"/dev/shmx", "ext4", "/"},
		{"/data", "xfs", "/data"},
		{"/data/scratch/run", "lustre", "/data/scratch"},
		{"/ckpt a/7", "fuse.gcsfuse", "/ckpt a"},
	};

	(void)state;
	for (size_t i = 0; i < NR(all); i++) {
		char type[64], mount[256];

		assert_true(mounts_of(mountinfo, all[i].path, type, mount));
		assert_string_equal(type, all[i].type);
		assert_string_equal(mount, all[i].mount);
	}
}

static void a_mountinfo_that_is_cut_or_strange_holds_nothing(void **state)
{
	static const char *const all[] = {"", "\n\n", "22 1 8:1 /", "22 1 8:1 / /",
		"22 1 8:1 / / rw - ", "a b c d e f g", "22 1 8:1 / /data rw - ext4 x rw"};
	char type[64], mount[256];

	(void)state;
	for (size_t i = 0; i < NR(all); i++)
		if (mounts_of(all[i], "/home", type, mount))
			assert_string_equal(type, "");
}

/* A link on a disk is read; one on a server's file system is not, since that may not answer. */
static void links_are_followed_where_nobody_waits_for_a_server(void **state)
{
	static const struct {
		const char *path, *leads;
	} all[] = {
		{"near/../near/./x/", "near/x"},
		{"a/set", "far/set"},
		{"near/b/y", "far/set/y"},
		{"far/c/passwd", "far/c/passwd"},
		{"round/z", "round/z"},
		{"circle/z", "circle/z"},
		{"../../..", "/"},
		{"up/etc", "/etc"},
	};
	char from[] = "/tmp/inquest-follow-XXXXXX";
	struct str table = {0}, circle = {0};

	(void)state;
	assert_non_null(mkdtemp(from));
	assert_int_equal(chdir(from), 0);
	str_add(&table, "1 1 0:1 / / rw - ext4 disk rw\n");
	str_printf(&table, "2 1 0:2 / %s/far rw - nfs4 s rw\n", from);
	assert_int_equal(mkdir("near", 0700) | mkdir("far", 0700), 0);
	assert_int_equal(symlink("far", "a") | symlink("../a/set", "near/b"), 0);
	assert_int_equal(symlink("/etc", "far/c") | symlink("round", "round"), 0);
	assert_int_equal(symlink("/..", "up"), 0);
	str_printf(&circle, "%s/near/../circle", from);
	assert_int_equal(symlink(circle.text, "circle"), 0);
	for (size_t i = 0; i < NR(all); i++) {
		struct str path = {0}, leads = {0}, found = {0};

		str_printf(&path, "%s/%s", from, all[i].path);
		if (*all[i].leads != '/')
			str_printf(&leads, "%s/", from);
		str_add(&leads, all[i].leads);
		mounts_follow(table.text, path.text, &found);
		assert_string_equal(found.text, leads.text);
		str_release(&path);
		str_release(&leads);
		str_release(&found);
	}
	str_release(&table);
	str_release(&circle);
}

static void file_systems_have_a_class_and_unknown_ones_have_none(void **state)
{
	static const struct {
		const char *type;
		enum storage_class class;
	} all[] = {
		{"ext4", STORAGE_LOCAL},
		{"ext", STORAGE_UNKNOWN},
		{"overlay", STORAGE_LOCAL},
		{"tmpfs", STORAGE_MEMORY},
		{"nfs4", STORAGE_SHARED},
		{"wekafs", STORAGE_SHARED},
		{"fuse.gcsfuse", STORAGE_BUCKET},
		{"fuse.blobfuse2", STORAGE_BUCKET},
		{"fuse", STORAGE_UNKNOWN},
		{"somethingfs", STORAGE_UNKNOWN},
	};

	(void)state;
	for (size_t i = 0; i < NR(all); i++)
		assert_int_equal(mounts_class_of(all[i].type), all[i].class);
}

static void an_xid_is_read_out_of_the_kernels_log(void **state)
{
	char bus[32];
	int xid;

	(void)state;
	assert_true(kernel_log_xid("4,1,2,-;NVRM: Xid (PCI:0000:41:00): 79, pid=1, GPU has fallen",
		&xid, bus));
	assert_int_equal(xid, 79);
	assert_string_equal(bus, "0000:41:00");
	assert_false(kernel_log_xid("NVRM: Xid (PCI:0000:41:00)", &xid, bus));
	assert_false(kernel_log_xid("NVRM: Xid (PCI:zz): 79", &xid, bus));
	assert_false(kernel_log_xid("usb 1-1: new device", &xid, bus));
}

static void the_bandwidth_is_read_out_of_the_last_line(void **state)
{
	(void)state;
	assert_true(bandwidth_of("# Avg bus bandwidth    : 478.25 \n#\n") == 478.25);
	assert_true(bandwidth_of("# Out of bounds values : 0 OK\n") < 0);
	assert_true(bandwidth_of("# Avg bus bandwidth    : \n") < 0);
}

static void devices_share_as_many_steps_as_their_paths(void **state)
{
	static const char gpu[] = "/sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/0000:41:00.0";

	(void)state;
	assert_int_equal(nics_shared_steps(gpu,
		"/sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/0000:42:00.0"), 3);
	assert_int_equal(nics_shared_steps(gpu, "/sys/devices/pci0000:3a/0000:3a:02.0/x"), 1);
	assert_int_equal(nics_shared_steps(gpu, "/sys/devices/pci0000:ba/0000:ba:00.0"), 0);
	assert_int_equal(nics_shared_steps(gpu, "/sys/class/net/eth0"), 0);
}

/* A folder with a Python, a script of it, and a program that is neither. */
static void put_file(const char *folder, const char *name, const char *text)
{
	struct str path = {0};
	FILE *file;

	str_printf(&path, "%s/%s", folder, name);
	file = fopen(path.text, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	assert_int_equal(chmod(path.text, 0755), 0);
	str_release(&path);
}

static void the_python_of_a_command_is_found_through_its_script(void **state)
{
	static const struct {
		const char *argv[6];
		bool found;
	} all[] = {
		{{"python3", "train.py"}, true},
		{{"env", "A=1", "python3.11", "train.py"}, true},
		{{"torchrun", "--nproc_per_node=8", "train.py"}, true},
		{{"srun", "-n", "8", "launch", "train.py"}, true},
		{{"./a.out"}, false},
		{{"pythonic", "x"}, false},
	};
	char folder[] = "/tmp/preflight-XXXXXX";
	struct str line = {0};

	(void)state;
	assert_non_null(mkdtemp(folder));
	str_printf(&line, "#!%s/python3\n", folder);
	put_file(folder, "python3", "");
	put_file(folder, "python3.11", "");
	put_file(folder, "pythonic", "#!/bin/sh\n");
	put_file(folder, "torchrun", line.text);
	put_file(folder, "launch", "#!/usr/bin/env python3\n");
	put_file(folder, "srun", "\177ELF");
	put_file(folder, "env", "\177ELF");
	setenv("PATH", folder, 1);
	for (size_t i = 0; i < NR(all); i++) {
		struct interpreter python;

		assert_int_equal(interpreter_find((char *const *)all[i].argv, &python),
			all[i].found);
		assert_int_equal(strncmp(python.path, folder, strlen(folder)) == 0, all[i].found);
	}
	str_release(&line);
}

static void a_cache_is_filled_by_as_many_devices_as_it_has_folders(void **state)
{
	static const char *const folders[] = {
		"", "/triton", "/triton/0", "/triton/3", "/triton/tmp.x", "/fxgraph"};
	char cache[] = "/tmp/preflight-XXXXXX";

	(void)state;
	assert_non_null(mkdtemp(cache));
	assert_int_equal(cache_seed_devices(cache), -1);
	for (size_t i = 1; i < NR(folders); i++) {
		struct str path = {0};

		str_printf(&path, "%s%s", cache, folders[i]);
		assert_int_equal(mkdir(path.text, 0700), 0);
		str_release(&path);
	}
	assert_int_equal(cache_seed_devices(cache), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_lies_on_the_deepest_mount_and_of_two_on_the_later),
		cmocka_unit_test(a_mountinfo_that_is_cut_or_strange_holds_nothing),
		cmocka_unit_test(links_are_followed_where_nobody_waits_for_a_server),
		cmocka_unit_test(file_systems_have_a_class_and_unknown_ones_have_none),
		cmocka_unit_test(an_xid_is_read_out_of_the_kernels_log),
		cmocka_unit_test(the_bandwidth_is_read_out_of_the_last_line),
		cmocka_unit_test(devices_share_as_many_steps_as_their_paths),
		cmocka_unit_test(the_python_of_a_command_is_found_through_its_script),
		cmocka_unit_test(a_cache_is_filled_by_as_many_devices_as_it_has_folders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
