/* SPDX-License-Identifier: Apache-2.0 */
#include <config.h>

/* Which inquest an object file on disk, or in a core, belongs to: `strings` finds it. */
extern const char inquest_probe_version[];
__attribute__((visibility("default"))) const char inquest_probe_version[] =
	"inquest-probe " PACKAGE_VERSION;
