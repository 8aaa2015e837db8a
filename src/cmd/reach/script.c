/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The whole script is one function, so that a shell has read all of it before it begins, and what
 * comes behind on its input is the program's alone. The program is sent only once it is asked for:
 * a shell that reads ahead has nothing to read.
 */
#include "cmd/reach/script.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sha256.h"
#include "cmd/run/embedded.h"

#define PROGRAM_CAP ((size_t)64 << 20)

void script_program_read(struct script_program *program)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n <= 0)
		return;
	str_add_bytes(&program->path, path, (size_t)n);
	if (!embedded_is_there() ||
		file_read("/proc/self/exe", PROGRAM_CAP, &program->bytes, NULL) < 0)
		return;
	sha256_text(str_text(&program->bytes), program->bytes.len, program->sum);
}

void script_program_release(struct script_program *program)
{
	str_release(&program->path);
	str_release(&program->bytes);
}

/* Appends a word in single quotes, for a shell. */
static void add_quoted(struct str *into, const char *word)
{
	str_add_char(into, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			str_add(into, "'\\''");
		else
			str_add_char(into, *word);
	}
	str_add_char(into, '\'');
}

/* Appends what stands behind "inquest". */
static void add_arguments(struct str *into, const struct collect *collect)
{
	int ms = collect->deadline_ms > 0 ? collect->deadline_ms : COLLECT_DEADLINE_MS;
	int seconds = (ms + 999) / 1000;

	str_add(into, "gather --text --job ");
	add_quoted(into, collect->key);
	str_printf(into, " --deadline %d", seconds);
	if (collect->samples)
		str_printf(into, " --samples %u", collect->samples);
	str_add(into, collect->no_stacks ? " --no-stacks" : "");
	str_add(into, collect->no_logs ? " --no-logs" : "");
}

void script_add_command(struct str *into, const struct collect *collect)
{
	str_add(into, "inquest ");
	add_arguments(into, collect);
}

/*
 * A function of the script: true if a file is that user's own, or root's. Only such a program at
 * our path there is trusted: in /tmp it may be anybody's.
 */
static const char owner[] = "owned() {\n"
			    "[ -O \"$1\" ] && return\n"
			    "set -- $(ls -nLd \"$1\" 2>/dev/null)\n"
			    "[ \"$3\" = 0 ]\n"
			    "}\n";

/* Finds a folder in which a program may run, and sees to it that it goes. */
static const char receive[] =
	"d=\n"
	"for p in \"${TMPDIR:-/tmp}\" /dev/shm /var/tmp \"$HOME\"; do\n"
	"	d=$(umask 077; mktemp -d \"$p/.inquest-XXXXXX\" 2>/dev/null) || { d=; continue; }\n"
	"	printf '#!/bin/sh\\nexit 0\\n' >\"$d/try\" 2>/dev/null &&\n"
	"		chmod 700 \"$d/try\" && \"$d/try\" 2>/dev/null && break\n"
	"	rm -rf \"$d\"; d=\n"
	"done\n"
	"[ -n \"$d\" ] || { echo 'INQ:fail no inquest there, and no place where one that is sent "
	"may run'; exit 0; }\n"
	"trap 'rm -rf \"$d\"' EXIT\n"
	"trap 'exit 1' HUP INT TERM PIPE\n";

/* Takes the program only if its sum is right, and runs it once its name has gone. */
static const char check[] =
	"s=$(sha256sum <\"$d/inquest\" 2>/dev/null || busybox sha256sum <\"$d/inquest\" "
	"2>/dev/null)\n"
	"[ \"${s%% *}\" = \"$sum\" ] || { echo 'INQ:fail the program that was sent did not come "
	"whole, or no sha256sum is there'; exit 0; }\n"
	"chmod 700 \"$d/inquest\"\n"
	"exec 9<\"$d/inquest\"\n"
	"rm -rf \"$d\"\n"
	"try /proc/$$/fd/9\n"
	"echo 'INQ:fail the program that was sent does not run there'\n";

void script_add(
	struct str *into, const struct collect *collect, const struct script_program *program)
{
	str_add(into, owner);
	str_add(into, "try() {\n\"$1\" ");
	add_arguments(into, collect);
	/* Ended by its alarm: it had its time, and no other is tried. */
	str_printf(into,
		" </dev/null\ncase $? in 0|3) echo INQ:done; exit 0;;\n"
		"%d) echo 'INQ:fail it was not done by its deadline'; exit 0;; esac\n}\n"
		"all() {\n",
		128 + SIGALRM);
	if (program->path.len) {
		str_add(into, "p=");
		add_quoted(into, str_text(&program->path));
		str_add(into, "\n! [ -x \"$p\" ] || ! owned \"$p\" || try \"$p\"\n");
	}
	str_add(into, "! command -v inquest >/dev/null 2>&1 || try inquest\n");
	if (program->bytes.len) {
		str_add(into, receive);
		str_printf(into, "sum=%s\necho INQ:want %zu\nhead -c %zu >\"$d/inquest\"\n",
			program->sum, program->bytes.len, program->bytes.len);
		str_add(into, check);
	} else {
		str_add(into, "echo 'INQ:fail no inquest there that knows gather, and this one is "
			      "not the one file that can be sent'\n");
	}
	str_add(into, "exit 0\n}\nall; exit 0\n");
}
