/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/viewing.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cmd/cmd.h"
#include "cmd/gather-files.h"
#include "cmd/look.h"
#include "cmd/outlet.h"
#include "viewer/export/export.h"
#include "words/escape.h"

#define EVERY_MS 1000 /* between two looks */
#define NICE	 10 /* of the thread that looks */

/* One look, with what it is called; the viewer's `own`. */
struct sight {
	struct look look;
	struct str origin;
	struct str left_out; /* other jobs; empty: there are none */
	size_t others;
};

/* A job among the files that were named; the first is the newest, of all of them. */
struct left_job {
	char *name;
	char **paths;
	size_t n;
};

/* The context of the viewer's calls. */
struct viewing {
	ARRAY(struct left_job) jobs; /* empty: one only, or a live one */
	struct job_pick *pick; /* NULL: a job that is left */
	const struct live_options *options;
	struct meter *meter;
	struct budget *budget; /* of a job that is left: watched while one is read */
	struct sight *ready; /* gathered and judged, for the next reload */
	struct complaint why; /* why there is none */
	pthread_t thread;
	pthread_mutex_t lock; /* of the next two */
	bool working;	      /* the thread runs, and has ready and why */
	bool started;	      /* it is to be joined */
};

/* -- one look -------------------------------------------------------------------------------- */

/* Frees a look; NULL is fine. */
static void free_sight(struct sight *sight)
{
	if (!sight)
		return;
	look_release(&sight->look);
	str_release(&sight->origin);
	str_release(&sight->left_out);
	free(sight);
}

/* Frees a look that the viewer had. */
static void release_view(struct view_look *look)
{
	free_sight(look->own);
}

/* Returns a look at what the job is now, judged; NULL with words. */
static struct sight *look_now(struct viewing *viewing, struct complaint *why)
{
	struct sight *sight = calloc(1, sizeof(*sight));

	if (!sight)
		abort();
	sight->look.evidence.meter = viewing->meter;
	if (job_pick_gather(viewing->pick, viewing->options, &sight->look.evidence, why) < 0) {
		free_sight(sight);
		return NULL;
	}
	look_judge_drawn(&sight->look);
	str_printf(&sight->origin, "live job %s", sight->look.job->id);
	sight->others = job_pick_describe_others(viewing->pick, &sight->left_out);
	if (sight->others)
		str_add(&sight->left_out, "; `inquest ls' lists them");
	return sight;
}

/* Adds a job of those that are left, with copies of its paths. */
static void add_job(struct viewing *viewing, const char *name, const char *const *paths, size_t n)
{
	struct left_job *job = array_add(&viewing->jobs);

	*job = (struct left_job){alloc_text(name), alloc_zeroed(n + 1, sizeof(*job->paths)), n};
	for (size_t i = 0; i < n; i++)
		job->paths[i] = alloc_text(paths[i]);
}

/* Returns what the list calls the job that is looked at. */
static const char *name_of(const struct sight *sight)
{
	const struct job *job = sight->look.job;

	return *job->id ? job->id : job->name;
}

/* Notes which jobs there are, as the first look has told them apart: that stays as it was then. */
static void note_jobs(struct viewing *viewing, const struct sight *sight,
	const struct bundle_groups *groups, const char *const *paths, size_t n)
{
	if (viewing->jobs.nr || !groups->left.nr)
		return;
	add_job(viewing, name_of(sight), paths, n);
	for (size_t i = 0; i < groups->left.nr; i++) {
		const struct report_left *left = &groups->left.items[i];

		add_job(viewing, *left->id ? left->id : left->name, left->files, left->nfiles);
	}
}

/* Returns a look at what was left, judged; NULL after a complaint, if there was nothing to read. */
static struct sight *look_left(
	struct viewing *viewing, const char *const *paths, size_t n, struct meter *meter)
{
	struct sight *sight = calloc(1, sizeof(*sight));
	struct gathered gathered = {0};
	const char *name;

