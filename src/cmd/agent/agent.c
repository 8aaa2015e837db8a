/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One loop of turns, each doing what is due: new processes, ends, samples, a look, the manifest.
 * Between them the caller sleeps, or is woken by the end of somebody (exits_poll_set()).
 *
 *	every 0.3 s	census: who came
 *	every 1 s	samples of /proc; both rarer while only old news stand
 *	every 2 s	a look, at once when somebody died, rarer where looks are dear
 *	every 5 s	the manifest: that it is still here
 *
 * A look gathers and judges as `inquest attach` would, from the outside; the agent knows no more
 * than anybody, but that it has watched for longer. Whatever fails in it is said once or not at
 * all, and the next turn tries again.
 *
 * TOLD TO END, a job dies in an order that says nothing of why it hung. So the look that counts is
 * taken before the signal goes out, and what dies in the next forty seconds is not judged.
 */
#include "cmd/agent/agent.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "cmd/agent/agent-keep.h"
#include "cmd/agent/agent-last.h"
#include "cmd/agent/agent-pace.h"
#include "cmd/agent/agent-past.h"
#include "cmd/agent/agent-people.h"
#include "cmd/agent/agent-receipt.h"
#include "cmd/cmd.h"
#include "cmd/say.h"
#include "evidence/gather/live/live.h"
#include "evidence/gather/receipt-gather.h"
#include "words/headline.h"

#define PAST_NS	    (3 * CLOCK_NS_PER_S)
#define MANIFEST_NS (5 * CLOCK_NS_PER_S)
#define ASLEEP_NS   (4 * CLOCK_NS_PER_S) /* turns are a second apart at most: longer, and we were
					  * stopped */
#define EAGER_FOR   (3 * CLOCK_NS_PER_S)
/* A bundle is at most 5 s old while a verdict stands: looks, and the next write, fit in between. */
#define REFRESH_NS (2500 * CLOCK_NS_PER_MS)
/* Told to end, a launcher needs half a minute, and its ranks die as they are told. */
#define QUIET_NS (40 * CLOCK_NS_PER_S)
/* How long telling and keeping may take at the end: the wrapper waits for a little more. */
#define END_NS (11 * CLOCK_NS_PER_S)
/* This much of it is left for what other hosts are to judge. */
#define RALLY_LEAVES_NS (4 * CLOCK_NS_PER_S)
/* How long telling a verdict waits for its bundle. */
#define SAVE_MS 1000

/* Returns what the manifest says now; it borrows all texts, and `host` is room for one. */
static struct agent_manifest manifest_now(struct agent *agent, char *host, size_t room)
{
	const struct agent_fellows *fellows = &agent->fellows;
	const char *own = agent->bundle.len ? agent->bundle.text : NULL;

	memset(host, 0, room);
	gethostname(host, room - 1);
	return (struct agent_manifest){.job = agent->dir->id,
		.name = agent->options.name,
		.host = host,
		.status = agent->status,
		.argv = agent->options.argv,
		.agent_pid = (uint32_t)getpid(),
		.agent_start_time = proc_start_time((uint32_t)getpid()),
		.launched = agent->dir->launched,
		.polled = clock_realtime_ns(),
		.ended = agent->ended,
		.exit_status = agent->exit_status,
		.bundle = fellows->bundle ? fellows->bundle : own,
		.verdict = fellows->verdict ? fellows->verdict : agent->headline,
		.fellow = &fellows->own,
		.said = agent_fellows_keys(agent),
		.hangs = agent->moved_on,
		.ending = agent->ending,
		.told = agent->told,
		.no_logs = agent->options.no_logs,
		.last_words = agent->last_words,
		.unprobed = agent->unprobed.ranks.items,
		.nunprobed = agent->unprobed.ranks.nr};
}

static void write_manifest(struct agent *agent)
{
	char host[256];
	struct agent_manifest manifest = manifest_now(agent, host, sizeof(host));

	agent_manifest_write(agent->dir->path.text, &manifest, NULL);
}

/* Writes facts about our processes that only we know, for any gathering. */
static void write_seen(const struct agent *agent)
{
	agent_exits_write(
		agent->dir->path.text, agent->exits.ends.items, agent->exits.ends.nr, NULL);
	history_write(agent->history, agent->dir->path.text, NULL);
}

