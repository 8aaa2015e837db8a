/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/agent/agent-fellows.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "cmd/agent/agent-people.h"
#include "cmd/agent/agent.h"
#include "cmd/cmd.h"
#include "cmd/run/jobdir.h"
#include "evidence/agent/fellows.h"
#include "evidence/format/folder.h"
#include "evidence/gather/live/live.h"
#include "evidence/gather/unprobed.h"
#include "ring/census.h"

/* Listing folders takes at most this part of one core: one in so many. */
#define COST_RATIO 100
#define LIST_NS	   (2 * CLOCK_NS_PER_S)
/* By then a new speaker has seen what we told before. */
#define FORGET_NS  (10 * CLOCK_NS_PER_S)
#define AWAIT_NS   (10 * CLOCK_NS_PER_MS)
/* A signal to all of a job comes to all of its agents within this time. */
#define SIGNAL_APART_NS CLOCK_NS_PER_S
#define ASK_MS	   100
/* A speaker is often replaced because a process has died, so the next one looks often at first. */
#define EAGER_FOR  (3 * CLOCK_NS_PER_S)

void agent_fellows_begin(struct agent *agent, uint32_t wrapper)
{
	struct agent_fellows *fellows = &agent->fellows;

	*fellows = (struct agent_fellows){.speaks = true};
	fellow_of_launch(&fellows->own, agent->options.argv, agent->options.envp, wrapper);
	*array_add(&fellows->folders) = agent->dir->path.text;
}

/* --- Listing ---------------------------------------------------------------------------------- */

/* Returns our own entry in the last list; NULL where our folder is gone. */
static const struct jobs_entry *self_of(const struct agent *agent)
{
	const struct jobs *jobs = &agent->fellows.jobs;

	for (size_t i = 0; i < jobs->nr; i++)
		if (!strcmp(jobs->items[i].folder, agent->dir->path.text))
			return &jobs->items[i];
	return NULL;
}

static void forget_list(struct agent_fellows *fellows)
{
	const struct agent_fellow *fellow;

	array_for_each (&fellows->all, fellow)
		if (fellow->census >= 0)
			close(fellow->census);
	fellows->all.nr = 0;
	fellows->folders.nr = 1;
	jobs_release(&fellows->jobs);
}

static int open_census(const struct jobs_entry *entry)
{
	struct folder folder = {.fd = -1};
	int fd = -1;

	if (folder_open(&folder, entry->folder, entry->owner, NULL) == 0)
		fd = folder_open_file(&folder, CENSUS_FILE, NULL);
	folder_close(&folder);
	return fd;
}

/* Finds ranks that no census has; seldom there are any. */
static void find_unprobed(struct agent *agent, const struct jobs_entry *entry)
{
	if (entry->unprobed)
		unprobed_find(entry->folder, ASK_MS, &agent->fellows.unprobed);
}

/* Lists the other folders of our job. */
static void take_fellows(struct agent *agent, const struct jobs_entry *self)
{
	struct agent_fellows *fellows = &agent->fellows;

	evidence_release(&fellows->unprobed);
	fellows->no_logs = false;
	for (size_t i = 0; i < fellows->jobs.nr; i++) {
		const struct jobs_entry *entry = &fellows->jobs.items[i];

		if (entry == self || !fellows_are(entry, self))
			continue;
		*array_add(&fellows->folders) = entry->folder;
		*array_add(&fellows->all) =
			(struct agent_fellow){entry->folder, open_census(entry)};
		fellows->no_logs = fellows->no_logs || entry->no_logs;
		if (fellows->speaks)
			find_unprobed(agent, entry);
	}
}

/* --- Taking and leaving the place of the speaker ---------------------------------------------- */

static void adopt_keys(struct agent *agent, const char *keys)
{
	struct str key = {0};

	while (*keys) {
		size_t len = strcspn(keys, "\n");

		str_cut(&key, 0);
		str_add_bytes(&key, keys, len);
		announce_adopt(&agent->announce, str_text(&key));
		keys += len + (keys[len] == '\n');
	}
	str_release(&key);
}

/* True if the job has parts on other hosts. */
static bool is_part(const struct agent *agent)
{
	return agent->rally.wanted || agent_rally_is_told();
}

/* Takes over from the last speaker: its verdicts stand, and we go on with its bundle. */
static void adopt(struct agent *agent, const struct jobs_entry *from)
{
	adopt_keys(agent, from->keys);
	agent->moved_on = from->hangs > agent->moved_on ? from->hangs : agent->moved_on;
	if (!*from->keys || !*from->verdict)
		return;
	free(agent->headline);
	free(agent->answer);
	agent->headline = alloc_text(from->verdict);
	/* If all hosts are judged together, that was a part, and no answer. */
	agent->answer = is_part(agent) ? NULL : alloc_text(from->verdict);
	agent->said = clock_monotonic_ns();
	str_cut(&agent->bundle, 0);
	str_add(&agent->bundle, from->bundle);
	agent->bundle_wanted |= *from->bundle != '\0';
}

