/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/agent/agent-rally.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "cmd/agent/agent-keep.h"
#include "cmd/agent/agent-stacks.h"
#include "cmd/agent/agent.h"
#include "cmd/cmd.h"
#include "cmd/say.h"
#include "evidence/format/bundle.h"

/* Of the time that cards take, at most this part. */
#define COST_RATIO 20
#define PAUSE_NS   CLOCK_NS_PER_S
/* While a question is open. */
#define HASTE_NS (300 * CLOCK_NS_PER_MS)
/* A card that stands still for so long, and for five of its pauses, is dead. */
#define SILENT_NS (10 * CLOCK_NS_PER_S)
#define SILENT_PAUSES 5
/* Until all have answered; and until the question is asked again where nothing could be said. */
#define ANSWER_NS (10 * CLOCK_NS_PER_S)
#define AGAIN_NS  (4 * CLOCK_NS_PER_S)
#define AGAIN_MOST 4
/* How long others are given to come, before one who is alone speaks for himself. */
#define JOIN_NS (3 * CLOCK_NS_PER_S)
/* Storage that takes longer does not answer. */
#define STUCK_NS (60 * CLOCK_NS_PER_S)
#define SAVE_MS	 1000
#define END_NS	 (8 * CLOCK_NS_PER_S)
/* Of those behind the first nobody asks anything; some, as the first may be dead. */
#define FEW 4
#define CARDS_BYTES_MOST ((off_t)256 << 20)

/* --- Cards ------------------------------------------------------------------------------------ */

static bool lives(const struct rally_other *other, int64_t now)
{
	int64_t silent = SILENT_PAUSES * other->card.pause_ms * CLOCK_NS_PER_MS;

	if (other->card.pause_ms > 60000 || silent < SILENT_NS)
		silent = SILENT_NS;
	return !other->card.over && now - other->changed < silent;
}

static void forget_others(struct agent_rally *rally)
{
	struct rally_other *other;

	array_for_each (&rally->others, other)
		rally_card_release(&other->card);
	rally->others.nr = 0;
}

static struct rally_other *find_other(struct agent_rally *rally, const char *name)
{
	struct rally_other *other;

	array_for_each (&rally->others, other)
		if (!strcmp(other->card.name, name))
			return other;
	return NULL;
}

static void take_card(struct agent_rally *rally, struct rally_card *card, int64_t now)
{
	struct rally_other *other = find_other(rally, card->name);

	if (!other) {
		other = array_add(&rally->others);
		*other = (struct rally_other){.changed = now};
	} else {
		if (other->card.beat != card->beat || other->card.pid != card->pid)
			other->changed = now;
		/* Another agent counts anew. */
		if (other->card.pid != card->pid)
			other->heard = 0;
		rally_card_release(&other->card);
	}
	other->card = *card;
}

static int compare_others(const void *va, const void *vb)
{
	const struct rally_other *a = va, *b = vb;

	return strcmp(a->card.name, b->card.name);
}

static void adopt_keys(struct announce *announce, const char *keys)
{
	struct str key = {0};

	for (; *keys; keys += strcspn(keys, "\n"), keys += *keys == '\n') {
		str_cut(&key, 0);
		str_add_bytes(&key, keys, strcspn(keys, "\n"));
		announce_adopt(announce, str_text(&key));
	}
	str_release(&key);
}

/* True if that card says of us that what we have raised was judged. */
static bool says_heard(const struct rally_card *card, const struct rally_card *own)
{
	const struct rally_heard *heard;

	array_for_each (&card->heard, heard)
		if (!strcmp(heard->card, own->name) && heard->pid == own->pid &&
			heard->raised >= own->raised)
			return true;
	return false;
}

/* Who was first before us has said what stands, and of whom he had heard need not be heard again.
 */
static void become_first(struct agent_rally *rally)
{
	struct rally_other *other, *by;

	array_for_each (&rally->others, by) {
		adopt_keys(&rally->announce, by->card.keys);
		array_for_each (&rally->others, other)
			if (says_heard(&by->card, &other->card))
				other->heard = other->card.raised;
		if (says_heard(&by->card, &rally->own))
			rally->own_heard = rally->own.raised;
	}
}

