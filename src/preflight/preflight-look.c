/* SPDX-License-Identifier: Apache-2.0 */
#include "preflight/preflight.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/str.h"
#include "preflight/check.h"
#include "preflight/storage.h"
#include "proc/helper.h"

#define READ_MS 500 /* for what is there already */

/* --- What a check says ----------------------------------------------------------------------- */

/* Goes before the texts of a line, each with its NUL: says, fix, from. */
struct message {
	enum preflight_grade grade;
	bool detail;
};

/* Adds a line to the list. */
static void keep_line(struct preflight *list, const struct message *head, const char *const *texts)
{
	struct preflight_line *line = array_add(&list->lines);

	*line = (struct preflight_line){.grade = head->grade,
		.detail = head->detail,
		.says = alloc_text(texts[0]),
		.fix = alloc_text(texts[1]),
		.from = alloc_text(texts[2])};
}

/* Sends a line to who has started us, or adds it to the list. */
static void say(struct check_sink *sink, const struct message *head, const char *says,
	const char *fix, const char *from)
{
	const char *const texts[] = {says, fix, from};
	struct str body = {0};

	if (sink->list) {
		keep_line(sink->list, head, texts);
		return;
	}
	for (size_t i = 0; i < 3; i++)
		str_add_bytes(&body, texts[i], strlen(texts[i]) + 1);
	helper_send(sink->out, head, sizeof(*head), body.text, body.len);
	str_release(&body);
}

void check_say(struct check_sink *sink, enum preflight_grade grade, const char *from,
	const char *fix, const char *format, ...)
{
	struct str says = {0};
	va_list args;

	va_start(args, format);
	str_vprintf(&says, format, args);
	va_end(args);
	say(sink, &(struct message){.grade = grade}, str_text(&says), fix ? fix : "", from);
	str_release(&says);
}

void check_say_detail(struct check_sink *sink, const char *from, const char *format, ...)
{
	struct str says = {0};
	va_list args;

	va_start(args, format);
	str_vprintf(&says, format, args);
	va_end(args);
	say(sink, &(struct message){.grade = PREFLIGHT_OK, .detail = true}, str_text(&says), "",
		from);
	str_release(&says);
}

/* --- The checks, each in its process --------------------------------------------------------- */

/* One check, and its process while it runs. */
struct task {
	const char *name;
	check_work *work;
	const void *arg;
	int seconds;		     /* its deadline */
	enum preflight_grade silent; /* what it means that it did not answer */
	const struct preflight_wish *wish;
	struct helper helper;
};

/* The checks that run at the same time. */
struct tasks {
	ARRAY(struct task) list;
};

/* Works, in the helper. */
static void work_of_task(int out, void *arg)
{
	const struct task *task = arg;

	task->work(task->wish, task->arg, &(struct check_sink){.out = out});
}

/* Adds a check, with its own deadline or the one that was wished for. */
static void add_task(struct tasks *tasks, const struct preflight_wish *wish, struct task task)
{
	task.wish = wish;
	if (wish->deadline_s > 0)
		task.seconds = wish->deadline_s;
	*array_add(&tasks->list) = task;
}

/* The checks of the machine, in the order in which they are told. */
static const struct task machine[] = {
	{"gpus", check_gpus, NULL, 20, PREFLIGHT_FAIL, NULL, {0}},
	{"kernel log", check_kernel_log, NULL, 3, PREFLIGHT_NONE, NULL, {0}},
	{"nics", check_nics, NULL, 5, PREFLIGHT_WARN, NULL, {0}},
	{"host", check_host, NULL, 5, PREFLIGHT_WARN, NULL, {0}},
	{"runtime", check_runtime, NULL, 20, PREFLIGHT_WARN, NULL, {0}},
	{"caches", check_caches, NULL, 5, PREFLIGHT_WARN, NULL, {0}},
};

