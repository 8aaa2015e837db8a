# SPDX-License-Identifier: Apache-2.0
#
# `make bench` runs each of $(BENCHES): programs (add them to EXTRA_PROGRAMS too) or scripts, each
# of which prints its figures with their ratios and bars. Never part of check.

bench: all
	@$(MAKE) $(AM_MAKEFLAGS) run-benches
run-benches: $(BENCHES)
	@export srcdir='$(abs_srcdir)' top_builddir='$(abs_builddir)' \
		INQUEST='$(abs_builddir)/inquest'; \
	for bench in $(BENCHES); do \
		test -x "./$$bench" || bench='$(abs_srcdir)'/$$bench; \
		case $$bench in /*) "$$bench" ;; *) "./$$bench" ;; esac || exit 1; \
	done
.PHONY: bench run-benches
