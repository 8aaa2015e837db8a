/* SPDX-License-Identifier: Apache-2.0 */
/* Bundles of several jobs in one heap: which are one job, and whose are judged. */
#include "cmd/bundle-groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/ring/fixture.h"
#include "tests/unit/unit.h"

#define S   1000000000LL
#define HOW "left out (name a file to see its job):"

/* A bundle made by hand: an agent's manifest, and ranks from..to, whose pids are pid + rank. */
struct told {
	const char *path, *host, *id, *name;
	int64_t launched; /* s */
	int from, to;
	uint32_t pid;
	uint64_t run, slurm, master; /* as its rings say */
	bool gloo; /* their ranks are in the one group of PyTorch that all runs have */
	uint64_t world, alias; /* they are in this communicator of all eight */
	int owner;             /* 1 + whose it is, as who gathered it saw; 0 not said */
	int64_t until;         /* s: the last reading, where that is not the launch */
	const char *step;     /* of Slurm's job 88, as its agent was launched; NULL */
	const char *unprobed; /* the identity of one rank more, which has no probe */
};

static void add_owner(struct evidence *evidence, const struct told *told)
{
	struct str text = {0};
	size_t len;

	str_printf(&text, "{\"host\": \"%s\", \"owner\": %d}", told->host, told->owner - 1);
	len = text.len;
	evidence_add(evidence,
		&(struct exhibit){.kind = EXHIBIT_GATHER, .host = (char *)told->host, .rank = -1},
		(uint8_t *)str_detach(&text), len);
}

static void add_unprobed(struct evidence *evidence, const struct told *told)
{
	struct str text = {0};
	size_t len;

	str_printf(&text, "{\"role\": \"rank\", %s}", told->unprobed);
	len = text.len;
	evidence_add(evidence,
		&(struct exhibit){.kind = EXHIBIT_IDENTITY,
			.host = (char *)told->host,
			.rank = -1,
			.pid = told->pid + 99,
			.start_time = 7},
		(uint8_t *)str_detach(&text), len);
}

/* A rank's ring. */
static void add_ring(struct evidence *evidence, const struct told *told, int rank)
{
	struct ring_member member = {.key = told->world ? told->world : 77,
		.alias = told->alias,
		.maker = told->world ? RING_MAKER_NCCL : RING_MAKER_GLOO,
		.rank = (uint32_t)rank,
		.size = 8,
		.device = -1};
	struct fixture *f = fixture_new(2, RING_RANK);
	struct ring_header *h = f->base;
	size_t len = h->file_size;
	int group;

	h->rank = rank;
	h->pid = told->pid + (uint32_t)rank;
	h->start_time = 7;
	h->run = told->run;
	h->slurm = told->slurm;
	h->master = told->master;
	group = ring_group_claim(&f->w);
	ring_group_publish(&f->w, group, 1, &member);
	h->world_size = 8;
	if (told->world)
		ring_group_ready(&f->w, group, 2, 1);
	evidence_add(evidence,
		&(struct exhibit){.kind = EXHIBIT_RING,
			.host = (char *)told->host,
			.rank = rank,
			.pid = h->pid,
			.start_time = 7,
			.when = told->launched * S + 1},
		memcpy(alloc_zeroed(len, 1), f->base, len), len);
	fixture_free(f);
}

static void add(struct bundle_groups *groups, const struct told *told)
{
	struct evidence evidence = {0};
	struct str text = {0};
	size_t len;

	str_printf(&text, "{\"job\": \"%s\", \"name\": \"%s\", \"launched\": %lld", told->id,
		told->name, (long long)(told->launched * S));
	if (told->step)
		str_printf(&text,
			", \"env\": {\"SLURM_JOB_ID\": \"88\", \"SLURM_STEP_ID\": \"%s\"}",
			told->step);
	str_add(&text, "}");
	len = text.len;
	evidence_add(&evidence,
		&(struct exhibit){.kind = EXHIBIT_MANIFEST,
			.host = (char *)told->host,
			.rank = -1,
			.when = told->until * S},
		(uint8_t *)str_detach(&text), len);
	for (int rank = told->from; rank <= told->to; rank++)
		for (int twice = 0; twice < 2; twice++)
			evidence_add(&evidence,
				&(struct exhibit){.kind = EXHIBIT_LIVENESS,
					.host = (char *)told->host,
					.rank = rank,
					.pid = told->pid + (uint32_t)rank,
					.start_time = 7,
					.when = told->launched * S + 1},
				NULL, 0);
	for (int rank = told->from; (told->gloo || told->world) && rank <= told->to; rank++)
		add_ring(&evidence, told, rank);
	if (told->owner)
		add_owner(&evidence, told);
	if (told->unprobed)
		add_unprobed(&evidence, told);
	bundle_groups_add(groups, told->path, &evidence);
	assert_int_equal(evidence.n, 0);
}

