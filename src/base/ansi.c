/* SPDX-License-Identifier: Apache-2.0 */
#include "base/ansi.h"

#include <string.h>

#define ESC '\033'
#define BEL '\a'

size_t escape_length(const char *at, size_t len)
{
	size_t n = 2;

	if (len < 2 || at[0] != ESC || at[1] == '\n')
		return 0;
	if (at[1] == '[') {
		while (n < len && at[n] >= ' ' && at[n] < '@')
			n++;
		return n < len && at[n] != '\n' ? n + 1 : n;
	}
	if (at[1] == ']') {
		while (n < len && !memchr("\a\033\n", at[n], 3))
			n++;
		return n < len && at[n] == BEL ? n + 1 : n;
	}
	return n;
}