void agent_begin(struct agent *agent, const struct agent_options *options, struct jobdir *dir)
{
	struct receipt_launch launch = {.job = dir->id,
		.name = options->name,
		.argv = options->argv,
		.envp = options->envp,
		.launched = dir->launched};
	struct agent_manifest manifest;
	char host[256];

	alloc_keep_sparse();
	*agent = (struct agent){.options = *options, .dir = dir, .status = "launched"};
	agent->history = history_new();
	agent_fellows_begin(agent, dir->agent_pid);
	serve_open(&agent->serve, dir->path.text);
	write_manifest(agent);
	manifest = manifest_now(agent, host, sizeof(host));
	agent_keep_launched(agent, &manifest);
	receipt_write(dir->path.text, &launch, NULL);
}

/* Looks for processes. The first rank makes a running job of what was only launched. */
static void scan(struct agent *agent)
{
	agent_people_scan(agent);
	if (agent->ranks && !strcmp(agent->status, "launched")) {
		agent->status = "running";
		write_manifest(agent);
	}
}

/* Returns the options for each gathering of the job. */
static struct live_options options_of(const struct agent *agent)
{
	struct live_options options = LIVE_OPTIONS_DEFAULT;

	options.unprobed = &agent->unprobed.found;
	options.stacks.raw_stacks = agent->options.raw_stacks;
	agent_fellows_options(agent, &options);
	return options;
}

/* Drops from our own records the processes that are out of the census. */
static void let_go(struct agent *agent)
{
	scan(agent);
	exits_forget(&agent->exits);
	history_let_go(agent->history, exits_has, &agent->exits);
}

static struct agent_quiet_job job_of(const struct agent *agent)
{
	return (struct agent_quiet_job){agent->dir->path.text, options_of(agent)};
}

/* --- Looking, saying, keeping ----------------------------------------------------------------- */

static void note_headline(struct agent *agent, const struct look *look)
{
	struct str headline = {0};

	headline_sentence(&headline, look->verdicts, &look->verdicts->at[0]);
	free(agent->headline);
	agent->headline = str_detach(&headline);
}

/* Once the log names a bundle, the bundle must stay. */
void agent_say(struct agent *agent, const struct look *look)
{
	const char *saved = agent->bundle.len ? agent->bundle.text : NULL;

	say_page(look, saved);
	say_line(look, saved);
	agent->bundle_wanted |= saved != NULL;
	agent->saved_is_news = !saved;
	note_headline(agent, look);
	free(agent->answer);
	agent->answer = say_answer(look);
	agent->said = clock_monotonic_ns();
}

/* Tells the verdict, unless other hosts have a part in it: then it is judged with theirs. */
static void say(struct agent *agent, const struct look *look)
{
	if (!agent_fellows_may_say(agent))
		return;
	if (agent_rally_takes(agent))
		note_headline(agent, look);
	else
		agent_say(agent, look);
}

/* Ends the standing verdict, whose bundle stays as it is: the next verdict gets its own. */
static void move_on(struct agent *agent)
{
	evidence_release(&agent->stacks);
	agent->status = "running";
	if (!agent_rally_takes(agent))
		cmd_complain("the job moves again: what was said above is over");
	if (agent->bundle.len && agent->bundle_wanted) {
		str_cut(&agent->kept, 0);
		str_add(&agent->kept, agent->bundle.text);
		agent->moved_on++;
	}
	agent->bundle_wanted = agent->saved_is_news = false;
}

/* True for a compile that makes progress: it may yet end well, and its job is no hung one. */
static bool may_resolve(const struct look *look)
{
	return look->verdicts->at[0].outlook == VERDICT_WAIT;
}

/*
 * Adds the stacks that there are to the look; new ones for what is to be told now. Those of a quiet
 * job, by which a look may be judged, are better: they lie further apart.
 */
static void add_stacks(struct agent *agent, struct look *look, enum announce_news news,
	enum agent_stacks_haste haste)
{
	const struct agent_quiet_job of = job_of(agent);

