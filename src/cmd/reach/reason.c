/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/reach/reason.h"

#include <string.h>

#define LINE_MOST 160 /* bytes that are kept of a line */

#define OVER      "it is over: `inquest diagnose FOLDER' judges what its agents left"
#define NOT_YOURS "only the job's owner and root may start a step of it"
#define BUSY      "give it longer by --deadline; --via 'ssh %h' needs no step"
#define NO_STEP   "--via 'ssh %h' needs no step of Slurm's"
#define NO_NODE   "`scontrol show node' says what Slurm knows of it; --via 'ssh %h' does without"
#define NO_SLURM  "--hosts and a list do without Slurm"
#define NO_KEY    "ssh asks for no password from here: give it a key, or an agent"
#define NO_HOST   "ssh to it once by hand: nothing is asked from here"

/* What srun and ssh say (Slurm 22.05, OpenSSH 9.2), and what to do; the first that fits. */
static const struct known {
	const char *program; /* that begins the line; "" whatever does */
	const char *words, *advice;
} all_known[] = {
	{"srun: ", "has expired", OVER},
	{"srun: ", "Invalid job id specified", OVER},
	{"srun: ", "already completing or completed", OVER},
	{"srun: ", "has been revoked", OVER},
	{"srun: ", "Access/permission denied", NOT_YOURS},
	{"srun: ", "Requested nodes are busy", BUSY},
	{"srun: ", "temporarily disabled", BUSY},
	{"srun: ", "temporarily unavailable", BUSY},
	{"srun: ", "Immediate execution impossible", BUSY},
	{"srun: ", "Unable to contact slurm controller", NO_SLURM},
	{"srun: ", "Communication connection failure", NO_NODE},
	{"srun: ", "Required node not available", NO_NODE},
	{"srun: ", "Unable to create step for job", NO_STEP},
	{"srun: ", "Task launch for", NO_NODE},
	{"", "Host key verification failed", NO_HOST},
	{"", "Permission denied (", NO_KEY},
};

#define KNOWN_MOST (sizeof(all_known) / sizeof(all_known[0]))

/* True if the words stand somewhere in a line. */
static bool has(const char *line, size_t len, const char *words)
{
	return memmem(line, len, words, strlen(words)) != NULL;
}

/*
 * Returns how well a line tells the reason: the known ones by their place, then errors; 0: it does
 * not.
 */
static size_t rank_of(const char *line, size_t len)
{
	for (size_t i = 0; i < KNOWN_MOST; i++)
		if (!strncmp(line, all_known[i].program, strlen(all_known[i].program)) &&
			has(line, len, all_known[i].words))
			return KNOWN_MOST + 1 - i;
	return has(line, len, "error: ") || has(line, len, "fatal: ");
}

bool reason_read(const struct str *said, struct str *line, const char **ret_advice)
{
	const char *at = str_text(said), *best = at;
	size_t best_len = 0, best_rank = 0;

	for (size_t len; *at; at += len + (at[len] == '\n')) {
		size_t begin, end, rank;

		len = strcspn(at, "\n");
		begin = strspn(at, " \t\r");
		end = len;
		while (end > begin && strchr(" \t\r", at[end - 1]))
			end--;
		rank = begin < end ? rank_of(at + begin, end - begin) : 0;
		if (begin >= end || rank < best_rank || (rank && rank == best_rank))
			continue;
		best = at + begin;
		best_len = end - begin;
		best_rank = rank;
	}
	str_add_bytes(line, best, best_len < LINE_MOST ? best_len : LINE_MOST);
	*ret_advice = best_rank > 1 ? all_known[KNOWN_MOST + 1 - best_rank].advice : NULL;
	return best_rank > 0;
}

const char *reason_program(char *const *argv)
{
	size_t i = 1;

	if (strcmp(argv[0], "env") != 0)
		return argv[0];
	while (argv[i] && (*argv[i] == '-' || strchr(argv[i], '=')))
		i += strcmp(argv[i], "-u") || !argv[i + 1] ? 1 : 2;
	return argv[i] ? argv[i] : argv[0];
}
