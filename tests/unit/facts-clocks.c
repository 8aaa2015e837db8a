/* SPDX-License-Identifier: Apache-2.0 */
/* One host's clock set otherwise: all times that its ranks and its agent told. */
#include "tests/unit/unit.h"

#include "tests/unit/facts.h"

static void move(int64_t *when, int64_t by)
{
	if (*when != JOB_UNKNOWN)
		*when += by;
}

static void move_process(struct job_process *process, int64_t by)
{
	move(&process->born, by);
	move(&process->ended, by);
	move(&process->seen, by);
	move(&process->looked, by);
}

static void move_seats(struct facts *f, int rank, int64_t by)
{
	for (int g = 0; g < f->ngroups; g++) {
		struct facts_member *m = &f->members[g][rank];

		move(&m->fact.init_since, by);
		move(&m->fact.ready_at, by);
		for (size_t i = 0; i < m->nops; i++)
			move(&m->ops[i].entered, by);
	}
}

static void move_extra(struct facts_extra *e, int64_t by)
{
	switch (e->kind) {
	case EXTRA_SPAN:
		move(&e->is.span.begun, by);
		move(&e->is.span.ended, by);
		break;
	case EXTRA_SHARD:
		move(&e->is.shard.when, by);
		break;
	case EXTRA_STEP:
		move(&e->is.step.first, by);
		move(&e->is.step.when, by);
		break;
	case EXTRA_NOTE:
		move(&e->is.note.when, by);
		break;
	case EXTRA_TRAIT:
		move(&e->is.trait.when, by);
		break;
	case EXTRA_SIGNAL:
		move(&e->is.signal.when, by);
		break;
	case EXTRA_LOG:
		move(&e->is.log.when, by);
		break;
	case EXTRA_PROCESS:
		move_process(&e->is.process, by);
		break;
	case EXTRA_THREAD:
		move(&e->is.thread.since, by);
		break;
	case EXTRA_STACK:
		move(&e->is.stack.fact.when, by);
		break;
	case EXTRA_CACHE:
	case EXTRA_CUT:
	case EXTRA_LOSS:
	case EXTRA_SAYING:
		break;
	}
}

void facts_set_clock(struct facts *f, int host, double seconds)
{
	int64_t by = (int64_t)(seconds * 1e9);

	move(&f->hosts[host].gathered, by);
	move(&f->hosts[host].agent_beat, by);
	for (int i = 0; i < f->n; i++) {
		if (f->ranks[i].host != host)
			continue;
		move_process(&f->ranks[i].process, by);
		move(&f->ranks[i].thread.since, by);
		move_seats(f, i, by);
	}
	for (size_t i = 0; i < f->nextra; i++)
		if (f->ranks[f->extra[i].rank].host == host)
			move_extra(&f->extra[i], by);
}
