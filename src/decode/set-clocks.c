/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/set-clocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "base/checked.h"
#include "base/clock.h"
#include "evidence/format/json-get.h"

#define SURELY_SET CLOCK_NS_PER_S /* the two clocks are not read at the same instant */

/* What a look at a host tells of its clocks. */
struct look {
	struct set_clock clock;
	int64_t boottime;
	char *boot;
};

struct looks {
	ARRAY(struct look) list; /* by host and boot, the last look at each last */
};

static int compare_looks(const void *va, const void *vb)
{
	const struct look *a = va, *b = vb;
	int order = strcmp(a->clock.host, b->clock.host);

	if (!order)
		order = strcmp(a->boot, b->boot);
	if (!order)
		order = (a->boottime > b->boottime) - (a->boottime < b->boottime);
	return order ? order
		     : (a->clock.realtime > b->clock.realtime) -
			       (a->clock.realtime < b->clock.realtime);
}

/* Reads one gathering; one that does not tell its boot is no look that can be compared. */
static void read_look(const struct exhibit *exhibit, struct looks *looks)
{
	struct complaint why = {0};
	struct json_object *object = json_get_document(exhibit, &why);
	struct look look = {.clock.host = exhibit->host};
	const char *boot = object ? json_get_text(object, "boot_id") : NULL;

	complaint_release(&why);
	if (boot && json_get_time(object, "realtime", &look.clock.realtime) &&
		json_get_time(object, "boottime", &look.boottime)) {
		look.boot = alloc_text(boot);
		*array_add(&looks->list) = look;
	}
	json_object_put(object);
}

static int compare_hosts(const void *va, const void *vb)
{
	const struct exhibit *a = *(const struct exhibit *const *)va;
	const struct exhibit *b = *(const struct exhibit *const *)vb;

	return strcmp(a->host, b->host);
}

/* Reads the gatherings of hosts that have several. */
static void read_looks(const struct evidence *evidence, struct looks *looks)
{
	ARRAY(const struct exhibit *) all = {0};

	for (size_t i = 0; i < evidence->n; i++)
		if (evidence->at[i].kind == EXHIBIT_GATHER && !evidence->at[i].damaged)
			*array_add(&all) = &evidence->at[i];
	array_sort(&all, compare_hosts);
	for (size_t i = 0; i < all.nr; i++)
		if ((i && !compare_hosts(&all.items[i - 1], &all.items[i])) ||
			(i + 1 < all.nr && !compare_hosts(&all.items[i], &all.items[i + 1])))
			read_look(all.items[i], looks);
	array_sort(&looks->list, compare_looks);
	array_release(&all);
}

/* Finds by how much each host's clock was set from each look on to the last one of that boot. */
static void find_set(struct looks *looks)
{
	const struct look *last = NULL;

	for (size_t i = looks->list.nr; i-- > 0;) {
		struct look *look = &looks->list.items[i];

		if (!last || strcmp(last->clock.host, look->clock.host) != 0 ||
			strcmp(last->boot, look->boot) != 0)
			last = look;
		look->clock.by = (last->clock.realtime - last->boottime) -
				 (look->clock.realtime - look->boottime);
		if (llabs(look->clock.by) < SURELY_SET)
			look->clock.by = 0;
	}
}

static int compare_clocks(const void *va, const void *vb)
{
	const struct set_clock *a = va, *b = vb;
	int order = strcmp(a->host, b->host);

	if (!order)
		order = (a->realtime > b->realtime) - (a->realtime < b->realtime);
	return order ? order : (a->by > b->by) - (a->by < b->by);
}

/* Takes all looks over, if before any of them a clock was set. */
static void take_looks(struct looks *looks, struct set_clocks *clocks)
{
	struct look *look;
	bool any = false;

	find_set(looks);
	array_for_each(&looks->list, look)
		any |= look->clock.by != 0;
	array_for_each(&looks->list, look) {
		if (any)
			*array_add(&clocks->looks) = look->clock;
		free(look->boot);
	}
	array_sort(&clocks->looks, compare_clocks);
	array_release(&looks->list);
}

int64_t set_clocks_move(const struct set_clocks *clocks, const char *host, int64_t when)
{
	const struct set_clock key = {host, when, INT64_MAX}, *list;
	size_t behind;

	if (!clocks || !clocks->looks.nr || when <= 0)
		return when;
	list = clocks->looks.items;
	behind = bisect(0, clocks->looks.nr, i, compare_clocks(&list[i], &key) <= 0);
	if (!behind || strcmp(list[behind - 1].host, host) != 0)
		return when;
	return checked_time(checked_add(when, list[behind - 1].by), when);
}

const struct exhibit *set_clocks_date(struct set_clocks *clocks, const struct evidence *evidence)
{
	struct looks looks = {0};

	read_looks(evidence, &looks);
	take_looks(&looks, clocks);
	if (!clocks->looks.nr)
		return evidence->at;
	clocks->dated = alloc_copy(evidence->at, evidence->n * sizeof(*evidence->at));
	for (size_t i = 0; i < evidence->n; i++) {
		struct exhibit *exhibit = &clocks->dated[i];

		exhibit->when = set_clocks_move(clocks, exhibit->host, exhibit->when);
	}
	return clocks->dated;
}

void set_clocks_release(struct set_clocks *clocks)
{
	array_release(&clocks->looks);
	free(clocks->dated);
}
