# SPDX-License-Identifier: Apache-2.0
#
# Sourced by the tests here: the words of tests/c10d/c10d.sh, with ranks that call the gloo that is
# installed (Debian's libgloo). Such a rank, built for this test, is $rank_program.
[ -e /usr/include/gloo/context.h ] || {
	echo "skipped: no gloo to build with here (libgloo-dev)"
	exit 77
}
rank_program=later
. "${srcdir:?}/tests/c10d/c10d.sh"
rank_program=$scratch/ranks
${CXX:-c++} -std=c++17 -O1 -g -w "$srcdir/tests/gloo/ranks.cc" -o "$rank_program" -lgloo -pthread \
	>"$scratch/built" 2>&1 ||
	skip "gloo is here, and nothing can be built with it: $(tail -n 1 "$scratch/built")"
nothing='records=0 groups=0 unresolved=0 forked=0 completions=0 contended=0'
