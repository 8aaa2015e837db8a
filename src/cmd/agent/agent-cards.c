/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/agent/agent-cards.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "cmd/agent/agent.h"

/* Reading cards takes at most this part of the time: one in so many. */
#define COST_RATIO 20
/* A card is written when it has changed, else so often. */
#define BEAT_NS (4 * CLOCK_NS_PER_S)
/* A card is dead that stands still for so long, and for three of its beats. */
#define SILENT_NS    (12 * CLOCK_NS_PER_S)
#define SILENT_BEATS 3
/* The longest pause between two writings that is believed, whatever a card says. */
#define PAUSE_MOST_NS (10 * CLOCK_NS_PER_S)
/* By then a host that comes before us has read our card. */
#define FORGET_NS (30 * CLOCK_NS_PER_S)
/* A rank that has moved to another host stays on the card of the last one for a beat. */
#define CLASH_NS (6 * CLOCK_NS_PER_S)
/*
 * Hosts of one job are launched within the first time; a job that is told to end has ended within
 * the second.
 */
#define APART_NS  (60 * CLOCK_NS_PER_S)
#define ENDING_NS (40 * CLOCK_NS_PER_S)
/* Storage that takes longer does not answer. */
#define STUCK_NS (60 * CLOCK_NS_PER_S)
/*
 * How many cards a host behind the first reads: nobody asks anything of such a host, but the first
 * may be dead.
 */
#define FEW              4
#define CARDS_BYTES_MOST ((off_t)256 << 20)
/* The line behind the cards that were read, if ours was to be written. */
#define WRITTEN	  "written\n"
#define UNWRITTEN "not " WRITTEN

/* --- Cards ------------------------------------------------------------------------------------ */

bool agent_card_lives(const struct rally_other *other, int64_t now)
{
	int64_t pause = other->card.pause_ms < PAUSE_MOST_NS / CLOCK_NS_PER_MS
		? other->card.pause_ms * CLOCK_NS_PER_MS
		: PAUSE_MOST_NS;
	int64_t silent = SILENT_BEATS * pause;

	/*
	 * It stands as it was found: who wrote it may be long gone, or writes again within that
	 * time.
	 */
	if (!other->lived || silent < SILENT_NS)
		silent = SILENT_NS;
	return !other->card.over && now - other->changed < silent;
}

bool agent_card_is_ours(
	const struct agent_rally *rally, const struct rally_other *other, int64_t now)
{
	int64_t launched = rally->own.launched, its = other->card.launched, apart;

	if (other->rival)
		return false;
	if (!rally->named || !launched || !its ||
		__builtin_sub_overflow(launched > its ? launched : its,
			launched > its ? its : launched, &apart))
		return true;
	return apart < APART_NS ||
	       (agent_card_lives(other, now) ? now : other->changed) - other->seen > ENDING_NS;
}

static int compare_others(const void *va, const void *vb)
{
	const struct rally_other *a = va, *b = vb;

	return strcmp(a->card.name, b->card.name);
}

/* Finds a card by its name among the first `known`, which are in order; NULL none. */
static struct rally_other *find_other(struct agent_rally *rally, size_t known, const char *name)
{
	const struct rally_other like = {.card = {.name = (char *)name}};

	return known ? bsearch(&like, rally->others.items, known, sizeof(like), compare_others)
		     : NULL;
}

/* Takes in a card that was read. */
static void take_card(
	struct agent_rally *rally, size_t known, struct rally_card *card, int64_t now)
{
	struct rally_other *other = find_other(rally, known, card->name);

	if (!other) {
		other = array_add(&rally->others);
		*other = (struct rally_other){
			.seen = now,
			.changed = now,
			.lived = rally->has_read,
			.came = rally->has_read};
	} else {
		if (other->card.beat != card->beat || other->card.born != card->born) {
			other->came |= !other->lived || !agent_card_lives(other, now);
			other->changed = now;
			other->lived = true;
		}
		/* Another agent writes it: its numbers begin anew. */
		if (other->card.born != card->born) {
			other->heard = 0;
			other->seen = now;
			other->rival = false;
		}
		rally_card_release(&other->card);
	}
	other->card = *card;
}

/* Takes over verdicts as told before, a key a line. */
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

/* True if that card says that what we have raised was judged. */
bool agent_card_says_heard(const struct rally_card *card, const struct rally_card *own)
{
	const struct rally_heard *heard;

	array_for_each (&card->heard, heard)
		if (!strcmp(heard->card, own->name) && heard->born == own->born &&
			heard->raised >= own->raised)
			return true;
	return false;
}

