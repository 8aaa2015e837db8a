/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/agent/agent-rally.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/meter.h"
#include "cmd/agent/agent-cards.h"
#include "cmd/agent/agent-keep.h"
#include "cmd/agent/agent-parts.h"
#include "cmd/agent/agent-stacks.h"
#include "cmd/agent/agent.h"
#include "cmd/cmd.h"

/* The longest time between two readings while a question is open. */
#define HASTE_NS (300 * CLOCK_NS_PER_MS)
/*
 * How long is waited until all that live have answered; until ranks come of which nothing was seen,
 * where some hosts have come; and the same where none has. Agents that see the same job stand still
 * come at about the same time.
 */
#define ANSWER_NS (20 * CLOCK_NS_PER_S)
#define COME_NS   (6 * CLOCK_NS_PER_S)
#define ALONE_NS  (3 * CLOCK_NS_PER_S)
#define LOOK_NS   CLOCK_NS_PER_S
/* How long until the question is asked again, if nothing could be told; and how often. */
#define AGAIN_NS   (4 * CLOCK_NS_PER_S)
#define AGAIN_MOST 4
/* How long is waited at the end for a card that was found there and may be of a dead agent. */
#define FOUND_NS   (5 * CLOCK_NS_PER_S)
#define MOMENT_NS  (20 * CLOCK_NS_PER_MS)
/* How long until an answer that could not be kept is tried again. */
#define RETRY_NS CLOCK_NS_PER_S
/* Storage that keeps a helper for longer does not answer. */
#define STUCK_NS  (6 * CLOCK_NS_PER_S)
#define LAST_NS   (2 * CLOCK_NS_PER_S)
#define REMOVE_NS (500 * CLOCK_NS_PER_MS)
/* Our card is written every 10 s at least: others see us if it was within this time. */
#define MET_NS     (25 * CLOCK_NS_PER_S)

/* --- Joining ---------------------------------------------------------------------------------- */

bool agent_rally_is_told(void)
{
	const char *nodes = getenv("SLURM_STEP_NUM_NODES");

	return nodes && atoi(nodes) > 1;
}

/*
 * Notes which ranks live on this host. An elastic job that grows or shrinks numbers its ranks anew;
 * those from before are dead, and elsewhere by now.
 */
static void note_ranks(struct agent_rally *rally, const struct job *job)
{
	struct rally_card *own = &rally->own;
	size_t before = own->ranks.nr, nr = 0;
	bool same = own->attempt == job->attempt;

	if (!rally->wanted)
		return;
	job_for_each_rank(job, rank) {
		const struct job_rank *one = job_rank(job, rank);

		if (one->process == JOB_NONE || !one->named_by_env || one->numberless ||
			job->processes[one->process].end != JOB_ALIVE)
			continue;
		if (nr == own->ranks.nr)
			*array_add(&own->ranks) = one->world_rank.n;
		same = same && own->ranks.items[nr] == one->world_rank.n;
		own->ranks.items[nr++] = one->world_rank.n;
	}
	own->ranks.nr = nr;
	if (!same || nr != before)
		rally->due = 0;
	own->attempt = job->attempt;
}

void agent_rally_see(struct agent *agent, const struct job *job)
{
	const struct job_coverage *coverage = &job->coverage;

	agent->rally.wanted =
		agent->rally.wanted || agent_rally_is_told() ||
		(coverage->hosts.n != JOB_NONE && coverage->hosts.n > (int)coverage->hosts_seen) ||
		(coverage->ranks_seen && coverage->ranks.n != JOB_NONE &&
			coverage->ranks.n > (int)coverage->ranks_seen);
	note_ranks(&agent->rally, job);
}