/* Sifts n of them, also from behind; how many exhibits are judged, and what is said of the rest. */
static size_t settle(const struct told *told, size_t n, const char *words, size_t nleft)
{
	size_t exhibits = 0;

	for (int backwards = 0; backwards < 2; backwards++) {
		struct evidence into = {0};
		struct bundle_groups groups = {0};
		struct str said = {0};

		for (size_t i = 0; i < n; i++)
			add(&groups, &told[backwards ? n - 1 - i : i]);
		bundle_groups_settle(&groups, &into);
		bundle_groups_describe(&groups, &said);
		assert_string_equal(str_text(&said), words);
		assert_int_equal(groups.left.nr, nleft);
		assert_true(!backwards || exhibits == into.n);
		exhibits = into.n;
		evidence_release(&into);
		bundle_groups_release(&groups);
		str_release(&said);
	}
	return exhibits;
}

static void nodes_of_one_job_stay_together(void **unused)
{
	/* Each node's agent has an id of its own. */
	static const struct told nodes[] = {{"a.inq", "nodeA", "id-1", "sft", 100, 0, 3, 500},
		{"b.inq", "nodeB", "id-2", "sft", 101, 4, 7, 500},
		{"c.inq", "nodeC", "id-3", "sft", 99, 8, 11, 900}};
	/* Looked at twice: the same processes; or the same id after a restart of all ranks. */
	static const struct told looks[] = {{"a.inq", "nodeA", "id-1", "", 100, 0, 3, 500},
		{"b.inq", "nodeA", "", "", 100, 0, 3, 500},
		{"c.inq", "nodeA", "id-1", "", 100, 0, 3, 900}};

	(void)unused;
	assert_int_equal(settle(nodes, 1, "", 0), 9);
	assert_int_equal(settle(nodes, 3, "", 0), 27);
	assert_int_equal(settle(looks, 3, "", 0), 27);
	assert_int_equal(settle(nodes, 0, "", 0), 0);
}

static void of_two_jobs_the_newest_is_judged(void **unused)
{
	static const struct told jobs[] = {{"/x/old.inq", "nodeA", "id-1", "sft", 100, 0, 7, 500},
		{"/x/new.inq", "nodeA", "id-2", "sft", 900, 0, 3, 700}};
	static const struct told names[] = {{"a.inq", "nodeA", "id-1", "sft", 100, 0, 3, 500},
		{"b.inq", "nodeB", "id-2", "moe", 90, 4, 7, 700}};
	/* A name that only repeats the id is none. */
	static const struct told nameless[] = {{"a.inq", "nodeA", "id-1", "id-1", 100, 0, 3, 500},
		{"b.inq", "nodeB", "id-2", "id-2", 90, 4, 7, 700}};

	(void)unused;
	assert_int_equal(settle(jobs, 2,
				 "1 job " HOW " sft in old.inq", 1),
		9);
	assert_int_equal(settle(names, 2,
				 "1 job " HOW " moe in b.inq", 1),
		9);
	assert_int_equal(settle(nameless, 2, "", 0), 18);
}

