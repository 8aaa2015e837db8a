/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/agent/agent-keep.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/follow.h"
#include "cmd/agent/agent-receipt.h"
#include "cmd/cmd.h"
#include "cmd/run/save.h"
#include "evidence/agent/rally.h"
#include "evidence/format/bundle.h"
#include "evidence/gather/command.h"
#include "words/escape.h"
#include "words/headline.h"
#include "words/last-quotes.h"
#include "words/wording.h"

/* Storage that takes longer does not answer. */
#define SLOW_NS (5 * CLOCK_NS_PER_S)
/* How long is waited for a bundle that came too late for the signal, when nobody waits for us. */
#define LATE_MS 1000

/* A bundle to be written, as the saver gets it. */
struct bundle_wish {
	const struct look *look;
	const char *folder;
	unsigned moved_on;
};

static int write_bundle(const void *what, struct str *said, struct complaint *why)
{
	const struct bundle_wish *wish = what;
	struct str folder = {0};
	int err;

	str_printf(&folder, "%s/", wish->folder);
	err = save_bundle(wish->look, folder.text, wish->moved_on, said, why);
	str_release(&folder);
	return err;
}

/* Tells a failure, once, until it works again. */
static void complain_of_storage(struct agent *agent, const char *words)
{
	if (!agent->storage_failed)
		cmd_complain("no bundle kept: %s: give -o a folder with room; `inquest attach -o' "
			     "still can",
			words);
	agent->storage_failed = true;
}

void agent_keep_news(struct agent *agent, int ms)
{
	struct complaint why = {0};
	struct str path = {0};

	switch (saver_wait(&agent->saver, ms, &path, &why)) {
	case SAVER_DONE:
		if (!path.len) /* no bundle: a line, or the receipt */
			break;
		str_cut(&agent->bundle, 0);
		str_add(&agent->bundle, str_text(&path));
		agent->bundled = clock_monotonic_ns();
		agent->storage_failed = false;
		if (agent->saved_is_news)
			cmd_complain("what was said is saved now: %s", agent->bundle.text);
		agent->bundle_wanted |= agent->saved_is_news;
		agent->saved_is_news = false;
		break;
	case SAVER_FAILED:
		if (!agent->noting)
			complain_of_storage(agent, complaint_text(&why));
		break;
	case SAVER_IDLE:
	case SAVER_BUSY:
		break;
	}
	agent->noting = agent->noting && agent->saver.helper.pid;
	complaint_release(&why);
	str_release(&path);
}

void agent_keep_bundle(struct agent *agent, const struct look *look, int ms)
{
	struct bundle_wish wish = {
		.look = look, .folder = agent->options.output, .moved_on = agent->moved_on};
	struct complaint why = {0};

	agent_keep_news(agent, agent->saver.helper.pid ? ms : 0);
	if (!strcmp(str_text(&agent->bundle), str_text(&agent->kept)))
		str_cut(&agent->bundle, 0);
	if (agent->saver.helper.pid) {
		complaint_set(&why, "%s does not answer", agent->options.output);
		if (clock_monotonic_ns() - agent->saver.helper.begun > SLOW_NS)
			complain_of_storage(agent, complaint_text(&why));
	} else if (!saver_begin(&agent->saver, write_bundle, &wish, &why)) {
		complain_of_storage(agent, complaint_text(&why));
	}
	agent_keep_news(agent, ms);
	complaint_release(&why);
}

void agent_keep_late(struct agent *agent, struct look *look, int signo, int64_t until)
{
	struct str what = {0};
	char late[CLOCK_TEXT_SIZE];

	agent_quiet_fetch(&agent->quiet, &agent->stacks);
	agent_stacks_add(&agent->stacks, look);
	str_add(&what, "the look before ");
	wording_signal(&what, signo);
	str_printf(&what, ": it came %s after that went out, and somebody had died",
		clock_format(clock_monotonic_ns() - until, late));
	evidence_add_gap(&look->evidence, NULL, 0, str_text(&what));
	look_judge_again(look);
	agent->bundle_wanted = true;
	agent_keep_bundle(agent, look, LATE_MS);
	cmd_complain("too late for %s; what was seen then is %s%s", str_text(&what),
		agent->bundle.len ? "in " : "not saved", str_text(&agent->bundle));
	str_release(&what);
}

char *agent_keep_forget(struct agent *agent)
{
	char *forgotten = NULL;
	bool kept;

	agent_keep_news(agent, AGENT_KEEP_LAST_MS);
	kept = !strcmp(str_text(&agent->bundle), str_text(&agent->kept));
	if (!agent->exit_status && !agent->bundle_wanted && agent->bundle.len && !kept) {
		forgotten = alloc_text(agent->bundle.text);
		str_cut(&agent->bundle, 0);
	}
	if (!agent->bundle.len)
		str_add(&agent->bundle, str_text(&agent->kept));
	return forgotten;
}

/* What is to be done to the folder of bundles besides. */
struct last_wish {
	const char *folder;
	const char *remove; /* a bundle that nobody was told of; NULL none */
	bool sweep;	    /* true to remove what agents have left there that were killed while
			     * they wrote */
	struct str line;    /* for manifest.jsonl */
};

/*
 * True if a file that we create beside that path has this owner: where storage knows root by
 * another name, or maps all users to one (NFS, CIFS), that is how a file of ours looks.
 */
