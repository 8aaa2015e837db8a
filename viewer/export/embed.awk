# SPDX-License-Identifier: Apache-2.0
#
# embed.awk PAGE STYLE SCRIPT: the page's files as C texts, a line each: the page, with the style in
# place of its line @style, and the script. Comments of a whole line are left out.

function quoted(line) {
	gsub(/\\/, "&&", line)
	gsub(/"/, "\\\"", line)
	gsub(/\t/, "\\t", line)
	return "\t\"" line "\\n\",\n"
}

FNR == 1 {
	file++
}

/^[ \t]*\/[\/*].*$/ && (/^[ \t]*\/\// || /\*\/[ \t]*$/) || /^[ \t]*<!--.*-->[ \t]*$/ || /^[ \t]*$/ {
	next
}

file == 1 {
	page[++lines] = $0
}

file == 2 {
	style = style quoted($0)
}

file == 3 {
	script = script quoted($0)
}

END {
	print "/* Made from viewer/export/html-page.* by embed.awk: change it there. */"
	print "static const char *const html_page[] = {"
	for (i = 1; i <= lines; i++)
		printf "%s", page[i] == "@style" ? style : quoted(page[i])
	print "};"
	print "static const char *const html_script[] = {"
	printf "%s", script
	print "};"
}
