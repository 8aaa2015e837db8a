/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weaken [--plant P] [--sample N] PATH...: judges each job whole, then every weakening of it
 * (ways.h), then pairs of neighbours in the list, and holds what is said against law 9 (charge.h).
 * Prints violations, each with the command that repeats it (of those of one job that read alike
 * only the first), and how much was tried of each kind.
 *
 *	--only STEPS	 prints the page of this weakening of the one PATH, and what is wrong with
 *			 it; of two PATHs "jobs" or "halves" is a step, too
 *	--sample N	 about every Nth weakening, always the same ones
 *	--plant P	 with an old mistake in the judge: size, absent, well ... (plant.h)
 *	--list		 names the weakenings and judges nothing
 *	--truths FOLDER	 where NAME.truth.json of NAME lies, whose "involved" may be named too
 *
 * Exit 1 if a law is broken, 2 if nothing could be tried.
 */
#include <getopt.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "pairs.h"
#include "steps.h"
#include "ways.h"

#define ALIKE_MOST 2 /* violations of one job that read alike but for numbers, and are shown */
#define FAR        7 /* of each job a pair with its neighbour, and with the one so far on */

struct run {
	const char *program;
	enum plant plant;
	uint64_t sample;
	bool list;
	const char *truths;
	const struct whole *whole;
	size_t tried[WAY_N], wrong[WAY_N];
	ARRAY(uint64_t) shown; /* of this job: what they say, hashed */
};

/* What is tried just now, for whoever sees it crash. */
static char running[2048];

