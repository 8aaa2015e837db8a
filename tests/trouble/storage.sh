# SPDX-License-Identifier: Apache-2.0
#
# What tests of storage share, beside trouble.sh: a job that hangs, and what must be true of it
# whatever its storage does.
#
#	begin OUT VAR=VALUE...	a job whose bundles go to OUT, begun with these variables
#	is_said			the verdict is in the log
#	$stuck			a preload that makes a folder's disk not answer (stuck.c)
#	end WHAT		tells it to end: it is told, ends, and the log says how

stuck=$top_builddir/tests/trouble/.libs/stuck.so

# One of three that everybody waits for; `told' is there once the signal has reached the launcher.
cat >"$scratch/launcher" <<'END'
#!/bin/sh
trap 'echo told >"$1/told"' TERM
"$launch" "$1" 3 sum stay:1 sum &
ranks=$!
wait $ranks
kill $ranks
wait $ranks
exit 9
END
chmod +x "$scratch/launcher"
export launch

begin() {
	out=$1
	shift
	rm -rf "$scratch/play"
	mkdir "$scratch/play"
	rm -f "$scratch/started.stderr" # the last one's
	start env INQUEST_OUT="$out" "$@" "$INQUEST" run --hang-after 1 -- "$scratch/launcher" \
		"$scratch/play"
	agent=$!
}

is_said() {
	grep -q '^INQUEST_VERDICT.*"host-stall"' "$scratch/started.stderr"
}

is_told() {
	[ -e "$scratch/play/told" ]
}

end() {
	kill "$agent"
	until_true "$1: the signal reached the job" is_told
	wait "$agent"
	status=$?
	agent=
	[ "$status" = 9 ] || fail "$1: status $status, not 9"
	grep -q '^INQUEST: the job ended with status 9' "$scratch/started.stderr" ||
		fail "$1: the log does not say how it ended: $(cat "$scratch/started.stderr")"
}
