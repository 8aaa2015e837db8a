/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks the machine. To read environments and command lines takes the target's mmap lock, so these
 * are blocking reads; they come in lots, so that the texts of thousands of processes do not lie in
 * memory at once.
 *
 * Our own environment says which step we run in, never which rank somebody is: inside a collecting
 * step SLURM_PROCID is the collector's.
 */
#include "proc/survey/survey.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/redact.h"
#include "base/str.h"
#include "proc/blocking-read.h"
#include "proc/survey/mpir.h"
#include "proc/survey/slurm.h"
#include "proc/tree.h"

#define SURVEY_LOT	   128 /* processes read at once */
#define SURVEY_ENVIRON_CAP (256 * 1024)
#define SURVEY_COMMAND_CAP (64 * 1024)
#define SURVEY_COMMAND	   512 /* bytes of a command line that are kept for people */
#define SURVEY_SLURM_JOBS  4 /* jobs that Slurm is asked for */
#define SLURM_DEADLINE_MS  2000

/*
 * Returns a command line for people: blanks between words, stars for what is secret, '?' for bytes
 * that are no text.
 */
static const char *survey_command(struct arena *arena, const char *cmdline, size_t len)
{
	struct str text = {0};
	const char *ret;
	char *words;

	while (len && !cmdline[len - 1])
		len--;
	len = len < SURVEY_COMMAND ? len : SURVEY_COMMAND;
	words = alloc_copy(cmdline, len);
	redact_args(words, len);
	for (size_t i = 0; i < len; i++) {
		char c = words[i];

		str_add_char(&text, c == '\0' ? ' ' : (unsigned char)c < 0x20 ? '?' : c);
	}
	ret = arena_text(arena, str_text(&text));
	str_release(&text);
	free(words);
	return ret;
}

/*
 * True if a command is a helper's of Python's: it inherits the environment that the program has
 * given itself.
 */
static bool is_helper(const char *command)
{
	static const char *const parts[] = {"multiprocessing.spawn", "multiprocessing.forkserver",
		"multiprocessing.resource_tracker", "--multiprocessing-fork",
		"_inductor/compile_worker", "torch_shm_manager"};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strstr(command, parts[i]))
			return true;
	return false;
}

/* Returns which node a launcher is for. Without a word of several nodes it is the only one, 0. */
static int node_rank_of(
	const char *block, size_t block_len, const char *cmdline, size_t cmdline_len)
{
	const char *rank = claims_option(cmdline, cmdline_len, "node-rank");
	const char *nodes = claims_option(cmdline, cmdline_len, "nnodes");

	if (!rank)
		rank = claims_variable(block, block_len, "PET_NODE_RANK");
	if (!nodes)
		nodes = claims_variable(block, block_len, "PET_NNODES");
	if (rank)
		return claims_number(rank);
	return !nodes || !strcmp(nodes, "1") || !strcmp(nodes, "1:1") ? 0 : CLAIM_UNKNOWN;
}

struct survey_process *survey_add(struct survey *survey, const struct procstat *stat, int error,
	const char *block, size_t block_len, const char *cmdline, size_t cmdline_len)
{
	struct survey_process *process = array_add(&survey->all);
	const char *words = cmdline ? cmdline : "", *variables = block ? block : "";

	*process = (struct survey_process){.stat = *stat,
		.error = error,
		.command = survey_command(&survey->arena, words, cmdline_len),
		.launcher = launcher_of(stat->comm, words, cmdline_len),
		.wrapper = launcher_is_wrapper(stat->comm),
		.inquest = launcher_is_part(stat->comm) || !strcmp(stat->comm, "inquest"),
		.session = launcher_is_session(stat->comm, words, cmdline_len),
		.python = launcher_is_python(stat->comm, words, cmdline_len),
		.parent = SURVEY_NONE,
		.under = SURVEY_NONE,
		.conflict = "",
		.job = SURVEY_NONE};
	process->helper = is_helper(process->command);
	claims_read(&process->claims, variables, block_len, words, cmdline_len);
	process->per_node = process->node_rank = CLAIM_UNKNOWN;
	if (process->launcher && process->launcher->per_node) {
		process->per_node = claims_number(
			claims_option(words, cmdline_len, process->launcher->per_node));
		process->node_rank =
			node_rank_of(variables, block_len, words, cmdline_len);
	}
	return process;
}

/* Returns whose process it is; -1 not known. */
static uid_t owner_of(uint32_t pid)
{
	struct str path = {0};
	struct stat st;
	uid_t uid = (uid_t)-1;

	str_printf(&path, "/proc/%u", pid);
	if (stat(path.text, &st) == 0)
		uid = st.st_uid;
	str_release(&path);
	return uid;
}

/* Reads what `nr` processes claim, at most SURVEY_LOT, and adds them. */
static void survey_take_lot(
	struct survey *survey, const struct procstat *stats, size_t nr, int deadline_ms)
{
	struct blocking_read reads[2 * SURVEY_LOT] = {0};

