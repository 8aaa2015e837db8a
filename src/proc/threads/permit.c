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
#define PERMIT_SETGID	  6 /* CAP_SETGID */
#define PERMIT_SETUID	  7 /* CAP_SETUID */
#define PERMIT_STATUS	  65536 /* bytes of a status text, at most */
#define PERMIT_YAMA	  "/proc/sys/kernel/yama/ptrace_scope"

/* Returns what stands behind a name on its line of a status text; "" if there is no such line. */
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

void permit_look_at_us(struct permit_facts *facts)
{
	struct str status = {0}, yama = {0};
	unsigned long long caps;

	facts->ours = geteuid();
	if (file_read("/proc/self/status", PERMIT_STATUS, &status, NULL) == 0) {
		caps = strtoull(status_field(str_text(&status), "\nCapEff:"), NULL, 16);
		facts->capable = caps >> PERMIT_SYS_PTRACE & 1;
		facts->becomes = (caps >> PERMIT_SETUID & 1) && (caps >> PERMIT_SETGID & 1);
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

	*ret = (struct permit_facts){.pid = pid, .same = true};
	permit_look_at_us(ret);
	ret->owner = ret->ours;
	if (proc_read(pid, "status", &status, NULL) == 0) {
		const char *text = str_text(&status);

		ret->owner = (uid_t)strtoul(status_field(text, "\nUid:"), NULL, 10);
		ret->group = (gid_t)strtoul(status_field(text, "\nGid:"), NULL, 10);
		ret->same = status_ids_are(text, "\nUid:", ret->ours) &&
			    status_ids_are(text, "\nGid:", getegid());
		ret->tracer = (uint32_t)strtoul(status_field(text, "\nTracerPid:"), NULL, 10);
	}
	/* Files of an undumpable process belong to root, whoever it is. */
	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	ret->undumpable = stat(path, &st) == 0 && st.st_uid != ret->owner;
	str_release(&status);
}

void permit_words_as(const struct permit_facts *facts, const char *lacking, const char *command,
	struct str *into)
{
	str_printf(into, "it belongs to uid %u and root here lacks %s: ", facts->owner, lacking);
	if (facts->becomes)
		str_printf(into, "setpriv --reuid %u --regid %u --clear-groups inquest %s",
			facts->owner, facts->group, command);
	else
		str_printf(into, "enter the container as that user (docker exec -u %u) for "
				 "inquest %s, or start it with --cap-add %s",
			facts->owner, command, lacking + strlen("CAP_"));
}

/* Appends what to type to run as root, if it is known for which process. */
static void permit_add_sudo(const struct permit_facts *facts, struct str *into)
{
	if (facts->pid)
		str_printf(into, ": sudo inquest attach %u", facts->pid);
}

/*
 * True if we are root in a container and are refused what the capability would let us do: sudo does
 * not give it.
 */
static bool is_bare_root(const struct permit_facts *facts)
{
	return !facts->ours && !facts->capable &&
	       (facts->undumpable || facts->yama == 1 || facts->yama == 2);
}

void permit_words(const struct permit_facts *facts, struct str *into)
{
	char command[32] = "attach";

	if (facts->pid)
		snprintf(command, sizeof(command), "attach %u", facts->pid);
	if (!facts->same && !facts->capable && facts->ours == 0) {
		permit_words_as(facts, "CAP_SYS_PTRACE", command, into);
	} else if (!facts->same && !facts->capable) {
		str_printf(into, "it belongs to uid %u, so run inquest as that user or as root",
			facts->owner);
		permit_add_sudo(facts, into);
	} else if (is_bare_root(facts)) {
		str_add(into, "root here lacks CAP_SYS_PTRACE: start the container with --cap-add "
			      "SYS_PTRACE, or run inquest where the container was started");
	} else if (facts->undumpable && !facts->capable) {
		str_add(into, "it has made itself undumpable, so run inquest as root");
		permit_add_sudo(facts, into);
	} else if (facts->yama >= 3) {
		str_add(into, "kernel.yama.ptrace_scope is 3, which keeps everybody out until the "
			      "next boot: only inquest run and its rings tell of such a process");
	} else if (facts->yama == 2 && !facts->capable) {
		str_add(into, "kernel.yama.ptrace_scope is 2, so run inquest as root");
		permit_add_sudo(facts, into);
	} else if (facts->yama == 1 && !facts->capable) {
		str_add(into, "kernel.yama.ptrace_scope is 1, which lets only its ancestors look, "
			      "so start the job by inquest run, or sysctl "
			      "kernel.yama.ptrace_scope=0, or run inquest as root");
		permit_add_sudo(facts, into);
	} else if (facts->tracer) {
		str_printf(into, "it is traced by process %u already: end that one first",
			facts->tracer);
	} else if (facts->filtered) {
		str_add(into, "a seccomp filter refuses it to inquest: allow process_vm_readv and "
			      "ptrace (of a container: --cap-add SYS_PTRACE)");
	} else {
		str_add(into, "the kernel refuses it (a security module such as SELinux or "
			      "AppArmor?), so run inquest as root, outside of containers, where "
			      "pids are others: sudo inquest ls --all");
	}
}
