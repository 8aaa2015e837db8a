/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/job-words.h"

#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/owner.h"
#include "evidence/agent/fellows.h"
#include "proc/survey/standing.h"

/* Returns the word behind one, by blanks, and sets its length, which is 0 behind the last. */
static const char *next_word(const char *word, size_t *len)
{
	word += *len + (word[*len] == ' ');
	*len = strcspn(word, " ");
	return word;
}

/* Returns the word without its folders, and sets its length. */
static const char *base_of(const char *word, size_t *len)
{
	const char *slash = memrchr(word, '/', *len);

	if (!slash || slash + 1 == word + *len)
		return word;
	*len -= (size_t)(slash + 1 - word);
	return slash + 1;
}

static bool is_python(const char *word, size_t len)
{
	const char *name = base_of(word, &len);

	return (len >= 6 && !memcmp(name, "python", 6)) || (len >= 4 && !memcmp(name, "pypy", 4));
}

/* Returns what an interpreter runs: the word behind its options; else the interpreter itself. */
static const char *script_of(const char *command, size_t *len)
{
	const char *word = command;
	size_t size = *len;
	bool taken = false, module = false;

	while (word = next_word(word, &size), size) {
		bool option = *word == '-' && size >= 2;

		if (module || (!option && !taken)) {
			*len = size;
			return word;
		}
		if (option && word[1] == 'c')
			break;
		module = option && word[1] == 'm' && size == 2;
		taken = option && strchr("XW", word[1]) && size == 2;
	}
	return command;
}

/* True if what runs there starts others, by its name. */
static bool is_launcher(const char *word, size_t len)
{
	static const char *const names[] = {"torchrun", "torch.distributed.run",
		"torch.distributed.launch", "deepspeed", "accelerate", "srun", "mpirun", "mpiexec",
		"env", "sh", "bash", "timeout", "numactl", "nohup"};
	const char *name = base_of(word, &len);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (len == strlen(names[i]) && !memcmp(name, names[i], len))
			return true;
	return false;
}

/*
 * Returns the script that a launcher was given, somewhere among its words; else the launcher
 * itself.
 */
static const char *script_below(const char *launcher, size_t *len)
{
	const char *word = launcher;
	size_t size = *len;

	while (word = next_word(word, &size), size)
		if (*word != '-' && size > 3 && !memcmp(word + size - 3, ".py", 3)) {
			*len = size;
			return word;
		}
	return launcher;
}

void job_words_program(const char *command, struct str *into)
{
	size_t len = strcspn(command, " ");
	const char *word = command;

	if (is_python(word, len))
		word = script_of(word, &len);
	if (is_launcher(word, len))
		word = script_below(word, &len);
	word = base_of(word, &len);
	str_add_bytes(into, word, len);
}

void job_words_program_of(struct survey *survey, const struct survey_job *job, struct str *into)
{
	const struct survey_process *process = survey_find(survey, job->first_pid);

	job_words_program(process ? process->command : "", into);
}

int64_t job_words_age(struct survey *survey, const struct survey_job *job)
{
	const struct survey_process *process = survey_find(survey, job->first_pid);
	int64_t tick = CLOCK_NS_PER_S / sysconf(_SC_CLK_TCK);

	return process ? clock_boottime_ns() - (int64_t)process->stat.start_time * tick : 0;
}

static void add_age(int64_t age, struct str *into)
{
	char text[CLOCK_TEXT_SIZE];

	if (age > 0)
		str_printf(into, ", for %s", clock_format(age, text));
}

void job_words_add_own(
	const struct jobs *jobs, const struct jobs_entry *entry, struct str *into)
{
	struct fellows_sum sum;
	char number[OWNER_SIZE];

	fellows_sum(jobs, entry, &sum);
	if (*entry->given)
		str_printf(into, "%s: ", entry->given);
	if (*entry->command) {
		job_words_program(entry->command, into);
		str_add(into, ", ");
	}
	str_add(into, jobs_status_name(sum.all.status));
	if (entry->launched)
		add_age(clock_realtime_ns() - entry->launched, into);
	str_printf(into, ", of %s", owner_name(entry->owner, number));
}

void job_words_add_foreign(struct survey *survey, const struct survey_job *job, struct str *into)
{
	const char *standing = standing_name(job->standing);
	char number[OWNER_SIZE];
	struct str program = {0};

	job_words_program_of(survey, job, &program);
	str_printf(into, "%s%s%s, %zu rank%s here, no probe%s%s", job->id,
		program.len ? ": " : "", str_text(&program), job->ranks,
		job->ranks == 1 ? "" : "s", *standing ? ", " : "", standing);
	add_age(job_words_age(survey, job), into);
	str_printf(into, ", of %s", owner_name(job->uid, number));
	str_release(&program);
}
