/* SPDX-License-Identifier: Apache-2.0 */
#include "words/next.h"

#include <inttypes.h>
#include <string.h>

#include "words/coverage.h"
#include "words/everywhere.h"
#include "words/rank-names.h"
#include "words/summary.h"

#define STEPS_MOST 2 /* of a row */

/* How the evidence was taken, which decides what would give more of it. */
enum taking {
	TAKING_ALONE,   /* from outside, of a job that nobody watches */
	TAKING_CUT,     /* the same, and stacks were cut that stopping their threads would give */
	TAKING_AGENT,   /* `inquest run` watches it */
	TAKING_REFUSED, /* we were not let in */
	TAKING_EARLY,   /* of a job that has no rank yet */
	TAKING_KEPT,    /* nobody can take more of it, and there are stacks */
};

#define IF_STILL "if it still hangs, "

/* A step as next.def has it. */
struct row_step {
	const char *words, *command;
};

#define STEP(...) {__VA_ARGS__}

/* The usual steps. This table and the two below it are lists/next.def. */
static const struct row_step usual[VERDICT_NEXTS][STEPS_MOST] = {
#define NEXT(name, ...) [VERDICT_NEXT_##name] = {__VA_ARGS__},
#include "lists/next.def"
};

/* Steps that depend on how the evidence was taken. */
static const struct {
	enum verdict_next next;
	enum taking taking;
	struct row_step steps[STEPS_MOST];
} by_taking[] = {
#define NEXT_BY(name, taking, ...) {VERDICT_NEXT_##name, TAKING_##taking, {__VA_ARGS__}},
#include "lists/next.def"
};

/* Steps that depend on the backend of the verdict's group. */
static const struct {
	enum verdict_next next;
	const char *backend;
	struct row_step steps[STEPS_MOST];
} by_backend[] = {
#define NEXT_OF(name, backend, ...) {VERDICT_NEXT_##name, #backend, {__VA_ARGS__}},
#include "lists/next.def"
};

#undef STEP

/* A verdict whose steps are being made. */
struct asking {
	const struct verdicts *verdicts;
	const struct verdict *verdict;
	enum tense tense;
};

/* -- which row --------------------------------------------------------------------------------- */

/* How a loss reads where the system forbade a look (see src/proc/threads/capture.c). */
static const char refused[] = "may not be read: ";

bool next_is_refusal(const char *loss)
{
	return strstr(loss, refused) != NULL;
}

/*
 * Returns what to do about a forbidden look, in the system's words; NULL where nobody was kept out.
 */
static const char *remedy_of(const struct job *job)
{
	for (size_t i = 0; i < job->nlosses; i++) {
		const char *what = strstr(job->losses[i].what, refused);

		if (what && is_rank(job->losses[i].rank))
			return what + strlen(refused);
	}
	return NULL;
}

/*
 * True if there are stacks of the culprits, or of anybody where there are none. Both lists are in
 * the order of ranks.
 */
static bool has_stacks(const struct asking *a)
{
	const struct verdict_ranks ranks = a->verdict->culprits;
	const struct job *job = a->verdicts->job;
	size_t k = 0;

	for (size_t i = 0; i < job->nstacks; i++) {
		const struct job_stack *stack = &job->stacks[i];

		while (k < ranks.n && is_rank(stack->rank) && ranks.at[k].i < stack->rank.i)
			k++;
		if (stack->nframes &&
			(!ranks.n || (k < ranks.n && same_rank(ranks.at[k], stack->rank))))
			return true;
	}
	return false;
}

/* True if another look from here can stop threads whose stacks were cut. */
static bool can_stop(const struct job *job)
{
	const struct disturbed disturbed = disturbed_by(job);
	struct str command = {0};
	bool here = job->nhosts < 2 && !everywhere_add_slurm(&command, job);

	str_release(&command);
	return here && disturbed_leaves_cut(&disturbed);
}

/* Returns how the evidence was taken. */
static enum taking taking_of(const struct asking *a)
{
	const struct job *job = a->verdicts->job;