	for (size_t i = 0; i < nr; i++) {
		reads[2 * i] = (struct blocking_read){.pid = stats[i].pid,
			.name = "environ",
			.what = BLOCKING_READ_FILE,
			.cap = SURVEY_ENVIRON_CAP};
		reads[2 * i + 1] = (struct blocking_read){.pid = stats[i].pid,
			.name = "cmdline",
			.what = BLOCKING_READ_FILE,
			.cap = SURVEY_COMMAND_CAP};
	}
	blocking_reads_run(reads, 2 * nr, deadline_ms);
	for (size_t i = 0; i < nr; i++) {
		const struct blocking_read *variables = &reads[2 * i], *words = &reads[2 * i + 1];
		struct survey_process *process = survey_add(survey, &stats[i], variables->error,
			variables->bytes.text, variables->bytes.len, words->bytes.text,
			words->bytes.len);

		process->uid = owner_of(stats[i].pid);
		survey->unreadable += variables->error == EACCES || variables->error == EPERM;
	}
	for (size_t i = 0; i < 2 * nr; i++)
		str_release(&reads[i].bytes);
}

/* Adds all processes of a list but kernel threads. */
static void survey_take_all(
	struct survey *survey, const struct proc_list *list, int deadline_ms)
{
	struct procstat lot[SURVEY_LOT];
	size_t nr = 0;

	for (size_t i = 0; i < list->all.nr; i++) {
		const struct procstat *stat = &list->all.items[i];

		if (stat->kernel)
			continue;
		lot[nr++] = *stat;
		if (nr == SURVEY_LOT) {
			survey_take_lot(survey, lot, nr, deadline_ms);
			nr = 0;
		}
	}
	if (nr)
		survey_take_lot(survey, lot, nr, deadline_ms);
}

/* Marks us and whoever started us: what the shell's variables say of a rank means nothing. */
static void mark_ourselves(struct survey *survey)
{
	struct survey_process *process = survey_find(survey, (uint32_t)getpid());
	int at = process ? (int)(process - survey->all.items) : SURVEY_NONE;

	if (process)
		strcpy(survey->step, process->claims.step);
	for (int steps = 0; at != SURVEY_NONE && steps < 64; steps++) {
		survey->all.items[at].ourselves = true;
		at = survey->all.items[at].parent;
	}
}

/* --- Who is asked besides -------------------------------------------------------------------- */

/* Adds what Slurm says of the processes of its jobs here. */
static void ask_slurm(struct survey *survey)
{
	const char *asked[SURVEY_SLURM_JOBS];
	size_t nr = 0;

	for (size_t i = 0; i < survey->all.nr && nr < SURVEY_SLURM_JOBS; i++) {
		const char *job = survey->all.items[i].claims.slurm;
		struct slurm_pids pids = {0};
		bool known = !*job;

		for (size_t k = 0; k < nr; k++)
			known = known || !strcmp(asked[k], job);
		if (known)
			continue;
		asked[nr++] = job;
		(void)slurm_list_pids(job, SLURM_DEADLINE_MS, &pids);
		for (size_t k = 0; k < pids.all.nr; k++) {
			const struct slurm_pid *one = &pids.all.items[k];
			const struct rank_claim claim = {.rank = one->global_id,
				.local_rank = one->local_id,
				.world_size = CLAIM_UNKNOWN,
				.node_rank = CLAIM_UNKNOWN,
				.restart = CLAIM_UNKNOWN,
				.launcher = "slurm",
				.source = "scontrol listpids",
				.trust = CLAIM_ESTABLISHED,
				.of_task = true};

			if (strcmp(one->step, survey->step) != 0)
				survey_add_word(survey, one->pid, &claim, 0);
		}
		slurm_pids_release(&pids);
	}
}

/* Adds what the tables of launchers say. */
static void ask_launchers(struct survey *survey)
{
	for (size_t i = 0; i < survey->all.nr; i++) {
		const struct survey_process *launcher = &survey->all.items[i];
		struct mpir_table table = {0};

		if (!launcher->launcher || !launcher->launcher->has_table ||
			mpir_read(launcher->stat.pid, &table) < 0)
			continue;
		for (size_t k = 0; k < table.all.nr; k++) {
			const struct mpir_entry *one = &table.all.items[k];
			const struct rank_claim claim = {.rank = one->rank,
				.local_rank = CLAIM_UNKNOWN,
				.world_size = (int)table.size,
				.node_rank = CLAIM_UNKNOWN,
				.restart = CLAIM_UNKNOWN,
				.launcher = launcher->launcher->name,
				.source = arena_printf(&survey->arena, "MPIR_proctable of %s %u",
					launcher->launcher->name, launcher->stat.pid),
				.trust = CLAIM_ESTABLISHED,
				.of_task = true};

			if (one->here)
				survey_add_word(survey, one->pid, &claim, launcher->uid);
		}
		mpir_release(&table);
	}
}

void survey_take_these(struct survey *survey, const struct proc_list *list, int deadline_ms)
{
	survey_take_all(survey, list, deadline_ms);
	survey_sort(survey);
	survey_settle(survey);
}

int survey_take(struct survey *survey, int deadline_ms)
{
	struct proc_list list = {0};
	int error = proc_list_all(&list);

	if (!error)
		survey_take_all(survey, &list, deadline_ms);
	proc_list_release(&list);
	if (error)
		return error;
	survey_sort(survey);
	mark_ourselves(survey);
	ask_slurm(survey);
	ask_launchers(survey);
	survey_ask_inside(survey, deadline_ms);
	survey_settle(survey);
	return 0;
}

void survey_release(struct survey *survey)
{
	if (!survey)
		return;
	array_release(&survey->all);
	array_release(&survey->jobs);
	arena_release(&survey->arena);
}
