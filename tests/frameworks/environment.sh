# SPDX-License-Identifier: Apache-2.0
#
# A part of quickstart, whose functions these use: frameworks that train with PyTorch, in an
# environment of their own, which sees all that PyTorch's has and changes nothing of it.

# Each at its version, with all that they import; tests/frameworks/packages says more.
frameworks_list() {
	sed 's/#.*//' "$top/tests/frameworks/packages"
}

# Are they all there, in these versions, and do they find PyTorch? If not, $why tells.
frameworks_work() {
	why=$(frameworks_list | "$frameworks/bin/python" -c 'import sys
from importlib import metadata
import torch
for name, _, version in (word.partition("==") for word in sys.stdin.read().split()):
    if metadata.version(name) != version:
        sys.exit(f"{name} is {metadata.version(name)}")
' 2>&1 >/dev/null)
}

# That they work with each other is seen once.
frameworks_import() {
	why=$("$frameworks/bin/python" -c 'import accelerate, deepspeed, lightning, ray.train
import transformers' 2>&1 >/dev/null)
}

frameworks_fill() {
	"$torch/bin/python" -m venv "$@" "$frameworks" >&2 || return 1
	for packages in "$torch"/lib/python3*/site-packages; do
		echo "$packages" >"$frameworks/lib/${packages#"$torch/lib/"}/torch.pth" || return 1
	done
	say "frameworks (0.3 gigabytes) into $frameworks"
	mkdir -p "$frameworks/tmp"
	TMPDIR=$frameworks/tmp "$frameworks/bin/python" -m pip --disable-pip-version-check \
		--no-cache-dir --quiet install --no-deps --no-warn-script-location \
		$(frameworks_list) >&2 || return 1
	frameworks_work && frameworks_import
}

frameworks_room() {
	mkdir -p "${frameworks%/*}" || die "cannot make ${frameworks%/*}"
	free=$(df -Pk "${frameworks%/*}" | awk 'NR == 2 { print $4 }')
	[ "$free" -ge $((1 << 20)) ] ||
		die "the frameworks need 1 GiB where $frameworks is, and $((free >> 10)) MiB are" \
			"free; INQUEST_FRAMEWORKS=FOLDER puts them elsewhere"
}

# The folder is $frameworks.
frameworks_environment() {
	frameworks=${INQUEST_FRAMEWORKS:-$top/build/frameworks}
	[ "${frameworks#/}" != "$frameworks" ] || frameworks=$called_from/$frameworks
	if ! frameworks_work; then
		if [ -d "$frameworks" ] && ! [ -e "$frameworks/pyvenv.cfg" ] &&
			[ -n "$(ls -A "$frameworks")" ]; then
			die "$frameworks is not empty, and no environment of Python;" \
				"name another by INQUEST_FRAMEWORKS"
		fi
		frameworks_room
		frameworks_fill --clear || {
			printf '%s\n' "$why" | tail -n 5 >&2
			die "the frameworks could not be installed"
		}
		rm -rf "$frameworks/tmp"
	fi
	say "frameworks are in $frameworks"
}
