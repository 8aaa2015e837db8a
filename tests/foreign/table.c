/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what proc/survey/mpir.h reads of a launcher: table PID. A line per task of this host. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proc/survey/mpir.h"

int main(int argc, char **argv)
{
	struct mpir_table table = {0};
	const struct mpir_entry *entry;
	int error = mpir_read(argc > 1 ? (uint32_t)atoi(argv[1]) : 0, &table);

	array_for_each(&table.all, entry)
		printf("%d %u %s\n", entry->rank, entry->pid, entry->here ? "here" : "elsewhere");
	if (error)
		printf("%s\n", strerror(-error));
	mpir_release(&table);
	return error != 0;
}