/* Begins to meet other hosts, if the job has a name that they know. */
static void join(struct agent *agent, int64_t now)
{
	struct agent_rally *rally = &agent->rally;
	struct str name = {0}, jobs = {0};
	char host[65] = "";

	if (!rally_folder(
		    agent->options.output, &agent->fellows.own, rally->apart, &rally->folder))
		return;
	str_add_bytes(
		&jobs, agent->dir->path.text, (size_t)(agent->dir->id - agent->dir->path.text));
	rally_card_name(str_text(&jobs), agent->fellows.own.master, &name);
	gethostname(host, sizeof(host) - 1);
	rally->own = (struct rally_card){.name = str_detach(&name),
		.born = clock_realtime_ns(),
		.launched = agent->dir->launched,
		.host = alloc_text(host),
		.attempt = rally->own.attempt,
		.ranks = {rally->own.ranks.items, rally->own.ranks.nr, rally->own.ranks.room},
		.pid = (uint32_t)getpid(),
		/* a beat that was never on the card before */
		.beat = clock_realtime_ns(),
		.bundle = alloc_text(""),
		.keys = alloc_text(""),
		.verdict = alloc_text("")};
	rally->named = !*agent->fellows.own.step;
	rally->pause = AGENT_CARDS_PAUSE_NS;
	rally->joined = now;
	/* What a fellow raised before us may not have been heard. */
	rally->own.raised = agent->announce.said.nr > 0;
	str_release(&jobs);
}

static void replace(char **held, const char *text)
{
	free(*held);
	*held = alloc_text(text);
}

/* Puts the name of our last bundle on our card. */
static void name_bundle(struct agent *agent)
{
	const char *path = str_text(&agent->bundle), *slash = strrchr(path, '/');

	replace(&agent->rally.own.bundle, slash ? slash + 1 : path);
}

/* True if the helper has been at work for longer than `most`. */
static bool is_stuck(const struct agent_rally *rally, int64_t now, int64_t most)
{
	return rally->helper.pid && now - rally->helper.begun > most;
}

/*
 * True if others can read what we write. If the folder cannot be written, or stalls, each host
 * speaks for itself.
 */
static bool is_met(const struct agent_rally *rally, int64_t now)
{
	return rally->joined && !rally->alone && rally->met && now - rally->met < MET_NS &&
	       !is_stuck(rally, now, STUCK_NS);
}

/* True while it is not known yet whether others can read it: a rank may die before that. */
static bool is_new(const struct agent_rally *rally, int64_t now)
{
	return rally->joined && !rally->alone && !rally->has_read && now - rally->joined < STUCK_NS;
}

bool agent_rally_takes(struct agent *agent)
{
	struct agent_rally *rally = &agent->rally;
	int64_t now = clock_monotonic_ns();

	if (rally->wanted && !rally->joined)
		join(agent, now);
	if (!is_met(rally, now) && !is_new(rally, now))
		return false;
	rally->own.raised++;
	rally->unsaid = true;
	rally->due = 0;
	name_bundle(agent);
	return true;
}

/*
 * Parts from another job that has our name. By the address of rank 0 each goes on in a folder of
 * its own, if all of them have one; else each host speaks for itself. The card that says so stays
 * for others to read.
 */
static void part(struct agent *agent, int64_t now)
{
	struct agent_rally *rally = &agent->rally;
	struct rally_card *own = &rally->own;
	bool told = own->clash;
	struct str folder = {0};

	own->clash = true;
	agent_cards_unask(rally);
	rally->due = 0;
	if (rally->apart || !rally_folder(agent->options.output, &agent->fellows.own, true,
				    &folder)) {
		if (!rally->alone)
			cmd_complain("two jobs of one name meet in %s: each host is judged by "
				     "itself: give each job a -o or a --rdzv-id of its own",
				agent->options.output);
		rally->alone = true;
	} else if (told) {
		rally->apart = true;
		agent_cards_leave(rally);
		str_add(&rally->left, rally->folder.text);
		str_cut(&rally->folder, 0);
		str_add(&rally->folder, folder.text);
		own->clash = false;
		rally->joined = now;
	}
	str_release(&folder);
}

