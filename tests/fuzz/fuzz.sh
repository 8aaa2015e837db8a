#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# fuzz.sh corpora FOLDER        what each target begins with, in FOLDER/TARGET
# fuzz.sh words FILE            the words that readers look for, as libFuzzer's -dict wants them
# fuzz.sh all [TARGET...]       what `make fuzz` does: builds with sanitizers that stop, by clang
#                               with libFuzzer where that is there, and plays each FUZZ_SECONDS
# fuzz.sh sum [LEDGER]          what the ledger says of each target, over all that was played
#
# What libFuzzer found worth keeping is in FUZZ_CORPORA, and played on from there the next time; in
# FUZZ_CORPORA/ledger is a line for each time: date, target, what played, inputs, seconds of
# processor time.
#
# Wants srcdir, top_builddir and CC as tests have them. Exits with 0 if nothing was found.

targets='bundle core elf flight ring text whole'

# corpora FOLDER: recorded jobs, dumps that PyTorch wrote, a small library that is a core as well.
corpora() {
	for target in $targets; do
		mkdir -p "$1/$target" || return
	done
	"$top_builddir/tests/fuzz/seeds" "$1" "$srcdir"/fixtures/recorded/*.inq || return
	cp "$1/whole/ring" "$1/whole/census" "$1/ring" || return
	for dump in "$srcdir"/fixtures/flight/[a-z]*/*[_.]0*; do
		name=$(basename "$(dirname "$dump")")-$(basename "$dump")
		head -c 65536 "$dump" >"$1/flight/$name" || return
	done
	$CC -shared -fPIC -nostdlib -Wl,--build-id -o "$1/elf/seed.so" \
		"$srcdir/tests/fuzz/elf-seed.c" || return
	cp "$1/elf/seed.so" "$1/core/seed.core" || return
	printf '\004' | dd of="$1/core/seed.core" bs=1 seek=16 conv=notrunc status=none || return
	texts "$1/text"
}

# texts FOLDER: one of each that text-fuzz.c reads, in its order.
texts() {
	printf '\0%s\n' '7 (a b) S 1 7 7 0 -1 4194560 8 0 0 0 12 5 3 1 20 0 3 0 99 4096 55 1' \
		>"$1/stat"
	printf '\1%s\n' '5500-6600 r-xp 00001000 08:01 42                    /usr/bin/x (deleted)' \
		>"$1/maps"
	printf '\2RANK=3\0WORLD_SIZE=8\0LOCAL_RANK=1\0SLURM_PROCID=3\0MASTER_ADDR=h\0' >"$1/claims"
	printf '\3%s' 'n[01-03,7],m[1-2]-x' >"$1/hosts"
	printf '\4%s' '_ZNSt6vectorIiSaIiEE9push_backERKi' >"$1/names"
	printf '\5\303\251\033[31m\342\200\256x\377' >"$1/escaped"
	printf '\6PID JOBID STEPID LOCALID GLOBALID\n12 8841 0 0 3\nNSpid:\t12\t3\n' >"$1/slurm"
	printf '\7j Down 2x Ctrl-D # no\ntype rank 3\nresize 80x24\n' >"$1/keys"
	printf '\010{"schema": "inquest-receipt/1", "argv": ["x"], "env": {"A": "b"}, "seen": 1,
		"ranks": [{"rank": 0, "cache": "/c"}],
		"caches_end": [{"path": "/c", "files": 1}]}' >"$1/receipt"
	printf '\011%s\n' 'one' '[rank0]: Traceback (most recent call last):' '' 'last' >"$1/log"
	printf '\012%s\n' '36 35 98:0 / /a\040b rw,noatime shared:1 - fuse.gcsfuse s rw' \
		>"$1/mounts"
	printf '\013%s' '6,1,2,-;NVRM: Xid (PCI:0000:4b:00): 79, pid=1, name=x, it fell' >"$1/kmsg"
}

# words FILE: the texts in the readers' sources, which so need no list of their own.
words() {
	(cd "$srcdir" && find src/decode src/evidence/format src/proc/survey viewer/state \
		src/lists/log-words.def -name '*.[ch]' -o -name '*.def' | xargs cat) |
		grep -v '#include' | grep -o '"[A-Za-z_][A-Za-z0-9_. -]\{2,30\}"' | sort -u >"$1"
}

