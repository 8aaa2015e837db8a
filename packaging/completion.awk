# SPDX-License-Identifier: Apache-2.0
#
# completion.awk -v shell=bash|zsh|fish: the completion of that shell, out of what inquest says of
# itself: a line "@VERB WORDS" for each verb, and behind it its --help with a wide right margin
# (completion.sh). So an option that is added is completed without anybody writing it here.

# The words that an option takes: of "text|svg", and of "always, never or auto (more)".
function words_of(arg, line, n, parts) {
	if (arg ~ /\|/) {
		gsub(/\|/, " ", arg)
		return arg
	}
	gsub(/ *\([^)]*\)/, "", line)
	sub(/^.*: (say )?/, "", line)
	if (line !~ /^[a-z-]+(, [a-z-]+)* or [a-z-]+$/)
		return ""
	gsub(/,| or/, "", line)
	return line
}

function is_path(arg) {
	return arg ~ /^(FILE|BUNDLE|DIR|FOLDER)$/
}

function quoted(text) {
	gsub(/'/, "'\\''", text)
	return "'" text "'"
}

/^@/ {
	verb = substr($1, 2)
	line = $0
	sub(/^@[^ ]* */, "", line)
	verbs[++nverbs] = verb
	lines[verb] = line
	next
}

/^ +(-[A-Za-z?], +)?--[a-z-]+/ && $0 !~ /--help|--usage/ {
	option = $0
	sub(/^ +(-[A-Za-z?], +)?/, "", option)
	doc = option
	sub(/  .*/, "", option)
	if (!sub(/^[^ ]+ +/, "", doc))
		doc = ""
	arg = option
	if (!sub(/^[^=]*=/, "", arg))
		arg = ""
	sub(/\]$/, "", arg)
	name = option
	sub(/\[?=.*/, "", name)
	short = match($0, /-[A-Za-z?], /) ? substr($0, RSTART, 2) : ""
	k = ++noptions[verb]
	names[verb, k] = name
	shorts[verb, k] = short
	args[verb, k] = arg
	maybe[verb, k] = option ~ /\[=/
	docs[verb, k] = doc
	choices[verb, k] = words_of(arg, doc)
}

END {
	if (!nverbs)
		exit 1
	if (shell == "bash")
		print_bash()
	else if (shell == "zsh")
		print_zsh()
	else
		print_fish()
}

function print_bash(i, k, v, all) {
	print "# bash completion for inquest; made from its --help."
	print "_inquest() {"
	print "\tlocal cur=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} option"
	print "\tCOMPREPLY=()"
	print "\tif [ \"$COMP_CWORD\" = 1 ]; then"
	for (i = 1; i <= nverbs; i++)
		all = all " " verbs[i]
	print "\t\tCOMPREPLY=($(compgen -W \"" substr(all, 2) " --help --version\" -- \"$cur\"))"
	print "\t\treturn"
	print "\tfi"
	print "\toption=$cur"
	print "\t[ \"$cur\" != = ] || { option=${COMP_WORDS[COMP_CWORD-1]}=; cur=; }"
	print "\t[ \"${COMP_WORDS[COMP_CWORD-1]}\" != = ] || option=${COMP_WORDS[COMP_CWORD-2]}="
	print "\tcase $verb,$option in"
	for (i = 1; i <= nverbs; i++) {
		v = verbs[i]
		for (k = 1; k <= noptions[v]; k++)
			if (choices[v, k] != "")
				printf "\t%s,%s=*) COMPREPLY=($(compgen -W \"%s\" -- \"${cur#*=}\")); " \
					"return ;;\n", v, names[v, k], choices[v, k]
			else if (is_path(args[v, k]))
				printf "\t%s,%s=*) COMPREPLY=($(compgen -f -- \"${cur#*=}\")); return ;;\n",
					v, names[v, k]
	}
	print "\tesac"
	print "\tcase $verb,$cur in"
	for (i = 1; i <= nverbs; i++) {
		v = verbs[i]
		all = ""
		for (k = 1; k <= noptions[v]; k++)
			all = all " " names[v, k] (args[v, k] != "" && !maybe[v, k] ? "=" : "")
		printf "\t%s,-*) COMPREPLY=($(compgen -W \"%s --help\" -- \"$cur\")) ;;\n", v,
			substr(all, 2)
	}
	print "\tattach,* | view,* | ring,*)"
	print "\t\tCOMPREPLY=($(compgen -W \"$(inquest ls 2>/dev/null | awk 'NR > 1 { print $1 }')\" \\"
	print "\t\t\t-- \"$cur\") $(compgen -f -- \"$cur\")) ;;"
	print "\trun,*)"
	print "\t\tCOMPREPLY=($(compgen -c -f -- \"$cur\")) ;;"
	print "\tdemo,*)"
	print "\t\tCOMPREPLY=($(compgen -W \"$(inquest demo --list 2>/dev/null |"
	print "\t\t\tawk '{ print $1 }')\" -- \"$cur\")) ;;"
	print "\t*)"
	print "\t\tCOMPREPLY=($(compgen -f -- \"$cur\")) ;;"
	print "\tesac"
	print "\t[ \"${COMPREPLY[0]: -1}\" != = ] || compopt -o nospace 2>/dev/null"
	print "}"
	print "complete -o filenames -F _inquest inquest"
}

# A "[" or ":" would end what zsh takes for the words about an option.
function zsh_words(text) {
	gsub(/\[|\]|:/, " ", text)
	gsub(/'/, "", text)
	return text
}

function print_zsh(i, k, v, what) {
	print "#compdef inquest"
	print "# zsh completion for inquest; made from its --help."
	print "_inquest() {"
	print "\tlocal -a verbs"
	print "\tverbs=("
	for (i = 1; i <= nverbs; i++)
		printf "\t\t'%s:%s'\n", verbs[i], zsh_words(lines[verbs[i]])
	print "\t)"
	print "\tif (( CURRENT == 2 )); then"
	print "\t\t_describe verb verbs"
	print "\t\treturn"
	print "\tfi"
	print "\tshift words; (( CURRENT-- ))"
	print "\tcase $words[1] in"
	for (i = 1; i <= nverbs; i++) {
		v = verbs[i]
		printf "\t%s)\n\t\t_arguments \\\n", v
		for (k = 1; k <= noptions[v]; k++) {
			what = ""
			if (args[v, k] != "")
				what = (maybe[v, k] ? "::" : ":") tolower(zsh_words(args[v, k])) ":" \
					(choices[v, k] != "" ? "(" choices[v, k] ")" : \
					is_path(args[v, k]) ? "_files" : " ")
			printf "\t\t\t'%s%s[%s]%s' \\\n", names[v, k],
				args[v, k] == "" ? "" : maybe[v, k] ? "=-" : "=",
				zsh_words(docs[v, k]), what
		}
		print "\t\t\t'*:file:_files' ;;"
	}
	print "\tesac"
	print "}"
	print "_inquest \"$@\""
}

function print_fish(i, k, v) {
	print "# fish completion for inquest; made from its --help."
	print "complete -c inquest -n __fish_use_subcommand -f"
	for (i = 1; i <= nverbs; i++)
		printf "complete -c inquest -n __fish_use_subcommand -a %s -d %s\n", verbs[i],
			quoted(lines[verbs[i]])
	for (i = 1; i <= nverbs; i++) {
		v = verbs[i]
		for (k = 1; k <= noptions[v]; k++)
			printf "complete -c inquest -n '__fish_seen_subcommand_from %s' -l %s%s%s -d %s\n",
				v, substr(names[v, k], 3),
				shorts[v, k] != "" ? " -s " substr(shorts[v, k], 2) : "",
				choices[v, k] != "" ? " -x -a " quoted(choices[v, k]) : \
				is_path(args[v, k]) ? " -r" : \
				args[v, k] != "" && !maybe[v, k] ? " -x" : "", quoted(docs[v, k])
	}
}
