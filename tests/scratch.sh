# SPDX-License-Identifier: Apache-2.0
#
# How a test gets rid of its $scratch folder: what is mounted below it is no scratch. Source it.

# Mounts are let go, and where that fails nothing is removed; nor is anything through a mount that
# another namespace has.
remove_scratch() {
	while read -r _ _ _ _ place _; do
		case $place in "$scratch"/*) umount -l "$place" 2>/dev/null ;; esac
	done </proc/self/mountinfo
	if grep -q " $scratch/" /proc/self/mountinfo; then
		echo "not removed, since something is mounted there: $scratch"
		return
	fi
	rm -rf --one-file-system "$scratch"
}
