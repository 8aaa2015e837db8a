/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of a stranger as a ring and as a job's process table: all that `inquest ring` shows. */
#include <stddef.h>
#include <stdint.h>

#include "cmd/ring/ring-fields.h"
#include "parcel.h"
#include "ring/census-read.h"
#include "ring/ring-read.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void show_ring(const struct exhibit *exhibit)
{
	const struct ring_dump_options how = {"x.ring", true};
	struct ring_view view;
	struct str out = {0};

	if (ring_view_open(&view, exhibit->bytes, exhibit->len) == 0) {
		ring_dump_text(&out, &view, &how);
		ring_dump_json(&out, &view, &how);
	}
	str_release(&out);
}

static void show_census(const struct exhibit *exhibit)
{
	struct census_view view;
	struct census_slot slot;

	if (census_view_open(&view, exhibit->bytes, exhibit->len) < 0)
		return;
	for (uint32_t i = 0; i < view.slots; i++)
		(void)census_view_slot(&view, i, &slot);
}

/* Parcels, of any kind: what they hold is shown as both. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const uint8_t *at = bytes, *end = bytes + size;
	struct evidence evidence = {0};

	while (parcel_take(&at, end, &evidence))
		;
	for (size_t i = 0; i < evidence.n; i++) {
		show_ring(&evidence.at[i]);
		show_census(&evidence.at[i]);
	}
	evidence_release(&evidence);
	return 0;
}