/* Who knows what a job is called may claim the ranks that it lacks: not in that user's job. */
static void another_user_is_of_no_job_but_his_own(void **unused)
{
	static const struct told same_id[] = {
		{.path = "a", "n", "sft", "", 100, 0, 1, 500, .owner = 1001},
		{.path = "b", "n", "sft", "", 90, 2, 3, 700, .owner = 1002}};
	static const struct told elsewhere[] = {
		{.path = "a", "n", "id-1", "sft", 100, 0, 1, 500, .owner = 1001},
		{.path = "b", "m", "id-2", "sft", 90, 2, 3, 700, .owner = 1002}};
	static const struct told of_root[] = {
		{.path = "a", "n", "id-1", "sft", 100, 0, 1, 500, .owner = 1},
		{.path = "b", "n", "id-2", "sft", 90, 2, 3, 700, .owner = 1002}};
	static const struct told in_containers[] = {
		{.path = "a", "n", "id-1", "sft", 100, 0, 1, 500, .owner = 1},
		{.path = "b", "m", "id-2", "sft", 90, 2, 3, 700, .owner = 1002}};
	static const struct told one_user[] = {
		{.path = "a", "n", "id-1", "sft", 100, 0, 1, 500, .owner = 1001},
		{.path = "b", "m", "id-2", "sft", 90, 2, 3, 700, .owner = 1001},
		{.path = "c", "m", "id-3", "sft", 91, 4, 4, 800}};

	(void)unused;
	assert_int_equal(settle(same_id, 2, "1 job " HOW " sft in b", 1), 6);
	assert_int_equal(settle(elsewhere, 2, "1 job " HOW " sft in b", 1), 6);
	assert_int_equal(settle(of_root, 2, "1 job " HOW " sft in b", 1), 6);
	assert_int_equal(settle(in_containers, 2, "", 0), 12);
	assert_int_equal(settle(one_user, 3, "", 0), 15);
}

/* Two nights of two nodes: whose node a bundle is, the time of its launch tells. */
static void nights_are_told_apart(void **unused)
{
	static const struct told nights[] = {{"a1", "nodeA", "id-1", "sft", 100, 0, 3, 500},
		{"b1", "nodeB", "id-2", "sft", 101, 4, 7, 500},
		{"a2", "nodeA", "id-3", "sft", 9000, 0, 3, 600},
		{"b2", "nodeB", "id-4", "sft", 9001, 4, 7, 600}};
	static const struct told many[] = {{"a", "n", "1", "", 1, 0, 0, 10},
		{"b", "n", "2", "", 2, 0, 0, 20}, {"c", "n", "3", "", 3, 0, 0, 30},
		{"d", "n", "4", "", 4, 0, 0, 40}, {"e", "n", "5", "", 5, 0, 0, 50},
		{"f", "n", "6", "", 6, 0, 0, 60}};

	(void)unused;
	assert_int_equal(settle(nights, 4,
				 "1 job " HOW " sft in b1 and 1 more",
				 1),
		18);
	assert_int_equal(settle(many, 6,
				 "5 jobs " HOW " 5 in e, 4 in d, 3 in c, and 2 more", 5),
		3);
}

/* Two runs of one program have groups of one key: that joins nobody who contradicts another. */
static void a_group_of_pytorch_is_no_identity(void **unused)
{
	static const struct told same_ranks[] = {
		{"a1", "nodeA", "id-1", "", 100, 0, 3, 500, .gloo = true},
		{"b1", "nodeB", "id-2", "", 101, 4, 7, 500, .gloo = true},
		{"a2", "nodeA", "id-3", "", 300, 0, 3, 600, .gloo = true},
		{"b2", "nodeB", "id-4", "", 301, 4, 7, 600, .gloo = true}};
	static const struct told names[] = {
		{"a1", "nodeA", "id-1", "sft", 100, 0, 3, 500, .gloo = true},
		{"a2", "nodeB", "id-3", "moe", 101, 4, 7, 600, .gloo = true}};

	(void)unused;
	assert_int_equal(settle(same_ranks, 4, "1 job " HOW " id-2 in b1 and 1 more", 1), 26);
	assert_int_equal(settle(names, 2, "1 job " HOW " sft in a1", 1), 13);
}

