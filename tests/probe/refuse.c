/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refuse.c: runs a program to which the kernel refuses system calls, as containers do.
 *
 *	refuse NAME[,NAME...] CMD ARG...
 *
 * A name is one of the list below; each of its calls then gives EPERM. Exit 77: no seccomp here.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
	const char *name;
	int nr;
} refusal[] = {
	{"process_vm_readv", SYS_process_vm_readv},
	{"pidfd_open", SYS_pidfd_open},
	{"madvise", SYS_madvise},
	{"fallocate", SYS_fallocate},
	{"adjtimex", SYS_adjtimex},
	{"rt_tgsigqueueinfo", SYS_rt_tgsigqueueinfo},
	{"sigaltstack", SYS_sigaltstack},
	{"linkat", SYS_linkat},
};

static int refuse(int nr)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {.len = sizeof(code) / sizeof(*code), .filter = code};

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return 77;
	for (char *name = strtok(argv[1], ","); name; name = strtok(NULL, ",")) {
		size_t i = 0;

		while (i < sizeof(refusal) / sizeof(*refusal) && strcmp(refusal[i].name, name))
			i++;
		if (i == sizeof(refusal) / sizeof(*refusal))
			return 2;
		if (refuse(refusal[i].nr))
			return 77;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 2;
}
