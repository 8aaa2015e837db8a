/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_REDACT_H
#define BASE_REDACT_H

/*
 * Hides secrets in text, in arguments and in environments before anything of them is written down.
 *
 * All of it works in place and byte for byte: what is hidden becomes stars, as many as it had
 * bytes, so that lengths, offsets and the form of a document (JSON in particular) stay. To redact
 * twice is to redact once. No byte beyond len is read; the bytes may be anybody's.
 *
 * It knows names (password, api_key, --token), forms (user:password in a URL, "Authorization:"),
 * and values that say by themselves what they are (AKIA..., ghp_..., a private key's block). A
 * secret that has neither name nor form is not known from any other word: inquest-bundle(5) says
 * so.
 */

#include <stdbool.h>
#include <stddef.h>

#define REDACT_STAR '*'

/*
 * Hides the secrets in text of any kind: log lines, messages, JSON documents, source; also those
 * that escapes of a terminal or of JSON part.
 */
void redact_text(char *text, size_t len);

/*
 * Hides the secrets in a list of arguments, each ended by NUL, as /proc/PID/cmdline has them.
 * Beyond what redact_text() knows: arguments behind an option that wants a secret, values that look
 * like keys, and variables of an environment (`env NAME=VALUE', `-x NAME=VALUE'), which are kept
 * only if redact_keeps_variable() says so, or if they are numbers with no secret's name.
 */
void redact_args(char *args, size_t len) __attribute__((nonnull));

/* True if a variable of an environment may be kept with its value. */
bool redact_keeps_variable(const char *name) __attribute__((nonnull));
/* True if the name of a variable may be told. */
bool redact_lists_variable(const char *name) __attribute__((nonnull));

/* Hides what is a secret all the same in the value of a variable that may be kept. */
void redact_value(char *value, size_t len) __attribute__((nonnull));

/*
 * True if a word by itself looks like a key: known by its beginning, or long and not made of
 * people's words.
 */
bool redact_is_key(const char *word, size_t len);

#endif
