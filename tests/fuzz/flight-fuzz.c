/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of a stranger as a dump of the Flight Recorder, as pickle or JSON by their first byte. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "decode/flight/flight-dump.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static size_t read_texts(const struct flight_entry *entry)
{
	size_t sum = strlen(entry->name) + strlen(entry->group) + strlen(entry->desc) +
		     strlen(entry->thread) + strlen(entry->thread_id);
	uint64_t elements;

	for (uint32_t i = 0; i < entry->nframes; i++)
		sum += strlen(entry->frames[i]->name) + strlen(entry->frames[i]->file);
	for (uint32_t i = 0; i < entry->inputs.nr; i++)
		sum += strlen(entry->inputs.items[i].dtype);
	sum += flight_tensors_count(&entry->inputs, &elements);
	sum += flight_tensors_count(&entry->outputs, &elements);
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct flight_dump dump;
	size_t sum = 0;

	if (flight_dump_read(bytes, size, NULL, &dump, NULL) == 0) {
		for (size_t i = 0; i < dump.nentries; i++)
			sum += read_texts(&dump.entries[i]);
		for (size_t i = 0; i < dump.ngroups; i++)
			sum += strlen(dump.groups[i].name) + strlen(dump.groups[i].desc);
	}
	flight_dump_release(&dump);
	if (sum == SIZE_MAX) /* it is never: but somebody must read what was summed up */
		abort();
	return 0;
}
