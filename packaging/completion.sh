#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# completion.sh INQUEST SHELL: prints the completion for that shell; see completion.awk.

inquest=$1
LC_ALL=C ARGP_HELP_FMT=rmargin=1000,opt-doc-col=40
export LC_ALL ARGP_HELP_FMT
"$inquest" --help | sed -n 's/^  \([a-z]*\)  *\(.*\)/\1 \2/p' | while read -r verb words; do
	echo "@$verb $words"
	"$inquest" "$verb" --help
done | ${AWK:-awk} -v shell="$2" -f "$(dirname "$0")/completion.awk"
