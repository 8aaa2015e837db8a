#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The ring's figures. Where LTTng is on the machine its overwrite mode runs side by side, in a
# session of our own (own home, own daemon) that ends with us.

bench=$top_builddir/bench
lttng=$bench/.libs/ring_lttng.so
echo "== ring"
[ -e "$lttng" ] || lttng=
if [ -z "$lttng" ] || ! command -v lttng-sessiond >/dev/null || ! command -v lttng >/dev/null; then
	exec "$bench/ring_bench" "$bench/.libs/ring_hot.so" $lttng
fi

LTTNG_HOME=$(mktemp -d) || exit 1
export LTTNG_HOME
session=inquest-bench-$$

# A daemon that runs already is used and left alone; one of our own we end.
end() {
	lttng --no-sessiond destroy "$session" >/dev/null 2>&1
	kill "$daemon" 2>/dev/null
	wait "$daemon" 2>/dev/null
	rm -rf "$LTTNG_HOME"
}
trap end EXIT
trap 'exit 1' INT TERM
lttng-sessiond --no-kernel >"$LTTNG_HOME/log" 2>&1 &
daemon=$!
tries=0
until lttng --no-sessiond create "$session" --snapshot --output="$LTTNG_HOME/out" \
	>>"$LTTNG_HOME/log" 2>&1; do
	tries=$((tries + 1))
	[ $tries -gt 50 ] && break
	sleep 0.1
done
{
	lttng --no-sessiond enable-channel -u flight --session "$session" --overwrite \
		--num-subbuf 4 --subbuf-size 256k &&
	lttng --no-sessiond enable-event -u 'inquest_bench:*' --session "$session" \
		--channel flight &&
	lttng --no-sessiond start "$session"
} >>"$LTTNG_HOME/log" 2>&1 || tail -n 3 "$LTTNG_HOME/log"
LTTNG_UST_REGISTER_TIMEOUT=3000 "$bench/ring_bench" "$bench/.libs/ring_hot.so" "$lttng"