	if (agent->by_stacks)
		return;
	if (news == ANNOUNCE_SAY && agent_stacks_are_wanted(look))
		agent_stacks_take(&agent->stacks, &of, look, haste);
	else if (news == ANNOUNCE_SAY)
		evidence_release(&agent->stacks);
	else
		agent_stacks_add(&agent->stacks, look);
}

/* Acts on news: tells it, keeps a bundle, writes the manifest. */
static void act_on(struct agent *agent, struct look *look, enum announce_news news)
{
	const char *before = agent->status;

	if (news == ANNOUNCE_RESOLVED) {
		move_on(agent);
	} else if (news != ANNOUNCE_NOTHING &&
		(announce_blames(look->verdicts) || agent->announce.unexplained)) {
		agent->status = may_resolve(look) ? "running" : "hung";
		agent->bundle_wanted |= !may_resolve(look);
		if (news == ANNOUNCE_SAY || clock_monotonic_ns() - agent->bundled > REFRESH_NS) {
			add_stacks(agent, look, news, AGENT_STACKS_CALM);
			agent_keep_bundle(agent, look, news == ANNOUNCE_SAY ? SAVE_MS : 0);
		}
	}
	if (news == ANNOUNCE_SAY) {
		say(agent, look);
		agent_receipt_measure(agent, look);
	}
	if (news == ANNOUNCE_SAY || agent->status != before)
		write_manifest(agent);
}

/* Our own files are written first, since the gathering takes them in like any others. */
int agent_gather(struct agent *agent, struct look *look)
{
	const struct live_options options = options_of(agent);

	write_seen(agent);
	if (live_gather(agent->dir->path.text, &options, &look->evidence, NULL) < 0)
		return -1;
	look_judge(look);
	agent->attempt = look->job->attempt;
	agent_rally_see(agent, look->job);
	return 0;
}

void agent_add_stacks(struct agent *agent, struct look *look)
{
	const struct agent_quiet_job of = job_of(agent);

	if (agent->stacks.n)
		agent_stacks_add(&agent->stacks, look);
	else
		agent_stacks_take(&agent->stacks, &of, look, AGENT_STACKS_CALM);
}

/*
 * True if those who were blamed now die: that nobody waits any more is not the job moving. Deaths
 * of a later attempt are its own.
 */
static bool is_aftermath(const struct agent *agent, const struct look *look)
{
	return agent->announce.stands && !announce_blames(look->verdicts) &&
		!announce_is_outlived(&agent->announce, look->verdicts) &&
		(!exits_any_alive(&agent->exits) || look_shows_death(look));
}

/* True if the job went on since the last look. Older stacks then count only if they were told. */
static bool has_moved(struct agent *agent, const struct look *look, int64_t now)
{
	bool moved = agent_quiet_see(&agent->quiet, look->job, now, agent->options.hang_after);

	if (moved)
		agent->by_stacks = false;
	if (moved && !agent->announce.stands)
		evidence_release(&agent->stacks);
	return moved;
}

/*
 * Where rings blame nobody and tell nothing new, asks stacks. Returns false if there are no new
 * ones and the last are still believed: what they told is then neither told again nor withdrawn.
 */
static bool ask_stacks(struct agent *agent, struct look *look, int64_t now)
{
	int64_t hang_after = agent->options.hang_after;
	bool moved = has_moved(agent, look, now);
	bool fresh = agent_quiet_fetch(&agent->quiet, &agent->stacks);
	bool blames = announce_blames(look->verdicts);

	if (moved || (blames && !agent->by_stacks) || (blames && !fresh)) {
		agent->by_stacks = false;
		return true;
	}
	if (!fresh && !agent->by_stacks)
		return true;
	agent_stacks_add(&agent->stacks, look);
	if (fresh) {
		agent->by_stacks =
			announce_blames(look->verdicts) || announce_tells(look->verdicts);
		agent_quiet_next(&agent->quiet, agent_goes_by_stacks(agent),
			announce_waited(look->verdicts), now, hang_after);
	}
	return fresh;
}

