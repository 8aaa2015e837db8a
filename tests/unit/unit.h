/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

/* What every unit test includes ("tests/unit/unit.h"): cmocka, and what it wants before it. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
