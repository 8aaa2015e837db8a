# SPDX-License-Identifier: Apache-2.0
#
# `make check-suites`: the tests of CPython, bash, Go and PyTorch, bare and under `inquest run`,
# outcome by outcome; suites.py says more. What is not here (./quickstart suites brings it) is
# named. No part of check. SUITES_ONLY="cpython:os go" plays these alone.
EXTRA_DIST += %D%/suites.py %D%/gloo.py %D%/outcomes.py %D%/rpc.py %D%/store.py
check-suites: all
	INQUEST=$(abs_builddir)/inquest SUITES=$(abs_builddir)/suites \
		INQUEST_TORCH=$${INQUEST_TORCH:-$(abs_builddir)/torch} \
		python3 $(srcdir)/%D%/suites.py $(SUITES_ONLY); \
		status=$$?; [ $$status = 77 ] || exit $$status
	@$(MAKE) $(AM_MAKEFLAGS) check-programs

# The rows of the table of programs that take long to build or to start: Go, Java.
check-programs: all tests/run-one$(EXEEXT) tests/trouble/manners$(EXEEXT)
	$(AM_TESTS_ENVIRONMENT) BARE_LONG=1 $(abs_builddir)/tests/run-one \
		$(abs_srcdir)/tests/trouble/built.test; \
		status=$$?; [ $$status = 77 ] || exit $$status
.PHONY: check-programs check-suites
