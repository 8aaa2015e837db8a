# SPDX-License-Identifier: Apache-2.0
SH_TESTS += %D%/start.test %D%/transparent.test %D%/exceptions.test %D%/imports.test \
	%D%/children.test %D%/growth.test %D%/embedded.test
EXTRA_DIST += %D%/route.py %D%/programs.py %D%/embed.c

# `make check-pythons`: what is about Python, in the newest CPythons, those that `./quickstart
# pythons` brought; or in those that $INQUEST_PYTHONS names.
PYTHON_TESTS = tests/python/start.test tests/python/transparent.test \
	tests/python/exceptions.test tests/python/imports.test tests/python/children.test \
	tests/python/growth.test tests/python/embedded.test tests/shim/told.test \
	tests/stack/python.test tests/stack/python-layout.test tests/stack/python-places.test \
	tests/stack/core.test tests/probe/pytrace.test
check-pythons: all
	pythons=$${INQUEST_PYTHONS:-$$(echo '$(abs_builddir)'/pythons/usr/bin/python3.*[0-9])}; \
	INQUEST_PYTHONS="$$pythons" TEST_TIMEOUT=3000 \
		$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(PYTHON_TESTS)'
.PHONY: check-pythons