static void find_first(struct agent_rally *rally, int64_t now)
{
	const struct rally_other *other;
	bool was = rally->first;

	rally->first = true;
	array_for_each (&rally->others, other)
		if (lives(other, now) && strcmp(other->card.name, rally->own.name) < 0)
			rally->first = false;
	if (rally->first && !was)
		become_first(rally);
	if (!rally->first)
		rally->own.asked = rally->asked_at = 0;
}

static void take_cards(struct agent *agent, int64_t now)
{
	struct agent_rally *rally = &agent->rally;
	struct stat about;
	char *bytes;

	if (fstat(rally->fd, &about) < 0 || about.st_size <= 0 || about.st_size > CARDS_BYTES_MOST)
		return;
	bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, rally->fd, 0);
	if (bytes == MAP_FAILED)
		return;
	for (const char *at = bytes, *end = bytes + about.st_size, *next; at < end; at = next) {
		const char *line = memchr(at, '\n', (size_t)(end - at));
		struct rally_card card;

		next = line ? line + 1 : end;
		if (!rally_card_parse(at, (size_t)(next - at), &card))
			continue;
		if (strcmp(card.name, rally->own.name)) {
			take_card(rally, &card, now);
			continue;
		}
		/* Of a fellow who spoke here before us. */
		if (card.pid != rally->own.pid)
			adopt_keys(&rally->announce, card.keys);
		rally_card_release(&card);
	}
	munmap(bytes, (size_t)about.st_size);
	array_sort(&rally->others, compare_others);
}

/* --- The helper ------------------------------------------------------------------------------- */

struct errand {
	const char *folder;
	const struct rally_card *card;
	size_t most;
};

/* Read first: what a fellow has left on our card is not lost. */
static void run_errand(int out, void *arg)
{
	const struct errand *errand = arg;
	struct str lines = {0};

	rally_read(errand->folder, errand->most, &lines, NULL);
	rally_write(errand->folder, errand->card, NULL);
	for (size_t at = 0; at < lines.len;) {
		ssize_t put = write(out, lines.text + at, lines.len - at);

		if (put <= 0)
			return;
		at += (size_t)put;
	}
}

static size_t how_many(const struct agent_rally *rally, int64_t now)
{
	const struct rally_other *other;
	size_t at = 0;

	if (rally->first || rally->ending)
		return RALLY_CARDS_MOST;
	array_for_each (&rally->others, other)
		if (at++ < FEW && lives(other, now))
			return FEW;
	return RALLY_CARDS_MOST;
}

static void begin_errand(struct agent *agent, int64_t now)
{
	struct agent_rally *rally = &agent->rally;
	struct errand errand;

	rally->own.beat++;
	rally->own.pause_ms = rally->pause / CLOCK_NS_PER_MS;
	errand = (struct errand){str_text(&rally->folder), &rally->own, how_many(rally, now)};
	rally->fd = memfd_create("inquest-rally", MFD_CLOEXEC);
	if (rally->fd < 0)
		return;
	if (helper_start_into(&rally->helper, rally->fd, run_errand, &errand) < 0)
		close(rally->fd);
}

/* True once it has come back. */
static bool end_errand(struct agent *agent, int64_t now)
{
	struct agent_rally *rally = &agent->rally;
	int64_t begun = rally->helper.begun;

	if (!rally->helper.pid || !helper_is_over(&rally->helper, STUCK_NS, NULL, NULL))
		return false;
	take_cards(agent, now);
	close(rally->fd);
	find_first(rally, now);
	rally->pause = (now - begun) * COST_RATIO;
	if (rally->pause < PAUSE_NS)
		rally->pause = PAUSE_NS;
	if (rally->pause > 10 * CLOCK_NS_PER_S)
		rally->pause = 10 * CLOCK_NS_PER_S;
	rally->due = now + rally->pause;
	return true;
}

/* --- Joining ---------------------------------------------------------------------------------- */

static bool is_of_several_nodes(void)
{
	const char *nodes = getenv("SLURM_STEP_NUM_NODES");

	return nodes && atoi(nodes) > 1;
}

void agent_rally_see(struct agent *agent, const struct job *job)
{
	const struct job_coverage *coverage = &job->coverage;

	agent->rally.wanted = agent->rally.wanted || is_of_several_nodes() ||
		(coverage->hosts.n != JOB_NONE && coverage->hosts.n > (int)coverage->hosts_seen) ||
		(coverage->ranks_seen && coverage->ranks.n != JOB_NONE &&
			coverage->ranks.n > (int)coverage->ranks_seen);
}

