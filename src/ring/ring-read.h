/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring-read.h: reading a ring that may be alive, dead, cut, flipped or somebody's forgery.
 *
 * A view works on bytes: a snapshot of a living ring (ring-snapshot.h), a file, a bundle's exhibit.
 * It owns nothing, allocates nothing and believes nothing: every offset, count, index and string id
 * is checked against the bytes at hand. A record that cannot be read is counted, never guessed.
 *
 *	struct ring_view view;
 *	if ((error = ring_view_open(&view, bytes, size)) < 0)
 *		... ring_strerror(error)
 *	for (i = 0; i < ring_view_count(&view, RING_S_LANES); i++) {
 *		if (ring_view_lane(&view, i, &lane) < 0)
 *			continue;
 *		ring_cursor_open(&cursor, &lane);
 *		while (ring_cursor_next(&cursor, &slot))
 *			... slot is ticket ring_ticket(&slot)
 *		... cursor.tally
 *	}
 *
 * THE ARITHMETIC OF LOSS is exact, since tickets are dense: of every lane
 *	head == read + overwritten + lapped + in_flight + unbegun + cut
 * once its cursor is at the end. Times are TSC; ring_view_time() turns them into nanoseconds where
 * anchors allow it.
 *
 * The bytes must not change under the view; they need no alignment.
 */
#ifndef RING_READ_H
#define RING_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "ring/ring-cpu.h"
#include "ring/ring.h"

enum ring_error {
	RING_E_SHORT = -1,      /* fewer bytes than a header */
	RING_E_FOREIGN = -2,    /* no ring */
	RING_E_UNFINISHED = -3, /* no magic yet: its maker died, or is at it */
	RING_E_VERSION = -4,    /* another major version */
	RING_E_FLAGS = -5,      /* incompatible features */
	RING_E_HEADER = -6,     /* the header contradicts itself */
};

/* Says what an error of ring_view_open() means, for people. */
const char *ring_strerror(int error);

/* A section, as far as the bytes at hand hold it. */
struct ring_part {
	const uint8_t *at;
	uint64_t count;    /* whole elements at hand */
	uint64_t declared; /* elements in the undamaged file */
	uint32_t elem_size;
};

#define RING_PARTS (RING_S_TRACES + 1)

struct ring_view {
	const uint8_t *bytes;
	uint64_t size;
	struct ring_header header; /* a copy; its strings end in NUL */
	struct ring_part part[RING_PARTS];
	uint64_t cut_bytes;        /* of the file, not at hand */
	uint32_t bad_sections;     /* refused: outside the file, elements too small, told twice */
	uint32_t unknown_sections; /* skipped: a newer writer's */
	uint64_t lanes; /* lanes and pinned classes that fit their slots without overlap */
	uint64_t classes;
	struct ring_slot anchor[3]; /* the valid ones, by time */
	uint32_t anchors;
};

/*
 * Opens a view on the bytes of a ring. Returns 0, or an enum ring_error, and `view` is then
 * unusable. A cut file opens if its header is whole.
 */
int ring_view_open(struct ring_view *view, const void *bytes, size_t size);

/* Returns how many elements of a section can be read; 0 for a section that is not there. */
uint64_t ring_view_count(const struct ring_view *view, enum ring_section_id id);

/* --- Slots ------------------------------------------------------------------------------------ */

enum ring_slot_state { RING_SLOT_TORN = -1, RING_SLOT_EMPTY = 0, RING_SLOT_WHOLE = 1 };

/* A word at any address, aligned or not. */
struct ring_loose {
	uint64_t word;
} __attribute__((packed, may_alias));

/* Reads such a word once, though somebody may be writing it. */
static inline uint64_t ring_loose(const void *at)
{
#ifdef RING_TSAN
	return ring_load(at);
#else
	return ((const volatile struct ring_loose *)at)->word;
#endif
}

/* Returns the ticket of a whole slot. */
static inline uint64_t ring_ticket(const struct ring_slot *slot)
{
	return slot->seq / 2 - 1;
}

