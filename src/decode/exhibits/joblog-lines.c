/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/exhibits/joblog-lines.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/exhibits/log-plain.h"
#include "evidence/gather/log-marks.h"

/*
 * Names of c10d's operations, as its OpType.hpp has them. The first that the text begins with
 * counts.
 */
static const struct {
	const char *type, *op;
} ops[] = {
	{"ALLREDUCE", "AllReduce"},
	{"ALLGATHER", "AllGather"},
	{"_ALLGATHER_BASE", "AllGather"},
	{"REDUCE_SCATTER", "ReduceScatter"},
	{"_REDUCE_SCATTER_BASE", "ReduceScatter"},
	{"BROADCAST", "Broadcast"},
	{"_BROADCAST_OOP", "Broadcast"},
	{"REDUCE", "Reduce"},
	{"_REDUCE_OOP", "Reduce"},
	{"ALLTOALL", "AllToAll"},
	{"GATHER", "Gather"},
	{"SCATTER", "Scatter"},
	{"SEND", "Send"},
	{"RECV", "Recv"},
	{"BARRIER", "Barrier"},
};

/* Returns the number behind these words; -1 none. */
static int64_t number_behind(const char *line, const char *words)
{
	const char *at = strstr(line, words);
	char *end;
	long long n;

	if (!at)
		return -1;
	at += strlen(words);
	n = strtoll(at, &end, 10);
	return end == at || n < 0 || n == INT64_MAX ? -1 : n;
}

bool joblog_lines_watchdog(const char *line, struct joblog_watch *ret)
{
	const char *at = strstr(line, "Watchdog caught collective operation timeout");
	const char *type = at ? strstr(at, "OpType=") : NULL;

	if (!at)
		return false;
	*ret = (struct joblog_watch){.op = "an operation",
		.number = number_behind(at, "SeqNum="),
		.ran_ms = number_behind(at, "ran for ")};
	for (size_t i = 0; type && i < sizeof(ops) / sizeof(ops[0]); i++)
		if (!strncmp(type + strlen("OpType="), ops[i].type, strlen(ops[i].type))) {
			ret->op = ops[i].op;
			break;
		}
	return true;
}

const char *joblog_lines_missed(const char *line, size_t *ret_len)
{
	const char *end = strstr(line, " failed to pass monitoredBarrier"), *at = end;

	while (at && at > line && (isdigit((unsigned char)at[-1]) || strchr(", ", at[-1])))
		at--;
	if (!at || at - line < 4 || (strncmp(at - 4, "Rank", 4) && strncmp(at - 4, "anks", 4)))
		return NULL;
	at += strspn(at, " ");
	*ret_len = (size_t)(end - at);
	return *ret_len ? at : NULL;
}

/* Returns the beginning of the word that ends there. */
static const char *word_before(const char *line, const char *end)
{
	while (end > line && (isalnum((unsigned char)end[-1]) || strchr("-_.", end[-1])))
		end--;
	return end;
}

/*
 * Returns the pid of "HOST:PID:TID [DEV]", which stands before NCCL's words, and the host; 0 none.
 */
static int64_t pid_before(const char *line, const char *end, const char **ret_host)
{
	for (const char *at = line; at < end; at++) {
		char *behind, *again;
		long long pid;

		if (*at != ':' || at == line || !isalnum((unsigned char)at[-1]))
			continue;
		pid = strtoll(at + 1, &behind, 10);
		if (behind == at + 1 || *behind != ':' || !isdigit((unsigned char)behind[1]))
			continue;
		strtoll(behind + 1, &again, 10);
		if (again[0] == ' ' && again[1] == '[' && pid > 0) {
			*ret_host = word_before(line, at);
			return pid;
		}
	}
	return 0;
}

static const struct {
	const char *info, *warning;
} libraries[] = {
#define LIBRARY_LINE(info, warning) {info, warning},
#include "lists/log-words.def"
};

/* Returns what stands behind the library's mark; NULL: no library wrote the line. */
static const char *words_of(const char *line, bool *ret_warning)
{
	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		const char *at = strstr(line, libraries[i].info);

		*ret_warning = !at;
		if (at)
			return at + strlen(libraries[i].info);
		at = strstr(line, libraries[i].warning);
		if (at)
			return at + strlen(libraries[i].warning);
	}
	return NULL;
}

bool joblog_lines_library(const char *line, struct joblog_library *ret)
{
	bool warning;
	const char *words = words_of(line, &warning);
	const char *comm = words && !warning ? strstr(words, "comm 0x") : NULL;

	if (!words)
		return false;
	*ret = (struct joblog_library){
		.rank = -1, .nranks = -1, .warning = warning ? words : NULL};
	ret->pid = pid_before(line, words, &ret->host);
	if (!comm || sscanf(comm, "comm 0x%*x rank %7d nranks %7d", &ret->rank, &ret->nranks) != 2)
		return true;
	ret->begins = strstr(comm, "Init START") != NULL;
	ret->ends = strstr(comm, "Init COMPLETE") != NULL;
	return true;
}

/* No file has more lines: what counts on from there does not overflow. */
#define LINES_MOST (1ll << 53)

const char *joblog_lines_unnumbered(const char *at, int64_t *ret_number)
{
	char *end;
	long long number = strtoll(at, &end, 10);

	if (end == at || *end != '\t' || number < 0 || number > LINES_MOST)
		return at;
	if (ret_number)
		*ret_number = number;
	return end + 1;
}

bool joblog_lines_numbered(const char *text)
{
	size_t with = 0, without = 0;

	for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		const char *line = joblog_lines_unnumbered(at, NULL);

		line += log_plain_stamp(line);
		if (log_marks_task(line) >= 0)
			with++;
		else if (*line && *line != '\n' && strncmp(line, "srun: ", 6) != 0 &&
			 strncmp(line, "slurmstepd", 10) != 0)
			without++;
	}
	return with > 1 && without == 0;
}

void joblog_lines_keep(struct str *into, const char *line, size_t most)
{
	if (into->len + strlen(line) > most) {
		size_t half = into->len / 2;

		half += strcspn(into->text + half, "\n");
		half += half < into->len;
		memmove(into->text, into->text + half, into->len - half);
		str_cut(into, into->len - half);
	}
	str_add(into, line);
	str_add_char(into, '\n');
}
