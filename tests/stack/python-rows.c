/* SPDX-License-Identifier: Apache-2.0 */
/*
 * python-rows VERSION: prints our row of a version (PY_VERSION_HEX in hex) as lines "FIELD NUMBER",
 * as python-headers.c does out of the interpreter's headers. Fields that the version does not have
 * are 0 and left out, as is what is at offset 0.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cpython/layout.h"
#include "stack/python-layout.h"

#define FIELD(name)                                                                                \
	if (row->name)                                                                             \
	printf(#name " %u\n", row->name)

int main(int argc, char **argv)
{
	uint32_t version = argc == 2 ? (uint32_t)strtoul(argv[1], NULL, 16) : 0;
	const struct python_layout *layout = python_layout_row(version);
	const struct python_offsets *row = layout ? &layout->at : python_layout_words(version);

	if (!row)
		return 1;
	FIELD(interpreters);
	FIELD(current);
	FIELD(gil);
	FIELD(interp_next);
	FIELD(interp_id);
	FIELD(interp_threads);
	FIELD(interp_modules);
	FIELD(interp_gil);
	FIELD(gil_at);
	FIELD(gil_holder);
	FIELD(gil_locked);
	FIELD(thread_next);
	FIELD(thread_interp);
	FIELD(thread_frame);
	FIELD(thread_ident);
	FIELD(thread_tid);
	FIELD(thread_exc);
	FIELD(cframe_frame);
	FIELD(cframe_previous);
	FIELD(frame_back);
	FIELD(frame_code);
	FIELD(frame_at);
	FIELD(frame_entry);
	FIELD(frame_locals);
	FIELD(code_file);
	FIELD(code_name);
	FIELD(code_line);
	FIELD(code_lines);
	FIELD(code_start);
	FIELD(str_length);
	FIELD(str_state);
	FIELD(str_ascii);
	FIELD(bytes_size);
	FIELD(bytes_data);
	if (layout)
		printf("str_compact %u\n", layout->str_compact);
	return 0;
}
