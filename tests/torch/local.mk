# SPDX-License-Identifier: Apache-2.0
#
# `make check-torch`: jobs of real PyTorch on CPUs (gloo), hung for real and examined; see
# examine.py. Where there is no PyTorch ($INQUEST_TORCH or torch/ here: ./quickstart torch) its
# tests skip, and say so. They are no part of check.
TORCH_TESTS = \
	%D%/well.test %D%/compile.test %D%/compilers.test %D%/graph.test %D%/shards.test \
	%D%/death.test %D%/elastic.test %D%/host.test %D%/late.test \
	%D%/unprobed.test %D%/shim.test %D%/c10d.test %D%/flight.test \
	%D%/loop.test %D%/own.test %D%/spawn.test %D%/mpirun.test %D%/srun.test \
	%D%/program.test %D%/outside.test %D%/pace.test %D%/table.test
dist_check_SCRIPTS += $(TORCH_TESTS)
EXTRA_DIST += %D%/environment.sh %D%/examine.py %D%/flight.py %D%/strict.py %D%/log.py \
	%D%/launchers.py \
	%D%/scenarios.py %D%/starts.py %D%/programs.py %D%/paces.py %D%/shim.py %D%/shim_job.py \
	%D%/ways.py %D%/table.py \
	%D%/jobs/budget.py %D%/jobs/cached.py %D%/jobs/careful.py %D%/jobs/elastic.py \
	%D%/jobs/experts.py %D%/jobs/fetch.py %D%/jobs/finetune.py %D%/jobs/flown.py \
	%D%/jobs/groups.py %D%/jobs/loop.sh %D%/jobs/mesh.py %D%/jobs/monitored.py \
	%D%/jobs/paced.py \
	%D%/jobs/pipeline.py %D%/jobs/pretrain.py %D%/jobs/records.py %D%/jobs/remote.py \
	%D%/jobs/saving.py %D%/jobs/spawned.py %D%/jobs/srun %D%/jobs/stream.py \
	%D%/jobs/trainer.py %D%/jobs/weighted.py

check-torch: all
	-TEST_TIMEOUT=3000 $(MAKE) $(AM_MAKEFLAGS) check TESTS='$(TORCH_TESTS)'
	@for test in $(TORCH_TESTS); do \
		log=$${test%.test}.log; \
		grep -h '^[a-z-]*: FAIL\|^no PyTorch' $$log | sed "s|^|$$test: |"; \
	done; \
	echo '| scenario | verdict | culprits | evidence | found after |'; \
	echo '|--|--|--|--|--|'; \
	sed -n '/^| /p' $(TORCH_TESTS:.test=.log); \
	python3 '$(srcdir)/%D%/table.py' $(TORCH_TESTS:.test=.log) && \
	! grep -q '^:test-result: *\(FAIL\|ERROR\)' $(TORCH_TESTS:.test=.trs)
.PHONY: check-torch
