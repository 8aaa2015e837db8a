/* SPDX-License-Identifier: Apache-2.0 */
/*
 * show.c: rings and censuses as lines that a shell test can grep.
 *
 *	show FILE...
 *
 * One line per fact, words separated by blanks, "key=value" where a word needs a name. Times are
 * left out. A file named `census` is a census, every other a ring. Exit 1: a file cannot be read.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ring/calls.h"
#include "ring/census-read.h"
#include "ring/ring-names.h"
#include "ring/ring-read.h"
#include "ring/ring-snapshot.h"
#include "ring/ring-traceback.h"

static const char *show_string(const struct ring_view *v, uint64_t id)
{
	const char *s = ring_view_string(v, (uint32_t)id);

	return s ? s : "-";
}

static const char *show_call(uint32_t id)
{
	const char *s = ring_call_name(id);

	return s ? s : "-";
}

static void show_flags(uint64_t meta)
{
	for (unsigned bit = 0; bit < 8; bit++)
		if (ring_meta_flags(meta) & 1u << bit)
			printf(" +%s", ring_name(RING_LIST_FLAGS, bit));
}

static void show_words(const struct ring_slot *s)
{
	printf(" index=%" PRIu64 " count=%" PRIu64 " sig=%" PRIx64 " aux=%" PRIx64 " more=%" PRIx64,
		s->index, s->count, s->sig, s->aux, s->more);
}

/* The words of the types that tests look at; of others the type alone. */
static void show_record(const struct ring_view *v, const struct ring_slot *s)
{
	unsigned type = ring_meta_type(s->meta);
	uint32_t arg = ring_meta_arg(s->meta);
	const char *name = ring_name(RING_LIST_TYPES, type);

	printf(" %s", name ? name : "?");
	if (type == RING_CALL_ENTER || type == RING_CALL_EXIT || type == RING_COMM ||
		type == RING_WAIT_ENTER || type == RING_WAIT_EXIT || type == RING_EDGE)
		printf(" %s", show_call(arg));
	if (type == RING_PROC)
		printf(" %s", ring_name(RING_LIST_MILESTONES, arg));
	if (type == RING_NOTE || type == RING_SHARD || type == RING_SHAPE)
		printf(" \"%s\"", show_string(v, arg));
	if (type == RING_SPAN_BEGIN || type == RING_SPAN_END)
		printf(" %s \"%s\" \"%s\"", ring_name(RING_LIST_SPAN_KINDS, arg),
			show_string(v, s->aux & 0xffffffff), show_string(v, s->aux >> 32));
	if (type == RING_TRAIT)
		printf(" \"%s\" \"%s\"", show_string(v, arg), show_string(v, s->aux & 0xffffffff));
	if (type == RING_SIGNAL)
		printf(" signo=%" PRIu32, arg);
	if (ring_meta_group(s->meta) != RING_NO_GROUP)
		printf(" group=%u", ring_meta_group(s->meta));
	if (ring_sig_op(s->sig) && (type == RING_CALL_ENTER || type == RING_OP_ENTERED))
		printf(" op=%s", ring_name(RING_LIST_OPS, ring_sig_op(s->sig)));
	show_words(s);
	show_flags(s->meta);
	putchar('\n');
}

static void show_header(const struct ring_view *v)
{
	const struct ring_header *h = &v->header;
	const struct ring_losses *l = &h->losses;

	printf("header role=%s place=%s profile=%u generation=%u pid=%u rank=%d local_rank=%d "
	       "world=%d restart=%d completion=%u nccl=%u job=%s comm=%s clock=%u size=%" PRIu64
	       "\n",
		h->role == RING_RANK ? "rank" : "candidate",
		h->place == RING_PLACE_SHM ? "shm" : "disk", h->profile, h->generation, h->pid,
		h->rank, h->local_rank, h->world_size, h->restart, h->completion, h->nccl_version,
		h->job, h->comm, h->clock, h->file_size);
	printf("losses records=%" PRIu64 " groups=%" PRIu64 " unresolved=%" PRIu64
	       " forked=%" PRIu64 " completions=%" PRIu64 " contended=%" PRIu64 " fatal=%" PRIu64
	       "\n",
		l->records, l->groups, l->unresolved, l->forked, l->completions, l->contended,
		l->fatal);
}

static void show_lanes(const struct ring_view *v)
{
	for (uint64_t i = 0; i < ring_view_count(v, RING_S_LANES); i++) {
		struct ring_lane_view lane;
		struct ring_cursor cursor;
		struct ring_slot s;

		if (ring_view_lane(v, i, &lane) || (!lane.claims && !lane.head))
			continue;
		printf("lane %u%s tid=%u claimed=%d claims=%" PRIu64 " name=%s head=%" PRIu64 "\n",
			lane.number, lane.overflow ? " overflow" : "", lane.tid, lane.claimed,
			lane.claims, lane.name, lane.head);
		if (lane.board_state > 0) {
			printf("board %u", lane.number);
			show_record(v, &lane.board);
		}
		ring_cursor_open(&cursor, &lane);
		while (ring_cursor_next(&cursor, &s)) {
			printf("record %u.%" PRIu64, lane.number, ring_ticket(&s));
			show_record(v, &s);
		}
		printf("tally %u read=%" PRIu64 " torn=%" PRIu64 "\n", lane.number,
			cursor.tally.read, cursor.tally.in_flight);
	}
}

