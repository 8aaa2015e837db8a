# SPDX-License-Identifier: Apache-2.0
#
# `make check-frameworks`: jobs of frameworks that train with PyTorch, hung for real and examined as
# those of check-torch are; see examine.py. Where they are not ($INQUEST_FRAMEWORKS or frameworks/
# here: ./quickstart frameworks) its tests skip, and say so. They are no part of check.
FRAMEWORK_TESTS = \
	%D%/accelerate.test %D%/deepspeed.test %D%/lightning.test %D%/ray.test \
	%D%/transformers.test %D%/unprobed.test
dist_check_SCRIPTS += $(FRAMEWORK_TESTS)
EXTRA_DIST += %D%/cases.py %D%/environment.sh %D%/examine.py %D%/packages \
	%D%/jobs/accelerated.py %D%/jobs/common.py %D%/jobs/lit.py %D%/jobs/rayed.py \
	%D%/jobs/sped.py %D%/jobs/trained.py

check-frameworks: all
	-TEST_TIMEOUT=3000 $(MAKE) $(AM_MAKEFLAGS) check TESTS='$(FRAMEWORK_TESTS)'
	@for test in $(FRAMEWORK_TESTS); do \
		log=$${test%.test}.log; \
		grep -h '^[a-z-]*: FAIL\|^no frameworks' $$log | sed "s|^|$$test: |"; \
	done; \
	python3 '$(srcdir)/tests/torch/table.py' $(FRAMEWORK_TESTS:.test=.log) && \
	! grep -q '^:test-result: *\(FAIL\|ERROR\)' $(FRAMEWORK_TESTS:.test=.trs)
.PHONY: check-frameworks