/* The first node of one run and the second of another: only their rings say that they are two. */
static void halves_of_two_runs_are_not_one(void **unused)
{
	static const struct told ids[] = {
		{"a1", "nodeA", "id-1", "", 100, 0, 3, 500, .run = 1, .gloo = true},
		{"b2", "nodeB", "id-4", "", 101, 4, 7, 600, .run = 2, .gloo = true}};
	static const struct told ports[] = {
		{"a1", "nodeA", "id-1", "", 100, 0, 3, 500, .master = 1, .gloo = true},
		{"b2", "nodeB", "id-4", "", 301, 4, 7, 600, .master = 2, .gloo = true}};
	/* Slurm's jobs may have one master; a wrong port may be the mistake that is looked for. */
	static const struct told one[] = {
		{"a1", "nodeA", "id-1", "", 100, 0, 3, 500, .slurm = 1, .master = 5, .gloo = true},
		{"b1", "nodeB", "id-4", "", 101, 4, 7, 600, .slurm = 2, .master = 5, .gloo = true}};
	static const struct told wrong[] = {
		{"a1", "nodeA", "id-1", "", 100, 0, 3, 500, .master = 5, .gloo = true},
		{"b1", "nodeB", "id-4", "", 101, 4, 7, 600, .master = 6, .gloo = true}};
	/* A week lies between them. */
	static const struct told weeks[] = {{"a1", "nodeA", "id-1", "", 100, 0, 3, 500},
		{"b2", "nodeB", "id-4", "", 604900, 4, 7, 600}};

	(void)unused;
	assert_int_equal(settle(ids, 2, "1 job " HOW " id-1 in a1", 1), 13);
	assert_int_equal(settle(ports, 2, "1 job " HOW " id-1 in a1", 1), 13);
	assert_int_equal(settle(one, 2, "", 0), 26);
	assert_int_equal(settle(wrong, 2, "", 0), 26);
	assert_int_equal(settle(weeks, 2, "1 job " HOW " id-1 in a1", 1), 9);
}

/* Rings say that they are two. A rank without a probe may know of no run, or of another. */
static void who_has_no_run_hides_nobodys(void **unused)
{
	static const struct told other = {
		"b2", "nodeB", "id-4", "", 101, 4, 7, 600, .run = 2, .gloo = true};
	static const struct {
		const char *unprobed;
		size_t left;
	} beside[] = {{NULL, 1}, {"\"x\": 1", 1}, {"\"run\": \"none\"", 1},
		{"\"source\": \"asked for by its pid\", \"job\": \"pid-9\"", 1},
		/* Of two runs, the bundle tells none. */
		{"\"run\": \"night\"", 0}};

	(void)unused;
	for (size_t i = 0; i < sizeof(beside) / sizeof(*beside); i++) {
		struct told two[] = {{"a1", "nodeA", "id-1", "", 100, 0, 3, 500, .run = 1,
					     .gloo = true, .unprobed = beside[i].unprobed},
			other};

		settle(two, 2, beside[i].left ? "1 job " HOW " id-1 in a1" : "", beside[i].left);
	}
}

/* Where all ranks have met, each node has that communicator. */
static void halves_that_met_others_are_not_one(void **unused)
{
	static const struct told two[] = {{"a1", "nodeA", "id-1", "", 100, 0, 3, 500, .world = 5},
		{"b2", "nodeB", "id-4", "", 101, 4, 7, 600, .world = 6}};
	static const struct told one[] = {{"a1", "nodeA", "id-1", "", 100, 0, 3, 500, .world = 5},
		{"b1", "nodeB", "id-4", "", 101, 4, 7, 600, .world = 5}};
	/* By another route it is known by another key. */
	static const struct told doors[] = {{"a1", "nodeA", "id-1", "", 100, 0, 3, 500, .world = 5},
		{"b1", "nodeB", "id-4", "", 101, 4, 7, 600, .world = 9, .alias = 9}};
	/* And who has not met all has met nobody else. */
	static const struct told late[] = {{"a1", "nodeA", "id-1", "", 100, 0, 3, 500, .world = 5},
		{"b1", "nodeB", "id-4", "", 101, 4, 7, 600}};

	(void)unused;
	assert_int_equal(settle(two, 2, "1 job " HOW " id-1 in a1", 1), 13);
	assert_int_equal(settle(one, 2, "", 0), 26);
	assert_int_equal(settle(doors, 2, "", 0), 26);
	assert_int_equal(settle(late, 2, "", 0), 22);
}