static void join(struct agent *agent, int64_t now)
{
	struct agent_rally *rally = &agent->rally;
	struct str name = {0}, jobs = {0};
	char host[65] = "";

	if (!rally_folder(agent->options.output, &agent->fellows.own, &rally->folder))
		return;
	str_add_bytes(&jobs, agent->dir->path.text,
		(size_t)(agent->dir->id - agent->dir->path.text));
	rally_card_name(str_text(&jobs), &name);
	gethostname(host, sizeof(host) - 1);
	rally->own = (struct rally_card){.name = str_detach(&name),
		.host = alloc_text(host),
		.pid = (uint32_t)getpid(),
		/* Never one that was on the card before. */
		.beat = clock_realtime_ns(),
		.bundle = alloc_text(""),
		.keys = alloc_text(""),
		.verdict = alloc_text("")};
	rally->pause = PAUSE_NS;
	rally->joined = now;
	/* What a fellow raised before us may not have been heard. */
	rally->own.raised = agent->announce.said.nr > 0;
	str_release(&jobs);
}

static bool is_alone(const struct agent_rally *rally, int64_t now)
{
	const struct rally_other *other;

	array_for_each (&rally->others, other)
		if (lives(other, now) || other->card.raised)
			return false;
	return true;
}

bool agent_rally_takes(struct agent *agent)
{
	struct agent_rally *rally = &agent->rally;
	int64_t now = clock_monotonic_ns();

	if (!rally->joined || (is_alone(rally, now) && now - rally->joined > JOIN_NS))
		return false;
	rally->own.raised++;
	rally->due = 0;
	return true;
}

/* --- Answering -------------------------------------------------------------------------------- */

static void replace(char **held, const char *text)
{
	free(*held);
	*held = alloc_text(text);
}

static void name_bundle(struct agent *agent)
{
	const char *path = str_text(&agent->bundle), *slash = strrchr(path, '/');

	replace(&agent->rally.own.bundle, slash ? slash + 1 : path);
}

/* A bundle of now, with stacks, in the output folder. */
static void answer(struct agent *agent, int64_t question)
{
	const int64_t begun = clock_monotonic_ns();
	struct look look = {0};

	if (agent->saver.helper.pid)
		agent_keep_news(agent, SAVE_MS);
	if (agent_gather(agent, &look) == 0) {
		agent_take_stacks(agent, &look);
		agent_keep_bundle(agent, &look, SAVE_MS);
	}
	look_release(&look);
	if (agent->bundled < begun)
		return;
	name_bundle(agent);
	agent->rally.own.answered = question;
	agent->rally.due = 0;
}

static const struct rally_card *who_asks(const struct agent_rally *rally, int64_t now)
{
	const struct rally_other *other;

	if (rally->first)
		return rally->asked_at ? &rally->own : NULL;
	array_for_each (&rally->others, other)
		if (lives(other, now))
			return other->card.asked ? &other->card : NULL;
	return NULL;
}

/* --- Asking ----------------------------------------------------------------------------------- */

static bool has_news(const struct agent_rally *rally)
{
	const struct rally_other *other;
	bool news = rally->own.raised > rally->own_heard;

	array_for_each (&rally->others, other)
		news = news || other->card.raised > other->heard;
	return news;
}

static void ask(struct agent_rally *rally, int64_t now)
{
	struct rally_other *other;
	uint64_t number = 0;

	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != sizeof(number))
		number = (uint64_t)clock_realtime_ns();
	rally->own.asked = (int64_t)(number >> 2 | 1);
	rally->asked_at = now;
	rally->ask_again = 0;
	rally->due = 0;
	rally->own_heard = rally->own.raised;
	array_for_each (&rally->others, other)
		other->heard = other->card.raised;
}

/* Who is over has left the bundle that he had. */
static bool has_answered(const struct agent_rally *rally, const struct rally_card *card)
{
	return card->answered == rally->own.asked || (card->over && *card->bundle);
}

static bool have_all_answered(const struct agent_rally *rally, int64_t now)
{
	const struct rally_other *other;

	if (rally->own.answered != rally->own.asked)
		return false;
	array_for_each (&rally->others, other)
		if (lives(other, now) && !has_answered(rally, &other->card))
			return false;
	return true;
}

