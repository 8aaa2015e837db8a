# SPDX-License-Identifier: Apache-2.0
#
# The preload object lives in processes of others: no sanitizers, nothing beyond glibc's own
# libraries, never unloaded, and thread-locals that need no allocation.
pkglib_LTLIBRARIES += libinquest-probe.la
include_HEADERS = %D%/inquest.h
libinquest_probe_la_CFLAGS = $(PLAIN_CFLAGS) -ftls-model=initial-exec
libinquest_probe_la_LDFLAGS = -module -avoid-version -shared -Wl,-z,nodelete -Wl,-z,defs
libinquest_probe_la_SOURCES = %D%/version.c
