# SPDX-License-Identifier: Apache-2.0
#
# Sourced by the tests of tracebacks, behind probe.sh.
#
#	crashes [VAR=VALUE...] WORD...	a rank of one dies so; $status; what it left is in shown
#	names				the functions on the stack of the program's own, innermost
#					first, one line; libc's and others' are "-"
export LD_LIBRARY_PATH="$standin"
within=	# what to run it by

crashes() {
	new_job
	$within env RANK=0 WORLD_SIZE=1 LOCAL_RANK=0 LD_PRELOAD="$probe" \
		"$here/${program:-crash}" "$@" >"$scratch/out" 2>"$scratch/err"
	status=$?
	shown
}

# The build tree's programs are libtool's no wrappers here: what ran is what is asked.
names() {
	command -v addr2line >/dev/null || skip "no addr2line"
	grep '^frame' "$scratch/shown" | while read -r _ _ _ _ offset in exact _; do
		file=${in#in=}
		case $file in
		*/tests/probe/*)
			at=$((0x${offset#offset=}))
			[ "$exact" = +exact ] || at=$((at - 1))
			addr2line -f -e "$file" "$(printf '%x' $at)" | head -n 1
			;;
		*) echo - ;;
		esac
	done | tr '\n' ' '
}

# on_stack PATTERN: the names, in order.
on_stack() {
	names >"$scratch/names"
	grep -Eq -- "$1" "$scratch/names" ||
		fail "not on the stack: $1; but $(cat "$scratch/names")"
}