/* Run after them, and only if nothing failed. */
static const struct task bandwidth = {
	"bandwidth", check_bandwidth, NULL, 90, PREFLIGHT_FAIL, NULL, {0}};

/* Takes one line of a helper's message; nothing of one that is no line. */
static void take_message(struct preflight *ret, const struct str *text)
{
	struct message head;
	const char *texts[3], *at, *end = text->text + text->len;

	if (text->len < sizeof(head) + 3 || end[-1] != '\0')
		return;
	memcpy(&head, text->text, sizeof(head));
	at = text->text + sizeof(head);
	for (size_t i = 0; i < 3; i++) {
		if (at >= end)
			return;
		texts[i] = at;
		at += strlen(at) + 1;
	}
	keep_line(ret, &head, texts);
}

/* Says that a check did not answer, or ended before its time. */
static void say_silent(struct preflight *ret, const struct task *task, int error)
{
	struct check_sink sink = {.out = -1, .list = ret};

	if (error == -ETIMEDOUT)
		check_say(&sink, task->silent, "deadline", NULL,
			"%s: no answer within %d s: what it asks hangs", task->name, task->seconds);
	else
		check_say(&sink, PREFLIGHT_NONE, "check", NULL,
			"%s: the check itself ended before it was done: not known", task->name);
}

/*
 * Takes what one check says. All run at the same time, and are read one after the other: what was
 * said in time, while we waited for another, is still there to be read.
 */
static void collect_task(struct task *task, struct preflight *ret)
{
	int64_t until = task->helper.begun + task->seconds * CLOCK_NS_PER_S;
	int64_t soon = clock_monotonic_ns() + READ_MS * CLOCK_NS_PER_MS;
	struct str text = {0};
	int got;

	until = until > soon ? until : soon;
	while ((got = helper_receive(&task->helper, until, &text)) == 1)
		take_message(ret, &text);
	if (got < 0)
		say_silent(ret, task, got);
	helper_end(&task->helper);
	str_release(&text);
}

/* Starts all, then takes what each says, in their order. */
static void run_tasks(struct tasks *tasks, struct preflight *ret)
{
	struct check_sink sink = {.out = -1, .list = ret};
	struct task *task;

	array_for_each (&tasks->list, task) {
		int error = helper_start(&task->helper, work_of_task, task);

		if (error)
			check_say(&sink, PREFLIGHT_NONE, "check", NULL,
				"%s: cannot start a process for it: %s", task->name,
				strerror(-error));
	}
	array_for_each (&tasks->list, task)
		if (task->helper.pid)
			collect_task(task, ret);
}

void preflight_look(const struct preflight_wish *wish, struct preflight *ret)
{
	struct storage_paths paths = {0};
	struct tasks tasks = {0};
	const struct preflight_path *path;

	for (size_t i = 0; i < sizeof(machine) / sizeof(machine[0]); i++)
		add_task(&tasks, wish, machine[i]);
	storage_find_paths(wish, &paths);
	array_for_each (&paths.list, path)
		add_task(&tasks, wish,
			(struct task){.name = "storage",
				.work = check_storage,
				.arg = path,
				.seconds = 5,
				.silent = PREFLIGHT_FAIL});
	run_tasks(&tasks, ret);
	array_release(&tasks.list);
	if (!wish->unmeasured && preflight_count(ret, PREFLIGHT_FAIL) == 0) {
		add_task(&tasks, wish, bandwidth);
		run_tasks(&tasks, ret);
		array_release(&tasks.list);
	}
	storage_release_paths(&paths);
}

size_t preflight_count(const struct preflight *preflight, enum preflight_grade grade)
{
	const struct preflight_line *line;
	size_t nr = 0;

	array_for_each (&preflight->lines, line)
		nr += line->grade == grade;
	return nr;
}

void preflight_release(struct preflight *preflight)
{
	struct preflight_line *line;

	array_for_each (&preflight->lines, line) {
		free(line->says);
		free(line->fix);
		free(line->from);
	}
	array_release(&preflight->lines);
}
