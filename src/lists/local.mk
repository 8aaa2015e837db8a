# SPDX-License-Identifier: Apache-2.0
# Lists that several floors share, a row a thing; no code.
EXTRA_DIST += %D%/backend.def %D%/backend-words.def %D%/call.def %D%/class.def %D%/drift.def \
	%D%/fact.def %D%/log-words.def %D%/need.def %D%/next.def \
	%D%/op.def %D%/receipt.def %D%/sig.def %D%/span.def