	if (!ranks_were_seen(job) && !ranks_only_sayings(job))
		return TAKING_EARLY;
	if (tense_is_over(a->tense) && has_stacks(a))
		return TAKING_KEPT;
	if (remedy_of(job))
		return TAKING_REFUSED;
	for (size_t i = 0; i < job->nhosts; i++)
		if (job->hosts[i].agent_beat != JOB_UNKNOWN)
			return TAKING_AGENT;
	return can_stop(job) ? TAKING_CUT : TAKING_ALONE;
}

/* True if nobody watches the job, and it could be looked at. */
static bool is_from_outside(enum taking taking)
{
	return taking == TAKING_ALONE || taking == TAKING_CUT;
}

/* Returns the backend of the finding's group; "" where it has no group. */
static const char *backend_of(const struct asking *a)
{
	const struct job *job = a->verdicts->job;
	int group = a->verdict->group;

	return group < 0 || (size_t)group >= job->ngroups || !job->groups[group].maker
		       ? ""
		       : job->groups[group].maker;
}

/* Returns what is to be done, in the tense of the job. */
static enum verdict_next next_of(const struct asking *a)
{
	enum verdict_next next = a->verdict->next;

	/* The words about another look know the tense themselves. */
	if (!tense_is_over(a->tense) || next == VERDICT_NEXT_LOOK_AGAIN)
		return next;
	/*
	 * What is to be done where an agent watches, or nobody was let in, is for a job that goes
	 * on.
	 */
	if (next == VERDICT_NEXT_RUN_NEXT_TIME && !is_from_outside(taking_of(a)))
		return VERDICT_NEXT_STACK_NEXT_TIME;
	return verdict_next_of_past(next);
}

/*
 * Returns the row of next.def: by how the evidence was taken, else by the backend, else the usual
 * one.
 */
static const struct row_step *row_of(const struct asking *a)
{
	enum taking taking = taking_of(a);
	const char *backend = backend_of(a);
	enum verdict_next next = next_of(a);

	for (size_t i = 0; i < sizeof(by_taking) / sizeof(by_taking[0]); i++)
		if (by_taking[i].next == next && by_taking[i].taking == taking)
			return by_taking[i].steps;
	for (size_t i = 0; i < sizeof(by_backend) / sizeof(by_backend[0]); i++)
		if (by_backend[i].next == next && !strcmp(by_backend[i].backend, backend))
			return by_backend[i].steps;
	return usual[(unsigned)next < VERDICT_NEXTS ? next : VERDICT_NEXT_NONE];
}

/* True if the step needs a job that goes on, and nobody knows whether this one does. */
static bool is_for_now(const struct asking *a)
{
	return a->tense == TENSE_RECORDED && a->verdict->next != VERDICT_NEXT_LOOK_AGAIN &&
	       (verdict_next_of_past(a->verdict->next) != a->verdict->next ||
		       (a->verdict->next == VERDICT_NEXT_RUN_NEXT_TIME &&
			       !is_from_outside(taking_of(a))));
}

/* -- whom it is about -------------------------------------------------------------------------- */

/* Appends whom the step is about; with `compare`, also whom to compare with. */
static void say_whom(struct str *into, const struct asking *a, bool compare)
{
	const struct verdict *verdict = a->verdict;
	const struct job *job = a->verdicts->job;

	if (verdict->culprits.n && verdict->culprits.n <= 4)
		ranks_name(into, job, verdict->culprits);
	else if (verdict->culprits.n)
		str_add(into, "the culprits");
	else if (verdict->camp_a.n && compare)
		str_add(into, "a rank of each camp");
	else if (verdict->class == VERDICT_HOST_STALL && verdict->camp_a.n &&
		 verdict->camp_a.n <= 4)
		ranks_name(into, job, verdict->camp_a);
	else if (verdict->class == VERDICT_HOST_STALL && verdict->camp_a.n)
		str_add(into, "these ranks");
	else
		str_add(into, "the rank that is missing");
	if (compare && verdict->culprits.n)
		str_add(into, " and a peer");
}

/* Appends what stands for the words in braces, which are the `len` bytes behind the letter. */
static void say_choice(
	struct str *into, const struct asking *a, char letter, const char *words, size_t len)
{
	const struct verdict_ranks culprits = a->verdict->culprits;
	const char *bar = memchr(words, '|', len);

	if (letter == 'O' && culprits.n >= a->verdicts->job->nranks)
		return;
	if (letter == 'N' && bar && culprits.n > 1)
		str_add_bytes(into, bar + 1, (size_t)(words + len - bar - 1));
	else
		str_add_bytes(into, words, bar ? (size_t)(bar - words) : len);
}

