#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scope.sh N COMMAND...: runs it where kernel.yama.ptrace_scope is N, whatever kernel this is;
# called in a mount namespace of its own.

scope=$1
shift
boot=$(cat /proc/sys/kernel/random/boot_id) && caps=$(cat /proc/sys/kernel/cap_last_cap) &&
	mount --make-rprivate / && mount -t tmpfs tmpfs /proc/sys/kernel || exit 99
mkdir /proc/sys/kernel/yama /proc/sys/kernel/random
echo "$scope" >/proc/sys/kernel/yama/ptrace_scope
echo "$boot" >/proc/sys/kernel/random/boot_id
echo "$caps" >/proc/sys/kernel/cap_last_cap
exec "$@"
