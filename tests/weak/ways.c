/* SPDX-License-Identifier: Apache-2.0 */
#include "ways.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "spread.h"
#include "steps.h"

#define HOSTS      16
#define ALL_HOSTS  6  /* so many hosts: each subset */
#define ALL_RANKS  8  /* so many ranks: each pair */
#define DRAWN      24 /* else so many pairs, drawn */
#define CUT_RANKS  8  /* cuts are tried without so many ranks, each */
#define STEPS_MOST 1024

const char *const way_words[WAY_N] = {
#define WAY_WORDS(id, words) [WAY_##id] = words,
	WAYS(WAY_WORDS)
#undef WAY_WORDS
};

struct tour {
	const struct whole *whole;
	way_fn *each;
	void *context;
	uint64_t random;
};

static void __attribute__((format(printf, 4, 5)))
go(const struct tour *tour, enum way way, enum charge_kind kind, const char *format, ...)
{
	char steps[STEPS_MOST];
	va_list args;

	va_start(args, format);
	vsnprintf(steps, sizeof(steps), format, args);
	va_end(args);
	tour->each(tour->context, way, kind, steps);
}

static size_t draw(struct tour *tour, size_t bound)
{
	tour->random = tour->random * 6364136223846793005ull + 1442695040888963407ull;
	return (size_t)(tour->random >> 33) % bound;
}

static int world_of(const struct tour *tour, size_t i)
{
	return tour->whole->job->ranks[i].world_rank.n;
}

static size_t hosts_of(const struct whole *whole)
{
	struct heap heap;
	const char *hosts[HOSTS];
	size_t n;

	heap_fill(&heap, &whole->evidence);
	n = spread_hosts(&heap, hosts, HOSTS);
	heap_release(&heap);
	return n;
}

/* --- Hosts, and their clocks ------------------------------------------------------------------ */

/* "0+2" of the bits that are set. */
static const char *list_bits(char into[64], unsigned bits)
{
	size_t at = 0;

	into[0] = '\0';
	for (int i = 0; bits >> i; i++)
		if (bits >> i & 1)
			at += (size_t)snprintf(into + at, 64 - at, "%s%d", at ? "+" : "", i);
	return into;
}

static void host_subset(const struct tour *tour, const char *before, unsigned bits)
{
	char list[64];

	list_bits(list, bits);
	go(tour, WAY_HOSTS, CHARGE_LESS, "%shosts:%s", before, list);
	for (int cut = 0; tour->whole->first != JOB_UNKNOWN && cut < CUTS; cut++)
		go(tour, WAY_CUTS_HOSTS, CHARGE_EARLIER, "%shosts:%s/cut:%d", before, list, cut);
}

static void host_subsets(struct tour *tour, const char *before, size_t n)
{
	unsigned all = (1u << n) - 1;

	if (n <= ALL_HOSTS) {
		for (unsigned bits = 1; bits < all; bits++)
			host_subset(tour, before, bits);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		host_subset(tour, before, 1u << i);
		host_subset(tour, before, all & ~(1u << i));
	}
	for (int i = 0; i < DRAWN; i++)
		host_subset(tour, before, 1u + (unsigned)draw(tour, all - 1));
}

static void host_clocks(const struct tour *tour, const char *before, size_t n)
{
	static const long by_ms[] = {3000, 30000, 3600000, -3000, -30000, -3600000};

	for (size_t host = 0; host < n; host++)
		for (size_t i = 0; i < sizeof(by_ms) / sizeof(*by_ms); i++)
			go(tour, WAY_CLOCKS, CHARGE_SAME, "%sclock:%zu:%ld", before, host,
				by_ms[i]);
}

static void tour_hosts(struct tour *tour)
{
	static const int spreads[] = {2, 3, 4};
	size_t n = hosts_of(tour->whole);

	if (n)
		host_clocks(tour, "", n);
	if (n > 1)
		host_subsets(tour, "", n);
	for (size_t i = 0; i < sizeof(spreads) / sizeof(*spreads); i++) {
		char before[32];

		if (n != 1 || tour->whole->job->nranks < (size_t)spreads[i])
			continue;
		snprintf(before, sizeof(before), "spread:%d", spreads[i]);
		go(tour, WAY_SPREAD, CHARGE_LESS, "%s", before);
		strcat(before, "/");
		host_subsets(tour, before, (size_t)spreads[i]);
		host_clocks(tour, before, (size_t)spreads[i]);
	}
}

/* --- Ranks ------------------------------------------------------------------------------------ */

static void tour_pair(const struct tour *tour, size_t a, size_t b)
{
	int one = world_of(tour, a), other = world_of(tour, b);

	go(tour, WAY_RANKS, CHARGE_LESS, "rank:%d+%d", one, other);
	go(tour, WAY_RANKS, CHARGE_LESS, "gone:%d+%d", one, other);
	go(tour, WAY_RANKS, CHARGE_LESS, "only:%d+%d", one, other);
}

static void tour_ranks(struct tour *tour)
{
	static const char *const ways[] = {"rank", "gone", "only"};
	size_t n = tour->whole->job->nranks;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < sizeof(ways) / sizeof(*ways); k++)
			go(tour, WAY_RANKS, CHARGE_LESS, "%s:%d", ways[k], world_of(tour, i));
	for (size_t i = 0; n <= ALL_RANKS && i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			tour_pair(tour, i, k);
	for (int i = 0; n > ALL_RANKS && i < DRAWN; i++)
		tour_pair(tour, draw(tour, n), draw(tour, n));
}

