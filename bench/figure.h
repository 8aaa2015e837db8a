/* SPDX-License-Identifier: Apache-2.0 */
/*
 * figure.h: one line per figure, the same for every benchmark:
 *
 *	name                                   median  unit        ratio      bar
 *	record, one thread                      22.51  ns          1.20 x  <= 1.35  ok
 *
 * A bar is for the ratio where there is one, else for the median itself; 0 is no bar. Ratios are
 * taken between neighbours in time (round by round) and their median is shown, since absolute times
 * drift on machines that are shared.
 */
#ifndef BENCH_FIGURE_H
#define BENCH_FIGURE_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum figure_sense { FIGURE_AT_MOST, FIGURE_AT_LEAST };

struct figure {
	const char *name;
	double median;
	const char *unit;
	double ratio; /* 0 none */
	double bar;   /* 0 none */
	enum figure_sense sense;
};

static inline void figure_print(const struct figure *f)
{
	double held = f->ratio > 0 ? f->ratio : f->median;
	int ok = f->sense == FIGURE_AT_MOST ? held <= f->bar : held >= f->bar;

	printf("%-40s %9.2f  %-9s", f->name, f->median, f->unit);
	if (f->ratio > 0)
		printf(" %7.2f x", f->ratio);
	else
		printf(" %9s", "");
	if (f->bar > 0)
		printf("  %s %.2f  %s", f->sense == FIGURE_AT_MOST ? "<=" : ">=", f->bar,
			ok ? "ok" : "OVER");
	printf("\n");
	fflush(stdout);
}

static inline int figure_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorts the samples. */
static inline double figure_median(double *samples, int nr)
{
	qsort(samples, (size_t)nr, sizeof(*samples), figure_compare);
	return nr % 2 ? samples[nr / 2] : (samples[nr / 2 - 1] + samples[nr / 2]) / 2;
}

static inline double figure_clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The wall's time; and this thread's own, which stands still while others have the processor. */
static inline double figure_now_ns(void)
{
	return figure_clock_ns(CLOCK_MONOTONIC);
}

static inline double figure_own_ns(void)
{
	return figure_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* What reading the processor's clock costs, the least that an event with a time can. */
static inline double figure_rdtsc_ns(void)
{
	enum { READINGS = 20000 };
	double start = figure_own_ns();

	for (int i = 0; i < READINGS; i++) {
#ifdef __x86_64__
		__asm__ volatile("rdtsc" : : : "rax", "rdx", "memory");
#else
		(void)figure_now_ns();
#endif
	}
	return (figure_own_ns() - start) / READINGS;
}

#endif