static void tell_crash(int signal)
{
	static const char words[] = "crashed in: ";

	if (write(1, words, sizeof(words) - 1) > 0 && write(1, running, strlen(running)) > 0)
		(void)!write(1, "\n", 1);
	_exit(128 + signal);
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* True if the sample has it: by its name, not by its place. */
static bool is_drawn(const struct run *run, const char *path, const char *steps)
{
	uint64_t hash = 0xcbf29ce484222325ull;

	for (const char *at = base_of(path); *at; at++)
		hash = (hash ^ (unsigned char)*at) * 0x100000001b3ull;
	for (const char *at = steps; *at; at++)
		hash = (hash ^ (unsigned char)*at) * 0x100000001b3ull;
	return (hash >> 20) % run->sample == 0;
}

/* What is wrong, less its numbers. */
static uint64_t hash_words(const char *words)
{
	uint64_t hash = 0xcbf29ce484222325ull;

	for (const char *at = words; *at; at++)
		if (!strchr("0123456789.,", *at))
			hash = (hash ^ (unsigned char)*at) * 0x100000001b3ull;
	return hash;
}

static void show_wrong(struct run *run, enum way way, const char *wrong)
{
	uint64_t hash = hash_words(wrong) ^ (uint64_t)way;
	size_t alike = 0;

	run->wrong[way]++;
	for (size_t i = 0; i < run->shown.nr; i++)
		alike += run->shown.items[i] == hash;
	if (alike >= ALIKE_MOST)
		return;
	*array_add(&run->shown) = hash;
	printf("VIOLATION %s\n  repeat: %s\n", wrong, running);
}

static bool begin(
	struct run *run, enum way way, const char *steps, const char *path, const char *other)
{
	if (!is_drawn(run, path, steps))
		return false;
	run->tried[way]++;
	snprintf(running, sizeof(running), "%s%s%s%s%s --only %s %s%s%s", run->program,
		run->plant ? " --plant " : "", run->plant ? plant_names[run->plant] : "",
		run->truths ? " --truths " : "", run->truths ? run->truths : "", steps, path,
		*other ? " " : "", other);
	if (run->list)
		puts(running);
	return !run->list;
}

/* The steps whose evidence these are held against: all but the last, or the moment alone. */
static void name_as(char *buffer, size_t size, const char *steps, enum charge_kind kind)
{
	const char *last = strrchr(steps, '/');

	if (kind == CHARGE_EARLIER)
		snprintf(buffer, size, "%s", strstr(steps, "cut:"));
	else
		snprintf(buffer, size, "%.*s", last ? (int)(last - steps) : 0, steps);
	if (kind == CHARGE_EARLIER)
		buffer[strcspn(buffer, "/")] = '\0';
}

/* Holds what is said of `heap` against the law, beside what is said of what it is less than. */
static bool hold_beside(const struct whole *whole, struct heap *heap, const char *steps,
	enum charge_kind kind, enum plant plant, struct str *wrong)
{
	struct complaint why = {0};
	struct heap as;
	char name[512];
	bool right;

	name_as(name, sizeof(name), steps, kind);
	heap_fill(&as, &whole->evidence);
	right = steps_take(whole, &as, name, &why) < 0 ||
		charge(whole, heap_set(heap), kind, heap_set(&as), plant, wrong);
	heap_release(&as);
	complaint_release(&why);
	return right;
}

/*
 * Takes the steps and holds what is said then against the law. 0, 1: it breaks it, -1: no steps.
 * All the evidence of an earlier moment is taken only where it would break it otherwise.
 */
static int try_them(const struct whole *whole, const char *steps, enum charge_kind kind,
	enum plant plant, struct str *wrong, bool print)
{
	struct complaint why = {0};
	struct heap heap;
	int result = -1;
	bool right;

	heap_fill(&heap, &whole->evidence);
	if (steps_take(whole, &heap, steps, &why) >= 0) {
		if (print)
			charge_print(heap_set(&heap), plant);
		right = kind != CHARGE_SAME &&
			charge(whole, heap_set(&heap), kind, NULL, plant, wrong);
		if (!right && kind != CHARGE_LESS) {
			str_cut(wrong, 0);
			right = hold_beside(whole, &heap, steps, kind, plant, wrong);
		}
		result = !right;
	} else if (print) {
		fprintf(stderr, "weaken: %s\n", complaint_text(&why));
	}
	heap_release(&heap);
	complaint_release(&why);
	return result;
}

static void try_steps(void *context, enum way way, enum charge_kind kind, const char *steps)
{
	struct run *run = context;
	struct str wrong = {0};
	int result;

	if (!begin(run, way, steps, run->whole->path, ""))
		return;
	result = try_them(run->whole, steps, kind, run->plant, &wrong, false);
	if (result < 0)
		run->tried[way]--;
	else if (result)
		show_wrong(run, way, str_text(&wrong));
	str_release(&wrong);
}

static void try_pair(struct run *run, const struct whole *one, const struct whole *other)
{
	struct str wrong = {0};

	if (*one->job->id && !strcmp(one->job->id, other->job->id))
		return; /* two looks at one job are one */
	if (begin(run, WAY_JOBS, "jobs", one->path, other->path) &&
		!pairs_whole(one, other, run->plant, &wrong))
		show_wrong(run, WAY_JOBS, str_text(&wrong));
	str_cut(&wrong, 0);
	if (begin(run, WAY_HALVES, "halves", one->path, other->path) &&
		!pairs_halves(one, other, run->plant, &wrong))
		show_wrong(run, WAY_HALVES, str_text(&wrong));
	str_release(&wrong);
}

static int read_it(struct whole *whole, const char *path, const char *truths)
{
	struct complaint why = {0};
	int error = whole_read(whole, path, truths, &why);

	if (error < 0)
		fprintf(stderr, "weaken: %s\n", complaint_text(&why));
	complaint_release(&why);
	return error;
}

static void try_job(struct run *run, char **paths, int n, int i)
{
	struct whole whole, other;

	if (read_it(&whole, paths[i], run->truths) >= 0) {
		run->whole = &whole;
		ways_each(&whole, try_steps, run);
		for (int far = 1; far <= FAR; far += FAR - 1) {
			if (i + far < n && read_it(&other, paths[i + far], run->truths) >= 0)
				try_pair(run, &whole, &other);
			if (i + far < n)
				whole_release(&other);
		}
	}
	whole_release(&whole);
	array_release(&run->shown);
	fflush(stdout);
}

static int sum_up(const struct run *run)
{
	size_t tried = 0, wrong = 0;

	for (int way = 0; way < WAY_N; way++) {
		printf("%8zu %s, %zu wrong\n", run->tried[way], way_words[way], run->wrong[way]);
		tried += run->tried[way];
		wrong += run->wrong[way];
	}
	printf("%8zu weakenings tried, %zu violations\n", tried, wrong);
	return !tried ? 2 : wrong ? 1 : 0;
}

/* --- One of them ------------------------------------------------------------------------------ */

static enum charge_kind kind_of(const char *steps)
{
	const char *last = strrchr(steps, '/');

	if (strstr(steps, "cut:"))
		return CHARGE_EARLIER;
	last = last ? last + 1 : steps;
	return !*last || !strncmp(last, "clock:", 6) ? CHARGE_SAME : CHARGE_LESS;
}

static int show_one(const struct whole *whole, const char *steps, enum plant plant)
{
	struct str wrong = {0};
	int result = try_them(whole, steps, kind_of(steps), plant, &wrong, true);

	if (result >= 0)
		printf("%s\n", result ? str_text(&wrong) : "no law is broken");
	str_release(&wrong);
	return result < 0 ? 2 : result;
}

static int show_pair(
	const struct whole *one, const struct whole *other, const char *steps, enum plant plant)
{
	bool halves = !strcmp(steps, "halves");
	struct str wrong = {0};
	bool right = halves ? pairs_halves(one, other, plant, &wrong)
			    : pairs_whole(one, other, plant, &wrong);

	pairs_print(one, other, halves, plant);
	printf("%s\n", right ? "no law is broken" : str_text(&wrong));
	str_release(&wrong);
	return !right;
}

static int show(char **paths, int n, const char *steps, const struct run *run)
{
	enum plant plant = run->plant;
	struct whole one, other = {0};
	int status = 2;

	if (read_it(&one, paths[0], run->truths) >= 0) {
		if (n == 1)
			status = show_one(&one, steps, plant);
		else if (read_it(&other, paths[1], run->truths) >= 0)
			status = show_pair(&one, &other, steps, plant);
	}
	whole_release(&one);
	whole_release(&other);
	return status;
}

static enum plant plant_of(const char *name)
{
	for (int plant = 0; plant < PLANTS; plant++)
		if (!strcmp(plant_names[plant], name))
			return (enum plant)plant;
	fprintf(stderr, "weaken: no such plant: %s\n", name);
	exit(2);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {{"only", 1, NULL, 'o'}, {"sample", 1, NULL, 's'},
		{"plant", 1, NULL, 'p'}, {"truths", 1, NULL, 't'}, {"list", 0, NULL, 'l'}, {0}};
	struct run run = {.program = argv[0], .sample = 1};
	const char *only = NULL;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'o')
			only = optarg;
		else if (option == 's')
			run.sample = strtoull(optarg, NULL, 10);
		else if (option == 'p')
			run.plant = plant_of(optarg);
		else if (option == 't')
			run.truths = optarg;
		else if (option == 'l')
			run.list = true;
		else
			return 2;
	}
	if (optind == argc || !run.sample)
		return 2;
	if (only)
		return show(argv + optind, argc - optind, only, &run);
	/* Images of rings come and go by the thousand: their memory is kept for the next one. */
	mallopt(M_MMAP_THRESHOLD, 1 << 30);
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
	signal(SIGSEGV, tell_crash);
	signal(SIGABRT, tell_crash);
	signal(SIGBUS, tell_crash);
	for (int i = 0; i < argc - optind; i++)
		try_job(&run, argv + optind, argc - optind, i);
	return sum_up(&run);
}