/*
 * Appends the words of a row. In place of {L}, {P} or {R} stands what to do about a forbidden look,
 * whom to compare, or whom it is about; in place of {N one|many} and {O words} what fits them.
 */
static void say_words(struct str *into, const struct asking *a, const char *words)
{
	const char *at = words, *brace, *end;

	while ((brace = strchr(at, '{')) && (end = strchr(brace, '}'))) {
		str_add_bytes(into, at, (size_t)(brace - at));
		if (brace[1] == 'L')
			str_add(into, remedy_of(a->verdicts->job));
		else if (brace[1] == 'N' || brace[1] == 'O')
			say_choice(into, a, brace[1], brace + 3, (size_t)(end - brace - 3));
		else
			say_whom(into, a, brace[1] == 'P');
		at = end + 1;
	}
	str_add(into, at);
}

/*
 * Returns a fact of that kind, if all such facts of the verdict name one and the same pid; else
 * NULL.
 */
static const struct verdict_fact *only_one(
	const struct verdict *verdict, enum verdict_fact_kind kind)
{
	const struct verdict_fact *found = NULL;

	for (size_t i = 0; i < verdict->nevidence; i++) {
		const struct verdict_fact *fact = &verdict->evidence[i];

		if (fact->kind != kind)
			continue;
		if (fact->a <= 0 || (found && found->a != fact->a))
			return NULL;
		found = fact;
	}
	return found;
}

/* -- steps of their own ------------------------------------------------------------------------ */

/* Appends "see why pip (pid 4711) keeps the lock that rank 3 waits for". */
static void say_holder(
	struct str *into, const struct asking *a, const struct verdict_fact *holder)
{
	str_printf(into, "see why %s (pid %" PRId64 ") keeps the lock that ", holder->text2,
		holder->a);
	say_whom(into, a, false);
	str_add(into, " waits for");
}

/* Returns whom a finding is about: the culprits, or where nobody is blamed the first camp. */
static struct verdict_ranks whom(const struct verdict *verdict)
{
	return verdict->culprits.n ? verdict->culprits : verdict->camp_a;
}

/* True if some of them are in a freezer: only their cgroup can let them go on. */
static bool are_in_freezer(const struct job *job, struct verdict_ranks ranks)
{
	for (size_t i = 0; i < ranks.n; i++) {
		int process = job_rank(job, ranks.at[i])->process;

		if (process != JOB_NONE && job->processes[process].frozen == JOB_YES)
			return true;
	}
	return false;
}

/* Appends a pid to the command, which begins with the first one; nothing for 0. */
static void add_pid(struct str *command, uint32_t pid)
{
	if (pid)
		str_printf(command, "%s %" PRIu32, command->len ? "" : "kill -CONT", pid);
}

/*
 * Appends "kill -CONT 4711 4712" for those of them that are on that host; nothing where there are
 * none.
 */
static void say_continue(struct str *into, const struct asking *a, int host)
{
	const struct verdict_ranks ranks = whom(a->verdict);
	const struct job *job = a->verdicts->job;

	for (size_t i = 0; i < ranks.n; i++) {
		int process = job_rank(job, ranks.at[i])->process;

		if (process != JOB_NONE && job->processes[process].host == host)
			add_pid(into, job->processes[process].pid);
	}
}

/* Appends the same for their stopped children. */
static void say_continue_children(struct str *into, const struct asking *a, int host)
{
	for (size_t i = 0; i < a->verdict->nevidence; i++) {
		const struct verdict_fact *fact = &a->verdict->evidence[i];

		if (fact->kind == FACT_CHILD_STOPPED && fact->ranks.n && fact->a > 0 &&
			job_rank(a->verdicts->job, fact->ranks.at[0])->host == host)
			add_pid(into, (uint32_t)fact->a);
	}
}

/*
 * Adds a step for each host on which somebody must be continued. Returns false where no pid is
 * known. The host is always named, since a pid means nothing elsewhere, and pages travel.
 */