/* In the helper: what cannot be read is missing. */
static void read_part(const char *out, const char *name, struct evidence *into)
{
	struct str bytes = {0};
	int fd = rally_open_bundle(out, name);

	if (fd < 0)
		return;
	if (file_drain(fd, BUNDLE_EXHIBIT_CAP, 0, &bytes) == 0 && bytes.len)
		bundle_unpack(bytes.text, bytes.len, into, NULL);
	close(fd);
	str_release(&bytes);
}

static void read_parts(const void *what, struct evidence *into)
{
	const struct agent *agent = what;
	const struct agent_rally *rally = &agent->rally;
	const struct rally_other *other;

	read_part(agent->options.output, rally->own.bundle, into);
	array_for_each (&rally->others, other)
		if (has_answered(rally, &other->card) && *other->card.bundle)
			read_part(agent->options.output, other->card.bundle, into);
}

/* --- Judging ---------------------------------------------------------------------------------- */

static void note_heard(struct agent_rally *rally)
{
	struct rally_card *own = &rally->own;
	const struct rally_other *other;
	struct rally_heard *heard;

	array_for_each (&own->heard, heard)
		free(heard->card);
	own->heard.nr = 0;
	array_for_each (&rally->others, other)
		if (other->heard)
			*array_add(&own->heard) = (struct rally_heard){
				alloc_text(other->card.name), other->card.pid, other->heard};
}

/* The files of all nodes, as one would give them to diagnose. */
static void point(const struct agent *agent)
{
	const struct agent_rally *rally = &agent->rally;
	const struct rally_other *other;
	struct str files = {0};
	size_t nr = 1;

	str_add(&files, str_text(&agent->bundle));
	array_for_each (&rally->others, other)
		if (*other->card.bundle && has_answered(rally, &other->card) && nr++ < 8)
			str_printf(&files, " %s/%s", agent->options.output, other->card.bundle);
	if (nr > 8)
		cmd_complain("bundles of %zu nodes: inquest diagnose %s", nr,
			agent->options.output);
	else if (nr > 1)
		cmd_complain("bundles of %zu nodes: inquest diagnose %s", nr, str_text(&files));
	str_release(&files);
}

static void say_whole(struct agent *agent, const struct look *look)
{
	struct agent_rally *rally = &agent->rally;
	struct str keys = {0};

	agent_say_look(agent, look);
	point(agent);
	announce_keys(&rally->announce, &keys);
	replace(&rally->own.keys, str_text(&keys));
	replace(&rally->own.verdict, agent->headline);
	str_release(&keys);
}

static void ask_again_later(struct agent_rally *rally, int64_t now)
{
	if (++rally->again <= AGAIN_MOST)
		rally->ask_again = now + AGAIN_NS;
}

/* At the end of a job there will be no other look. */
static enum announce_news take(struct agent *agent, const struct look *look, int64_t now)
{
	struct announce *announce = &agent->rally.announce;

	if (agent->rally.ending)
		return announce_take_last(announce, look->verdicts);
	return announce_take(announce, look->verdicts, now, agent->options.hang_after);
}

static void judge(struct agent *agent, int64_t now)
{
	struct agent_rally *rally = &agent->rally;
	struct look look = {0};

	if (!gatherer_fetch(&rally->parts, &look.evidence))
		return;
	rally->reading = false;
	rally->asked_at = rally->own.asked = 0;
	look_judge(&look);
	switch (take(agent, &look, now)) {
	case ANNOUNCE_SAY:
		agent->bundle_wanted = true;
		say_whole(agent, &look);
		rally->again = 0;
		break;
	case ANNOUNCE_STILL:
		if (!rally->announce.stands || rally->announce.fine_looks)
			ask_again_later(rally, now);
		break;
	case ANNOUNCE_NOTHING:
		ask_again_later(rally, now);
		break;
	case ANNOUNCE_RESOLVED:
		cmd_complain("the job moves again: what was said above is over");
		replace(&rally->own.keys, "");
		replace(&rally->own.verdict, "");
		break;
	}
	note_heard(rally);
	rally->due = 0;
	look_release(&look);
}

static void lead(struct agent *agent, int64_t now)
{
	struct agent_rally *rally = &agent->rally;

	if (rally->reading) {
		judge(agent, now);
	} else if (rally->asked_at) {
		if (have_all_answered(rally, now) || now - rally->asked_at > ANSWER_NS)
			rally->reading = gatherer_begin(&rally->parts, read_parts, agent);
	} else if (has_news(rally)) {
		rally->again = 0;
		ask(rally, now);
	} else if (rally->ask_again && now > rally->ask_again) {
		ask(rally, now);
	}
}