static void look_at_job(struct agent *agent)
{
	int64_t begun = clock_monotonic_ns(), realtime = clock_realtime_ns();
	int64_t cpu_before = clock_cpu_ns();
	enum announce_news news = ANNOUNCE_STILL;
	struct look look = {0};

	if (agent_gather(agent, &look) == 0 && !is_aftermath(agent, &look)) {
		if (ask_stacks(agent, &look, begun))
			news = announce_take(&agent->announce, look.verdicts, begun,
				agent->options.hang_after);
		else if (!agent->announce.stands)
			news = ANNOUNCE_NOTHING;
		if (news == ANNOUNCE_SAY)
			agent->said_by_stacks = agent->by_stacks;
		act_on(agent, &look, news);
	}
	agent->well = look.verdicts && agent_calls_well(look.verdicts);
	agent->looked = clock_monotonic_ns();
	if (look.job)
		agent_held_take(&agent->held, &look, agent->by_stacks && !agent->announce.stands,
			agent->looked);
	look_release(&look);
	agent->looked_at = realtime;
	agent->look_cost = clock_cpu_ns() - cpu_before;
}

/* --- Turns ------------------------------------------------------------------------------------ */

/*
 * True if the task is due. Then it is due again an interval from now: missed ones are not made up.
 */
static bool is_due(int64_t *due, int64_t now, int64_t interval)
{
	if (now < *due)
		return false;
	*due = now + interval;
	return true;
}

static int ms_until(const struct agent *agent, int64_t now)
{
	const int64_t dues[] = {agent->due.scan, agent->due.sample, agent->due.look,
		agent_rally_due(agent, now)};
	int64_t next = now + CLOCK_NS_PER_S;

	for (size_t i = 0; i < sizeof(dues) / sizeof(dues[0]); i++)
		if (dues[i] < next)
			next = dues[i];
	return next <= now ? 0 : (int)((next - now) / CLOCK_NS_PER_MS) + 1;
}

/* Puts the look off if we were stopped with the job: its waits are long then, without any hang. */
static void notice_own_sleep(struct agent *agent, int64_t now)
{
	if (agent->last_turn && now - agent->last_turn > ASLEEP_NS)
		agent->due.look = now + AGENT_LOOK_NS;
}

/* Writes what we see, for the agent that judges in our place: then there is no need to look. */
static void tell_speaker(struct agent *agent, int64_t now)
{
	write_seen(agent);
	agent->due.look = now + AGENT_LOOK_NS;
	if (!agent->ended && agent->fellows.status)
		agent->status = strcmp(agent->fellows.status, "hung") ? "running" : "hung";
}

static void look_if_due(struct agent *agent, int64_t now)
{
	const struct agent_quiet_job of = job_of(agent);

	if (now < agent->due.look)
		return;
	if (!agent->fellows.speaks) {
		tell_speaker(agent, now);
	} else if (now >= agent->quiet_until && agent->ranks) {
		bool put_off = agent_may_put_off(agent, now);

		if (!put_off)
			look_at_job(agent);
		if (agent_wants_stacks(agent, now))
			agent_quiet_turn(&agent->quiet, &of, now);
		now = clock_monotonic_ns();
		agent->due.look = now + agent_look_interval(agent, now, put_off);
	} else {
		agent->due.look = now + AGENT_EAGER_NS;
	}
}

int agent_turn(struct agent *agent)
{
	int64_t now = clock_monotonic_ns();
	bool dead;

	notice_own_sleep(agent, now);
	jobdir_beat(agent->dir);
	agent_keep_news(agent, 0);
	serve_turn(&agent->serve, agent->dir->path.text);
	if (agent_fellows_turn(agent, now))
		write_manifest(agent);
	agent_rally_turn(agent, now);
	if (is_due(&agent->due.scan, now, agent_scan_interval(agent, now)))
		scan(agent);
	dead = exits_look(&agent->exits) > 0;
	if (dead && agent_people_died(agent)) {
		agent->eager_until = now + EAGER_FOR;
		agent->due.look = agent->due.sample = now;
	}
	if (is_due(&agent->due.sample, now, agent_sample_interval(agent, now)))
		agent_people_sample(agent);
	if (agent_unprobed_turn(&agent->unprobed, agent->dir->path.text, now)) {
		scan(agent);
		write_manifest(agent);
	}
	look_if_due(agent, now);
	agent_receipt_turn(agent, now);
	if (!agent->announce.stands && is_due(&agent->due.past, now, PAST_NS) &&
		agent_past_let_go(agent->dir, agent->looked_at))
		let_go(agent);
	if (is_due(&agent->due.manifest, now, MANIFEST_NS))
		write_manifest(agent);
	agent->last_turn = clock_monotonic_ns();
	return ms_until(agent, agent->last_turn);
}