/*
 * Half of each of two attempts of one launch: the one that was read last is judged, whichever
 * node's agent was the last to start. Of two launches it is the last one.
 */
static void of_two_attempts_of_a_launch_the_later_is_judged(void **unused)
{
	(void)unused;
	for (uint64_t run = 0; run < 6; run += 5)
		for (int first = 0; first < 2; first++) {
			const struct told halves[] = {{"a", "A", "", "a", 100 + first, 0, 3, 500,
							      run, .world = 6001, .until = 300},
				{"b", "B", "", "", 101 - first, 4, 7, 500, run, .world = 6002,
					.until = 400}};

			assert_int_equal(settle(halves, 2, first && !run ? "1 job " HOW " b"
							   : "1 job " HOW " a in a", 1), 13);
		}
}

/* A node of an attach, without any probe: ranks from..to, born at `born`, of this environment. */
struct bare {
	const char *path, *host, *environment;
	int64_t born; /* s */
	int from, to;
	const char *first; /* the environment of its first rank, if that is another; NULL */
};

static void add_text(struct evidence *evidence, const struct exhibit *about, struct str *text)
{
	size_t len = text->len;

	evidence_add(evidence, about, (uint8_t *)str_detach(text), len);
}

/* The host was booted at 0, and is looked at an hour after the birth. */
static void add_bare(struct bundle_groups *groups, const struct bare *bare)
{
	struct evidence evidence = {0};
	int64_t now = (bare->born + 3600) * S;
	struct exhibit about = {.kind = EXHIBIT_GATHER,
		.host = (char *)bare->host,
		.rank = -1,
		.when = now};
	struct str text = {0};

	str_printf(&text, "{\"realtime\": %lld, \"boottime\": %lld, \"clk_tck\": 100}",
		(long long)now, (long long)now);
	add_text(&evidence, &about, &text);
	about.kind = EXHIBIT_IDENTITY;
	about.start_time = (uint64_t)bare->born * 100;
	for (about.rank = bare->from; about.rank <= bare->to; about.rank++) {
		about.pid = (uint32_t)(500 + about.rank);
		str_printf(&text, "{\"role\": \"rank\", \"rank\": %d, %s}", about.rank,
			about.rank == bare->from && bare->first ? bare->first
								: bare->environment);
		add_text(&evidence, &about, &text);
	}
	bundle_groups_add(groups, bare->path, &evidence);
}

#define DAY (24 * 3600LL) /* s */

/* One bundle of two hosts, as of `attach --hosts A,B': one was booted long before the other. */
static void add_two_hosts(struct bundle_groups *groups, int64_t born, int from, bool backwards)
{
	static const struct {
		const char *host;
		int64_t up; /* s, at the birth */
	} hosts[] = {{"A", 100 * DAY}, {"B", DAY}};
	struct evidence evidence = {0};
	struct str text = {0};

	for (int i = 0; i < 2; i++) {
		int k = backwards ? 1 - i : i;
		struct exhibit about = {.kind = EXHIBIT_GATHER,
			.host = (char *)hosts[k].host,
			.rank = -1,
			.when = (born + 60) * S};

		str_printf(&text, "{\"realtime\": %lld, \"boottime\": %lld, \"clk_tck\": 100}",
			(long long)about.when, (long long)((hosts[k].up + 60) * S));
		add_text(&evidence, &about, &text);
		about.kind = EXHIBIT_IDENTITY;
		about.start_time = (uint64_t)hosts[k].up * 100;
		for (about.rank = from + 4 * k; about.rank < from + 4 * k + 4; about.rank++) {
			about.pid = (uint32_t)(7000 + about.rank);
			str_printf(&text, "{\"role\": \"rank\", \"rank\": %d}", about.rank);
			add_text(&evidence, &about, &text);
		}
	}
	bundle_groups_add(groups, "today.inq", &evidence);
}

