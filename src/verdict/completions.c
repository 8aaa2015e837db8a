/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict/completions.h"

#include "job/messages.h"
#include "job/rollcall.h"

/* Finds which members' devices began the op; nothing where any does not tell. */
static void look_at_begun(
	const struct inquiry *q, const struct job_group *g, uint64_t index, struct completion *c)
{
	for (uint32_t seat = 0; seat < g->size; seat++)
		if (!q->job->members[g->first_member + (int)seat].begun_known)
			return;
	for (uint32_t seat = 0; seat < g->size; seat++) {
		const struct job_member *m = &q->job->members[g->first_member + (int)seat];

		rank_list_add(m->begun >= index ? &c->begun : &c->waiting, m->rank);
	}
	rank_list_settle(&c->begun);
	rank_list_settle(&c->waiting);
}

void completion_look_at(
	const struct inquiry *q, int group, uint64_t index, struct completion *c)
{
	const struct job_group *g = &q->job->groups[group];

	for (uint32_t seat = 0; seat < g->size; seat++) {
		const struct job_member *m = &q->job->members[g->first_member + (int)seat];
		const struct job_op *op = rollcall_op(m, index);
		struct rank_list *list = &c->unknown;

		if ((m->done_known && m->done >= index) || (op && op->completed == JOB_YES))
			list = &c->done;
		else if (m->done_known ||
			 (op && (op->completed == JOB_NO || op->returned == JOB_NO)))
			list = &c->open;
		rank_list_add(list, m->rank);
		c->beyond |= m->done_known && m->done > index;
	}
	look_at_begun(q, g, index, c);
	rank_list_settle(&c->done);
	rank_list_settle(&c->open);
	rank_list_settle(&c->unknown);
}

void completion_look_at_pair(
	const struct inquiry *q, const struct wait *wait, struct completion *c)
{
	const struct job_op *met = message_met(q->job, wait->member, wait->op);
	struct rank_index peer = q->job->members[wait->peer].rank;

	if (!is_rank(peer) || !met || met->completed != JOB_YES)
		return;
	rank_list_add(&c->open, wait->rank);
	rank_list_add(&c->done, peer);
}

void completion_release(struct completion *c)
{
	array_release(&c->done.list);
	array_release(&c->open.list);
	array_release(&c->unknown.list);
	array_release(&c->begun.list);
	array_release(&c->waiting.list);
}