/* --- Answering -------------------------------------------------------------------------------- */

/* Puts on our card that the question is answered. */
static void have_answer(struct agent *agent, int64_t question)
{
	name_bundle(agent);
	agent->rally.own.answered = question;
	agent->rally.answering = 0;
	agent->rally.due = 0;
}

/* Begins to keep a bundle of now, with stacks, in the output folder. */
static void begin_answer(struct agent *agent, int64_t question, int64_t now)
{
	struct look look = {0};

	agent->rally.answer_begun = now;
	agent->rally.answering = question;
	if (agent_gather(agent, &look) == 0) {
		agent_add_stacks(agent, &look);
		agent_keep_bundle(agent, &look, 0);
	}
	look_release(&look);
}

/* Answers the question, step by step: writing takes as long as it takes, and nobody waits here. */
static void answer(struct agent *agent, int64_t question, int64_t now)
{
	struct agent_rally *rally = &agent->rally;

	/*
	 * The job was told to end, and its ranks die of that: what was kept before is the answer.
	 */
	if (agent->bundle.len && (rally->ending || now < agent->quiet_until)) {
		have_answer(agent, question);
		return;
	}
	if (rally->ending || agent->saver.helper.pid)
		return;
	if (rally->answering == question && agent->bundled >= rally->answer_begun)
		have_answer(agent, question);
	else if (!rally->answer_begun || now - rally->answer_begun >= RETRY_NS ||
		 rally->answering != question)
		begin_answer(agent, question, now);
}

/* Returns the card of the host that asks, ours if that is us; NULL: none does. */
static const struct rally_card *who_asks(const struct agent_rally *rally, int64_t now)
{
	const struct rally_other *other;

	if (rally->first)
		return rally->asked_at ? &rally->own : NULL;
	array_for_each (&rally->others, other)
		if (agent_card_lives(other, now) && !other->rival)
			return other->card.asked ? &other->card : NULL;
	return NULL;
}

/* --- Asking ----------------------------------------------------------------------------------- */

/* True if a host has raised something that is not heard yet. */
static bool has_news(const struct agent_rally *rally)
{
	const struct rally_other *other;
	int64_t now = clock_monotonic_ns();
	bool news = rally->own.raised > rally->own_heard;

	array_for_each (&rally->others, other)
		news = news || (other->lived && other->card.raised > other->heard &&
				       agent_card_is_ours(rally, other, now));
	return news;
}

/* Asks a new question of all hosts. */
static void ask(struct agent_rally *rally, int64_t now)
{
	struct rally_other *other;
	uint64_t number = 0;

	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != sizeof(number))
		number = (uint64_t)clock_realtime_ns();
	rally->own.asked = (int64_t)(number >> 2 | 1);
	rally->asked_at = now;
	rally->ask_again = rally->look_at = 0;
	rally->due = 0;
	rally->own_heard = rally->own.raised;
	array_for_each (&rally->others, other)
		if (agent_card_is_ours(rally, other, now))
			other->heard = other->card.raised;
	agent_cards_adopt(rally, now);
}

/*
 * True if cards that we found were seen to move, or are dead: hosts before us may have told it
 * already.
 */
static bool is_settled(const struct agent_rally *rally, int64_t now)
{
	const struct rally_other *other;

	array_for_each (&rally->others, other)
		if (!other->lived && agent_card_lives(other, now))
			return rally->ending;
	return true;
}

/* True if all hosts that live have answered. */
static bool have_all_answered(const struct agent_rally *rally, int64_t now)
{
	const struct rally_other *other;

	if (rally->own.answered != rally->own.asked)
		return false;
	array_for_each (&rally->others, other)
		if (agent_card_lives(other, now) && agent_card_is_ours(rally, other, now) &&
			!agent_parts_answered(rally, other, now) &&
			!(rally->ending && !other->lived && now - rally->asked_at > FOUND_NS))
			return false;
	return true;
}