/* Copies the words of the slot at `at` into `ret`, whose seq is the given one. */
static inline void ring_slot_copy(struct ring_slot *ret, const uint8_t *at, uint64_t seq)
{
	ret->seq = seq;
	ret->tsc = ring_loose(at + 8);
	ret->meta = ring_loose(at + 16);
	ret->index = ring_loose(at + 24);
	ret->count = ring_loose(at + 32);
	ret->sig = ring_loose(at + 40);
	ret->aux = ring_loose(at + 48);
	ret->more = ring_loose(at + 56);
}

/*
 * Reads a slot, also one that is being written. Pairs with ring_slot_publish(): the first load of
 * seq is an acquire on x86 by itself, on others by the fence.
 */
static inline enum ring_slot_state ring_slot_read(const void *at, struct ring_slot *ret)
{
	uint64_t seq = ring_loose(at);

	ring_fence_acquire();
	ring_slot_copy(ret, at, seq);
	ring_fence_acquire();
	if (ring_loose(at) != seq || (seq & 1))
		return RING_SLOT_TORN;
	return seq ? RING_SLOT_WHOLE : RING_SLOT_EMPTY;
}

/*
 * Copies the newer whole half of an A/B pair. Returns 1; 0 if it was never written, -1 if neither
 * half is whole.
 */
int ring_board_read(const void *ab, struct ring_slot *ret);

/* --- Lanes and pinned records ----------------------------------------------------------------- */

/* Where the tickets of a lane, or of a pinned class, went. */
struct ring_tally {
	uint64_t read;
	uint64_t overwritten; /* older than the lane is long */
	uint64_t lapped;      /* overwritten while it was copied */
	uint64_t in_flight;   /* begun, not published: torn, if the writer is dead */
	uint64_t unbegun;     /* reserved, nothing written */
	uint64_t cut;         /* in the part of the file that is not there */
};

/* A lane as it was when it was looked at. */
struct ring_lane_view {
	uint32_t number;
	uint32_t tid;    /* of the latest owner; 0 none yet */
	int claimed;     /* now, by tid */
	int overflow;    /* the lane that threads without one share */
	uint64_t claims; /* owners so far */
	char name[17];
	uint64_t head; /* tickets reserved */
	uint64_t n;    /* slots, a power of two */
	uint64_t have; /* of these at hand, from the first */
	const uint8_t *slots;
	int board_state; /* as ring_board_read() said */
	struct ring_slot board;
};

/* Looks at lane i. Returns 0, or -1 if the lane's entry is not at hand or contradicts the file. */
int ring_view_lane(const struct ring_view *view, uint64_t i, struct ring_lane_view *ret);

/* A walk over the records of a lane, oldest first. */
struct ring_cursor {
	const uint8_t *slots;
	uint64_t mask;
	uint64_t have;
	uint64_t ticket; /* the next */
	uint64_t end;
	struct ring_tally tally;
};

/* Sets the cursor on the oldest record of the lane. */
void ring_cursor_open(struct ring_cursor *cursor, const struct ring_lane_view *lane);

/* The slow parts of ring_cursor_next(): they note in the tally why tickets are not there. */
void ring_cursor_miss(struct ring_cursor *cursor, uint64_t seq);
void ring_cursor_cut(struct ring_cursor *cursor);

/* Copies the next whole record, in ticket order. Returns 1; 0 at the end. */
static inline int ring_cursor_next(struct ring_cursor *cursor, struct ring_slot *ret)
{
	while (cursor->ticket != cursor->end) {
		uint64_t k = cursor->ticket;
		uint64_t place = k & cursor->mask;

		if (__builtin_expect(place >= cursor->have, 0)) {
			ring_cursor_cut(cursor);
			continue;
		}
		cursor->ticket++;
		if (__builtin_expect(
			    ring_slot_read(cursor->slots + 64 * place, ret) == RING_SLOT_WHOLE &&
				    ret->seq == 2 * k + 2,
			    1)) {
			cursor->tally.read++;
			return 1;
		}
		ring_cursor_miss(cursor, ret->seq);
	}
	return 0;
}

/* A walk over the records of a pinned class, oldest first. */
struct ring_pins {
	uint32_t class; /* enum ring_pin, or one unknown here */
	uint64_t first;
	uint64_t latest;
	uint64_t next; /* offered so far */
	const uint8_t *slots;
	uint64_t have;
	uint64_t ticket; /* the next */
	struct ring_tally tally;
};

