/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_FLIGHT_REDACT_H
#define EVIDENCE_FLIGHT_REDACT_H

/*
 * Takes out of a Flight Recorder dump what may not leave the machine. PyTorch writes what its
 * version knows, a program may add what it likes, and nobody can list what that is. So it is the
 * other way round: a text stays where it stands under a name that is read (flight-words.h), less
 * the secrets in it; names and numbers stay; every other text becomes stars, and so does all that
 * is no document any more, behind the place where it ends to be one.
 *
 * In place and byte for byte, as base/redact.h has it: whoever reads the dump finds the same in it,
 * and the same damage. So bundles are packed without secrets, while files that a user has named are
 * read as they are; what is shown of those is cleaned where it is read
 * (decode/flight/flight-entry.h).
 */

#include <stddef.h>
#include <stdint.h>

/* A dump of either format, as a whole. Memory is linear in len, as measure.h has it. */
void flight_redact(uint8_t *bytes, size_t len);

/* -- for the two formats only ------------------------------------------------------------------ */

#include <stdbool.h>

void flight_redact_pickle(uint8_t *bytes, size_t len);
void flight_redact_json(uint8_t *bytes, size_t len);

/* True if what stands under this name is read. */
bool flight_redact_knows(const uint8_t *name, size_t len);
/* True if a text is but a number, which tells nothing of anybody. */
bool flight_redact_is_number(const uint8_t *text, size_t len);

#endif