/*
 * Becomes the speaker, since no other is at work. Of those who were the speaker before, the one
 * with the last word knew best.
 */
static void take_over(struct agent *agent, const struct jobs_entry *self)
{
	const struct jobs *jobs = &agent->fellows.jobs;
	const struct jobs_entry *last = NULL;

	for (size_t i = 0; i < jobs->nr; i++) {
		const struct jobs_entry *entry = &jobs->items[i];

		if (entry == self || !fellows_are(entry, self) || !*entry->keys)
			continue;
		adopt_keys(agent, entry->keys);
		if (!last || entry->until > last->until)
			last = entry;
	}
	if (last)
		adopt(agent, last);
	agent->fellows.speaks = true;
	agent->due.look = 0;
	agent->eager_until = clock_monotonic_ns() + EAGER_FOR;
}

static void step_back(struct agent *agent)
{
	agent->fellows.speaks = false;
	agent->fellows.stepped_back = clock_monotonic_ns();
	evidence_release(&agent->stacks);
}

static void replace(char **held, const char *told)
{
	free(*held);
	*held = told && *told ? alloc_text(told) : NULL;
}

/* Points in one line to the bundle of the speaker, as our own log does not have the answer. */
static void point(struct agent *agent, const struct jobs_entry *speaker)
{
	struct agent_fellows *fellows = &agent->fellows;

	/* If the job is judged with other nodes, the answer is in the log of one of those. */
	if (is_part(agent) || !*speaker->keys || !*speaker->verdict || !*speaker->bundle ||
		(fellows->pointed && !strcmp(fellows->pointed, speaker->bundle)))
		return;
	replace(&fellows->pointed, speaker->bundle);
	cmd_complain("this is judged as a part of job %s, whose verdict is in the log of "
		     "process %u; saved %s",
		fellows_id(&fellows->jobs, speaker), speaker->agent_pid, speaker->bundle);
}

/* Notes what the speaker, another agent, has told. */
static void follow(struct agent *agent, const struct jobs_entry *speaker)
{
	struct agent_fellows *fellows = &agent->fellows;

	fellows->speaker = speaker->keeper;
	replace(&fellows->verdict, speaker->verdict);
	replace(&fellows->bundle, speaker->bundle);
	replace(&fellows->status, speaker->said);
	point(agent, speaker);
}

/* True if there is no folder beside our own, as in most cases: then nothing need be listed. */
static bool is_alone(const struct agent *agent)
{
	struct str root = {0};
	const struct dirent *entry;
	bool alone = true;
	DIR *list;

	str_add_bytes(&root, agent->dir->path.text,
		(size_t)(agent->dir->id - agent->dir->path.text));
	list = opendir(str_text(&root));
	while (list && alone && (entry = readdir(list)))
		alone = *entry->d_name == '.' || !strcmp(entry->d_name, agent->dir->id);
	if (list)
		closedir(list);
	str_release(&root);
	return alone;
}

void agent_fellows_list(struct agent *agent)
{
	struct agent_fellows *fellows = &agent->fellows;
	int64_t begun = clock_cpu_ns();
	const struct jobs_entry *self, *speaker = NULL;

	forget_list(fellows);
	if (!is_alone(agent))
		jobs_list_beside(&fellows->jobs, agent->dir->path.text);
	self = self_of(agent);
	/* We may be alone, or our folder may have been taken away. */
	if (self)
		speaker = fellows_speaker(&fellows->jobs, self);
	if (speaker && speaker != self && fellows->speaks)
		step_back(agent);
	else if (self && (!speaker || speaker == self) && !fellows->speaks)
		take_over(agent, self);
	fellows->speaks = !speaker || speaker == self;
	fellows->unsure = self && self->unsure;
	if (self)
		take_fellows(agent, self);
	if (!fellows->speaks) {
		follow(agent, speaker);
	} else {
		replace(&fellows->verdict, NULL);
		replace(&fellows->bundle, NULL);
		replace(&fellows->status, NULL);
	}
	if (!fellows->speaks)
		agent_people_watch_fellows(agent);
	fellows->cost = clock_cpu_ns() - begun;
	fellows->due = clock_monotonic_ns() +
		(fellows->cost * COST_RATIO > LIST_NS ? fellows->cost * COST_RATIO : LIST_NS);
}

/* --- Turns ------------------------------------------------------------------------------------ */

/* Learns rank 0's address, which the launcher of our ranks gave to them, and not to us. */
static bool learn(struct agent *agent)
{
	const char *address = history_variable(agent->history, "MASTER_ADDR");
	const char *port = history_variable(agent->history, "MASTER_PORT");
	struct str master = {0};
	bool news;

	if (!address)
		address = getenv("MASTER_ADDR");
	if (address && port)
		str_printf(&master, "%s:%s", address, port);
	news = fellow_learn(&agent->fellows.own,
		history_variable(agent->history, "TORCHELASTIC_RUN_ID"),
		master.len ? master.text : NULL);
	str_release(&master);
	return news;
}

