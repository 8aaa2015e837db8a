/* SPDX-License-Identifier: Apache-2.0 */
#include "base/address.h"

#include <string.h>

bool address_is_wide(const char *address)
{
	return *address && strncmp(address, "127.", 4) != 0 &&
	       strncmp(address, "localhost:", 10) != 0 && strncmp(address, "::1:", 4) != 0;
}