	if (!sight)
		abort();
	sight->look.evidence.meter = meter;
	gathered.into = &sight->look.evidence;
	gathered.budget = viewing->budget;
	gathered.quiet = viewing->jobs.nr > 0; /* the first look was had before the terminal */
	gather_files(&gathered, paths, n);
	if (!gathered.bundles && !gathered.cores && !gathered.dumps && !gathered.logs) {
		gathered_release(&gathered);
		free_sight(sight);
		return NULL;
	}
	look_judge_drawn(&sight->look);
	sight->others = gathered.groups.left.nr;
	str_add(&sight->left_out, str_text(&gathered.left_out));
	note_jobs(viewing, sight, &gathered.groups, paths, n);
	gathered_release(&gathered);
	name = strrchr(paths[0], '/');
	str_add(&sight->origin, name && name[1] ? name + 1 : paths[0]);
	if (n > 1)
		str_printf(&sight->origin, " and %zu more", n - 1);
	return sight;
}

/* Frees what a job of the list has. */
static void release_job(struct left_job *job)
{
	for (size_t i = 0; i < job->n; i++)
		free(job->paths[i]);
	free(job->paths);
	free(job->name);
}

/* -- another one of those that are left ------------------------------------------------------ */

/*
 * Appends a line for each job: its number, its name, the files that tell of it; of the newest all
 * might.
 */
static void list_jobs(const struct viewing *viewing, struct str *list)
{
	for (size_t i = 0; i < viewing->jobs.nr; i++) {
		const struct left_job *job = &viewing->jobs.items[i];
		const char *path = job->n ? job->paths[0] : "", *file = strrchr(path, '/');

		str_printf(list, "%zu\t%s  %s", i + 1, job->name,
			!i ? "the newest" : file ? file + 1 : path);
		if (i && job->n > 1)
			str_printf(list, " and %zu more", job->n - 1);
		str_add(list, "\n");
	}
}

/*
 * Returns a look at one of the jobs. The newest is that of all files, which may be of a newer one
 * by now; the others have theirs. NULL with words.
 */
static struct sight *look_again(
	struct viewing *viewing, const struct left_job *job, struct complaint *why)
{
	struct sight *sight;

	/* The one that is seen is held until another is there. */
	if (!meter_admits(viewing->meter, 1, METER_READING)) {
		complaint_set(why, "no memory is left for another job: --max-memory raises it");
		return NULL;
	}
	budget_watch(viewing->budget);
	sight = look_left(viewing, (const char *const *)job->paths, job->n, viewing->meter);
	budget_unwatch(viewing->budget);
	if (!sight) {
		complaint_set(why, "%s cannot be read any more", job->name);
	} else if (job == viewing->jobs.items && strcmp(name_of(sight), job->name) != 0) {
		complaint_set(why, "%s is not the newest any more: leave, and look anew",
			job->name);
		free_sight(sight);
		sight = NULL;
	}
	return sight;
}

/* Finds a job by number or name; NULL with words. */
static const struct left_job *find_job(
	const struct viewing *viewing, const char *job, struct complaint *why)
{
	char *end;
	unsigned long number = strtoul(job, &end, 10);

	for (size_t i = 0; i < viewing->jobs.nr; i++)
		if (!strcmp(viewing->jobs.items[i].name, job))
			return &viewing->jobs.items[i];
	if (!*end && number && number <= viewing->jobs.nr)
		return &viewing->jobs.items[number - 1];
	complaint_set(why, "no job %s: they are 1 to %zu, :jobs lists them", job, viewing->jobs.nr);
	return NULL;
}

/*
 * Lists the jobs for the viewer, or has another one ready for the next reload. 0, or -1 with words.
 */
static int choose(void *context, const char *name, struct str *list, struct complaint *why)
{
	struct viewing *viewing = context;
	const struct left_job *job;
	struct sight *sight;

	if (!*name) {
		list_jobs(viewing, list);
		return 0;
	}
	job = find_job(viewing, name, why);
	if (!job)
		return -1;
	sight = look_again(viewing, job, why);
	if (!sight)
		return -1;
	sight->others = viewing->jobs.nr - 1;
	if (!sight->left_out.len)
		str_printf(&sight->left_out, "%zu job%s left out (:jobs lists them)",
			sight->others, sight->others == 1 ? "" : "s");
	free_sight(viewing->ready);
	viewing->ready = sight;
	return 0;
}

/* -- again and again ------------------------------------------------------------------------- */

/*
 * Makes this thread, and the helpers that it starts, give way. Ranks come first: where there is no
 * processor to spare, following them may take what little they leave (bench/view_live.sh).
 */
static void give_way(void)
{
	int nice = getpriority(PRIO_PROCESS, 0);

	(void)setpriority(PRIO_PROCESS, 0, nice < NICE ? NICE : nice);
}

