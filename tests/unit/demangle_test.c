/* SPDX-License-Identifier: Apache-2.0 */
/* C++ names as people write them, and any bytes at all. */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "decode/demangle.h"

static void assert_readable(const char *name, const char *expected)
{
	struct str text = {0};

	demangle_add(&text, name);
	assert_string_equal(str_text(&text), expected);
	str_release(&text);
}

static void names_lose_their_parameters(void **state)
{
	assert_readable("_ZN4c10d16ProcessGroupGloo9allreduceERSt6vectorIN2at6TensorESaIS3_EERKNS_"
			"16AllreduceOptionsE",
		"c10d::ProcessGroupGloo::allreduce");
	assert_readable("_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector::push_back");
	assert_readable("_Z3addIfET_S0_S0_", "add");
	assert_readable("_ZN1AC2Ev", "A::A");
	assert_readable("_ZN1AIiED1Ev", "A::~A");
	assert_readable("_ZN1AcvbEv", "A::operator cast");
	assert_readable("_ZlsRSoRK1A", "operator<<");
	assert_readable("_ZZN3foo3barEvENKUlvE_clEv", "foo::bar::{lambda}::operator()");
	assert_readable("_ZN12_GLOBAL__N_13runEv", "(anonymous)::run");
	assert_readable("_ZNSt6thread11_State_implINS_8_InvokerISt5tupleIJPFviEiEEEEE6_M_runEv",
		"std::thread::_State_impl::_M_run");
	assert_readable("_ZThn16_N1B3runEv", "B::run");
	assert_readable("_ZN1A3getB5cxx11Ev", "A::get");
	assert_readable("_ZN4core3fmt17h0123456789abcdefE", "core::fmt");
	/* Expressions are not understood: behind the name they do not matter, within they do. */
	assert_readable("_ZN6fbgemm10im2col_refILi1EEEvRKNS_12conv_param_tIXT_EEEPKhiPh",
		"fbgemm::im2col_ref");
	assert_readable("_ZN1AIXadL_Z1fvEEE3runEv", "A<...>");
}

static void parts_of_a_function_are_the_function(void **state)
{
	assert_readable("futex_wait.constprop.0", "futex_wait");
	assert_readable("_PyEval_EvalFrameDefault.cold", "_PyEval_EvalFrameDefault");
	assert_readable("_ZN1A3runEv.part.0", "A::run");
	assert_readable(".cold", ".cold");
}

static void what_is_no_such_name_stays_as_it_is(void **state)
{
	static const char *const names[] = {"", "main", "_Z", "_ZN", "_ZN1", "_ZN9abE", "_ZNE",
		"_ZNSt", "_ZTV1A", "_RNvC3foo3bar", "_ZN99999999999999999999aE",
		"_ZS_", "_ZTh", "_ZTc", "_ZN1A", "_ZZ", "_ZN1AUlE", "\xff\x01 x"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_readable(names[i], names[i]);
}

/* Deep and random names end, soon, whatever they say. */
static void any_bytes_are_survived(void **state)
{
	static const char letters[] = "NZSIETRKPLUMFADJXUl_01239abcdvtBCDs";
	char name[4096];

	for (const char *c = letters; *c; c++) {
		memset(name, *c, sizeof(name));
		memcpy(name, "_Z", 2);
		name[sizeof(name) - 1] = '\0';
		struct str text = {0};

		demangle_add(&text, name);
		str_release(&text);
	}
	srandom(7);
	for (int round = 0; round < 20000; round++) {
		size_t len = 2 + (size_t)random() % 60;
		struct str text = {0};

		for (size_t i = 2; i < len; i++)
			name[i] = letters[(size_t)random() % (sizeof(letters) - 1)];
		name[len] = '\0';
		demangle_add(&text, name);
		assert_true(text.len < 4096);
		str_release(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_lose_their_parameters),
		cmocka_unit_test(parts_of_a_function_are_the_function),
		cmocka_unit_test(what_is_no_such_name_stays_as_it_is),
		cmocka_unit_test(any_bytes_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
