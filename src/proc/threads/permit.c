/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/threads/permit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "proc/read.h"

#define PERMIT_SYS_PTRACE 19 /* CAP_SYS_PTRACE, of linux/capability.h */
#define PERMIT_YAMA	  "/proc/sys/kernel/yama/ptrace_scope"

/* What stands behind the name on its line; "" nothing. */
static const char *status_field(const char *status, const char *name)
{
	const char *at = strstr(status, name);

	return at ? at + strlen(name) : "";
}

/* True if real, effective and saved id of a "Uid:" or "Gid:" line are all this one. */
static bool status_ids_are(const char *status, const char *name, unsigned id)
{
	unsigned real, effective, saved;

	return sscanf(status_field(status, name), "%u %u %u", &real, &effective, &saved) == 3 &&
	       real == id && effective == id && saved == id;
}

static void permit_look_at_us(struct permit_facts *facts)
{
	struct str status = {0}, yama = {0};

	facts->ours = geteuid();
	if (proc_read((uint32_t)getpid(), "status", &status, NULL) == 0) {
		facts->capable = strtoull(status_field(str_text(&status), "\nCapEff:"), NULL, 16) >>
					 PERMIT_SYS_PTRACE &
				 1;
		facts->filtered = atoi(status_field(str_text(&status), "\nSeccomp:")) != 0;
	}
	if (file_read(PERMIT_YAMA, 64, &yama, NULL) == 0)
		facts->yama = atoi(str_text(&yama));
	str_release(&status);
	str_release(&yama);
}

void permit_look(uint32_t pid, struct permit_facts *ret)
{
	struct str status = {0};
	char path[64];
	struct stat st;

	*ret = (struct permit_facts){.same = true};
	permit_look_at_us(ret);
	ret->owner = ret->ours;
	if (proc_read(pid, "status", &status, NULL) == 0) {
		const char *text = str_text(&status);

		ret->owner = (uid_t)strtoul(status_field(text, "\nUid:"), NULL, 10);
		ret->same = status_ids_are(text, "\nUid:", ret->ours) &&
			    status_ids_are(text, "\nGid:", getegid());
		ret->tracer = (uint32_t)strtoul(status_field(text, "\nTracerPid:"), NULL, 10);
	}
	/* Files of an undumpable process belong to root, whoever it is. */
	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	ret->undumpable = stat(path, &st) == 0 && st.st_uid != ret->owner;
	str_release(&status);
}

void permit_words(const struct permit_facts *facts, struct str *into)
{
	if (!facts->same && !facts->capable && facts->ours == 0)
		str_printf(into, "it belongs to uid %u and root here lacks CAP_SYS_PTRACE: run as "
				 "that user, or start the container with --cap-add SYS_PTRACE",
			facts->owner);
	else if (!facts->same && !facts->capable)
		str_printf(into, "it belongs to uid %u: run inquest as that user or as root",
			facts->owner);
	else if (facts->undumpable && !facts->capable)
		str_add(into, "it has made itself undumpable: run inquest as root");
	else if (facts->yama >= 3)
		str_add(into, "kernel.yama.ptrace_scope is 3, which keeps everybody out until the "
			      "next boot: only inquest run and its rings tell of such a process");
	else if (facts->yama == 2 && !facts->capable)
		str_add(into, "kernel.yama.ptrace_scope is 2: run inquest as root");
	else if (facts->yama == 1 && !facts->capable)
		str_add(into, "kernel.yama.ptrace_scope is 1, which lets only its ancestors look: "
			      "start the job by inquest run, or run inquest as root, or sysctl "
			      "kernel.yama.ptrace_scope=0");
	else if (facts->tracer)
		str_printf(into, "it is traced by process %u already: end that one first",
			facts->tracer);
	else if (facts->filtered)
		str_add(into, "a seccomp filter refuses it to inquest: allow process_vm_readv and "
			      "ptrace (of a container: --cap-add SYS_PTRACE)");
	else
		str_add(into, "the kernel refuses it (a security module such as SELinux or "
			      "AppArmor?): run inquest as root, outside of containers");
}