bool agent_fellows_turn(struct agent *agent, int64_t now)
{
	struct agent_fellows *fellows = &agent->fellows;
	bool speaks = fellows->speaks, news = false;

	/* This is done before the list, so that others see it in the manifest at the same time. */
	if (now >= fellows->due)
		news = learn(agent);
	if (now >= fellows->due || (!speaks && !proc_is_alive(fellows->speaker))) {
		char *bundle = fellows->bundle ? alloc_text(fellows->bundle) : NULL;

		agent_fellows_list(agent);
		news = news || speaks != fellows->speaks ||
			(bundle ? !fellows->bundle || strcmp(bundle, fellows->bundle) != 0
				: fellows->bundle != NULL);
		free(bundle);
	}
	if (!fellows->speaks && fellows->stepped_back &&
		now - fellows->stepped_back > FORGET_NS) {
		announce_forget(&agent->announce);
		fellows->stepped_back = 0;
		news = true;
	}
	return news;
}

/* True if one of the lines is that key. */
static bool has_key(const char *keys, const char *key)
{
	size_t len = strlen(key);

	for (; *keys; keys += strcspn(keys, "\n"), keys += *keys == '\n')
		if (!strncmp(keys, key, len) && (keys[len] == '\n' || !keys[len]))
			return true;
	return false;
}

static void say_unsure(struct agent_fellows *fellows)
{
	if (!fellows->unsure || fellows->said_unsure)
		return;
	cmd_complain("others here may be ranks of this job, and nothing tells: each is judged by "
		     "itself: start them by srun or mpirun, or with MASTER_ADDR and MASTER_PORT");
	fellows->said_unsure = true;
}

bool agent_fellows_may_say(struct agent *agent)
{
	struct agent_fellows *fellows = &agent->fellows;
	const struct jobs_entry *self;

	agent_fellows_list(agent);
	self = self_of(agent);
	if (!fellows->speaks) {
		announce_unsay(&agent->announce);
		return false;
	}
	for (size_t i = 0; self && i < fellows->jobs.nr; i++) {
		const struct jobs_entry *entry = &fellows->jobs.items[i];

		if (entry != self && fellows_are(entry, self) && entry->agent_alive &&
			agent->announce.seen && has_key(entry->keys, agent->announce.seen))
			return false;
	}
	say_unsure(fellows);
	return true;
}

void agent_fellows_options(const struct agent *agent, struct live_options *options)
{
	const struct agent_fellows *fellows = &agent->fellows;

	options->fellows = fellows->folders.items + 1;
	options->nfellows = fellows->folders.nr - 1;
	options->no_logs = agent->options.no_logs || fellows->no_logs;
	options->unprobed_of_fellows = &fellows->unprobed;
}

const char *agent_fellows_keys(struct agent *agent)
{
	announce_keys(&agent->announce, &agent->fellows.keys);
	return agent->fellows.keys.len ? agent->fellows.keys.text : NULL;
}

/* --- Ends ------------------------------------------------------------------------------------- */

void agent_fellows_await_look(const struct agent *agent, int64_t since, int64_t until)
{
	const struct timespec moment = {.tv_nsec = AWAIT_NS};
	const struct jobs_entry *self = self_of(agent), *speaker = NULL;

	if (self)
		speaker = fellows_speaker(&agent->fellows.jobs, self);
	while (speaker && speaker != self && clock_monotonic_ns() < until &&
		proc_is_alive(agent->fellows.speaker) &&
		jobs_read_told(speaker) < since - SIGNAL_APART_NS)
		nanosleep(&moment, NULL);
}

bool agent_fellows_are_over(struct agent *agent)
{
	const struct jobs_entry *self;

	agent_fellows_list(agent);
	self = self_of(agent);
	for (size_t i = 0; self && i < agent->fellows.jobs.nr; i++) {
		const struct jobs_entry *entry = &agent->fellows.jobs.items[i];

		if (entry != self && fellows_are(entry, self) &&
			(entry->exit_status != 0 || entry->ranks_alive))
			return false;
	}
	return true;
}

bool agent_fellows_had(const struct agent *agent, uint32_t pid)
{
	const struct jobs_entry *self = self_of(agent);

	for (size_t i = 0; self && i < agent->fellows.jobs.nr; i++) {
		const struct jobs_entry *entry = &agent->fellows.jobs.items[i];

		if (entry != self && fellows_are(entry, self) && entry->agent_pid == pid)
			return true;
	}
	return false;
}

void agent_fellows_remove(const struct agent *agent)
{
	const struct agent_fellow *fellow;

	array_for_each (&agent->fellows.all, fellow)
		jobdir_remove_folder(fellow->folder);
}

void agent_fellows_release(struct agent *agent)
{
	struct agent_fellows *fellows = &agent->fellows;

	forget_list(fellows);
	array_release(&fellows->all);
	array_release(&fellows->folders);
	evidence_release(&fellows->unprobed);
	str_release(&fellows->keys);
	free(fellows->verdict);
	free(fellows->bundle);
	free(fellows->status);
	free(fellows->pointed);
}
