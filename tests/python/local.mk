# SPDX-License-Identifier: Apache-2.0
SH_TESTS += %D%/start.test %D%/transparent.test %D%/exceptions.test %D%/imports.test \
	%D%/children.test %D%/growth.test %D%/embedded.test
EXTRA_DIST += %D%/door.py %D%/programs.py %D%/embed.c