/* Notes which findings a former first host has heard of: these need not be heard again. */
static void adopt(struct agent_rally *rally, const struct rally_card *from)
{
	struct rally_other *other;

	array_for_each (&rally->others, other)
		if (agent_card_says_heard(from, &other->card))
			other->heard = other->card.raised;
	if (agent_card_says_heard(from, &rally->own))
		rally->own_heard = rally->own.raised;
}

static void replace(char **held, const char *text)
{
	free(*held);
	*held = alloc_text(text);
}

void agent_cards_tell(struct agent_rally *rally)
{
	struct rally_card *own = &rally->own;
	const struct rally_other *other;
	struct str keys = {0};
	struct rally_heard *heard;

	announce_keys(&rally->announce, &keys);
	replace(&own->keys, str_text(&keys));
	str_release(&keys);
	array_for_each (&own->heard, heard)
		free(heard->card);
	own->heard.nr = 0;
	*array_add(&own->heard) =
		(struct rally_heard){alloc_text(own->name), own->born, rally->own_heard};
	array_for_each (&rally->others, other)
		if (other->heard)
			*array_add(&own->heard) = (struct rally_heard){
				alloc_text(other->card.name), other->card.born, other->heard};
	rally->due = 0;
}

/* Takes over from hosts that were first before us, or while we slept. */
static void adopt_all(struct agent_rally *rally, bool anew)
{
	struct rally_other *by;
	bool news = false;

	array_for_each (&rally->others, by) {
		if (!by->lived || !(anew || by->came) || !by->card.heard.nr || by->rival)
			continue;
		adopt(rally, &by->card);
		by->owes = news = true;
	}
	if (news)
		agent_cards_tell(rally);
}

void agent_cards_adopt(struct agent_rally *rally, int64_t now)
{
	struct rally_other *by;

	array_for_each (&rally->others, by) {
		if (!by->owes || !agent_card_is_ours(rally, by, now))
			continue;
		adopt_keys(&rally->announce, by->card.keys);
		rally->announce.stands |= rally->announce.said.nr > 0;
		by->owes = false;
	}
}

void agent_cards_unask(struct agent_rally *rally)
{
	rally->own.asked = rally->asked_at = rally->own_heard = 0;
	if (rally->reading)
		gatherer_end(&rally->parts);
	rally->reading = false;
}

/* Steps back for a host that comes before us: what we asked, that one asks now. */
static void step_back(struct agent_rally *rally, int64_t now)
{
	agent_cards_unask(rally);
	rally->stepped_back = now;
}

/* Forgets what we had told, since the host that is first now has seen it. */
static void forget(struct agent_rally *rally)
{
	struct rally_heard *heard;

	announce_forget(&rally->announce);
	replace(&rally->own.keys, "");
	array_for_each (&rally->own.heard, heard)
		free(heard->card);
	rally->own.heard.nr = 0;
	rally->stepped_back = 0;
}

/* Finds out whether we are the first of the living hosts. */
static void find_first(struct agent_rally *rally, int64_t now)
{
	struct rally_other *other;
	bool was = rally->first;

	rally->first = true;
	array_for_each (&rally->others, other)
		if (agent_card_lives(other, now) && !other->rival &&
			strcmp(other->card.name, rally->own.name) < 0)
			rally->first = false;
	if (rally->first) {
		rally->stepped_back = 0;
		adopt_all(rally, !was);
	} else if (was) {
		step_back(rally, now);
	} else if (rally->stepped_back && now - rally->stepped_back > FORGET_NS) {
		forget(rally);
	}
	array_for_each (&rally->others, other)
		other->came = false;
}

/* --- Two jobs of one name --------------------------------------------------------------------- */

static int compare_ranks(const void *va, const void *vb)
{
	const int *a = va, *b = vb;

	return (*a > *b) - (*a < *b);
}

/* True if two living hosts have the same rank of one attempt, by what was written after `since`. */
static bool do_overlap(const struct agent_rally *rally, int64_t now, int64_t since)
{
	ARRAY(int) all = {0};
	const struct rally_other *other;
	const int *rank;
	bool twice = false;

	array_for_each (&rally->own.ranks, rank)
		*array_add(&all) = *rank;
	array_for_each (&rally->others, other)
		if (other->lived && agent_card_lives(other, now) && other->changed > since &&
			other->card.attempt == rally->own.attempt)
			array_for_each (&other->card.ranks, rank)
				*array_add(&all) = *rank;
	array_sort(&all, compare_ranks);
	for (size_t i = 1; i < all.nr && !twice; i++)
		twice = all.items[i] == all.items[i - 1];
	array_release(&all);
	return twice;
}

