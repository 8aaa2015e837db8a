#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A core of 256 MB and 30 threads: our walk, our whole verdict, and others' stacks of it.

echo "== Core files"
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
python=$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))') || exit 0
(cd "$folder" && ulimit -c unlimited && exec python3 "$srcdir/bench/core_bench.py") 2>/dev/null
core=$(echo "$folder"/core*)
[ -f "$core" ] || { echo "no core lands in the working folder here"; exit 0; }

# took NAME COMMAND...: the wall's time of one run.
took() {
	name=$1
	shift
	python3 - "$name" "$@" <<'END'
import subprocess, sys, time
begun = time.monotonic()
subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(f"{sys.argv[1]:40} {(time.monotonic() - begun) * 1e3:9.2f}  ms")
END
}

"$top_builddir/bench/core_bench" "$core" || exit 1
took "core: inquest diagnose" "$INQUEST" diagnose "$core"
if command -v eu-stack >/dev/null; then
	took "core: eu-stack without symbols" eu-stack -q -n 0 --core="$core" -e "$python"
	took "core: eu-stack" eu-stack -n 0 --core="$core" -e "$python"
fi
if command -v gdb >/dev/null; then
	took "core: gdb" gdb -batch -ex 'thread apply all bt' "$python" "$core"
fi
