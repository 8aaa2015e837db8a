# SPDX-License-Identifier: Apache-2.0
#
# `make fuzz`: not part of check. Wants clang; seeds are the bundles in FUZZ_SEEDS, if any, and for
# ELF files one that is made here. Each target runs for FUZZ_SECONDS.
EXTRA_DIST += %D%/decode-fuzz.c %D%/elf-fuzz.c %D%/elf-seed.c %D%/flight-fuzz.c
FUZZ_CC = clang
FUZZ_SECONDS = 60
FUZZ_SEEDS =
FUZZ_FILES = $(src_base_libbase_la_SOURCES) $(src_ring_libring_la_SOURCES) \
	$(src_cpython_libcpython_la_SOURCES) $(src_stack_libstack_la_SOURCES) \
	$(src_proc_libproc_la_SOURCES) $(src_job_libjob_la_SOURCES) \
	$(src_evidence_libevidence_la_SOURCES) $(src_decode_libdecode_la_SOURCES)
FUZZ_OPTIONS = -max_total_time=$(FUZZ_SECONDS) -rss_limit_mb=4096
fuzz:
	$(MKDIR_P) tests/fuzz/corpus tests/fuzz/elf-corpus tests/fuzz/flight-corpus
	srcs=; for f in $(FUZZ_FILES); do \
		case $$f in *.c) srcs="$$srcs $(srcdir)/$$f";; esac; \
	done; \
	for target in decode elf flight; do \
		$(FUZZ_CC) -g -O1 -fsanitize=fuzzer,address,undefined -std=gnu11 -I. -I$(srcdir) \
			$(AM_CPPFLAGS) -DPKGLIBDIR='""' -DSTANDINDIR='""' -DSCENARIOSDIR='""' \
			$(MSGPACK_CFLAGS) $(JSON_CFLAGS) $(ZSTD_CFLAGS) $(LIBUNWIND_CFLAGS) \
			$(LIBELF_CFLAGS) $(LIBDW_CFLAGS) $(LZMA_CFLAGS) \
			-o tests/fuzz/$$target-fuzz $(srcdir)/tests/fuzz/$$target-fuzz.c $$srcs \
			$(MSGPACK_LIBS) $(JSON_LIBS) $(ZSTD_LIBS) $(LIBUNWIND_LIBS) \
			$(LIBDW_LIBS) $(LIBELF_LIBS) $(LZMA_LIBS) || exit; \
	done
	$(FUZZ_CC) -shared -fPIC -nostdlib -Wl,--build-id -o tests/fuzz/elf-corpus/seed.so \
		$(srcdir)/tests/fuzz/elf-seed.c
	tests/fuzz/elf-fuzz $(FUZZ_OPTIONS) -max_len=32768 tests/fuzz/elf-corpus
	tests/fuzz/flight-fuzz $(FUZZ_OPTIONS) -max_len=16384 tests/fuzz/flight-corpus
	tests/fuzz/decode-fuzz $(FUZZ_OPTIONS) -max_len=262144 tests/fuzz/corpus $(FUZZ_SEEDS)
.PHONY: fuzz
CLEANFILES += tests/fuzz/decode-fuzz tests/fuzz/elf-fuzz tests/fuzz/flight-fuzz