/* True if both cards have a rank of one attempt in common. */
static bool has_rank_of(const struct rally_card *card, const struct rally_card *own)
{
	size_t at = 0;
	const int *rank;

	array_for_each (&own->ranks, rank) {
		while (at < card->ranks.nr && card->ranks.items[at] < *rank)
			at++;
		if (at < card->ranks.nr && card->ranks.items[at] == *rank)
			return card->attempt == own->attempt;
	}
	return false;
}

/*
 * Finds hosts of another job on the same cards. What a rival heard of us, or we of it, was judged
 * as it should not have been. The last word of a card tells as well which ranks it had to its end:
 * a host that ended a moment after we met was a rival, too.
 */
static void find_rivals(struct agent_rally *rally, int64_t now)
{
	struct rally_other *other;

	array_for_each (&rally->others, other) {
		bool shares = has_rank_of(&other->card, &rally->own);

		if (!other->lived || (!agent_card_lives(other, now) && !other->card.over))
			continue;
		if (shares && !other->rival && agent_card_says_heard(&other->card, &rally->own))
			rally->own_heard = 0;
		/* Once its ranks are others again, it may be ours; not when they are dead. */
		other->rival = shares || (other->rival && !other->card.ranks.nr);
	}
}

bool agent_cards_clash(struct agent_rally *rally, int64_t now)
{
	const struct rally_other *other;

	/* Only an agent at work counts: a card may be left from a killed job of the same name. */
	array_for_each (&rally->others, other)
		if (other->card.clash && other->lived && agent_card_lives(other, now))
			return true;
	if (!rally->first || !do_overlap(rally, now, 0))
		rally->overlap = 0;
	else if (!rally->overlap)
		rally->overlap = now;
	/*
	 * A host whose node is gone holds its ranks no more, though its card may still seem to
	 * live.
	 */
	return rally->overlap && now - rally->overlap > CLASH_NS &&
	       do_overlap(rally, now, rally->overlap);
}

/* --- Reading what was read -------------------------------------------------------------------- */

static bool ends_with(const char *bytes, size_t size, const char *end)
{
	size_t len = strlen(end);

	return size >= len && !memcmp(bytes + size - len, end, len);
}

/* Takes in what the helper has read. */
static void take_cards(struct agent *agent, int64_t now)
{
	struct agent_rally *rally = &agent->rally;
	size_t known = rally->others.nr;
	struct stat about;
	char *bytes;

	if (fstat(rally->fd, &about) < 0 || about.st_size <= 0 || about.st_size > CARDS_BYTES_MOST)
		return;
	bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, rally->fd, 0);
	if (bytes == MAP_FAILED)
		return;
	/* A host that only reads is seen by no other. */
	if (ends_with(bytes, (size_t)about.st_size, UNWRITTEN))
		rally->met = 0;
	else if (ends_with(bytes, (size_t)about.st_size, WRITTEN))
		rally->met = now;
	for (const char *at = bytes, *end = bytes + about.st_size, *next; at < end; at = next) {
		const char *line = memchr(at, '\n', (size_t)(end - at));
		struct rally_card card;

		next = line ? line + 1 : end;
		if (!rally_card_parse(at, (size_t)(next - at), &card))
			continue;
		if (strcmp(card.name, rally->own.name)) {
			take_card(rally, known, &card, now);
			continue;
		}
		/*
		 * It is by a fellow who spoke here before us, or by us; and not of an earlier job.
		 */
		if (card.born == rally->own.born ? !rally->has_read
						 : agent_fellows_had(agent, card.pid))
			adopt_keys(&rally->announce, card.keys);
		rally_card_release(&card);
	}
	munmap(bytes, (size_t)about.st_size);
	array_sort(&rally->others, compare_others);
}

/* --- The helper ------------------------------------------------------------------------------- */

/* What the helper is to do. */
struct errand {
	const char *folder;
	const struct rally_card *card; /* ours, to be written; NULL: it is not */
	const char *left;	       /* a folder that we left, where others may look for us; ""
				        * none */
	size_t most; /* cards to read */
};