static void show_groups(const struct ring_view *v)
{
	static struct ring_group g;

	for (uint64_t i = 0; i < ring_view_count(v, RING_S_GROUPS); i++) {
		struct ring_slot s;

		if (ring_view_group(v, i, &g) != 1)
			continue;
		printf("group %" PRIu64 " key=%" PRIx64 " alias=%" PRIx64 " parent=%" PRIx64
		       " size=%u rank=%d device=%d color=%d splits=%u maker=%u name=%s ranks=%s"
		       " ops=%" PRIu64
		       " zero=%" PRIu64 " p2p=%" PRIu64 " done=%" PRIu64 " done_p2p=%" PRIu64
		       " contended=%" PRIu64,
			i, g.key, g.alias, g.parent, g.size, (int)g.rank, g.device, g.color,
			g.splits, g.maker, show_string(v, g.name),
			show_string(v, (uint32_t)g.ranks), g.op_index, g.zero_counts, g.p2p_count,
			g.completed_word, g.completed_p2p, g.contended);
		for (unsigned bit = 0; ring_name(RING_LIST_GROUP_STATES, bit); bit++)
			if (g.state & 1u << bit)
				printf(" +%s", ring_name(RING_LIST_GROUP_STATES, bit));
		if (g.state & RING_G_KERNELS)
			printf(" begun=%" PRIu64, g.begun_word);
		printf("\n");
		if (ring_board_read(g.complete, &s) > 0) {
			printf("complete %" PRIu64, i);
			show_record(v, &s);
		}
		if (ring_board_read(g.enqueue, &s) > 0) {
			printf("enqueue %" PRIu64, i);
			show_record(v, &s);
		}
		for (uint64_t n = g.op_index > RING_LAST ? g.op_index - RING_LAST : 1;
			n <= g.op_index; n++)
			if (!ring_group_op(&g, n, &s)) {
				printf("history %" PRIu64, i);
				show_record(v, &s);
			}
		for (uint64_t n = g.p2p_count > RING_P2P ? g.p2p_count - RING_P2P : 1;
			n <= g.p2p_count; n++)
			if (!ring_group_p2p(&g, n, &s)) {
				printf("history_p2p %" PRIu64, i);
				show_record(v, &s);
			}
	}
}

static void show_pins(const struct ring_view *v)
{
	for (uint64_t i = 0; i < ring_view_count(v, RING_S_PINNED); i++) {
		struct ring_pins pins;
		struct ring_slot s;

		if (ring_view_pins(v, i, &pins))
			continue;
		while (ring_pins_next(&pins, &s)) {
			printf("pin %s", ring_name(RING_LIST_PINS, pins.class));
			show_record(v, &s);
		}
	}
}

static void show_spans_and_marks(const struct ring_view *v)
{
	static struct ring_mark m;
	struct ring_slot s;

	for (uint64_t i = 0; i < ring_view_count(v, RING_S_SPANS); i++)
		if (ring_view_span(v, i, &s) == 1) {
			printf("span");
			show_record(v, &s);
		}
	for (uint64_t i = 0; i < ring_view_count(v, RING_S_MARKS); i++)
		if (ring_view_mark(v, i, &m) == 1) {
			printf("mark events=%" PRIu64 " total=%" PRIu64, m.events, m.total);
			if (ring_board_read(m.latest, &s) > 0)
				show_record(v, &s);
			else
				putchar('\n');
		}
}

static void show_trace_frames(const struct ring_traceback *t)
{
	for (uint32_t i = 0; i < t->nframes; i++) {
		const struct ring_trace_frame *f = t->frame + i;
		const struct ring_trace_module *m = f->module ? t->module + f->module - 1 : NULL;

		printf("frame %u pc=%" PRIx64 " sp=%" PRIx64 " offset=%" PRIx64 " in=%s%s%s\n", i,
			f->pc, f->sp, m ? f->pc - m->bias : 0, m ? t->text + m->path : "?",
			f->flags & RING_TRACE_F_EXACT ? " +exact" : "",
			f->flags & RING_TRACE_F_GUESSED ? " +guessed" : "");
	}
	for (uint32_t i = 0; i < t->npy; i++)
		printf("pyframe %u %s:%u in %s%s\n", i, t->text + t->py[i].file, t->py[i].line,
			t->text + t->py[i].function, t->py[i].anchor ? " +anchor" : "");
}

