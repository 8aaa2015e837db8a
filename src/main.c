/* SPDX-License-Identifier: Apache-2.0 */
#include <config.h>

#include <argp.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "cmd/cmd.h"

static const struct verb *const verbs[] = {
	&verb_run,
	&verb_ls,
	&verb_attach,
	&verb_view,
	&verb_diagnose,
	&verb_gather,
	&verb_preflight,
	&verb_receipt,
	&verb_compare,
	&verb_demo,
	&verb_ring,
};

#define VERBS (sizeof(verbs) / sizeof(verbs[0]))

static void usage(FILE *file)
{
	fputs("usage: inquest VERB [ARGUMENT...]\n"
	      "Which rank is everyone waiting for, and why.\n\n",
		file);
	for (size_t i = 0; i < VERBS; i++)
		fprintf(file, "  %-10s%s\n", verbs[i]->name, verbs[i]->line);
	fputs("\n`inquest VERB --help' tells more; so do the pages inquest(1) and "
	      "inquest-VERB(1).\n",
		file);
}

/*
 * A relative INQUEST_DIR is meant from where we were started: for us, whatever else we ask, and for
 * the job, which changes its folder as it likes. Where that cannot be told it stays as it is.
 */
static void settle_folder(void)
{
	const char *dir = getenv("INQUEST_DIR");
	char here[PATH_MAX];
	struct str path = {0};

	if (!dir || !*dir || *dir == '/' || !getcwd(here, sizeof(here)))
		return;
	str_printf(&path, "%s/%s", strcmp(here, "/") ? here : "", dir);
	setenv("INQUEST_DIR", path.text, 1);
	str_release(&path);
}

static int run_verb(const struct verb *verb, int argc, char **argv)
{
	struct str name = {0};
	int status;

	/* argp puts this before its own messages. */
	str_printf(&name, "inquest %s", verb->name);
	argv[0] = name.text;
	argp_err_exit_status = CMD_USAGE;
	settle_folder();
	/* A command gets the one that we were given: wrap_guard(). */
	if (verb != &verb_run)
		(void)file_own_mask();
	status = verb->run(argc, argv);
	str_release(&name);
	return status;
}

/* Picks the verb; its exit status is ours. Wrong usage is told on stderr with CMD_USAGE. */
int main(int argc, char **argv)
{
	setlocale(LC_CTYPE, "");
	if (argc < 2) {
		usage(stderr);
		return CMD_USAGE;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts("inquest " PACKAGE_VERSION);
		return 0;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		usage(stdout);
		return 0;
	}
	for (size_t i = 0; i < VERBS; i++)
		if (!strcmp(argv[1], verbs[i]->name))
			return run_verb(verbs[i], argc - 1, argv + 1);
	cmd_complain("no such verb: %s: `inquest --help' lists them", argv[1]);
	return CMD_USAGE;
}
