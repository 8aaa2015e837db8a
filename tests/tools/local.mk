# SPDX-License-Identifier: Apache-2.0
#
# Tools of tests. They stand on the whole house, as the program does.
check_PROGRAMS += %D%/laws
%C%_laws_SOURCES = %D%/laws.c
%C%_laws_LDADD = $(CMD_FLOORS)
EXTRA_DIST += %D%/meet.h