/* --- Judging ---------------------------------------------------------------------------------- */

/* Tells a verdict about the whole job. */
static void say_whole(struct agent *agent, const struct look *look)
{
	agent_say(agent, look);
	agent_parts_point(agent);
	replace(&agent->rally.own.verdict, agent->headline);
}

static void ask_again_later(struct agent_rally *rally, int64_t now)
{
	if (++rally->again <= AGAIN_MOST)
		rally->ask_again = now + AGAIN_NS;
}

/*
 * Takes in the verdicts about the whole. At the end of a job there will be no other look. A job
 * that was told to end dies host by host, and what that looks like is no news of what stood before.
 */
static enum announce_news take(struct agent *agent, const struct look *look, int64_t now)
{
	struct announce *announce = &agent->rally.announce;

	if (now < agent->quiet_until && announce->stands && !announce->unexplained)
		return ANNOUNCE_STILL;
	if (agent->rally.ending)
		return announce_take_last(announce, look->verdicts);
	return announce_take(announce, look->verdicts, now, agent->options.hang_after);
}

/* True if some ranks or hosts have not come yet, and still may. */
static bool is_early(const struct agent_rally *rally, const struct job *job, int64_t now)
{
	const struct job_coverage *coverage = &job->coverage;
	bool lacks =
		(coverage->ranks.n != JOB_NONE && coverage->ranks.n > (int)coverage->ranks_seen) ||
		(coverage->hosts.n != JOB_NONE && coverage->hosts.n > (int)coverage->hosts_seen);

	return lacks && !rally->ending &&
	       now - rally->asked_at < (rally->others.nr ? COME_NS : ALONE_NS);
}

/*
 * Tells findings as this host sees them, since hosts that they were raised for cannot be met after
 * all.
 */
static void speak_alone(struct agent *agent)
{
	struct agent_rally *rally = &agent->rally;
	struct look look = {0};

	rally->own_heard = rally->own.raised;
	rally->unsaid = false;
	if (agent->announce.stands && agent_gather(agent, &look) == 0) {
		agent_stacks_add(&agent->stacks, &look);
		if (announce_blames(look.verdicts) || announce_tells(look.verdicts))
			agent_say(agent, &look);
	}
	look_release(&look);
}

/* Says why nothing can be told of all hosts, and what this host sees. */
static void say_too_much(struct agent *agent, size_t refused)
{
	cmd_complain("not judged over all nodes: %zu things that they left: " METER_REFUSED,
		refused);
	agent_parts_point(agent);
	if (agent->rally.unsaid)
		speak_alone(agent);
}

/* True if what took so long in the helper can be done once more in time. */
static bool is_in_time(const struct agent_rally *rally, int64_t now)
{
	return !rally->ending || now + (now - rally->parts.helper.begun) < rally->until + LAST_NS;
}

/* Does what the verdicts about the whole job ask for. */
static void announce(struct agent *agent, struct look *look, int64_t now)
{
	struct agent_rally *rally = &agent->rally;
	size_t refused;

	switch (take(agent, look, now)) {
	case ANNOUNCE_SAY:
		agent->bundle_wanted = true;
		say_whole(agent, look);
		rally->again = 0;
		break;
	case ANNOUNCE_STILL:
		if (!rally->announce.stands || rally->announce.fine_looks ||
			announce_waits(&rally->announce))
			ask_again_later(rally, now);
		break;
	case ANNOUNCE_NOTHING:
		refused = agent_parts_refused(&look->evidence);
		if (refused)
			say_too_much(agent, refused);
		else if (rally->unsaid && !agent->bundle.len)
			speak_alone(agent); /* no bundle of ours could be kept, nor judged */
		else
			ask_again_later(rally, now);
		break;
	case ANNOUNCE_RESOLVED:
		cmd_complain("the job moves again: what was said above is over");
		replace(&rally->own.verdict, "");
		break;
	}
}