static bool is_owner_of_ours(const char *path, uid_t owner)
{
	struct str beside = {0};
	struct stat about;
	bool ours;
	int fd;

	str_printf(&beside, "%s.%d", path, (int)getpid());
	fd = follow_open(AT_FDCWD, beside.text,
		O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	ours = fd >= 0 && fstat(fd, &about) == 0 && about.st_uid == owner;
	if (fd >= 0) {
		(void)!unlink(beside.text);
		close(fd);
	}
	str_release(&beside);
	return ours;
}

/* Says why lines may not be added to a file; NULL if they may. */
static const char *ledger_fault(const char *path, const struct stat *about)
{
	if (!S_ISREG(about->st_mode))
		return "it is no plain file";
	if (about->st_nlink > 1)
		return "it has another name elsewhere";
	if (about->st_uid != geteuid() && !is_owner_of_ours(path, about->st_uid))
		return "it belongs to somebody else";
	return NULL;
}

/*
 * Opens manifest.jsonl to add a line. A link, or a pipe, is none of ours: it is neither followed
 * nor waited for. Returns a descriptor, or negative with words.
 */
static int open_ledger(const char *path, struct complaint *why)
{
	int fd = follow_open(AT_FDCWD, path,
		O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
		0600);
	const char *fault = "it is no plain file";
	struct stat about;

	if (fd < 0 && fd != -ELOOP && fd != -ENXIO)
		return complaint_errno(why, -fd, "cannot open it");
	if (fd >= 0 && fstat(fd, &about) == 0)
		fault = ledger_fault(path, &about);
	if (!fault) {
		/* A file from before this was so may be readable for all. */
		(void)!fchmod(fd, 0600);
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return complaint_set(why, "%s", fault);
}

/* Writes the job's line with a single write(), since several jobs may end at once. */
static int write_last(const void *what, struct str *said, struct complaint *why)
{
	const struct last_wish *wish = what;
	struct str path = {0};
	struct stat about;
	int fd = -1, err;

	(void)said;
	if (wish->remove)
		unlink(wish->remove);
	if (wish->sweep) {
		file_sweep(wish->folder, BUNDLE_SUFFIX);
		file_sweep(wish->folder, RECEIPT_SUFFIX);
	}
	str_printf(&path, "%s/manifest.jsonl", wish->folder);
	err = save_make_folder(wish->folder, why);
	if (!err)
		err = fd = open_ledger(path.text, why);
	if (fd >= 0) {
		err = 0;
		if (write(fd, wish->line.text, wish->line.len) != (ssize_t)wish->line.len)
			err = complaint_errno(why, errno, "cannot write");
		else if (wish->sweep && fstat(fd, &about) == 0)
			rally_sweep(wish->folder, about.st_mtime);
		close(fd);
	}
	str_release(&path);
	return err;
}

/*
 * Returns the path of the savers' turns, which lies beside the folders of this user's jobs. The
 * caller frees it.
 */
static char *turns_of(const struct jobdir *dir)
{
	struct str path = {0};

	str_add_bytes(&path, dir->path.text, (size_t)(dir->id - dir->path.text));
	str_add(&path, ".savers");
	return str_detach(&path);
}

/* Appends the manifest as a line that a terminal can show safely, whatever the job is called. */
static void format_line(const struct agent_manifest *manifest, struct str *into)
{
	struct str text = {0};

	agent_manifest_format(manifest, &text);
	escape_json(into, str_text(&text));
	str_add_char(into, '\n');
	str_release(&text);
}

void agent_keep_launched(struct agent *agent, const struct agent_manifest *manifest)
{
	struct last_wish wish = {.folder = agent->options.output, .sweep = true};
	struct complaint why = {0};

	saver_make(&agent->saver, turns_of(agent->dir), agent->options.output);

	format_line(manifest, &wish.line);
	agent->noting = saver_begin(&agent->saver, write_last, &wish, &why);
	complaint_release(&why);
	str_release(&wish.line);
}

void agent_keep_line(struct agent *agent, const struct agent_manifest *manifest, const char *remove)
{
	struct last_wish wish = {.folder = agent->options.output, .remove = remove};
	struct complaint why = {0};
	enum saver_news news = SAVER_FAILED;
	struct str said = {0};

	format_line(manifest, &wish.line);
	if (agent->saver.helper.pid)
		complaint_set(&why, "it does not answer");
	else if (saver_begin(&agent->saver, write_last, &wish, &why))
		news = saver_wait(&agent->saver, AGENT_KEEP_LAST_MS, &said, &why);
	if (news == SAVER_BUSY)
		complaint_set(&why, "it does not answer");
	if (news != SAVER_DONE)
		cmd_complain("no line added to %s/manifest.jsonl: %s: give -o a folder with room",
			wish.folder, complaint_text(&why));
	complaint_release(&why);
	str_release(&said);
	str_release(&wish.line);
}

void agent_keep_command(struct agent *agent, struct proc_id child)
{
	const struct command command = {.id = child,
		.job = agent->dir->id,
		.argv = agent->options.argv,
		.no_logs = agent->options.no_logs,
		.log_from = agent->dir->census->log_from};
	struct str headline = {0};
	struct look look = {0};

	if (agent_gather(agent, &look) == 0) {
		command_add(&command, &look.evidence);
		look_judge_again(&look);
		agent_receipt_measure(agent, &look);
		agent->bundle_wanted = true;
		agent_keep_bundle(agent, &look, AGENT_KEEP_LAST_MS);
		headline_sentence(&headline, look.verdicts, &look.verdicts->at[0]);
		agent->headline = str_detach(&headline);
		if (look.job->nranks && last_words_of(look.job, rank_index(0)))
			agent->last_words = alloc_text(last_words_of(look.job, rank_index(0)));
	}
	look_release(&look);
}