/* Today's job of two hosts, beside last week's: it is the newer one, and has no part of that. */
static void each_host_counts_from_its_own_boot(void **unused)
{
	static const struct bare past = {"lastweek.inq", "C", "\"x\": 1", 193 * DAY, 0, 7};

	(void)unused;
	for (int backwards = 0; backwards < 2; backwards++)
		for (int from = 0; from <= 8; from += 8) {
			struct evidence into = {0};
			struct bundle_groups groups = {0};

			add_two_hosts(&groups, 200 * DAY, from, backwards);
			assert_int_equal(groups.parts.items[0].launched, 200 * DAY * S);
			add_bare(&groups, &past);
			bundle_groups_settle(&groups, &into);
			assert_int_equal(groups.left.nr, 1);
			assert_string_equal(groups.left.items[0].files[0], "lastweek.inq");
			evidence_release(&into);
			bundle_groups_release(&groups);
		}
}

/* Gathered twice, the last reading of the clocks counts; without any, the first of all readings. */
static void the_order_of_exhibits_dates_nobody(void **unused)
{
	static const int64_t readings[] = {0, 300, 100, 200};

	(void)unused;
	for (int clocks = 0; clocks < 2; clocks++)
		for (size_t first = 0; first < 4; first++) {
			struct evidence evidence = {0};
			struct bundle_groups groups = {0};
			struct str text = {0};

			for (size_t i = 0; i < 4; i++) {
				int64_t at = readings[(first + i) % 4];

				str_printf(&text,
					"{\"realtime\": %lld, \"boottime\": 1, \"clk_tck\": 1}",
					(long long)(at * S + 1));
				add_text(&evidence,
					&(struct exhibit){.kind = clocks ? EXHIBIT_GATHER
									 : EXHIBIT_LIVENESS,
						.host = (char *)"A",
						.rank = clocks ? 0 : -1,
						.pid = 500,
						.start_time = 1,
						.when = at * S},
					&text);
			}
			bundle_groups_add(&groups, "a", &evidence);
			assert_int_equal(groups.parts.items[0].launched, (clocks ? 301 : 100) * S);
			bundle_groups_release(&groups);
		}
}

/* How many jobs these two nodes are of. */
static size_t jobs_of(const struct bare *one, const struct bare *other)
{
	struct evidence into = {0};
	struct bundle_groups groups = {0};
	size_t jobs;

	add_bare(&groups, one);
	add_bare(&groups, other);
	bundle_groups_settle(&groups, &into);
	jobs = 1 + groups.left.nr;
	evidence_release(&into);
	bundle_groups_release(&groups);
	return jobs;
}

/* Halves of two runs, without any ring: what launchers gave to the ranks says that they are two. */
static void environments_tell_runs_apart(void **unused)
{
	static const struct bare node = {"a", "A",
		"\"run\": \"night\", \"master\": \"a:29500\", \"world_size\": 8", 1000, 0, 3};
	static const struct {
		const char *environment;
		int64_t born;
		size_t jobs;
	} others[] = {
		{"\"run\": \"night\", \"master\": \"a:29500\", \"world_size\": 8", 1001, 1},
		{"\"run\": \"day\", \"master\": \"a:29500\", \"world_size\": 8", 1001, 2},
		/* A wrong port, or a wrong size, may be the mistake that is looked for. */
		{"\"master\": \"a:29501\", \"world_size\": 8", 1001, 1},
		{"\"master\": \"a:29500\", \"world_size\": 4", 1001, 1},
		/* Not of ranks that were born at another time. */
		{"\"master\": \"a:29501\", \"world_size\": 8", 1500, 2},
		{"\"master\": \"a:29500\", \"world_size\": 4", 1500, 2},
		{"\"master\": \"a:29500\", \"world_size\": 8", 1500, 1},
		/* An elastic run may have shrunk, and grown again. */
		{"\"run\": \"night\", \"master\": \"a:29500\", \"world_size\": 4", 1500, 1},
		/* Steps of one job of Slurm, and none of it: nothing is told. */
		{"\"slurm\": \"8841.0\"", 1500, 1},
		{"\"run\": \"none\", \"master\": \"nonsense\", \"world_size\": -1", 1500, 1},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		struct bare other = {"b", "B", others[i].environment, others[i].born, 4, 7};

		assert_int_equal(jobs_of(&node, &other), others[i].jobs);
	}
}

