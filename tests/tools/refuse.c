/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refuse ERROR CALL[,CALL...] COMMAND...: runs a command that, with all its descendants, is refused
 * these system calls with this error: EPERM, as a container's profile does, or ENOSYS, as a kernel
 * that lacks them. MADV_POPULATE_WRITE stands for that one advice. Exit 77: no filter can be set.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define POPULATE_WRITE 23
#define CALLS          32

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MACHINE AUDIT_ARCH_AARCH64
#endif

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

static const struct call {
	const char *name;
	long number;
} known[] = {
	{"process_vm_readv", SYS_process_vm_readv},
	{"pidfd_open", SYS_pidfd_open},
	{"MADV_POPULATE_WRITE", SYS_madvise},
	{"madvise", SYS_madvise},
	{"fallocate", SYS_fallocate},
	{"fcntl", SYS_fcntl},
	{"fstatfs", SYS_fstatfs},
	{"mkdirat", SYS_mkdirat},
	{"unlinkat", SYS_unlinkat},
	{"sigaltstack", SYS_sigaltstack},
	{"gettid", SYS_gettid},
	{"prctl", SYS_prctl},
	{"adjtimex", SYS_adjtimex},
	{"sched_getaffinity", SYS_sched_getaffinity},
	{"signalfd4", SYS_signalfd4},
	{"rt_tgsigqueueinfo", SYS_rt_tgsigqueueinfo},
	{"linkat", SYS_linkat},
	{"ptrace", SYS_ptrace},
};

static const struct call *find_call(const char *name)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(known[i].name, name))
			return &known[i];
	fprintf(stderr, "refuse: %s is not in its list\n", name);
	exit(2);
}

#define LOAD(field)                                                                                \
	(struct sock_filter)                                                                       \
	{                                                                                          \
		BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, field)               \
	}
#define UNLESS(value, skip)                                                                        \
	(struct sock_filter)                                                                       \
	{                                                                                          \
		BPF_JMP | BPF_JEQ | BPF_K, 0, skip, (__u32)(value)                                 \
	}
#define GIVE(value)                                                                                \
	(struct sock_filter)                                                                       \
	{                                                                                          \
		BPF_RET | BPF_K, 0, 0, (__u32)(value)                                              \
	}

/* Five instructions per call at most; each block falls through to the next. */
static unsigned short write_filter(struct sock_filter *to, char *list, int error)
{
	unsigned short n = 0;

	to[n++] = LOAD(arch);
	to[n++] = UNLESS(MACHINE, 1);
	to[n++] = (struct sock_filter){BPF_JMP | BPF_JA, 0, 0, 1};
	to[n++] = GIVE(SECCOMP_RET_ALLOW);
	for (char *name = strtok(list, ","); name && n < 5 * CALLS; name = strtok(NULL, ",")) {
		const struct call *call = find_call(name);

		to[n++] = LOAD(nr);
		if (strncmp(name, "MADV", 4)) {
			to[n++] = UNLESS(call->number, 1);
		} else {
			to[n++] = UNLESS(call->number, 3);
			to[n++] = LOAD(args[2]);
			to[n++] = UNLESS(POPULATE_WRITE, 1);
		}
		to[n++] = GIVE(SECCOMP_RET_ERRNO | (unsigned)error);
	}
	to[n++] = GIVE(SECCOMP_RET_ALLOW);
	return n;
}

int main(int argc, char **argv)
{
	struct sock_filter filter[5 * CALLS + 10];
	struct sock_fprog program = {.filter = filter};

	if (argc < 4 || (strcmp(argv[1], "EPERM") && strcmp(argv[1], "ENOSYS"))) {
		fputs("usage: refuse EPERM|ENOSYS CALL[,CALL...] COMMAND...\n", stderr);
		return 2;
	}
	program.len = write_filter(filter, argv[2], strcmp(argv[1], "EPERM") ? ENOSYS : EPERM);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
		perror("refuse: seccomp");
		return 77;
	}
	execvp(argv[3], argv + 3);
	perror(argv[3]);
	return 127;
}