/* Has one look, on its thread. */
static void *work(void *context)
{
	struct viewing *viewing = context;
	struct complaint why = {0};
	struct sight *sight;

	give_way();
	sight = look_now(viewing, &why);

	pthread_mutex_lock(&viewing->lock);
	viewing->ready = sight;
	viewing->why = why;
	viewing->working = false;
	pthread_mutex_unlock(&viewing->lock);
	return NULL;
}

/* Starts a look. Signals are for the thread that has the terminal. 1, or negative with words. */
static int start(struct viewing *viewing, struct complaint *why)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	viewing->working = true;
	err = pthread_create(&viewing->thread, NULL, work, viewing);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	viewing->started = !err;
	viewing->working = !err;
	return err ? complaint_errno(why, err, "cannot start a thread") : 1;
}

/* True while the thread looks. */
static bool is_working(struct viewing *viewing)
{
	bool working;

	pthread_mutex_lock(&viewing->lock);
	working = viewing->working;
	pthread_mutex_unlock(&viewing->lock);
	return working;
}

/* Joins the thread, which is over: what it has found is ours. */
static void take_over(struct viewing *viewing)
{
	pthread_join(viewing->thread, NULL);
	viewing->started = false;
}

/*
 * Gives the viewer the next look: 0; 1 while there is none yet, or none will be; negative with
 * words.
 */
static int reload(void *context, struct view_look *into, struct complaint *why)
{
	struct viewing *viewing = context;
	struct sight *sight;

	if (viewing->started && is_working(viewing))
		return 1;
	if (viewing->started)
		take_over(viewing);
	else if (!viewing->ready)
		return viewing->pick ? start(viewing, why) : 1;
	sight = viewing->ready;
	viewing->ready = NULL;
	if (!sight) {
		int err = complaint_set(why, "%s", complaint_text(&viewing->why));

		complaint_release(&viewing->why);
		return err;
	}
	*into = (struct view_look){
		.verdicts = sight->look.verdicts,
		.origin = str_text(&sight->origin),
		.others = sight->others,
		.left_out = str_text(&sight->left_out),
		.live = viewing->pick && job_pick_is_live(viewing->pick),
		.release = release_view,
		.own = sight,
	};
	return 0;
}

/*
 * Ends the viewing. A look that is under way when the user leaves may take seconds more: so we
 * exit. The terminal is given back; nothing of ours is half written, and what the helpers of a look
 * hold the kernel takes back.
 */
static void leave(struct viewing *viewing, int status)
{
	if (viewing->started && is_working(viewing)) {
		fflush(NULL);
		_exit(status);
	}
	if (viewing->started)
		take_over(viewing);
	free_sight(viewing->ready);
	complaint_release(&viewing->why);
}

/* -- for whom -------------------------------------------------------------------------------- */

/* True if somebody sits at a terminal and waits for it. */
static bool is_awaited(const struct viewing_wish *wish)
{
	return !wish->w && !wish->file && isatty(STDERR_FILENO);
}

void viewing_wait(const struct viewing_wish *wish, const struct live_options *options)
{
	bool stops = options->stacks.samples && options->stacks.mode != SNAPSHOT_NEVER;
	struct str words = {0}, line = {0};
	struct winsize size = {0};

	if (!is_awaited(wish))
		return;
	str_printf(&words, "inquest: looking at the job: %s", stops ?
		"threads are stopped for moments, as you asked" :
		"it is only read, nothing is stopped or changed");
	/* It must be one line, to be taken away again. */
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col < 2)
		size.ws_col = 80;
	escape_fit(&line, str_text(&words), size.ws_col - 1u);
	str_add_char(&line, '\n');
	outlet_say(&line);
	str_release(&words);
	str_release(&line);
}

/* Takes that line away again. */
static void viewing_waited(const struct viewing_wish *wish)
{
	struct str line = {0};

	if (!is_awaited(wish))
		return;
	str_add(&line, "\033[A\033[2K\r");
	outlet_say(&line);
	str_release(&line);
}

int viewing_may(const struct viewing_wish *wish)
{
	const char *term = getenv("TERM");
	const char *lacks = NULL;

	if (wish->w || wish->file)
		return CMD_FINE;
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		lacks = "no terminal to view it on";
	else if (!term || !*term || !strcmp(term, "dumb"))
		lacks = "this terminal cannot place its cursor";
	if (!lacks)
		return CMD_FINE;
	cmd_complain("%s: `inquest diagnose' and `inquest attach' say it in words, "
		     "`inquest view --screen 120x40' draws it once", lacks);
	return CMD_USAGE;
}