# processor COMMAND...: plays it, its words into the file `out'; sets cpu, the seconds of it.
processor() {
	("$@" >out 2>&1; echo $? >status; times >times)
	cpu=$(awk 'NR == 2 { split($1 " " $2, t, /[ms ]+/)
		printf "%.1f", t[1] * 60 + t[2] + t[3] * 60 + t[4] }' times)
	return "$(cat status)"
}

# note TARGET: a line for the ledger, of what `out' says of the inputs.
note() {
	inputs=$(sed -n -e 's/^stat::number_of_executed_units: //p' \
		-e 's/^.*: [0-9]* seeds and \([0-9]*\) changed ones$/\1/p' out | tail -n 1)
	echo "$(date -u +%Y-%m-%dT%H:%MZ) $1 $engine ${inputs:-?} $cpu" >>"$FUZZ_CORPORA/ledger"
	echo "fuzz: $1: ${inputs:-?} inputs in $cpu s of processor time"
}

# sum LEDGER
sum() {
	awk '{ inputs[$2] += $4; cpu[$2] += $5 }
		END { for (t in cpu) printf "fuzz: %s: %d inputs in %.2f processor hours so far\n",
			t, inputs[t], cpu[t] / 3600 }' "$1" | sort
}

longest() {
	case $1 in
	whole | ring) echo 262144 ;;
	bundle) echo 65536 ;;
	flight) echo 65536 ;;
	elf | core) echo 32768 ;;
	*) echo 4096 ;;
	esac
}

# has_libfuzzer: can FUZZ_CC make a fuzzer of its own?
has_libfuzzer() {
	printf '#include <stddef.h>\nint LLVMFuzzerTestOneInput(const void *b, size_t n);\n%s\n' \
		'int LLVMFuzzerTestOneInput(const void *b, size_t n) { (void)b; return n > 99; }' |
		"$FUZZ_CC" -x c -fsanitize=fuzzer -o "$1" - 2>/dev/null
}

# build TARGET...: into fuzz-build; sets engine.
build() {
	mkdir -p fuzz-build && cd fuzz-build || return
	programs=
	for target; do
		programs="$programs tests/fuzz/$target-fuzz"
	done
	if has_libfuzzer ./probe; then
		engine=libFuzzer
		set -- "CC=$FUZZ_CC" 'CFLAGS=-g -O1 -fsanitize=fuzzer-no-link -Wno-error'
	else
		engine=driver.c
		echo "fuzz: no libFuzzer here (Debian has it in clang): changes are made blindly"
		set -- "CC=$CC" 'CFLAGS=-g -O1 -Wno-error'
	fi
	echo "fuzz: built by ${1#CC=}, played by $engine"
	if ! [ -e config.status ] && ! "$srcdir/configure" --enable-asan --enable-ubsan "$@" \
		>configure.out 2>&1; then
		tail configure.out
		return 1
	fi
	if [ "$engine" = libFuzzer ]; then
		"$MAKE" -s -j2 FUZZ_ENGINE= FUZZ_LINK='-XCClinker -fsanitize=fuzzer' $programs
	else
		"$MAKE" -s -j2 $programs
	fi
}

# play TARGET: from its corpus, which libFuzzer adds to.
play() {
	if [ "$engine" = libFuzzer ]; then
		"tests/fuzz/$1-fuzz" -timeout=60 -max_total_time="$FUZZ_SECONDS" \
			-rss_limit_mb=4096 -max_len="$(longest "$1")" -dict=words \
			-print_final_stats=1 -verbosity=0 "$FUZZ_CORPORA/$1"
	else
		"tests/fuzz/$1-fuzz" -seconds="$FUZZ_SECONDS" -seed="${FUZZ_SEED:-$$}" \
			-max_len="$(longest "$1")" "$FUZZ_CORPORA/$1"
	fi
}

case $1 in
corpora)
	corpora "$2"
	;;
all)
	shift
	[ $# -gt 0 ] || set -- $targets
	build "$@" || exit
	: "${FUZZ_CORPORA:=$PWD/corpora}"
	corpora "$FUZZ_CORPORA" && words words || exit
	export UBSAN_OPTIONS="print_stacktrace=1:$UBSAN_OPTIONS"
	for target; do
		echo "fuzz: $target for $FUZZ_SECONDS s"
		processor play "$target"
		found=$?
		note "$target"
		[ $found -eq 0 ] || { cat out; echo "fuzz: $target has found something"; exit 1; }
	done
	sum "$FUZZ_CORPORA/ledger"
	;;
sum)
	sum "${2:-$FUZZ_CORPORA/ledger}"
	;;
words)
	words "$2"
	;;
esac
