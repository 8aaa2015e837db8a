/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/profiles/told.h"

#include <signal.h>

#include "verdict/profiles/earlier.h"

bool told_is_order(int signo)
{
	return signo == SIGTERM || signo == SIGINT || signo == SIGHUP || signo == SIGQUIT;
}

/*
 * True if a process sent the signal that has no number where the rank is: one outside of its pid
 * namespace, such as a container's runtime or a node's daemon (pid_namespaces(7)). The kernel's own
 * signals have no sender either, but another code; a timer's are the rank's own.
 */
static bool is_from_other_namespace(const struct job_signal *signal)
{
	return !signal->sender && (signal->code == SI_USER || signal->code == SI_QUEUE ||
					  signal->code == SI_TKILL);
}

/*
 * True if the signal came from a terminal: by a key like Ctrl-C, or by its end. The kernel itself
 * sends it, to all processes of the foreground (Linux 6.1 n_tty.c __isig, tty_jobctrl.c
 * tty_signal_session_leader).
 */
static bool is_of_terminal(const struct job_signal *signal)
{
	return !signal->sender && signal->code == SI_KERNEL &&
	       (signal->signo == SIGINT || signal->signo == SIGQUIT || signal->signo == SIGHUP);
}

bool told_from_outside(const struct job *job, const struct job_signal *signal)
{
	if (signal->from_self || signal->process == JOB_NONE)
		return false;
	return is_from_other_namespace(signal) || is_of_terminal(signal) ||
	       (signal->sender && signal->sender != job->processes[signal->process].pid);
}

/*
 * True if the rank sent the signal to itself. (For a file that is too large, the kernel sends
 * SIGXFSZ in the rank's name.)
 */
static bool is_own_end(const struct job_signal *signal)
{
	return signal->from_self && !signal->abort_call && signal->signo != SIGXFSZ &&
	       (signal->fatal || told_is_order(signal->signo));
}

bool told_with_launcher(const struct job *job, int64_t when)
{
	return job->told_to_end != JOB_UNKNOWN && when != JOB_UNKNOWN &&
	       when >= job->told_to_end - EARLIER_AT_ONCE;
}

void told_find(const struct job *job, struct profile *profiles)
{
	for (size_t i = 0; i < job->nsignals; i++) {
		const struct job_signal *signal = &job->signals[i];
		struct profile *p = &profiles[signal->rank.i];

		if (!p->process || signal->process != job_rank(job, signal->rank)->process)
			continue;
		if (signal->fatal)
			p->fatal = signal;
		if (is_own_end(signal))
			p->own_end = signal;
		if (told_is_order(signal->signo) && told_from_outside(job, signal) && !p->told)
			p->told = signal;
	}
}

bool told_by_launcher(const struct job *job, const struct job_signal *signal)
{
	const struct job_process *process = &job->processes[signal->process];

	return signal->sender_role == JOB_ROLE_AGENT || signal->sender_role == JOB_ROLE_UNKNOWN ||
	       (signal->sender && signal->sender == process->ppid);
}