/* Draws one screen on stdout. Returns the exit status, after a complaint. */
static int render(const struct view_source *source, const struct viewing_wish *wish)
{
	struct complaint why = {0};
	struct str screen = {0};
	int status = CMD_FINE;

	if (view_render(source, &wish->view, wish->w, wish->h, wish->format, &screen, &why) < 0) {
		cmd_complain("%s: `inquest view --keys' lists them", complaint_text(&why));
		status = CMD_USAGE;
	} else {
		outlet_write(stdout, &screen);
	}
	str_release(&screen);
	complaint_release(&why);
	return status;
}

/*
 * Writes the document to a file that was not there, or to stdout. Returns the exit status, after a
 * complaint.
 */
static int write_document(const struct view_source *source, const struct viewing_wish *wish)
{
	struct complaint why = {0};
	struct str text = {0}, path = {0};
	int err = view_document(source, wish->document, &text, &why);

	if (!err && strcmp(wish->file, "-") != 0)
		err = export_text(&text, NULL, wish->file, "", &path, &why);
	else if (!err)
		outlet_write(stdout, &text);
	if (err)
		cmd_complain("%s", complaint_text(&why));
	str_release(&text);
	str_release(&path);
	complaint_release(&why);
	return err ? CMD_USAGE : CMD_FINE;
}

/* Runs the viewer on the terminal. Returns the exit status, after a complaint. */
static int on_terminal(const struct view_source *source, const struct viewing_wish *wish)
{
	struct complaint why = {0};
	int status = CMD_FINE;

	if (view_run(source, &wish->view, &why) < 0) {
		cmd_complain("%s: `inquest diagnose' and `inquest attach' say it in words, "
			     "`inquest view --screen 120x40' draws it once",
			complaint_text(&why));
		status = CMD_USAGE;
	}
	complaint_release(&why);
	return status;
}

/* Shows the job in the way that was wished for. Returns the exit status. */
static int show(struct viewing *viewing, const struct viewing_wish *wish)
{
	const struct view_source source = {
		.reload = reload,
		.choose = viewing->jobs.nr ? choose : NULL,
		.context = viewing,
		.every_ms = viewing->pick ? EVERY_MS : 0};
	int status;

	pthread_mutex_init(&viewing->lock, NULL);
	status = wish->file ? write_document(&source, wish)
		 : wish->w  ? render(&source, wish)
			    : on_terminal(&source, wish);
	leave(viewing, status);
	pthread_mutex_destroy(&viewing->lock);
	return status;
}

int viewing_live(struct job_pick *pick, const struct live_options *options,
	const struct viewing_wish *wish, struct budget *budget)
{
	struct viewing viewing = {
		.pick = pick, .options = options, .meter = &budget->meter};
	struct live_options first = *options;
	struct complaint why = {0};
	int status = CMD_UNREADABLE;

	alloc_keep_sparse();
	/* Rings say who waits: whether stacks move is had from the next look on. */
	if (is_awaited(wish) && pick->own && !pick->unprobed.n && first.stacks.samples > 1) {
		first.stacks.samples = 1;
		viewing.options = &first;
	}
	/* The first look is had before the terminal is taken: it may fail. */
	budget->on_terminal = true;
	budget_watch(budget);
	viewing.ready = look_now(&viewing, &why);
	viewing.options = options;
	viewing_waited(wish);
	if (viewing.ready)
		status = show(&viewing, wish);
	else
		cmd_complain("%s", complaint_text(&why));
	budget_unwatch(budget);
	complaint_release(&why);
	return status;
}

int viewing_left(const char *const *paths, size_t n, const struct viewing_wish *wish,
	struct budget *budget)
{
	struct viewing viewing = {.meter = &budget->meter, .budget = budget};
	int status;

	budget_watch(budget);
	viewing.ready = look_left(&viewing, paths, n, &budget->meter);
	budget_unwatch(budget);
	budget->on_terminal = true;
	status = viewing.ready ? show(&viewing, wish) : CMD_UNREADABLE;
	for (size_t i = 0; i < viewing.jobs.nr; i++)
		release_job(&viewing.jobs.items[i]);
	array_release(&viewing.jobs);
	return status;
}
