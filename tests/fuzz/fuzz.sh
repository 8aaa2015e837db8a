#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# fuzz.sh corpora FOLDER        what each target begins with, in FOLDER/TARGET
# fuzz.sh all [TARGET...]       what `make fuzz` does: builds with sanitizers that stop, by clang
#                               with libFuzzer where that is there, and plays each FUZZ_SECONDS
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
}

longest() {
	case $1 in
	whole | ring) echo 1048576 ;;
	bundle) echo 262144 ;;
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
	echo "fuzz: $1 for $FUZZ_SECONDS s"
	if [ "$engine" = libFuzzer ]; then
		"tests/fuzz/$1-fuzz" -timeout=60 -max_total_time="$FUZZ_SECONDS" \
			-rss_limit_mb=4096 -max_len="$(longest "$1")" \
			-print_final_stats=1 -verbosity=0 "corpora/$1"
	else
		"tests/fuzz/$1-fuzz" -seconds="$FUZZ_SECONDS" -seed="$$" \
			-max_len="$(longest "$1")" "corpora/$1"
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
	corpora corpora || exit
	export UBSAN_OPTIONS="print_stacktrace=1:$UBSAN_OPTIONS"
	for target; do
		play "$target" || { echo "fuzz: $target has found something"; exit 1; }
	done
	;;
esac
