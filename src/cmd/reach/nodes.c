/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/reach/nodes.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "decode/exhibits/hostlist.h"
#include "proc/survey/launcher.h"
#include "proc/survey/mpir.h"
#include "proc/tree.h"

#define LIST_CAP ((size_t)16 << 20)
#define BLANKS   " \t\r\n\v\f"

/* Adds a name that is not there yet. For hostlist_expand(). */
static void add_name(const char *name, void *user)
{
	struct nodes *nodes = user;

	for (size_t i = nodes->names.nr; i-- > 0;)
		if (!strcmp(nodes->names.items[i], name))
			return;
	*array_add(&nodes->names) = alloc_text(name);
}

/*
 * True if a name is safe to give to a launcher. Another might be its option, or a shell's words:
 * also that part of it which the launcher is given alone, the pod of ns/pod, the host of user@host.
 */
static bool is_fine(const char *name)
{
	for (const char *at = name; at; at = strpbrk(at, "/@"), at = at ? at + 1 : NULL)
		if (!*at || strchr("-/@", *at))
			return false;
	return !strpbrk(name, BLANKS "'\"\\$`;&|<>()*?!#~{}");
}

/* Sets *user, a bool, if a name is not safe. For hostlist_expand(). */
static void find_odd(const char *name, void *user)
{
	bool *odd = user;

	*odd = *odd || !is_fine(name);
}

/* Adds the names of one word; all of them, or none. 0, or -1 with words. */
static int add_word(struct nodes *nodes, const char *word, struct complaint *why)
{
	bool odd = false;

	if (hostlist_expand(word, find_odd, &odd) && !odd &&
		hostlist_expand(word, add_name, nodes))
		return 0;
	return complaint_set(
		why, "no list of nodes: %s: say m[1-4,7],head, or a file with a / in it", word);
}

/* Adds the names of words by blanks. Spoils the text. 0, or -1 with words. */
static int add_words(struct nodes *nodes, char *text, struct complaint *why)
{
	char *rest = text, *word;
	int error = 0;

	while (!error && (word = strsep(&rest, BLANKS)))
		if (*word)
			error = add_word(nodes, word, why);
	return error;
}

/* Adds the names in a file. 0, or -1 with words. */
static int read_file(struct nodes *nodes, const char *path, struct complaint *why)
{
	struct str text = {0};
	int error = file_read(path, LIST_CAP, &text, why);
	char *rest = text.text, *line;

	while (!error && rest && (line = strsep(&rest, "\n")))
		if (line[strspn(line, BLANKS)] != '#')
			error = add_words(nodes, line, why);
	str_release(&text);
	return error;
}

/* Adds the hosts of a launcher's table. Returns how many processes are in the table. */
static size_t add_table(struct nodes *nodes, uint32_t pid)
{
	struct mpir_table table = {0};
	size_t n = mpir_read(pid, &table) < 0 ? 0 : table.all.nr;

	for (size_t i = 0; i < n; i++)
		if (is_fine(table.all.items[i].host) && !strchr(table.all.items[i].host, '@'))
			add_name(table.all.items[i].host, nodes);
	mpir_release(&table);
	return n;
}

/*
 * Adds the hosts of the one launcher here that has a table; two are two jobs. 0, or -1 with words.
 */
static int find_table(struct nodes *nodes, struct complaint *why)
{
	struct proc_list list = {0};
	size_t found = 0;

	(void)proc_list_all(&list);
	for (size_t i = 0; i < list.all.nr; i++) {
		const struct launcher *launcher = launcher_of(list.all.items[i].comm, "", 0);

		if (launcher && launcher->has_table)
			found += add_table(nodes, list.all.items[i].pid) > 0;
	}
	proc_list_release(&list);
	if (found == 1)
		return 0;
	return complaint_set(why, found ? "several launchers here have a table of their hosts: say "
					  "@mpirun:PID"
					: "no mpirun or srun here has a table of its hosts that we "
					  "may read: give --hosts a list");
}

/* Takes what stands behind "@mpirun": "" or ":PID". 0, or -1 with words. */
static int read_table(struct nodes *nodes, const char *pid, struct complaint *why)
{
	if (!*pid)
		return find_table(nodes, why);
	if (add_table(nodes, (uint32_t)strtoul(pid + 1, NULL, 10)))
		return 0;
	return complaint_set(why, "process %s has no table of its hosts that we may read", pid + 1);
}

int nodes_read(struct nodes *nodes, const char *list, struct complaint *why)
{
	if (!strcmp(list, "@mpirun") || !strncmp(list, "@mpirun:", 8))
		return read_table(nodes, list + 7, why);
	if (*list != '@' && strchr(list, '/'))
		return read_file(nodes, list, why);
	return nodes_read_names(nodes, list, why);
}

int nodes_read_names(struct nodes *nodes, const char *list, struct complaint *why)
{
	char *copy;
	int error;

	if (*list == '@') {
		error = read_file(nodes, list + 1, why);
	} else {
		copy = alloc_text(list);
		error = add_words(nodes, copy, why);
		free(copy);
	}
	if (!error && !nodes->names.nr)
		error = complaint_set(why, "no node is named by '%s'", list);
	return error;
}

void nodes_release(struct nodes *nodes)
{
	for (size_t i = 0; i < nodes->names.nr; i++)
		free(nodes->names.items[i]);
	array_release(&nodes->names);
}
