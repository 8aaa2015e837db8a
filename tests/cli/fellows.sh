# SPDX-License-Identifier: Apache-2.0
#
# Jobs whose ranks are each started under an `inquest run' of its own, by a loop. Source it.

. "$srcdir/tests/cli/cli.sh"

scenarios=$top_builddir/fixtures/scenarios
LD_LIBRARY_PATH=$("$INQUEST" demo --standin-dir)
export LD_LIBRARY_PATH
hang_after=3

# draw JOB SCENARIO: what its ranks are to meet; it is not rank 0 that meets it.
draw() {
	culprit=0
	while [ "$culprit" = 0 ]; do
		rm -rf "$scratch/$1"
		mkdir "$scratch/$1" || exit 99
		"$scenarios/draw" --ranks 4 "$2" "$scratch/$1" >/dev/null || exit 99
		culprit=$(sed -n 's/^who *//p' "$scratch/$1/job.conf")
	done
	program=$(sed -n 's/^program *//p' "$scratch/$1/job.conf")
}

# rank JOB R [VARIABLE=VALUE...]: one rank of it, under its own inquest run.
rank() {
	job=$1 r=$2
	shift 2
	env RANK="$r" WORLD_SIZE=4 "$@" "$INQUEST" run --hang-after "$hang_after" -- \
		"$scenarios/$program" "$scratch/$job/job.conf" \
		</dev/null >"$scratch/$job/log.$r" 2>&1 &
	eval "agent_${job}_$r=$!"
	started="$started $!"
}

# ranks JOB [VARIABLE=VALUE...]: all four, of which rank 0 is the first.
ranks() {
	name=$1
	shift
	rank "$name" 0 "$@"
	until_true "rank 0 has begun" has_folder "$name" 0
	for number in 1 2 3; do
		rank "$name" "$number" "$@"
	done
}

# host JOB [VARIABLE=VALUE...]: all of its ranks under one inquest run, of a job of several nodes.
host() {
	name=$1
	shift
	env SLURM_STEP_NUM_NODES=2 "$@" "$INQUEST" run --hang-after "$hang_after" -- \
		"$scenarios/launch" "$scratch/$name/job.conf" \
		</dev/null >"$scratch/$name/log.0" 2>&1 &
	eval "agent_${name}_0=$!"
	started="$started $!"
}

# has_card OUT: agents of several hosts meet there; card_has PATTERN: the one that is alone there.
has_card() {
	ls "$1"/.rally-*/card.* >/dev/null 2>&1
}
card_has() {
	grep -q "$1" "$INQUEST_OUT"/.rally-*/card.*
}

# other_card CLASH [QUESTION BUNDLE]: the agent of another host meets that one; it says that two
# jobs meet, or does not; and answers by that file in the output folder, or never.
other_card() {
	echo "s/\"clash\":[a-z]*/\"clash\":$1/;s/\"answered\":[0-9]*/\"answered\":${2:-0}/
		s/\"bundle\":\"[^\"]*\"/\"bundle\":\"$3\"/" >"$scratch/other"
	[ -z "$other_card" ] || return 0
	met=$(ls -d "$INQUEST_OUT"/.rally-*)
	umask 077
	cp $(ls "$met"/card.* | grep -v tmp-) "$scratch/its"
	while sleep 0.2; do
		sed -e 's/"card":"[^"]*"/"card":"card.zz-00000000"/' \
			-e 's/"\(asked\|raised\|born\)":[0-9]*/"\1":0/g' \
			-e "s/\"ranks\":\\[[^]]*]/\"ranks\":[$other_ranks]/" -f "$scratch/other" \
			-e "s/\"beat\":[0-9]*/\"beat\":$(date +%s%N)/" \
			-e 's/"pid":[0-9]*/"pid":1/' \
			"$scratch/its" >"$met/card.zz.tmp-" &&
			mv "$met/card.zz.tmp-" "$met/card.zz-00000000"
	done &
	other_card=$!
	started="$started $!"
}
other_card= other_ranks=

# What the logs say, for who reads of a failure.
fail() {
	echo "FAIL: $*"
	"$INQUEST" ls
	cut -c1-300 "$scratch"/*/log.*
	cat "$scratch/stdout" "$scratch/stderr" 2>/dev/null
	exit 1
}

# agent JOB R: the pid of that inquest run; process JOB R: that of the rank below it.
agent() {
	eval "echo \$agent_$1_$2"
}
process() {
	pgrep -P "$(agent "$1" "$2")" -x "$program"
}
has_process() {
	[ -n "$(process "$1" "$2")" ]
}

# kill_rank JOB R: it, its agent, and all that is theirs, as the kernel or a node's end does.
kill_rank() {
	kill -9 "$(agent "$1" "$2")" $(pgrep -P "$(agent "$1" "$2")")
}

# verdicts JOB: how many were said in all its logs.
verdicts() {
	cat "$scratch/$1"/log.* | grep -c '^INQUEST_VERDICT {'
}
was_said() {
	[ "$(verdicts "$1")" -ge 1 ]
}
says_of() {
	grep -h -A1 '^INQUEST: verdict in' "$scratch/$1"/log.* | grep -q -e "$2"
}

# folder JOB R: of that inquest run; its id has the pid.
folder() {
	echo "$INQUEST_DIR"/*-"$(agent "$1" "$2")"
}
has_folder() {
	[ -d "$(folder "$1" "$2")" ]
}
# said JOB KEY: what the manifests of its four folders say, once each.
said() {
	for number in 0 1 2 3; do
		sed -n "s/.*\"$2\":\"\\([^\"]*\\)\".*/\\1/p" "$(folder "$1" "$number")/manifest"
	done | sort | uniq -c | awk '{print $1, $2}'
}
all_name() {
	said "$1" bundle | grep -q '^4 /'
}
lists() {
	"$INQUEST" ls | grep -q -e "$1"
}
