/* SPDX-License-Identifier: Apache-2.0 */
/* C++ names as people write them, and any bytes at all. */
#include "tests/unit/unit.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "decode/stacks/demangle.h"

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
	assert_readable("_ZN6fbgemm10im2col_refILi1EEEvRKNS_12conv_param_tIXT_EEEPKhiPh",
		"fbgemm::im2col_ref");
	assert_readable("_ZN1AIXadL_Z1fvEEE3runEv", "A::run");
	assert_readable("_ZltIiEbRK1AIT_ES3_", "operator<");
	assert_readable("_ZlsIiEvT_", "operator<<");
	assert_readable("_ZNK1AptEv", "A::operator->");
	assert_readable("_Znwm", "operator new");
	assert_readable("_ZdaPv", "operator delete[]");
	assert_readable("_Zli3_kmy", "operator\"\" _km");
	assert_readable("_ZN1AcvSt8functionIFviEEEv", "A::operator cast");
	assert_readable("_ZZN1A3runEvEN1B3runEv", "A::run::B::run");
}

/* What a template returns stands in front of its name, or around it. */
static void names_lose_what_they_return(void **state)
{
	assert_readable("_Z1fIiEPKcT_", "f");
	assert_readable("_Z1fIiEPFvcET_", "f");
	assert_readable("_Z1fIiERA2_iT_", "f");
	assert_readable("_Z1fIiEDTcl1gfp_EET_", "f");
	assert_readable("_ZN1A1fIiEEDcT_", "A::f");
	assert_readable("_ZN1A1fIJiiEEEN1BIJDpT_EEES3_", "A::f");
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

/* --- Hostile names ---------------------------------------------------------------------------- */

/* "S_", "S0_", ... "SZ_", "S10_" */
static void add_substitution(struct str *name, int number)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	str_add_char(name, 'S');
	if (number > 36)
		str_add_char(name, digits[(number - 1) / 36]);
	if (number)
		str_add_char(name, digits[(number - 1) % 36]);
	str_add_char(name, '_');
}

/* std::pair<X, X>, X being such a pair itself, and so on: 2^deep of them. `first`: of the pair. */
static void add_doubled(struct str *name, int deep, int first)
{
	str_add(name, "St4pairI");
	for (int i = 1; i < deep; i++) {
		add_substitution(name, first);
		str_add_char(name, 'I');
	}
	str_add(name, "Pi");
	for (int i = 0; i < deep; i++) {
		add_substitution(name, first + 1 + i);
		str_add_char(name, 'E');
	}
}

static void assert_doubled(const char *begin, int deep, int first, const char *expected)
{
	struct str name = {0};

	str_add(&name, begin);
	add_doubled(&name, deep, first);
	assert_readable(str_text(&name), expected);
	str_release(&name);
}

/* The library alone would write 2^60 bytes, or search for as long without writing any. */
static void substitutions_do_not_explode(void **state)
{
	assert_doubled("_ZN1a1fE", 4, 1, "a::f");
	assert_doubled("_ZN1a1fE", 60, 1, "a::f<...>");
	assert_doubled("_Z1fIiEv", 60, 1, "f<...>");
	assert_doubled("_Z1fIiEvDp", 4, 1, "f");
	assert_doubled("_Z1fIiEvDp", 60, 1, "f<...>");
	assert_doubled("_Z1fIiEvDp", 11, 1, "f");
}

/* Each level of these would be tried in two ways. */
static void conversions_do_not_explode(void **state)
{
	struct str name = {0};

	assert_readable("_ZN1AcvT_IiEEv", "A::operator cast");
	str_add(&name, "_ZN1Acv");
	for (int i = 0; i < 60; i++)
		str_add(&name, "T_I");
	str_add(&name, "Ev");
	assert_readable(str_text(&name), "A<...>");
	str_release(&name);
}

/* `times` times `what`, between the other two. */
static char *repeated(const char *begin, const char *what, int times, const char *end)
{
	struct str name = {0};

	str_add(&name, begin);
	for (int i = 0; i < times; i++)
		str_add(&name, what);
	str_add(&name, end);
	return str_detach(&name);
}

/* Its parser and its printer go as deep as the name: on a stack that may be someone's last. */
static void *show_deep_names(void *unused)
{
	static const char *const parts[] = {"P", "N", "Z", "1aI", "PFv", "Dp", "X", "Ul", "L_Z",
		"DT", "cl", "T_I", "A_", "M1a", "RT_", "1aIiE", "ad", "cv", "Dv2_", "U1a"};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		for (int len = 500; len <= 100000; len *= 2) {
			char *name = repeated("_ZN1a1fIiEEv", parts[i],
				len / (int)strlen(parts[i]), "i");
			struct str text = {0};

			demangle_add(&text, name);
			assert_true(text.len <= 2 * strlen(name));
			str_release(&text);
			free(name);
		}
	return unused;
}

static void depth_does_not_exhaust_the_stack(void **state)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 1 << 20);
	assert_int_equal(pthread_create(&thread, &attributes, show_deep_names, NULL), 0);
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attributes);
}

static void long_names_show_their_scopes(void **state)
{
	char *name = repeated("_ZN2at12_GLOBAL__N_16kernelI", "N2at6TensorE", 200, "EEvv");

	assert_readable(name, "at::(anonymous)::kernel<...>");
	free(name);
	name = repeated("_ZNSt6vectorI", "P", 2000, "iE4sizeEv");
	assert_readable(name, "std::vector<...>");
	free(name);
	name = repeated("_Z6kernel", "P", 100000, "i");
	assert_readable(name, "kernel<...>");
	free(name);
	name = repeated("_Z", "P", 100000, "i");
	assert_readable(name, name);
	free(name);
	/* No name of the library's grammar, but its scopes are told. */
	assert_readable("_ZN2at6native3addI??", "at::native::add<...>");
}

/* Words that contain the letters of operators stay what they are, where those are taken out. */
static void words_are_not_taken_for_packs(void **state)
{
	char *name = repeated("_ZN5torch8dispatch4DpsZINS_6sparseEE5spaceE", "NS_6sparseE", 30,
		"DpS1_");

	assert_readable(name, "torch::dispatch::DpsZ::space");
	free(name);
}

/* Deep and random names end, soon, whatever they say. */
static void any_bytes_are_survived(void **state)
{
	static const char letters[] = "NZSIETRKPLUMFADJXUl_01239abcdvtBCDsp";
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
		cmocka_unit_test(names_lose_what_they_return),
		cmocka_unit_test(parts_of_a_function_are_the_function),
		cmocka_unit_test(what_is_no_such_name_stays_as_it_is),
		cmocka_unit_test(substitutions_do_not_explode),
		cmocka_unit_test(conversions_do_not_explode),
		cmocka_unit_test(depth_does_not_exhaust_the_stack),
		cmocka_unit_test(long_names_show_their_scopes),
		cmocka_unit_test(words_are_not_taken_for_packs),
		cmocka_unit_test(any_bytes_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
