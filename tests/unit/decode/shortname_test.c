/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations in C++ become names, and any text at all becomes a name or nothing. */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "decode/stacks/shortname.h"

static void assert_short(const char *declaration, const char *expected)
{
	struct str text = {0};

	str_add(&text, "in ");
	assert_int_equal(shortname_add(&text, declaration), *expected != '\0');
	assert_memory_equal(str_text(&text), "in ", 3);
	assert_string_equal(str_text(&text) + 3, expected);
	str_release(&text);
}

static void declarations_become_names(void **state)
{
	assert_short("main", "main");
	assert_short("c10d::ProcessGroupGloo::allreduce(std::vector<at::Tensor, "
		     "std::allocator<at::Tensor> >&, c10d::AllreduceOptions const&)",
		"c10d::ProcessGroupGloo::allreduce");
	assert_short("A<int>::~A()", "A::~A");
	assert_short("A::get[abi:cxx11]() const &", "A::get");
	assert_short("(anonymous namespace)::run<char>(int)", "(anonymous)::run");
	assert_short("a::(anonymous namespace)::run()", "a::(anonymous)::run");
	assert_short("non-virtual thunk to B::run()", "B::run");
}

static void what_stands_inside_of_functions_is_told(void **state)
{
	assert_short("foo(int)::Bar::run() const", "foo::Bar::run");
	assert_short("void foo<int>(int)::{lambda(auto:1, A<(1>0)>)#2}::operator()<int>(int) const",
		"foo::{lambda}::operator()");
	assert_short("foo(int) const::{unnamed type#1}::run()", "foo::{unnamed}::run");
}

static void types_in_front_are_dropped(void **state)
{
	assert_short("unsigned long f<int>(int)", "f");
	assert_short("std::vector<A, B<C> > const& ns::f<int>(int)", "ns::f");
	assert_short("int (*f<int>(int))[2]", "f");
	assert_short("void (A::*g<3>())(int)", "g");
	assert_short("decltype (h<int>(0)) x::y<int>(int)", "x::y");
	assert_short("decltype(auto) x::y<int>(int)", "x::y");
}

static void operators_keep_their_signs(void **state)
{
	assert_short("bool operator< <int>(A<int>, A<(B)>(C)>)", "operator<");
	assert_short("std::ostream& operator<< <char>(std::ostream&)", "operator<<");
	assert_short("A::operator-><int>()", "A::operator->");
	assert_short("A<&operator-> >::run()", "A::run");
	assert_short("A<(operator<)>::run()", "A::run");
	assert_short("A::operator()(int)", "A::operator()");
	assert_short("operator new[](unsigned long)", "operator new[]");
	assert_short("operator\"\" _km(unsigned long long)", "operator\"\" _km");
	assert_short("A::operator std::function<void (int)>() const", "A::operator cast");
	assert_short("A::operator (anonymous namespace)::B()", "A::operator cast");
	assert_short("torch::jit::operator_of(int)", "torch::jit::operator_of");
}

static void what_is_no_declaration_is_nothing(void **state)
{
	static const char *const texts[] = {"", "f(", "a<b(", "a<", "<a>", "(", "{", "a{", "[a",
		"* ", "decltype(", "decltype (a", "operator x<", "((((", "f(int"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_short(texts[i], "");
}

/* Whatever stands there is read once, and what comes out is not longer. */
static void any_text_is_survived(void **state)
{
	static const char letters[] = "<>(){}[]:*& ~-o,\"";
	char text[64];

	srandom(11);
	for (int round = 0; round < 50000; round++) {
		size_t len = (size_t)random() % (sizeof(text) - 9);
		struct str name = {0};
		bool fine;

		for (size_t i = 0; i < len; i++)
			text[i] = letters[(size_t)random() % (sizeof(letters) - 1)];
		text[len] = '\0';
		if (len > 20)
			memcpy(text + (size_t)random() % 10, "operator", 8);
		fine = shortname_add(&name, text);
		assert_int_equal(fine, name.len > 0);
		assert_true(name.len <= len + strlen(" cast"));
		str_release(&name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(declarations_become_names),
		cmocka_unit_test(what_stands_inside_of_functions_is_told),
		cmocka_unit_test(types_in_front_are_dropped),
		cmocka_unit_test(operators_keep_their_signs),
		cmocka_unit_test(what_is_no_declaration_is_nothing),
		cmocka_unit_test(any_text_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