static void show_traceback(const struct ring_view *v, uint64_t i)
{
	static struct ring_traceback t;
	int got = ring_view_traceback(v, i, &t);

	if (got <= 0)
		return;
	printf("traceback %s frames=%u end=%s modules=%u python=%s pyframes=%u version=%x "
	       "message=%s exception=%s\n",
		got == 1 ? "whole" : "torn", t.nframes, ring_trace_end_name(t.end), t.nmodules,
		ring_trace_python_name(t.python), t.npy, t.python_version, t.text + t.message,
		t.text + t.exception);
	show_trace_frames(&t);
	for (uint32_t m = 0; m < t.nmodules; m++) {
		printf("module %s id=", t.text + t.module[m].path);
		for (uint32_t b = 0; b < t.module[m].build_id_len; b++)
			printf("%02x", t.module[m].build_id[b]);
		putchar('\n');
	}
}

static void show_deaths(const struct ring_view *v)
{
	static struct ring_fatal f;
	char text[8192];
	size_t n = ring_view_text(v, text, sizeof(text) - 1);

	for (uint64_t i = 0; i < ring_view_count(v, RING_S_FATAL); i++) {
		int got = ring_view_fatal(v, i, &f);

		if (got > 0)
			printf("fatal %s signo=%d code=%d sender=%d addr=%" PRIx64
			       " thread=%.16s via_abort=%u nregs=%u stack=%u lane=%" PRId64 "\n",
				got == 1 ? "whole" : "torn", f.signo, f.code, f.sender_pid,
				f.fault_addr, f.thread, f.via_abort, f.nregs, f.stack_len,
				(int64_t)f.lane);
		show_traceback(v, i);
	}
	text[n] = '\0';
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		printf("stderr %s\n", line);
}

static int show_ring(const void *bytes, size_t size)
{
	struct ring_view view;
	int err = ring_view_open(&view, bytes, size);

	if (err) {
		fprintf(stderr, "show: %s\n", ring_strerror(err));
		return -1;
	}
	show_header(&view);
	show_lanes(&view);
	show_groups(&view);
	show_pins(&view);
	show_spans_and_marks(&view);
	show_deaths(&view);
	return 0;
}

static int show_census(const void *bytes, size_t size)
{
	static const char *const state[] = {"free", "claiming", "candidate", "rank", "exited"};
	struct census_view view;
	struct census_slot s;
	int err = census_view_open(&view, bytes, size);

	if (err) {
		fprintf(stderr, "show: %s\n", census_strerror(err));
		return -1;
	}
	printf("census job=%s lost=%" PRIu64 " ring_bytes=%" PRIu64 "\n", view.header.job,
		view.header.lost, view.header.ring_bytes);
	for (uint32_t i = 0; i < view.slots; i++)
		if (census_view_slot(&view, i, &s) == 1)
			printf("slot %u %s pid=%u ppid=%u rank=%d world=%d status=%d generation=%u "
			       "signal=%u from=%u comm=%s exe=%s%s%s%s%s%s%s%s%s%s%s\n",
				i, s.state <= CENSUS_EXITED ? state[s.state] : "?", s.pid, s.ppid,
				s.rank, s.world_size, s.exit_status, s.generation, s.last_signal,
				s.last_signal_pid, s.comm, s.exe,
				s.flags & CENSUS_F_FORKED ? " +forked" : "",
				s.flags & CENSUS_F_EXECED ? " +execed" : "",
				s.flags & CENSUS_F_HAS_RING ? " +ring" : "",
				s.flags & CENSUS_F_WAS_RANK ? " +was_rank" : "",
				s.flags & CENSUS_F_NO_RING ? " +no_ring" : "",
				s.flags & CENSUS_F_TOOL ? " +tool" : "",
				s.flags & CENSUS_F_KILLED ? " +killed" : "",
				s.flags & CENSUS_F_TASK ? " +task" : "",
				s.flags & CENSUS_F_ALONE ? " +alone" : "",
				s.flags & CENSUS_F_OTHER_TASK ? " +other_task" : "");
	for (uint32_t i = 0; i < view.slots; i++)
		if (census_view_slot(&view, i, &s) == 1 && s.tools.begun)
			printf("tools of %u begun=%u ended=%u failed=%u killed=%u latest=%s\n", i,
				s.tools.begun, s.tools.ended, s.tools.failed, s.tools.killed,
				s.tools.name);
	return 0;
}

int main(int argc, char **argv)
{
	int bad = 0;

	for (int i = 1; i < argc; i++) {
		const char *base = strrchr(argv[i], '/') ? strrchr(argv[i], '/') + 1 : argv[i];
		int census = !strcmp(base, CENSUS_FILE);
		int fd = open(argv[i], O_RDONLY | O_CLOEXEC);
		void *bytes = NULL;
		size_t size = 0;

		printf("file %s\n", base);
		if (fd < 0 || (census ? census_snapshot : ring_snapshot)(fd, &bytes, &size) ||
			(census ? show_census : show_ring)(bytes, size))
			bad = 1;
		if (fd >= 0)
			close(fd);
		free(bytes);
	}
	return bad;
}
