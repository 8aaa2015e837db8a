/* SPDX-License-Identifier: Apache-2.0 */
/* Hands facts over to the builder of a job, in an order that is drawn, and has it sealed. */
#include "tests/unit/unit.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "tests/unit/facts.h"

struct item {
	enum { ITEM_HOST, ITEM_PROCESS, ITEM_MEMBER, ITEM_OP, ITEM_THREAD, ITEM_EXTRA } kind;
	int rank, group;
	size_t at;
};

/* True if anything is told of that rank. */
static bool is_told(const struct facts *f, int rank)
{
	return f->ranks[rank].seen && rank != f->hidden &&
	       !(f->unseen_hosts >> f->ranks[rank].host & 1);
}

static void list_items(const struct facts *f, struct item *items, size_t *n)
{
	for (int i = 0; i < f->nhosts; i++)
		if (!(f->unseen_hosts >> i & 1))
			items[(*n)++] = (struct item){ITEM_HOST, 0, 0, (size_t)i};
	for (int rank = 0; rank < f->n; rank++) {
		if (!is_told(f, rank))
			continue;
		items[(*n)++] = (struct item){ITEM_PROCESS, rank, 0, 0};
		if (!f->ranks[rank].ring && !f->ranks[rank].dump)
			continue;
		if (f->ranks[rank].ring)
			items[(*n)++] = (struct item){ITEM_THREAD, rank, 0, 0};
		for (int group = 0; group < f->ngroups; group++) {
			const struct facts_member *m = &f->members[group][rank];

			if (!m->in)
				continue;
			items[(*n)++] = (struct item){ITEM_MEMBER, rank, group, 0};
			for (size_t i = 0; i < m->nops; i++)
				items[(*n)++] = (struct item){ITEM_OP, rank, group, i};
		}
	}
	for (size_t i = 0; i < f->nextra; i++)
		if (is_told(f, f->extra[i].rank) &&
			(!f->extra[i].of_ring || f->ranks[f->extra[i].rank].ring))
			items[(*n)++] = (struct item){ITEM_EXTRA, f->extra[i].rank, 0, i};
}

static void shuffle(struct item *items, size_t n, unsigned seed)
{
	for (size_t i = n; seed && i > 1; i--) {
		size_t other = (size_t)rand_r(&seed) % i;
		struct item held = items[i - 1];

		items[i - 1] = items[other];
		items[other] = held;
	}
}

static struct job_who who_of(const struct facts *f, int rank)
{
	const struct facts_rank *r = &f->ranks[rank];

	return (struct job_who){f->hosts[r->host].name, r->pid, 100 + r->pid};
}

static void give_process(const struct facts *f, struct job_builder *b, int rank)
{
	const struct facts_rank *r = &f->ranks[rank];
	struct job_process process = r->process;
	struct job_identity identity = {.world_rank = world_rank(r->named ? rank : JOB_NONE),
		.local_rank = JOB_NONE,
		.promoted = r->promoted,
		.number = r->number,
		.lost_records = r->lost};

	process.role = r->promoted ? JOB_ROLE_RANK : JOB_ROLE_CANDIDATE;
	process.restart = r->restart;
	process.cite = "proc";
	if (!r->exit_known)
		process.end = JOB_END_UNKNOWN;
	identity.knows = (r->ring ? JOB_KNOWS_RING : 0) | (r->dump ? JOB_KNOWS_DUMP : 0) |
			 (r->proc ? JOB_KNOWS_PROC : 0) |
			 (r->census ? JOB_KNOWS_CENSUS : 0) | (r->exit_known ? JOB_KNOWS_EXIT : 0) |
			 (f->completion ? JOB_KNOWS_COMPLETION : 0);
	job_add_process(b, who_of(f, rank), &process, &identity);
}

static void give_other(struct job_builder *b, struct job_who who, const struct facts_extra *e)
{
	const struct job_identity identity = {.world_rank = world_rank(e->claims),
		.number = e->number,
		.local_rank = JOB_NONE,
		.knows = e->claims == JOB_NONE ? 0 : JOB_KNOWS_CENSUS};

	job_add_process(b, who, &e->is.process, &identity);
}