/* True for signals by which jobs are told to end. */
static bool is_ending(int signo)
{
	return signo == SIGTERM || signo == SIGINT || signo == SIGHUP || signo == SIGQUIT;
}

/*
 * True if the signal may have disturbed the look: ranks that die of it look like something else.
 * What stood, and was kept a moment ago, is then worth more; but not where all live and the same
 * ranks are named: then more has become known of them.
 */
static bool is_disturbed(const struct agent *agent, const struct look *look)
{
	return agent->announce.stands && !agent->announce.unexplained && agent->bundle.len &&
		!announce_is_outlived(&agent->announce, look->verdicts) &&
		!announce_is_same(&agent->announce, look->verdicts) &&
		(!announce_blames_same(&agent->announce, look->verdicts) ||
			look_shows_death(look));
}

static void keep_before_signal(
	struct agent *agent, struct look *look, enum announce_news news, int64_t until)
{
	agent_keep_bundle(agent, look, clock_ms_until(until));
	if (news == ANNOUNCE_SAY)
		say(agent, look);
	if (news != ANNOUNCE_NOTHING && announce_blames(look->verdicts))
		agent->bundle_wanted |= !may_resolve(look);
}

/*
 * True if by the rings somebody waits, and nothing has moved since stacks were taken. Rings of
 * ranks that make no calls never tell anything: only a fresh look says where those are.
 */
static bool is_quiet_since(struct agent *agent, const struct look *look)
{
	return !has_moved(agent, look, clock_monotonic_ns()) && !agent->announce.stands &&
	       !agent->by_stacks && look->verdicts->at[0].victims.n > 0;
}

/*
 * Judges what was gathered before the signal, with stacks if there is time. Stacks of a time when
 * all was quiet, as it still is, are whole; of many ranks there is no time for all.
 */
static void judge_before_signal(struct agent *agent, struct look *look, int64_t until)
{
	const struct agent_quiet_job of = job_of(agent);
	bool in_time = clock_monotonic_ns() < until, quiet = is_quiet_since(agent, look);
	enum announce_news news;

	agent_quiet_fetch(&agent->quiet, &agent->stacks);
	if (agent->by_stacks)
		agent_stacks_add(&agent->stacks, look);
	news = announce_take_last(&agent->announce, look->verdicts);
	if (quiet && agent->stacks.n)
		agent_stacks_add(&agent->stacks, look);
	else if (in_time && !agent->by_stacks && !announce_blames(look->verdicts))
		agent_stacks_take(&agent->stacks, &of, look, AGENT_STACKS_BRIEF);
	else if (in_time)
		add_stacks(agent, look, news, AGENT_STACKS_BRIEF);
	else if (agent->announce.stands)
		agent_stacks_add(&agent->stacks, look);
	keep_before_signal(agent, look, news, until);
}

void agent_before_signal(struct agent *agent, int signo, int64_t until)
{
	int64_t now = clock_monotonic_ns(), realtime = clock_realtime_ns();
	struct look look = {0};

	if (!is_ending(signo) || now < agent->quiet_until)
		return;
	scan(agent);
	agent->quiet_until = now + QUIET_NS;
	if (!agent->fellows.speaks) {
		write_seen(agent);
		agent_fellows_await_look(agent, realtime, until);
		return;
	}
	agent->ending = realtime; /* what is kept now says so */
	write_manifest(agent);
	if (agent->ranks && agent_gather(agent, &look) == 0 && !is_disturbed(agent, &look)) {
		agent_receipt_measure(agent, &look);
		if (agent_held_put(&agent->held, &look, now))
			keep_before_signal(agent, &look,
				announce_take_last(&agent->announce, look.verdicts), until);
		else if (clock_monotonic_ns() > until && look_shows_death(&look))
			agent_keep_late(agent, &look, signo, until);
		else
			judge_before_signal(agent, &look, until);
	}
	agent->told = clock_realtime_ns();
	write_manifest(agent);
	look_release(&look);
}

