# SPDX-License-Identifier: Apache-2.0
#
# embed.awk FILE...: the shim's files as a C table, with the modules that each one patches: what
# stands in its lines @patches("..."). Comments are left out, and what a function says of itself. A
# file must not hold strings of several lines: one that begins with a # would look like a comment.

function flush() {
	if (name != "")
		printf "\t{\"%s\",\n\t\t%s\"\",\n%s\t},\n", name, patches, text
}

BEGIN {
	print "/* Made from probes/shim/ by embed.awk: change it there. */"
	print "static const struct shim_file shim_files[] = {"
}

FNR == 1 {
	flush()
	name = FILENAME
	sub(/.*\//, "", name)
	patches = text = ""
}

/^[ \t]*"""[^"]*"""$/ {
	next
}

/"""|'''/ {
	printf "%s:%d: a string of several lines\n", FILENAME, FNR >"/dev/stderr"
	failed = 1
}

/^@patches/ {
	if ($0 !~ /^@patches\("[A-Za-z0-9_.]+"\)$/) {
		printf "%s:%d: not as @patches(\"module\")\n", FILENAME, FNR >"/dev/stderr"
		failed = 1
	}
	module = $0
	sub(/^@patches\("/, "", module)
	sub(/"\)$/, "", module)
	patches = patches "\"" module "\\0\" "
}

!/^[ \t]*#/ && !/^[ \t]*$/ {
	line = $0
	gsub(/\\/, "&&", line)
	gsub(/"/, "\\\"", line)
	text = text "\t\t\"" line "\\n\"\n"
}

END {
	flush()
	print "};"
	exit failed
}