/* Judges over all answers, once they are read. */
static void judge(struct agent *agent, int64_t now)
{
	struct agent_rally *rally = &agent->rally;
	struct meter meter = {.most = agent->options.max_memory};
	struct look look = {.evidence.meter = &meter};

	if (!gatherer_fetch(&rally->parts, &look.evidence))
		return;
	rally->reading = false;
	if (!is_in_time(rally, now)) {
		rally->look_at = INT64_MAX;
		look_release(&look);
		return;
	}
	look_judge(&look);
	if (is_early(rally, look.job, now)) {
		rally->look_at = now + LOOK_NS;
		look_release(&look);
		return;
	}
	announce(agent, &look, now);
	rally->unsaid = false;
	rally->asked_at = rally->own.asked = 0;
	agent_cards_tell(rally);
	look_release(&look);
}

/* Does what the first host does: judges, reads answers, or asks. */
static void lead(struct agent *agent, int64_t now)
{
	struct agent_rally *rally = &agent->rally;

	if (rally->reading) {
		judge(agent, now);
	} else if (rally->asked_at) {
		if (now >= rally->look_at &&
			(have_all_answered(rally, now) || now - rally->asked_at > ANSWER_NS))
			rally->reading = gatherer_begin(
				&rally->parts, agent_parts_read, agent);
	} else if (has_news(rally) && is_settled(rally, now)) {
		rally->again = 0;
		ask(rally, now);
	} else if (rally->ask_again && now > rally->ask_again) {
		ask(rally, now);
	}
}

/* --- Turns ------------------------------------------------------------------------------------ */

/* True if others wait for us, or we for them. */
static bool is_hasty(const struct agent_rally *rally)
{
	return rally->asked_at || rally->reading || rally->ending ||
	       rally->own.raised > rally->own_heard;
}

/* Hears what the first host has judged of what we raised; the bundle of that must stay. */
static void hear(struct agent *agent)
{
	struct agent_rally *rally = &agent->rally;
	const struct rally_other *other;

	array_for_each (&rally->others, other) {
		if (other->rival)
			continue;
		if (agent_card_says_heard(&other->card, &rally->own)) {
			rally->own_heard = rally->own.raised;
			rally->unsaid = false;
		}
		agent->bundle_wanted |= *other->card.keys && rally->own.answered;
	}
}

/*
 * Rests, since another agent of this host writes our card: should we speak again, the card has what
 * stands then.
 */
static void rest(struct agent_rally *rally, int64_t now)
{
	if (!rally->joined)
		return;
	agent_cards_unask(rally);
	agent_cards_leave(rally);
	announce_forget(&rally->announce);
	rally->joined = now;
	rally->answering = rally->due = 0;
}

void agent_rally_turn(struct agent *agent, int64_t now)
{
	struct agent_rally *rally = &agent->rally;
	const struct rally_card *asks;

	if (!agent->fellows.speaks) {
		rest(rally, now);
		return;
	}
	rally->wanted = rally->wanted || agent_rally_is_told();
	if (rally->wanted && !rally->joined)
		join(agent, now);
	if (!rally->joined)
		return;
	if (agent_cards_end(agent, now)) {
		if (!rally->first)
			hear(agent);
		if (!rally->alone && !rally->ending && agent_cards_clash(rally, now))
			part(agent, now);
	}
	if (!is_met(rally, now) && !is_new(rally, now) && !rally->ending &&
		rally->unsaid)
		speak_alone(agent);
	if (is_hasty(rally) && rally->due > now + HASTE_NS)
		rally->due = now + HASTE_NS;
	asks = is_met(rally, now) ? who_asks(rally, now) : NULL;
	if (asks && rally->own.answered != asks->asked)
		answer(agent, asks->asked, now);
	else
		rally->answering = 0;
	if (rally->first && is_met(rally, now) && !rally->overlap)
		lead(agent, now);
	if (now >= rally->due && !rally->helper.pid)
		agent_cards_begin(rally, now);
}