/* Two nodes: the first one's environment, and the other's, whose ranks were born 120 s later. */
struct pair {
	const char *one, *other;
	size_t jobs;
};

static void count_jobs(const struct pair *pairs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct bare one = {"a", "A", pairs[i].one, 1000, 0, 3};
		struct bare other = {"b", "B", pairs[i].other, 1120, 4, 7};

		assert_int_equal(jobs_of(&one, &other), pairs[i].jobs);
	}
}

/* An image is pulled, a second ssh typed: a wrong port, or size, is to be found all the same. */
static void a_node_of_one_launch_may_come_late(void **unused)
{
	static const struct pair pairs[] = {
		{"\"slurm\": \"88.0\", \"master\": \"a:1\", \"world_size\": 8",
			"\"slurm\": \"88.0\", \"master\": \"a:2\", \"world_size\": 8", 1},
		{"\"slurm\": \"88.0\", \"master\": \"a:1\", \"world_size\": 8",
			"\"slurm\": \"88.0\", \"master\": \"a:1\", \"world_size\": 4", 1},
		{"\"run\": \"night\", \"master\": \"a:1\", \"world_size\": 8",
			"\"run\": \"night\", \"master\": \"b:2\", \"world_size\": 4", 1},
		/* Other steps, or none that is known; other jobs, whoever gave the id again. */
		{"\"slurm\": \"88.0\", \"master\": \"a:1\"",
			"\"slurm\": \"88.1\", \"master\": \"a:2\"", 2},
		{"\"slurm\": \"88\", \"master\": \"a:1\"",
			"\"slurm\": \"88\", \"master\": \"a:2\"", 2},
		{"\"run\": \"none\", \"master\": \"a:1\"",
			"\"run\": \"none\", \"master\": \"a:2\"", 2},
		{"\"run\": \"night\", \"slurm\": \"88.0\", \"master\": \"a:1\"",
			"\"run\": \"night\", \"slurm\": \"89.0\", \"master\": \"a:2\"", 2},
		{"\"run\": \"night\", \"slurm\": \"88.0\", \"master\": \"a:1\"",
			"\"run\": \"day\", \"slurm\": \"88.0\", \"master\": \"a:1\"", 2},
	};

	(void)unused;
	count_jobs(pairs, sizeof(pairs) / sizeof(*pairs));
}

/* What launches has the step in its own environment. */
static void a_launch_knows_its_step(void **unused)
{
	static const struct {
		const char *one, *other;
		size_t left;
	} steps[] = {{"0", "0", 0}, {"0", "1", 1}, {"0", NULL, 1},
		/* An interactive step has no number. */
		{"4294967290", "4294967290", 1}};

	(void)unused;
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		struct told two[] = {{"a", "A", "id-1", "", 100, 0, 3, 500, .until = 900,
					     .step = steps[i].one, .master = 1, .gloo = true},
			{"b", "B", "id-2", "", 220, 4, 7, 500, .until = 900, .step = steps[i].other,
				.master = 2, .gloo = true}};

		settle(two, 2, steps[i].left ? "1 job " HOW " id-1 in a" : "", steps[i].left);
	}
}

/* The id that its user gave to a run is given again, once that is over: an hour after its birth. */
static void an_id_that_is_given_again_joins_nobody(void **unused)
{
	static const struct bare past = {
		"a", "A", "\"run\": \"night\", \"master\": \"a:1\"", 1000, 0, 3};
	static const struct bare late = {
		"b", "B", "\"run\": \"night\", \"master\": \"a:2\"", 4500, 4, 7};
	static const struct bare again = {
		"b", "B", "\"run\": \"night\", \"master\": \"a:2\"", 4700, 4, 7};

	(void)unused;
	assert_int_equal(jobs_of(&past, &late), 1);
	assert_int_equal(jobs_of(&past, &again), 2);
}