static void give_extra(const struct facts *f, struct job_builder *b, const struct facts_extra *e)
{
	struct job_who who = who_of(f, e->rank);

	if (e->pid) {
		who.pid = e->pid;
		who.start_time = 100 + e->pid;
	}
	switch (e->kind) {
	case EXTRA_SPAN:
		job_add_span(b, who, &e->is.span);
		break;
	case EXTRA_SHARD:
		job_add_shard(b, who, &e->is.shard);
		break;
	case EXTRA_STEP:
		job_add_step(b, who, &e->is.step);
		break;
	case EXTRA_NOTE:
		job_add_note(b, who, &e->is.note);
		break;
	case EXTRA_SIGNAL:
		job_add_signal(b, who, &e->is.signal);
		break;
	case EXTRA_TRAIT:
		job_add_trait(b, who, &e->is.trait);
		break;
	case EXTRA_LOG:
		job_add_log(b, who, &e->is.log);
		break;
	case EXTRA_CACHE:
		job_add_cache(b, who, &e->is.cache);
		break;
	case EXTRA_CUT:
		job_add_loss(b, (struct job_who){.host = ""}, &e->is.loss);
		break;
	case EXTRA_SAYING:
		job_add_saying(b, (struct job_who){.host = ""}, &e->is.saying);
		break;
	case EXTRA_LOSS:
		job_add_loss(b, who, &e->is.loss);
		break;
	case EXTRA_PROCESS:
		give_other(b, who, e);
		break;
	case EXTRA_THREAD:
		job_add_thread(b, who, &e->is.thread, 0);
		break;
	case EXTRA_STACK:
		facts_give_stack(f, b, who, e);
		break;
	}
}

static void give(const struct facts *f, struct job_builder *b, const struct item *item)
{
	const struct facts_member *m = &f->members[item->group][item->rank];
	uint32_t tid;
	struct job_op op;
	struct job_group group = {.key = f->group_keys[item->group],
		.name = f->group_names[item->group] ? f->group_names[item->group] : "",
		.ranks = f->group_ranks[item->group],
		.maker = f->group_makers[item->group] ? f->group_makers[item->group] : "nccl",
		.size = f->group_sizes[item->group],
		.cite = "ring:group"};

	switch (item->kind) {
	case ITEM_HOST:
		job_add_host(b, &f->hosts[item->at]);
		break;
	case ITEM_PROCESS:
		give_process(f, b, item->rank);
		break;
	case ITEM_THREAD:
		facts_give_calls(f, b, who_of(f, item->rank), item->rank);
		job_add_thread(b, who_of(f, item->rank), &f->ranks[item->rank].thread,
			f->ranks[item->rank].thread_group);
		break;
	case ITEM_MEMBER:
		job_add_member(b, who_of(f, item->rank), &group, &m->fact);
		break;
	case ITEM_OP:
		op = m->ops[item->at];
		tid = m->last_tid && item->at + 1 == m->nops ? m->last_tid
		      : m->tid				     ? m->tid
							     : f->ranks[item->rank].pid;
		op.tid = f->threads_unknown ? 0 : tid;
		job_add_op(b, who_of(f, item->rank), group.key, m->seat, &op, tid);
		break;
	case ITEM_EXTRA:
		give_extra(f, b, &f->extra[item->at]);
		break;
	}
}

struct job *facts_job(const struct facts *f)
{
	struct job_builder *b = job_builder_new();
	size_t of_rank = 2 + FACTS_MAX_GROUPS * (size_t)(1 + FACTS_MAX_OPS), n = 0;
	struct item *items =
		alloc_zeroed(64 + FACTS_MAX_EXTRA + (size_t)f->n * of_rank, sizeof(*items));

	job_want_calls(b);
	job_add_identity(b, "job-1", "test");
	if (f->world_size > 0)
		job_add_world_size(b, f->world_size, "WORLD_SIZE");
	if (f->part_host)
		job_add_part_host(b, f->part_host);
	if (f->unseen_hosts)
		job_add_expected_hosts(b, f->nhosts, "Slurm step");
	for (int i = 0; f->unseen_hosts && i < f->nhosts; i++)
		job_add_expected_host(b, f->hosts[i].name);
	if (f->deadline > 0)
		job_add_deadline(b, facts_ns(f->deadline), "receipt");
	if (f->failed)
		job_add_ending(b, f->failed);
	job_add_launch(b, facts_ns(0));
	if (f->ordered)
		job_add_order_to_end(b, facts_ns(f->ordered));
	if (f->census)
		job_add_census_seen(b);
	list_items(f, items, &n);
	shuffle(items, n, f->shuffle);
	for (size_t i = 0; i < n; i++)
		give(f, b, &items[i]);
	free(items);
	return job_seal(b);
}
