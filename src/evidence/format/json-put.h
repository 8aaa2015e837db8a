/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVIDENCE_JSON_PUT_H
#define EVIDENCE_JSON_PUT_H

/*
 * Building the JSON documents of this floor with json-c. An unknown value (NULL) is left out. Text
 * from outside that is no UTF-8 gets '?' for each wrong byte: the document stays valid.
 */

#include <json.h>
#include <stddef.h>
#include <stdint.h>

#include "base/complaint.h"
#include "base/str.h"

/* Makes a JSON string of text. The caller owns it until it is put into something. */
struct json_object *json_put_string(const char *text) __attribute__((nonnull));
/* Adds a copy of the text under key; nothing where it is NULL. */
void json_put_text(struct json_object *object, const char *key, const char *text);
/* Adds a variable's value, redacted; nothing where it is NULL. */
void json_put_value(struct json_object *object, const char *key, const char *value);
/* Adds a list of the NULL-ended arguments, redacted; nothing where that is NULL. */
void json_put_args(struct json_object *object, const char *key, char *const *args);
/*
 * Adds a number. The caller leaves a value out that is not known, since no number means "unknown".
 */
void json_put_int(struct json_object *object, const char *key, int64_t value);

/* Appends the document as one line without the newline, and releases it. */
void json_put_end(struct json_object *object, struct str *into);

/*
 * Writes the text over the file `name` of a job's folder, atomically. Returns 0, or -errno with
 * words.
 */
int agent_file_write(const char *folder, const char *name, const struct str *text,
	struct complaint *why);

#endif