/* --- Turns ------------------------------------------------------------------------------------ */

static bool is_hasty(const struct agent_rally *rally)
{
	return rally->asked_at || rally->reading || rally->ending ||
		rally->own.raised > rally->own_heard;
}

/* Another one has judged what we raised; and what is kept of it is to stay. */
static void hear(struct agent *agent)
{
	struct agent_rally *rally = &agent->rally;
	const struct rally_other *other;

	array_for_each (&rally->others, other) {
		if (says_heard(&other->card, &rally->own))
			rally->own_heard = rally->own.raised;
		agent->bundle_wanted |= *other->card.keys && rally->own.answered;
	}
}

void agent_rally_turn(struct agent *agent, int64_t now)
{
	struct agent_rally *rally = &agent->rally;
	const struct rally_card *asks;

	if (!agent->fellows.speaks)
		return;
	rally->wanted = rally->wanted || is_of_several_nodes();
	if (rally->wanted && !rally->joined)
		join(agent, now);
	if (!rally->joined)
		return;
	if (end_errand(agent, now) && !rally->first)
		hear(agent);
	if (is_hasty(rally) && rally->due > now + HASTE_NS)
		rally->due = now + HASTE_NS;
	asks = who_asks(rally, now);
	if (asks && rally->own.answered != asks->asked && !rally->ending)
		answer(agent, asks->asked);
	else if (asks == &rally->own && rally->ending)
		rally->own.answered = rally->own.asked;
	if (rally->first)
		lead(agent, now);
	if (now >= rally->due && !rally->helper.pid)
		begin_errand(agent, now);
}

int64_t agent_rally_due(const struct agent *agent)
{
	const struct agent_rally *rally = &agent->rally;

	if (!rally->joined || !agent->fellows.speaks)
		return INT64_MAX;
	return rally->helper.pid || rally->reading ? 0 : rally->due;
}

static bool is_all_over(const struct agent_rally *rally, int64_t now)
{
	const struct rally_other *other;

	array_for_each (&rally->others, other)
		if (lives(other, now))
			return false;
	return true;
}

/* Has what we have to say or to judge come through? */
static bool is_done(const struct agent_rally *rally)
{
	if (rally->first)
		return !has_news(rally) && !rally->asked_at && !rally->reading;
	return rally->own.raised <= rally->own_heard;
}

/* One more reading and writing, and what it leads to. */
static void turn_once(struct agent *agent, int64_t until)
{
	const struct timespec moment = {.tv_nsec = 10 * CLOCK_NS_PER_MS};
	struct agent_rally *rally = &agent->rally;
	int64_t beat = rally->own.beat;

	rally->due = 0;
	do {
		agent_rally_turn(agent, clock_monotonic_ns());
		nanosleep(&moment, NULL);
	} while ((rally->own.beat == beat || rally->helper.pid) && clock_monotonic_ns() < until);
}

void agent_rally_end(struct agent *agent)
{
	struct agent_rally *rally = &agent->rally;
	int64_t until = clock_monotonic_ns() + END_NS;

	if (!rally->joined || !agent->fellows.speaks)
		return;
	rally->ending = true;
	name_bundle(agent);
	do
		turn_once(agent, until);
	while (!is_done(rally) && clock_monotonic_ns() < until);
	if (!is_done(rally) && agent->headline)
		cmd_complain("nobody judged it with the other nodes; on this one: %s; saved %s",
			agent->headline, str_text(&agent->bundle));
	rally->own.over = true;
	rally->own.asked = 0;
	turn_once(agent, until + CLOCK_NS_PER_S);
	if (is_all_over(rally, clock_monotonic_ns()))
		rally_remove(str_text(&rally->folder));
}

void agent_rally_release(struct agent *agent)
{
	struct agent_rally *rally = &agent->rally;

	if (rally->helper.pid) {
		helper_end(&rally->helper);
		close(rally->fd);
	}
	gatherer_end(&rally->parts);
	forget_others(rally);
	array_release(&rally->others);
	rally_card_release(&rally->own);
	announce_release(&rally->announce);
	str_release(&rally->folder);
}
