# SPDX-License-Identifier: Apache-2.0
#
# What the viewer's tests share beside tests/cli/cli.sh: the recorded jobs and screens of them.

. "$srcdir/tests/cli/cli.sh"

recorded=$srcdir/fixtures/recorded
# Nothing of it is to be on the screen.
unset INQUEST_COLOR CLICOLOR_FORCE COLORFGBG COLUMNS LINES
TZ=Asia/Kathmandu
LC_ALL=C
export TZ LC_ALL

# screen BUNDLE SIZE OPTIONS [KEYS]: prints it; options apart by commas, "-" none. A bundle is
# BUNDLE.inq, or a folder of one per node.
screen() {
	printf '%b\n' "${4:-}" | sed 's/^ *//; s/ *$//' >"$scratch/keys"
	[ -d "$recorded/$1" ] || set -- "$1.inq" "$2" "$3"
	set -- "$recorded/$1" "$2" "$(echo "$3" | sed 's/^-$//; s/,/ /g')"
	"$INQUEST" view --screen "$2" --keys-in "$scratch/keys" $3 "$1"
}

# each_case COMMAND: calls it with name, bundle, size, options and keys of every case.
each_case() {
	grep -v '^#' "$srcdir/tests/viewer/cases" | grep . >"$scratch/cases"
	while read -r name bundle size options keys; do
		"$1" "$name" "$bundle" "$size" "$options" "$keys"
	done <"$scratch/cases"
	for path in "$recorded"/*.inq; do
		bundle=$(basename "$path" .inq)
		"$1" "opening-$bundle" "$bundle" 80x24 --ascii ''
	done
}
