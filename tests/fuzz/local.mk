# SPDX-License-Identifier: Apache-2.0
#
# `make fuzz`: not part of check. Wants clang; seeds are the bundles in FUZZ_SEEDS, if any.
EXTRA_DIST += %D%/decode-fuzz.c
FUZZ_CC = clang
FUZZ_SECONDS = 60
FUZZ_SEEDS =
FUZZ_FILES = $(src_base_libbase_la_SOURCES) $(src_ring_libring_la_SOURCES) \
	$(src_cpython_libcpython_la_SOURCES) $(src_stack_libstack_la_SOURCES) \
	$(src_proc_libproc_la_SOURCES) $(src_job_libjob_la_SOURCES) \
	$(src_evidence_libevidence_la_SOURCES) $(src_decode_libdecode_la_SOURCES)
fuzz:
	$(MKDIR_P) tests/fuzz/corpus
	srcs=; for f in $(FUZZ_FILES); do \
		case $$f in *.c) srcs="$$srcs $(srcdir)/$$f";; esac; \
	done; \
	$(FUZZ_CC) -g -O1 -fsanitize=fuzzer,address,undefined -std=gnu11 -I. $(AM_CPPFLAGS) \
		-DPKGLIBDIR='""' -DSTANDINDIR='""' -DSCENARIOSDIR='""' \
		$(MSGPACK_CFLAGS) $(JSON_CFLAGS) $(ZSTD_CFLAGS) $(LIBUNWIND_CFLAGS) \
		$(LIBDW_CFLAGS) $(LZMA_CFLAGS) -o tests/fuzz/decode-fuzz \
		$(srcdir)/tests/fuzz/decode-fuzz.c $$srcs \
		$(MSGPACK_LIBS) $(JSON_LIBS) $(ZSTD_LIBS) $(LIBUNWIND_LIBS) \
		$(LIBDW_LIBS) $(LZMA_LIBS)
	tests/fuzz/decode-fuzz -max_total_time=$(FUZZ_SECONDS) -max_len=262144 -rss_limit_mb=4096 \
		tests/fuzz/corpus $(FUZZ_SEEDS)
.PHONY: fuzz
CLEANFILES += tests/fuzz/decode-fuzz