/* --- The end ---------------------------------------------------------------------------------- */

/*
 * True if ranks ended badly, whatever status the launcher made of it (`wait' in a shell's loop
 * makes 0). The class is not asked, since ranks die of a fork, too.
 */
static bool is_of_deaths(const struct look *look)
{
	enum verdict_class class = look->verdicts->at[0].class;

	return class == VERDICT_RANK_DEATH || class == VERDICT_NODE_LOSS ||
	       (announce_blames(look->verdicts) && look_shows_death(look));
}

/*
 * Judges what is left of a job that nobody had told to end; if its status is 0, only for deaths,
 * since what ranks leave undone at a good end is no hang.
 */
static void last_look(struct agent *agent)
{
	struct look look = {0};
	enum announce_news news;

	if (agent_gather(agent, &look) < 0)
		return;
	agent_receipt_measure(agent, &look);
	agent->deaths = is_of_deaths(&look);
	if (agent->exit_status || agent->deaths) {
		news = announce_take_last(&agent->announce, look.verdicts);
		agent->bundle_wanted = true;
		agent_stacks_add(&agent->stacks, &look);
		/* The standing verdict blames a rank; a look that blames none is no better. */
		if (news != ANNOUNCE_STILL || announce_blames(look.verdicts) || !agent->bundle.len)
			agent_keep_bundle(agent, &look, AGENT_KEEP_LAST_MS);
		if (news == ANNOUNCE_SAY)
			say(agent, &look);
	}
	look_release(&look);
}

/* Adds the job's line to manifest.jsonl. */
static void add_line(struct agent *agent, const char *forgotten)
{
	char host[256];
	struct agent_manifest manifest = manifest_now(agent, host, sizeof(host));

	agent_keep_line(agent, &manifest, forgotten);
}

void agent_end(struct agent *agent, struct proc_id child, int wait_status, int shell_status)
{
	int64_t until = clock_monotonic_ns() + END_NS;
	char *forgotten;

	saver_hurry(&agent->saver, until);
	exits_add_waited(&agent->exits, child, wait_status);
	scan(agent);
	exits_look(&agent->exits);
	agent->status = shell_status ? "error" : "ok";
	agent->ended = true;
	agent->exit_status = shell_status;
	write_seen(agent);
	write_manifest(agent);
	agent_fellows_list(agent);
	if (!agent->fellows.speaks)
		agent->bundle_wanted = true;
	else if (agent->ranks && clock_monotonic_ns() >= agent->quiet_until)
		last_look(agent);
	else if (shell_status && !agent->ranks)
		agent_keep_command(agent, child);
	agent_rally_end(agent, until - RALLY_LEAVES_NS);
	forgotten = agent_keep_forget(agent);
	write_seen(agent);
	write_manifest(agent);
	agent_say_last(agent, wait_status);
	add_line(agent, forgotten);
	agent_receipt_end(agent);
	free(forgotten);
}

void agent_never_began(struct agent *agent, int shell_status)
{
	agent->status = "error";
	agent->ended = true;
	agent->exit_status = shell_status;
	agent_keep_news(agent, AGENT_KEEP_LAST_MS);
	add_line(agent, NULL);
	agent_receipt_end(agent);
}

bool agent_may_remove(struct agent *agent)
{
	agent_people_count_left(agent);
	return !agent->living && !agent->exit_status && !agent->deaths &&
	       agent_fellows_are_over(agent);
}

void agent_release(struct agent *agent)
{
	agent_fellows_release(agent);
	agent_rally_release(agent);
	agent_quiet_release(&agent->quiet);
	saver_release(&agent->saver);
	agent_unprobed_release(&agent->unprobed);
	agent_packages_release(&agent->packages);
	serve_close(&agent->serve);
	exits_release(&agent->exits);
	pulse_release(&agent->pulse);
	history_free(agent->history);
	announce_release(&agent->announce);
	agent_held_release(&agent->held);
	evidence_release(&agent->stacks);
	free(agent->headline);
	free(agent->answer);
	free(agent->last_words);
	str_release(&agent->bundle);
	str_release(&agent->kept);
	str_release(&agent->measured);
}
