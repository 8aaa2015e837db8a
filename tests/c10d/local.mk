# SPDX-License-Identifier: Apache-2.0
#
# The c10d door on torchlike (fixtures/torchlike). Without a C++ compiler the tests are skipped.
SH_TESTS += %D%/gloo.test %D%/left.test %D%/bootstrap.test %D%/hangs.test \
	%D%/store.test %D%/scope.test %D%/launched.test %D%/runs.test
EXTRA_DIST += %D%/c10d.sh %D%/ranks.cc %D%/groups.cc %D%/scope.py
if HAVE_CXX
check_DATA += %D%/ranks %D%/libgroups.so
CLEANFILES += %D%/ranks %D%/libgroups.so
%D%/libgroups.so: %D%/groups.cc $(TORCHLIKE_INCLUDED) $(TORCHLIKE)
	@$(MKDIR_P) %D%
	$(AM_V_GEN)$(TORCHLIKE_CXX) -shared -o $@ $(srcdir)/%D%/groups.cc $(TORCHLIKE) \
		-Wl,-rpath-link,fixtures/standin/.libs
%D%/ranks: %D%/ranks.cc $(TORCHLIKE_INCLUDED) $(TORCHLIKE)
	@$(MKDIR_P) %D%
	$(AM_V_GEN)$(TORCHLIKE_CXX) -o $@ $(srcdir)/%D%/ranks.cc $(TORCHLIKE) \
		-Wl,-rpath-link,fixtures/standin/.libs
endif