/* A node whose ranks are not there yet has its launcher, which counts tasks. */
static void tasks_are_not_counted_as_ranks(void **unused)
{
	static const struct pair pairs[] = {
		{"\"launcher\": \"slurm\", \"slurm\": \"88.0\", \"world_size\": 2",
			"\"launcher\": \"torchrun\", \"run\": \"night\", \"world_size\": 8", 1},
		{"\"launcher\": \"mpirun\", \"world_size\": 2",
			"\"launcher\": \"env\", \"world_size\": 8", 1},
		/* Like with like. */
		{"\"launcher\": \"openmpi\", \"world_size\": 2",
			"\"launcher\": \"openmpi\", \"world_size\": 8", 2},
		{"\"launcher\": \"env\", \"world_size\": 2",
			"\"launcher\": \"torchrun\", \"world_size\": 8", 2},
	};

	(void)unused;
	count_jobs(pairs, sizeof(pairs) / sizeof(*pairs));
}

/* One rank with a wrong port does not make a job one of which nothing is known. */
static void a_wrong_address_among_right_ones_is_not_lost(void **unused)
{
	static const struct bare node = {"a", "A", "\"master\": \"a:1\"", 1000, 0, 3,
		"\"master\": \"a:2\""};
	static const struct bare one = {"b", "B", "\"master\": \"a:1\"", 1500, 4, 7};
	static const struct bare other = {"b", "B", "\"master\": \"a:3\"", 1500, 4, 7};

	(void)unused;
	assert_int_equal(jobs_of(&node, &one), 1);
	assert_int_equal(jobs_of(&node, &other), 2);
}

/* What no agent wrote, and what is damaged, tells nothing: it must not be believed, nor crash. */
static void what_says_nothing_is_kept(void **unused)
{
	struct evidence evidence = {0}, into = {0};
	struct bundle_groups groups = {0};

	(void)unused;
	evidence_add(&evidence,
		&(struct exhibit){.kind = EXHIBIT_MANIFEST, .rank = -1, .damaged = true},
		(uint8_t *)alloc_text("{\"job\": \"x\"}"), 12);
	evidence_add(&evidence, &(struct exhibit){.kind = EXHIBIT_RECEIPT, .rank = -1},
		(uint8_t *)alloc_text("[]"), 2);
	evidence_add_gap(&evidence, "", 0, "a ring");
	bundle_groups_add(&groups, "odd.inq", &evidence);
	bundle_groups_add(&groups, "none.inq", &evidence);
	bundle_groups_settle(&groups, &into);
	assert_int_equal(into.n, 2);
	assert_int_equal(into.ngaps, 1);
	assert_int_equal(groups.left.nr, 0);
	evidence_release(&into);
	bundle_groups_release(&groups);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_of_one_job_stay_together),
		cmocka_unit_test(of_two_jobs_the_newest_is_judged),
		cmocka_unit_test(another_user_is_of_no_job_but_his_own),
		cmocka_unit_test(nights_are_told_apart),
		cmocka_unit_test(a_group_of_pytorch_is_no_identity),
		cmocka_unit_test(halves_of_two_runs_are_not_one),
		cmocka_unit_test(who_has_no_run_hides_nobodys),
		cmocka_unit_test(halves_that_met_others_are_not_one),
		cmocka_unit_test(of_two_attempts_of_a_launch_the_later_is_judged),
		cmocka_unit_test(environments_tell_runs_apart),
		cmocka_unit_test(a_node_of_one_launch_may_come_late),
		cmocka_unit_test(a_launch_knows_its_step),
		cmocka_unit_test(an_id_that_is_given_again_joins_nobody),
		cmocka_unit_test(tasks_are_not_counted_as_ranks),
		cmocka_unit_test(a_wrong_address_among_right_ones_is_not_lost),
		cmocka_unit_test(each_host_counts_from_its_own_boot),
		cmocka_unit_test(the_order_of_exhibits_dates_nobody),
		cmocka_unit_test(what_says_nothing_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
