/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A launcher that keeps the table for debuggers as srun does, and its tasks, who know nothing of
 * their ranks: proctable N. Says "ready" when the table is there, waits for its tasks, and ends
 * with them. MPIR_being_debugged must stay 0: it says so if it does not.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct proctable_entry {
	char *host;
	char *executable;
	int pid;
};

struct proctable_entry *MPIR_proctable;
int MPIR_proctable_size;
volatile int MPIR_being_debugged;

int main(int argc, char **argv)
{
	int nr = argc > 1 ? atoi(argv[1]) : 2;
	static char host[256];

	gethostname(host, sizeof(host) - 1);
	MPIR_proctable = calloc((size_t)nr + 1, sizeof(*MPIR_proctable));
	if (!MPIR_proctable)
		return 1;
	for (int i = 0; i < nr; i++) {
		/* The last is first: their order is no hint. */
		struct proctable_entry *entry = &MPIR_proctable[nr - 1 - i];
		pid_t pid = fork();

		if (pid == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			execlp("sleep", "sleep", "1000", (char *)NULL);
			_exit(127);
		}
		*entry = (struct proctable_entry){host, argv[0], pid};
	}
	MPIR_proctable[nr] = (struct proctable_entry){(char *)1, NULL, -1};
	MPIR_proctable_size = nr + 1;
	for (int i = 0; i < nr; i++)
		printf("%d ", MPIR_proctable[i].pid);
	puts("ready");
	fflush(stdout);
	while (wait(NULL) > 0)
		;
	if (MPIR_being_debugged)
		puts("touched");
	return 0;
}