/*
 * Sets `pins` on the first record of the i-th class. Returns 0, or -1 if the class's entry makes no
 * sense.
 */
int ring_view_pins(const struct ring_view *view, uint64_t i, struct ring_pins *pins);

/* Copies the next whole pinned record, in order. Returns 1; 0 at the end. */
int ring_pins_next(struct ring_pins *pins, struct ring_slot *ret);

/* --- Tables ----------------------------------------------------------------------------------- */

/*
 * True if an element of a table whose first word is its `seq` was never written. Most are not, and
 * their pages are the kernel's zeros: what is copied of them would be megabytes a ring.
 */
static inline bool ring_is_unused(const uint8_t *element)
{
	uint64_t seq;

	memcpy(&seq, element, sizeof(seq));
	return !seq;
}

/*
 * Returns how many entries of the table of groups there are to read: up to the last one in use.
 * Each entry is claimed before any behind it (ring_group_claim), so the table ends where several in
 * a row were never written; one of them may be missing in a copy of a ring that was written
 * meanwhile.
 */
uint64_t ring_view_groups(const struct ring_view *view);

/*
 * Copies a group's entry i. Returns 1 if it is valid, 0 if it is free (nothing is copied), -1 if it
 * is torn, being written or not at hand. Read its boards with ring_board_read(), its history with
 * ring_group_op() and ring_group_p2p().
 */
int ring_view_group(const struct ring_view *view, uint64_t i, struct ring_group *ret);

/*
 * Copies a mark's entry i. Returns 1 if it is taken, 0 if it is free, -1 if it is not at hand. Its
 * `latest` may be torn while it is written: ring_board_read() tells.
 */
int ring_view_mark(const struct ring_view *view, uint64_t i, struct ring_mark *ret);

/*
 * Copies slot i of the spans. Returns an enum ring_slot_state; also -1 if the slot is not at hand.
 */
int ring_view_span(const struct ring_view *view, uint64_t i, struct ring_slot *ret);

/*
 * Copies death i. Returns 1 if it is complete, 0 if there is none (nothing is copied), 2 if its
 * writing was interrupted (fields not yet written are 0), -1 if it is not at hand. nregs and
 * stack_len never exceed their arrays.
 */
int ring_view_fatal(const struct ring_view *view, uint64_t i, struct ring_fatal *ret);

/*
 * Copies the record of a group's collective `index`, wherever the history kept it. Returns 0, or -1
 * if it was not kept.
 */
int ring_group_op(const struct ring_group *group, uint64_t index, struct ring_slot *ret);

/*
 * Copies the record of the group's n-th P2P call (from 1; group->p2p_count is the latest). Returns
 * 0, or -1 if it was not kept.
 */
int ring_group_p2p(const struct ring_group *group, uint64_t n, struct ring_slot *ret);

/* --- Strings and text ------------------------------------------------------------------------- */

/*
 * Returns the string of an id, inside the bytes and ending in NUL; NULL for 0 and for an id that is
 * no string's.
 */
const char *ring_view_string(const struct ring_view *view, uint32_t id);

/* Returns the id of the string after `id` (0: of the first string); 0 at the end. */
uint32_t ring_view_next_string(const struct ring_view *view, uint32_t id);

/*
 * Copies the end of what the process wrote to stderr, oldest byte first, at most `room` bytes.
 * Returns how many. They are the process's own bytes: escape them before they see a terminal.
 */
size_t ring_view_text(const struct ring_view *view, char *ret, size_t room);

/* --- Time ------------------------------------------------------------------------------------- */

enum ring_time { RING_TIME_MONOTONIC, RING_TIME_REALTIME };

/*
 * Adds an anchor from outside (the gatherer's T0 on the same host and boot). With it, a ring that
 * has only its start anchor can be dated, too.
 */
void ring_view_add_anchor(
	struct ring_view *view, uint64_t tsc, uint64_t monotonic, uint64_t realtime);

/*
 * Gives the CLOCK_MONOTONIC or CLOCK_REALTIME at `tsc`, in ns. Returns 0; or -1 if it is unknown,
 * for want of anchors or because they make no sane rate.
 */
int ring_view_time(
	const struct ring_view *view, enum ring_time clock, uint64_t tsc, uint64_t *ret_ns);

#endif
