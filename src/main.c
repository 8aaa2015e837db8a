/* SPDX-License-Identifier: Apache-2.0 */
#include <config.h>

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--version")) {
		puts("inquest " PACKAGE_VERSION);
		return 0;
	}
	fputs("usage: inquest --version\n", stderr);
	return 2;
}