int64_t agent_rally_due(const struct agent *agent, int64_t now)
{
	const struct agent_rally *rally = &agent->rally;

	if (!rally->joined || !agent->fellows.speaks)
		return INT64_MAX;
	/* Seldom, if storage does not answer. */
	if (is_stuck(rally, now, CLOCK_NS_PER_S))
		return now + HASTE_NS;
	return rally->helper.pid || rally->reading || rally->answering ? now + MOMENT_NS
								       : rally->due;
}

static bool is_all_over(const struct agent_rally *rally, int64_t now)
{
	const struct rally_other *other;

	array_for_each (&rally->others, other)
		if (agent_card_lives(other, now))
			return false;
	return true;
}

/* True if what we have to tell or to judge has come through. */
static bool is_done(const struct agent_rally *rally)
{
	if (rally->first)
		return !has_news(rally) && !rally->asked_at && !rally->reading;
	return rally->own.raised <= rally->own_heard;
}

/*
 * Reads and writes once more, and does what follows from that. Storage that does not answer is
 * left.
 */
static void turn_once(struct agent *agent, int64_t until)
{
	const struct timespec moment = {.tv_nsec = 10 * CLOCK_NS_PER_MS};
	struct agent_rally *rally = &agent->rally;
	int64_t beat = rally->own.beat, now;

	rally->due = 0;
	do {
		agent_keep_news(agent, 0);
		agent_rally_turn(agent, clock_monotonic_ns());
		nanosleep(&moment, NULL);
		now = clock_monotonic_ns();
	} while ((rally->own.beat == beat || rally->helper.pid) && now < until &&
		 !is_stuck(rally, now, LAST_NS));
}

/*
 * Tells findings that nobody judged with the others'; if a host that could see us has told some of
 * them, in one line.
 */
static void leave_unjudged(struct agent *agent)
{
	bool met = is_met(&agent->rally, clock_monotonic_ns()), said = false;
	const struct rally_other *other;

	array_for_each (&agent->rally.others, other)
		said = said || (met && other->lived && *other->card.keys);
	if (!agent->headline)
		return;
	if (said)
		cmd_complain("nobody judged it with the other nodes; on this one: %s; saved %s",
			agent->headline, str_text(&agent->bundle));
	else
		speak_alone(agent);
	if (agent->rally.asked_at)
		agent_parts_point(agent);
}

void agent_rally_end(struct agent *agent, int64_t until)
{
	struct agent_rally *rally = &agent->rally;

	if (!rally->joined || !agent->fellows.speaks)
		return;
	rally->ending = true;
	rally->until = until;
	/* The reader of the answers is to tell now how long they take, so it begins again. */
	if (rally->reading)
		gatherer_end(&rally->parts);
	rally->reading = false;
	name_bundle(agent);
	do
		turn_once(agent, until);
	while (!is_done(rally) && clock_monotonic_ns() < until &&
		!is_stuck(rally, clock_monotonic_ns(), LAST_NS));
	if (!is_done(rally))
		leave_unjudged(agent);
	rally->own.over = true;
	rally->own.asked = 0;
	if (is_stuck(rally, clock_monotonic_ns(), LAST_NS))
		return;
	turn_once(agent, until + CLOCK_NS_PER_S);
	if (!rally->helper.pid && is_all_over(rally, clock_monotonic_ns()))
		agent_cards_remove(rally, clock_monotonic_ns() + REMOVE_NS);
}

void agent_rally_release(struct agent *agent)
{
	struct agent_rally *rally = &agent->rally;

	agent_cards_release(rally);
	gatherer_end(&rally->parts);
	announce_release(&rally->announce);
	str_release(&rally->folder);
	str_release(&rally->left);
}
