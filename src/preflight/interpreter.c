/* SPDX-License-Identifier: Apache-2.0 */
#include "preflight/interpreter.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "proc/program.h"

#define WORDS_MOST  32 /* of a command line that are looked at */
#define SHEBANG_CAP 256 /* bytes of a script's first line */
#define ASK_MS	    15000
#define ANSWER_CAP  4096

/* --- Which ------------------------------------------------------------------------------------ */

bool interpreter_find_program(const char *name, char path[static 4096])
{
	const char *at = getenv("PATH");

	if (strchr(name, '/')) {
		snprintf(path, 4096, "%s", name);
		return access(path, X_OK) == 0;
	}
	for (; at && *at; at += *at == ':') {
		size_t len = strcspn(at, ":");

		snprintf(path, 4096, "%.*s/%s", (int)len, at, name);
		if (len && access(path, X_OK) == 0)
			return true;
		at += len;
	}
	return false;
}

/* True if a path ends in "python", with or without a version. */
static bool is_python(const char *path)
{
	const char *base = strrchr(path, '/');

	base = base ? base + 1 : path;
	return !strncmp(base, "python", 6) && strspn(base + 6, "0123456789.") == strlen(base + 6);
}

/* Finds the Python in a script's first line: by its path, or as a word behind env. */
static bool find_in_shebang(const char *script, char path[static 4096])
{
	char line[SHEBANG_CAP + 1] = "", *save, *word;
	int fd = file_open(script);
	ssize_t got = fd < 0 ? -1 : read(fd, line, SHEBANG_CAP);

	if (fd >= 0)
		close(fd);
	if (got < 3 || line[0] != '#' || line[1] != '!')
		return false;
	line[strcspn(line, "\n")] = '\0';
	for (word = strtok_r(line + 2, " \t", &save); word; word = strtok_r(NULL, " \t", &save))
		if (is_python(word))
			return interpreter_find_program(word, path);
	return false;
}

bool interpreter_find(char *const *argv, struct interpreter *ret)
{
	*ret = (struct interpreter){.torch_number = -1, .cuda_number = -1};
	for (int i = 0; argv[i] && i < WORDS_MOST; i++) {
		char path[4096];

		if (argv[i][0] == '-' || !interpreter_find_program(argv[i], path))
			continue;
		if (is_python(path)) {
			memcpy(ret->path, path, sizeof(path));
			return true;
		}
		if (find_in_shebang(path, ret->path))
			return true;
	}
	ret->path[0] = '\0';
	return false;
}

/* --- What it has ------------------------------------------------------------------------------ */

/*
 * What the Python is to run: prints a word and a version each. Nothing is imported that touches a
 * device: torch's own file of versions is read by itself, since `import torch` takes seconds and
 * may hang in a driver.
 */
static const char question[] =
	"import sys, os, importlib.util as u, importlib.metadata as m\n"
	"print('python', sys.version.split()[0])\n"
	"s = u.find_spec('torch')\n"
	"if s and s.origin:\n"
	"    d = {}\n"
	"    try:\n"
	"        p = os.path.join(os.path.dirname(s.origin), 'version.py')\n"
	"        exec(open(p).read(), d)\n"
	"    except Exception:\n"
	"        pass\n"
	"    print('torch', d.get('__version__', '?'))\n"
	"    print('cuda', d.get('cuda') or '')\n"
	"for x in m.distributions():\n"
	"    n = (x.metadata['Name'] or '').lower()\n"
	"    if n.startswith('nvidia-nccl'):\n"
	"        print('nccl', x.version)\n";

/* Takes the version behind that word; the last of several. */
static void take_word(const char *answer, const char *name, char *into, size_t room)
{
	size_t len = strlen(name);

	for (const char *at = answer; at && *at; at = strchr(at, '\n'), at += at != NULL)
		if (!strncmp(at, name, len) && at[len] == ' ')
			snprintf(into, room, "%.*s", (int)strcspn(at + len + 1, " \n"),
				at + len + 1);
}

/* Returns major * by + minor * step, of "2.15.0+cpu"; -1 where it is no version. */
static int number_of(const char *version, int by, int step)
{
	int major, minor;

	if (sscanf(version, "%3d.%3d", &major, &minor) != 2)
		return -1;
	return major * by + minor * step;
}

bool interpreter_ask(struct interpreter *interpreter)
{
	const char *const argv[] = {interpreter->path, "-c", question, NULL};
	struct str answer = {0};
	int status = program_read(&(struct program){argv, NULL}, ASK_MS, ANSWER_CAP, &answer);

	take_word(str_text(&answer), "python", interpreter->python, sizeof(interpreter->python));
	take_word(str_text(&answer), "torch", interpreter->torch, sizeof(interpreter->torch));
	take_word(str_text(&answer), "cuda", interpreter->cuda, sizeof(interpreter->cuda));
	take_word(str_text(&answer), "nccl", interpreter->nccl, sizeof(interpreter->nccl));
	str_release(&answer);
	interpreter->torch_number = number_of(interpreter->torch, 100, 1);
	interpreter->cuda_number = number_of(interpreter->cuda, 1000, 10);
	return status == 0;
}
