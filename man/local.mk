# SPDX-License-Identifier: Apache-2.0
dist_man_MANS += \
	%D%/inquest.1 \
	%D%/inquest-attach.1 \
	%D%/inquest-compare.1 \
	%D%/inquest-demo.1 \
	%D%/inquest-diagnose.1 \
	%D%/inquest-gather.1 \
	%D%/inquest-ls.1 \
	%D%/inquest-preflight.1 \
	%D%/inquest-receipt.1 \
	%D%/inquest-ring.1 \
	%D%/inquest-run.1 \
	%D%/inquest-view.1 \
	%D%/inquest-bundle.5 \
	%D%/inquest-ring.5 \
	%D%/inquest-judging.7 \
	%D%/inquest-stacks.7 \
	%D%/inquest-symptoms.7 \
	%D%/inquest-traits.7 \
	%D%/inquest-verdicts.7
