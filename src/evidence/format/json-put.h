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

/* A JSON string of text; the caller owns it until it is put into something. */
struct json_object *json_put_string(const char *text) __attribute__((nonnull));
/* Adds a text under key; nothing where it is NULL. Copies. */
void json_put_text(struct json_object *object, const char *key, const char *text);
/* Adds the value of a variable of an environment; nothing where it is NULL. Redacts a copy. */
void json_put_value(struct json_object *object, const char *key, const char *value);
/* Adds a list of a NULL-ended array of arguments; nothing where that is NULL. Redacts copies. */
void json_put_args(struct json_object *object, const char *key, char *const *args);
/* Adds a number. Call it only with a known value: no number means "unknown". */
void json_put_int(struct json_object *object, const char *key, int64_t value);

/* Appends the document as one line without the newline, and releases it. */
void json_put_end(struct json_object *object, struct str *into);

/* Writes text over the file NAME of a job's folder. 0, or -errno with words. */
int agent_file_write(const char *folder, const char *name, const struct str *text,
	struct complaint *why);

#endif