/* Leaves a card in the other folder that tells who comes late that two jobs have met there. */
static void leave_word(const struct errand *errand)
{
	const struct rally_card *own = errand->card;
	char none[] = "";
	struct rally_card word = {.name = own->name,
		.host = own->host,
		.pid = own->pid,
		.born = own->born,
		.beat = own->beat,
		.pause_ms = own->pause_ms,
		.over = own->over,
		.clash = true,
		.bundle = none,
		.keys = none,
		.verdict = none};

	rally_write(errand->left, &word, NULL);
}

/*
 * Reads and writes cards, in the helper. It reads first, so that what a fellow has left on our card
 * is not lost; at the end it writes first, so that of several hosts that end at once the last to
 * write sees that all are over.
 */
static void run_errand(int out, void *arg)
{
	const struct errand *errand = arg;
	struct str lines = {0};
	int err = 0;

	if (errand->card && errand->card->over)
		err = rally_write(errand->folder, errand->card, NULL);
	rally_read(errand->folder, errand->most, &lines, NULL);
	if (errand->card && !errand->card->over)
		err = rally_write(errand->folder, errand->card, NULL);
	if (errand->card)
		str_add(&lines, err ? UNWRITTEN : WRITTEN);
	if (errand->card && *errand->left)
		leave_word(errand);
	for (size_t at = 0; at < lines.len;) {
		ssize_t put = write(out, lines.text + at, lines.len - at);

		if (put <= 0)
			return;
		at += (size_t)put;
	}
}

/*
 * Returns how many cards we read: all, if we are first, at our end, or where the first few are
 * dead.
 */
static size_t how_many(const struct agent_rally *rally, int64_t now)
{
	const struct rally_other *other;
	size_t at = 0;

	if (rally->first || rally->ending)
		return RALLY_CARDS_MOST;
	array_for_each (&rally->others, other)
		if (at++ < FEW && agent_card_lives(other, now))
			return FEW;
	return RALLY_CARDS_MOST;
}

void agent_cards_begin(struct agent_rally *rally, int64_t now)
{
	struct errand errand = {.folder = str_text(&rally->folder),
		.left = rally->first ? str_text(&rally->left) : "",
		.most = how_many(rally, now)};
	int64_t beat = rally->pause > BEAT_NS ? rally->pause : BEAT_NS;

	if (!rally->due || now - rally->wrote >= beat) {
		rally->own.beat++;
		rally->own.pause_ms = beat / CLOCK_NS_PER_MS;
		rally->wrote = now;
		errand.card = &rally->own;
	}
	rally->due = now + rally->pause;
	rally->fd = memfd_create("inquest-rally", MFD_CLOEXEC);
	if (rally->fd < 0)
		return;
	if (helper_start_into(&rally->helper, rally->fd, run_errand, &errand) < 0)
		close(rally->fd);
}

/* When the helper is back, takes in what it read; the next pause is by how long it took. */
bool agent_cards_end(struct agent *agent, int64_t now)
{
	struct agent_rally *rally = &agent->rally;
	int64_t begun = rally->helper.begun;

	if (!rally->helper.pid || !helper_is_over(&rally->helper, STUCK_NS, NULL, NULL))
		return false;
	take_cards(agent, now);
	rally->has_read = true;
	close(rally->fd);
	find_rivals(rally, now);
	find_first(rally, now);
	rally->pause = (now - begun) * COST_RATIO;
	if (rally->pause < AGENT_CARDS_PAUSE_NS)
		rally->pause = AGENT_CARDS_PAUSE_NS;
	if (rally->pause > PAUSE_MOST_NS)
		rally->pause = PAUSE_MOST_NS;
	if (rally->due)
		rally->due = now + rally->pause;
	return true;
}

static void remove_folder(int out, void *arg)
{
	(void)out;
	rally_remove(arg);
}

void agent_cards_remove(struct agent_rally *rally, int64_t until)
{
	struct helper helper;
	struct str none = {0};

	if (helper_start(&helper, remove_folder, rally->folder.text) < 0)
		return;
	helper_receive(&helper, until, &none);
	helper_end(&helper);
	str_release(&none);
}

void agent_cards_leave(struct agent_rally *rally)
{
	struct rally_other *other;

	if (rally->helper.pid) {
		helper_end(&rally->helper);
		close(rally->fd);
	}
	array_for_each (&rally->others, other)
		rally_card_release(&other->card);
	array_release(&rally->others);
	rally->has_read = rally->first = false;
	rally->met = rally->overlap = 0;
}

void agent_cards_release(struct agent_rally *rally)
{
	agent_cards_leave(rally);
	rally_card_release(&rally->own);
}
