/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_FLIGHT_REDACT_H
#define EVIDENCE_FLIGHT_REDACT_H

/*
 * Takes out of a Flight Recorder dump what may not leave the machine. Nobody can list what that is:
 * it depends on PyTorch's version, and a program may add anything. So the list is of what stays:
 * texts under a name that is read (flight-words.h), without the secrets in them; names; numbers.
 * Every other text becomes stars, and so does everything behind the place where the bytes stop
 * being a document.
 *
 * It works in place and keeps the length, like base/redact.h: a reader finds the same structure in
 * the dump, and the same damage. Bundles are packed this way; files that a user has named are read
 * as they are, and texts shown from them are cleaned on reading (decode/flight/flight-entry.h).
 */

#include <stddef.h>
#include <stdint.h>

/* Redacts a whole dump of either format. Takes memory linear in `len`, as measure.h has it. */
void flight_redact(uint8_t *bytes, size_t len);

/* -- for the two formats only ------------------------------------------------------------------ */

#include <stdbool.h>

void flight_redact_pickle(uint8_t *bytes, size_t len);
void flight_redact_json(uint8_t *bytes, size_t len);

/* True if values under this name are read. */
bool flight_redact_knows(const uint8_t *name, size_t len);
/* True if a text is only a number, which is no secret. */
bool flight_redact_is_number(const uint8_t *text, size_t len);

#endif
