# SPDX-License-Identifier: Apache-2.0
#
# probe-bytes.awk -v file=PATH: C that has the bytes of that file between two names; see embedded.c.

BEGIN {
	print "/* Made by probe-bytes.awk. */"
	print "extern const unsigned char embedded_begin[], embedded_end[];"
	print "__asm__(\".pushsection .rodata\\n\""
	print "\t\".balign 64\\n\""
	print "\t\".globl embedded_begin, embedded_end\\n\""
	print "\t\".hidden embedded_begin, embedded_end\\n\""
	print "\t\"embedded_begin: .incbin \\\"" file "\\\"\\n\""
	print "\t\"embedded_end: .byte 0\\n\""
	print "\t\".popsection\\n\");"
}