static bool add_continue(struct steps *into, const struct asking *a, const char *words,
	void (*say)(struct str *into, const struct asking *a, int host))
{
	const struct job *job = a->verdicts->job;
	bool any = false;

	for (int host = 0; host < (int)job->nhosts; host++) {
		struct str said = {0}, command = {0};

		say(&command, a, host);
		if (!command.len)
			continue;
		str_add(&said, is_for_now(a) ? IF_STILL : "");
		str_printf(&said, "on %s, ", job->hosts[host].name);
		say_words(&said, a, words);
		steps_add(into, &said, &command);
		any = true;
	}
	return any;
}

/* What is known of who has the lock, or traces it, as words; without any where nothing is. */
static void say_known(struct str *words, const struct asking *a)
{
	const struct verdict_fact *holder = only_one(a->verdict, FACT_LOCK_OF_OTHER);
	const struct verdict_fact *debugger = only_one(a->verdict, FACT_TRACED);

	if (a->verdict->next == VERDICT_NEXT_LOOK_AT_LOCK && holder) {
		str_add(words, is_for_now(a) ? IF_STILL : "");
		say_holder(words, a, holder);
	}
	if (next_of(a) == VERDICT_NEXT_DETACH_DEBUGGER && debugger) {
		str_add(words, is_for_now(a) ? IF_STILL : "");
		str_add(words, "detach the debugger of ");
		say_whom(words, a, false);
		str_printf(words, " (pid %" PRId64 "), or let it continue", debugger->a);
	}
	if (next_of(a) == VERDICT_NEXT_CONTINUE_PROCESS) {
		str_add(words, is_for_now(a) ? IF_STILL : "");
		say_words(words, a, "thaw the cgroup of {R}: it is frozen");
	}
}

/* Adds steps for which more is known than their row says. Returns false where there are none. */
static bool add_known(struct steps *into, const struct asking *a, const struct row_step *row)
{
	struct str words = {0}, command = {0};

	switch (next_of(a)) {
	case VERDICT_NEXT_GET_REST:
		coverage_add_remedy(into, a->verdicts, a->tense);
		return true;
	case VERDICT_NEXT_LOOK_AGAIN:
		coverage_add_look(into, a->verdicts, a->tense);
		return true;
	case VERDICT_NEXT_CONTINUE_PROCESS:
		if (!are_in_freezer(a->verdicts->job, whom(a->verdict)))
			return add_continue(into, a, row->words, say_continue);
		break;
	case VERDICT_NEXT_CONTINUE_CHILD:
		return add_continue(into, a, row->words, say_continue_children);
	default:
		break;
	}
	say_known(&words, a);
	if (!words.len)
		return false;
	steps_add(into, &words, &command);
	return true;
}

/*
 * Appends the command of a row. One that looks at the job looks at all of it, where that is on
 * several nodes; else it names the job, since there may be another one. What only logs or dumps
 * tell of has no name of its own.
 */
static void say_command(struct str *into, const struct asking *a, const char *command)
{
	static const char look[] = "inquest attach";
	const char *id = a->verdicts->job->id;
	bool ours = a->verdicts->job->coverage.kinds & (JOB_KNOWS_RING | JOB_KNOWS_PROC);
	bool named = ours && everywhere_is_word(id);

	if (strchr(command, '{'))
		return;
	if (strncmp(command, look, strlen(look)) == 0) {
		if (!everywhere_add_slurm(into, a->verdicts->job))
			str_printf(into, "%s%s%s", look, named ? " " : "", named ? id : "");
		command += strlen(look);
	}
	str_add(into, command);
}

void next_add(struct steps *into, const struct verdicts *verdicts, const struct verdict *verdict,
	enum tense tense)
{
	const struct asking a = {verdicts, verdict, tense};
	const struct row_step *row = row_of(&a);

	if (add_known(into, &a, row))
		return;
	for (size_t i = 0; i < STEPS_MOST && row[i].words; i++) {
		struct str words = {0}, command = {0};

		if (!i && is_for_now(&a))
			str_add(&words, IF_STILL);
		say_words(&words, &a, row[i].words);
		say_command(&command, &a, row[i].command);
		steps_add(into, &words, &command);
	}
}

void next_add_text(struct str *into, const struct verdicts *verdicts,
	const struct verdict *verdict, enum tense tense)
{
	struct steps steps = {0};

	next_add(&steps, verdicts, verdict, tense);
	steps_add_text(into, &steps);
	steps_release(&steps);
}