static void tour_one_kind(const struct tour *tour)
{
	static const char *const ways[] = {"ring-of", "proc-of", "stacks-of"};

	for (size_t i = 0; i < tour->whole->job->nranks; i++)
		for (size_t k = 0; k < sizeof(ways) / sizeof(*ways); k++)
			go(tour, WAY_ONE_KIND, CHARGE_LESS, "%s:%d", ways[k], world_of(tour, i));
}

/* --- Kinds ------------------------------------------------------------------------------------ */

static bool has_kind(const struct tour *tour, enum exhibit_kind kind)
{
	for (size_t i = 0; i < tour->whole->evidence.n; i++)
		if (tour->whole->evidence.at[i].kind == kind)
			return true;
	return false;
}

static void tour_kinds(const struct tour *tour)
{
	for (int a = 0; a < EXHIBIT_UNKNOWN_KIND; a++) {
		const char *one = exhibit_kind_name((enum exhibit_kind)a);

		if (!has_kind(tour, (enum exhibit_kind)a))
			continue;
		go(tour, WAY_KINDS, CHARGE_LESS, "kind:%s", one);
		go(tour, WAY_KINDS, CHARGE_LESS, "only-kind:%s", one);
		for (int b = a + 1; b < EXHIBIT_UNKNOWN_KIND; b++)
			if (has_kind(tour, (enum exhibit_kind)b)) {
				const char *other = exhibit_kind_name((enum exhibit_kind)b);

				go(tour, WAY_KINDS, CHARGE_LESS, "kind:%s+%s", one, other);
				go(tour, WAY_KINDS, CHARGE_LESS, "only-kind:%s+%s", one, other);
			}
	}
}

/* --- Time, agents ----------------------------------------------------------------------------- */

static void tour_cuts(struct tour *tour)
{
	size_t n = tour->whole->job->nranks;

	if (tour->whole->first == JOB_UNKNOWN || tour->whole->job->gathered == JOB_UNKNOWN)
		return;
	for (int cut = 0; cut < CUTS; cut++) {
		go(tour, WAY_CUTS, CHARGE_EARLIER, "cut:%d", cut);
		for (size_t i = 0; i < n && i < CUT_RANKS; i++) {
			size_t rank = n <= CUT_RANKS ? i : draw(tour, n);

			go(tour, WAY_CUTS_RANKS, CHARGE_EARLIER, "rank:%d/cut:%d",
				world_of(tour, rank), cut);
			go(tour, WAY_CUTS_RANKS, CHARGE_EARLIER, "gone:%d/cut:%d",
				world_of(tour, rank), cut);
		}
	}
}

/* Some ranks were looked at earlier: each alone, all but each, and a half, drawn. */
static void tour_looks(struct tour *tour)
{
	size_t n = tour->whole->job->nranks;

	if (tour->whole->first == JOB_UNKNOWN || tour->whole->job->gathered == JOB_UNKNOWN ||
		n < 2 || hosts_of(tour->whole) != 1)
		return;
	for (int cut = 0; cut < CUTS; cut++)
		for (size_t i = 0; i < n && i < CUT_RANKS; i++) {
			int rank = world_of(tour, n <= CUT_RANKS ? i : draw(tour, n));
			char others[STEPS_MOST / 2];
			size_t at = 0;

			go(tour, WAY_LOOKS, CHARGE_EARLIER, "looked:%d:cut:%d", rank, cut);
			for (size_t k = 0; k < n && at < sizeof(others) - 16; k++)
				if (world_of(tour, k) != rank)
					at += (size_t)snprintf(others + at, sizeof(others) - at,
						"%s%d", at ? "+" : "", world_of(tour, k));
			go(tour, WAY_LOOKS, CHARGE_EARLIER, "looked:%s:cut:%d", others, cut);
			go(tour, WAY_LOOKS, CHARGE_EARLIER, "ring-then:%d:cut:%d", rank, cut);
			go(tour, WAY_LOOKS, CHARGE_EARLIER, "ring-then:%s:cut:%d", others, cut);
		}
}

static void tour_agents(const struct tour *tour)
{
	go(tour, WAY_AGENTS, CHARGE_LESS, "silent:gone");
	go(tour, WAY_AGENTS, CHARGE_LESS, "silent:old");
	if (hosts_of(tour->whole) != 1 || tour->whole->job->nranks < 2)
		return;
	go(tour, WAY_AGENTS, CHARGE_LESS, "spread:2/silent:gone");
	go(tour, WAY_AGENTS, CHARGE_LESS, "spread:2/silent:old");
	for (int host = 0; host < 2; host++) {
		go(tour, WAY_AGENTS, CHARGE_LESS, "spread:2/hosts:%d/silent:gone", host);
		go(tour, WAY_AGENTS, CHARGE_LESS, "spread:2/hosts:%d/silent:old", host);
	}
}

void ways_each(const struct whole *whole, way_fn *each, void *context)
{
	struct tour tour = {whole, each, context, 1};

	tour_hosts(&tour);
	tour_ranks(&tour);
	tour_one_kind(&tour);
	tour_kinds(&tour);
	tour_cuts(&tour);
	tour_looks(&tour);
	tour_agents(&tour);
}
