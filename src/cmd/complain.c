/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/cmd.h"

#include <stdarg.h>

#include "base/str.h"
#include "cmd/outlet.h"
#include "words/escape.h"

void cmd_complain(const char *format, ...)
{
	struct str words = {0}, line = {0};
	va_list args;

	va_start(args, format);
	str_vprintf(&words, format, args);
	va_end(args);
	str_add(&line, "inquest: ");
	escape_text(&line, str_text(&words), outlet_is_utf8());
	str_add_char(&line, '\n');
	/* It is a single write, since other processes write to this stderr, too. */
	outlet_say(&line);
	str_release(&words);
	str_release(&line);
}
