# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libreport.la
src_report_libreport_la_SOURCES =
src_report_libreport_la_CPPFLAGS = $(AM_CPPFLAGS) $(JSON_CFLAGS)
