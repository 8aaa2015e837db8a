/* SPDX-License-Identifier: Apache-2.0 */
/*
 * track-make.h: how tracks come to be, among the files track*.c only. First all events of all ranks
 * (track-events.c), since they say how long the job's time is; then what each rank does at the end
 * (track-now.c), then its intervals (track-spans.c). Ranks have nothing to do with each other in
 * either: several workers make them (base/crew.h). What is a rank's is in its track_store, what is
 * a worker's in its track_maker, and all else is only read.
 */
#ifndef VIEWER_TRACK_MAKE_H
#define VIEWER_TRACK_MAKE_H

#include "base/arena.h"
#include "base/array.h"
#include "job/by-rank.h"
#include "job/names.h"
#include "viewer/timeline/track.h"

/* Texts of which there are many equal ones. */
struct track_labels {
	struct arena *arena;
	struct track_label *slots;
	size_t room, n;
	/* Of collectives, by kind and index: they follow on one another. */
	struct track_numbered {
		const char **names; /* NULL: not made */
		uint64_t first;	    /* the index that names[0] is of */
		size_t room;
	} numbered[JOB_OP_KINDS];
	size_t most; /* places of a kind: no more than there are events */
};

/* Ops that a ring did not keep: known to lie between two that it kept. */
struct track_hole {
	int64_t from, to;
	const char *name;
	const char *cite;
};

/* A worker's memory for what its ranks' tracks are made of (track-room.c). */
struct track_room {
	ARRAY(char *) blocks;
	char *at; /* in the newest of them, with so many bytes left: */
	size_t left, taken;
	size_t usual; /* of a block; bytes */
};

/* What a rank's track is made of, in its worker's room. */
struct track_store {
	struct track_event *events;
	size_t nevents;
	struct track_span *spans;
	size_t nspans;
	ARRAY(struct track_hole) holes; /* by their begin; gone when the tracks are made */
};

/* The tracks, with what they are made of; track.h shows the first member only. */
struct tracks_made {
	struct tracks tracks;
	struct track_held { /* a worker's, and all that tracks point to */
		struct arena arena;
		struct track_room room;
	} *held;
	size_t nheld;
	struct track *at; /* as tracks.at, to be written */
	struct track_store *stores; /* by rank */
};

/* What all workers read. */
struct track_facts {
	struct waits *waits;
	struct by_rank seats, signals, losses, logs, processes;
	bool *oom; /* by rank: killed for memory, as the verdict has found */
};

/* A worker, and the rank that it is at. */
struct track_maker {
	const struct job *job;
	const struct verdicts *verdicts;
	const struct track_facts *facts;
	struct tracks_made *made;
	struct track_labels labels;
	int64_t called_from, called_to; /* the time of its ranks' calls; JOB_UNKNOWN */
	struct track_room *room;
	/* Of the rank that it is at: */
	struct track_store *store;
	ARRAY(struct track_span) pieces; /* intervals that may lie inside of each other */
	ARRAY(size_t) open; /* those of them that are open, the innermost last */
};

/* The doing of a rank when its evidence ends. */
struct track_now {
	bool known;	/* else what its records show goes on */
	enum track_state state;
	int64_t since;	/* JOB_UNKNOWN: known of the end only */
	const char *name;
	int group;
	const struct job_op *op; /* the collective that it waits in; NULL */
	const char *cite;
	int64_t end;	/* of its evidence; JOB_UNKNOWN */
	bool own_code;	/* its stack is in its own code: it may well go on */
	bool by_look;	/* no record of its own says so, but its stack or /proc */
};

/* track-room.c: makes rooms for so many bytes in all, or about that. */
void track_room_make(struct track_room *room, size_t most);
/* Frees a room, with all that was taken from it. */
void track_room_release(struct track_room *room);
/* Returns zeroed memory for at most so many things. track_keep() it before the next is taken. */
void *track_take(struct track_room *room, size_t nr, size_t size);
/* Says how many of them there are: the rest is free again, and has to be zeroed still. */
void track_keep(struct track_room *room, size_t nr, size_t size);

/* track-events.c: returns how many events of the job there are at most. */
size_t track_count_events(const struct job *job);
/* Makes the rank's track, with its events. */
void track_make_events(struct track_maker *maker, struct rank_index rank);
/* track-now.c: returns what the rank does when its evidence ends. */
struct track_now track_find_now(struct track_maker *maker, struct rank_index rank);
/* True if anything says what the rank did: a ring, a flight record, marks. */
bool track_has_record(const struct track_maker *maker, struct rank_index rank);
/* Returns how a span of that kind is drawn. */
enum track_state track_span_state(enum job_span_kind kind);
/* track-spans.c: makes the track's spans, from its events. */
void track_make_spans(struct track_maker *maker, struct rank_index rank);

/* track-names.c: returns the name of an op. All names live in the tracks' arena, or in the job. */
const char *track_label_op(struct track_maker *maker, const struct job_op *op, int peer);
/* Returns "step 11". */
const char *track_label_step(struct track_maker *maker, uint64_t n);
/* Returns both texts in one, as a label; the first alone where `more` is "". */
const char *track_label(struct track_maker *maker, const char *text, const char *more);
/* Returns "AllReduce #12", "cudaStreamSynchronize", "1024 records overwritten in the ring". */
const char *track_label_call(struct track_maker *maker, const struct job_call *call);
/*
 * Returns the compile id that a span's detail begins with: "0/1", "graph 0/1", "0/1 4f81c2"; ""
 * none.
 */
const char *track_label_id(struct track_maker *maker, const char *detail);
/* Returns a compile phase without its makers' name: "codegen" of "inductor codegen". */
const char *track_phase(struct track_maker *maker, const char *name);
/* Lists the names of all compile phases, most frequent first. */
void track_list_phases(struct track_maker *maker);
/* Frees what finds equal labels, not the labels. */
void track_labels_release(struct track_labels *labels);

/* Returns a text, "" for NULL, which jobs made by hand have. */
static inline const char *track_text(const char *text)
{
	return text ? text : "";
}

#endif
