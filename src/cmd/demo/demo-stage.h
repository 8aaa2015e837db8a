/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a demo runs: a folder of its own, and processes that are all found again at the end, even
 * if they tried to detach.
 */
#ifndef CMD_DEMO_STAGE_H
#define CMD_DEMO_STAGE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/complaint.h"
#include "base/str.h"

struct stage {
	struct str folder;    /* of this demo, with all that belongs to it */
	struct str scenarios; /* folder of the demo's programs */
	struct str standin;   /* folder of the stand-in's libraries */
	pid_t job;            /* `inquest run` of the job, or what confines that; 0: none runs */
	bool ended;
	int wait_status; /* only set once it has ended */
};

/* Makes the folder and finds the programs. Returns 0, or negative with words. */
int stage_make(struct stage *stage, struct complaint *why);

/*
 * Draws a scenario into the folder. Returns 0, or what `draw` gave: 2 no such scenario, 77 not on
 * this machine; its words are then the complaint's. `seed` NULL: any.
 */
int stage_draw(struct stage *stage, const char *scenario, const char *seed, const char *ranks,
	struct complaint *why);

/* Appends the list of scenarios, as `draw --list` prints it. Returns 0 or negative with words. */
int stage_list(const struct stage *stage, struct str *into, struct complaint *why);

/*
 * Starts `inquest run` of the job that was drawn, in a session of its own. In ends_s seconds from
 * now the job's time is over, by Slurm's word (0: it has no end).
 */
int stage_start(struct stage *stage, int confine_mib, int ends_s, struct complaint *why);

/* True if the job has ended. Also takes in the ends of what it left behind. */
bool stage_has_ended(struct stage *stage);

/* Ends the job as its user would, then all that is left of it by force. */
void stage_end(struct stage *stage);

/* Removes the folder, unless it is to be kept. Takes a stage that was never made. */
void stage_release(struct stage *stage, bool keep_folder);

#endif
