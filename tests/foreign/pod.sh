#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# pod.sh COMMAND...: runs it where /proc is of the pid namespace that it is in, and /dev/shm nobody
# else's; called in a mount namespace of its own.

mount --make-rprivate / && mount -t proc proc /proc && mount -t tmpfs -o mode=1777 tmpfs /dev/shm ||
	exit 99
exec "$@"
