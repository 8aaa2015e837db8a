/* SPDX-License-Identifier: Apache-2.0 */
/* Pickles of plain data become trees; all else is refused by name; no bytes make work explode. */
#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/flight/pickle.h"
#include "decode/json-tree.h"
#include "tests/unit/pickle-emit.h"

struct reading {
	struct arena texts;
	struct value_stack stack;
};

static const struct value *read_bytes(struct reading *reading, const void *bytes, size_t len)
{
	*reading = (struct reading){0};
	reading->stack.texts = &reading->texts;
	pickle_read(bytes, len, &reading->stack);
	return &reading->stack.root;
}

static void reading_end(struct reading *reading)
{
	value_stack_release(&reading->stack);
	arena_release(&reading->texts);
}

/* A pickle that is written out here. */
#define read_literal(reading, literal) read_bytes((reading), (literal), sizeof(literal) - 1)

static const struct value *item(const struct value *container, size_t i)
{
	size_t nr;
	const struct value *items = value_items(container, &nr);

	assert_true(i < nr);
	return &items[i];
}

static size_t count(const struct value *container)
{
	size_t nr;

	(void)value_items(container, &nr);
	return nr;
}

static void assert_number(const struct value *value, int64_t number)
{
	assert_int_equal(value->type, VALUE_INT);
	assert_int_equal(value->number, number);
}

static void assert_says(const struct value *value, const char *text)
{
	assert_int_equal(value->type, VALUE_TEXT);
	assert_string_equal(value->text, text);
}

#define assert_number_read(literal, number)                                                        \
	do {                                                                                       \
		struct reading reading_;                                                           \
		assert_number(read_literal(&reading_, literal "."), (number));                     \
		assert_null(reading_.stack.damage);                                                \
		reading_end(&reading_);                                                            \
	} while (0)

static void numbers_have_any_length(void **state)
{
	assert_number_read("\x80\x02K\xff", 255);
	assert_number_read("\x80\x02M\xff\xff", 65535);
	assert_number_read("\x80\x02J\xff\xff\xff\xff", -1);
	assert_number_read("\x80\x02\x8a\x00", 0);
	assert_number_read("\x80\x02\x8a\x01\xff", -1);
	assert_number_read("\x80\x02\x8a\x02\xff\x00", 255);
	assert_number_read("\x80\x02\x8a\x03\x00\x00\x80", -8388608);
	assert_number_read("\x80\x02\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f", INT64_MAX);
	assert_number_read("\x80\x02\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80", INT64_MIN);
	assert_number_read("\x80\x02\x8a\x09\x07\x00\x00\x00\x00\x00\x00\x00\x00", 7);
	assert_number_read("\x80\x02\x8b\x02\x00\x00\x00\x01\x01", 257);
}

static void numbers_of_more_than_64_bits_are_odd(void **state)
{
	struct reading reading;

	assert_int_equal(
		read_literal(&reading, "\x80\x02\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\x00.")
			->type,
		VALUE_ODD);
	assert_null(reading.stack.damage);
	reading_end(&reading);
}

static void texts_are_any_bytes(void **state)
{
	struct reading reading;
	const struct value *root =
		read_literal(&reading, "\x80\x04](\x8c\x03\xff\x00zX\x00\x00\x00\x00"
				       "\x8d\x01\x00\x00\x00\x00\x00\x00\x00y"
				       "C\x02zzG\x3f\xf8\x00\x00\x00\x00\x00\x00N\x88\x89)e.");

	assert_null(reading.stack.damage);
	assert_int_equal(item(root, 0)->len, 3);
	assert_memory_equal(item(root, 0)->text, "\xff\0z", 4);
	assert_says(item(root, 1), "");
	assert_says(item(root, 2), "y");
	assert_int_equal(item(root, 3)->type, VALUE_ODD);
	assert_true(item(root, 4)->real == 1.5);
	assert_int_equal(item(root, 5)->type, VALUE_NONE);
	assert_int_equal(item(root, 6)->number, 1);
	assert_int_equal(item(root, 7)->number, 0);
	assert_int_equal(count(item(root, 8)), 0);
	reading_end(&reading);
}

/* Noted when complete, as C++ does, or before it is filled, as Python does: it is the same one. */
static void what_is_shared_is_one(void **state)
{
	struct reading reading;
	const struct value *root = read_literal(&reading, "\x80\x02](](K\x01"
							  "eq\x00h\x00"
							  "e.");

	assert_ptr_equal(item(root, 0)->box, item(root, 1)->box);
	assert_number(item(item(root, 1), 0), 1);
	reading_end(&reading);
	root = read_literal(&reading, "\x80\x02](]q\x00(K\x01K\x02"
				      "eh\x00"
				      "e.");
	assert_ptr_equal(item(root, 0)->box, item(root, 1)->box);
	assert_int_equal(count(item(root, 1)), 2);
	reading_end(&reading);
}

/* Filled by several batches, as Python fills what has more than 1000 items. */
static void a_list_may_come_in_pieces(void **state)
{
	struct str bytes = {0};
	struct reading reading;
	const struct value *root;

	str_add_bytes(&bytes, "\x80\x02]q\x00", 5);
	for (int i = 0; i < 3000; i++)
		str_add_bytes(&bytes,
			i % 3 ? "(K\x05K\x06"
				"e"
			      : "K\x05"
				"a",
			i % 3 ? 6 : 3);
	str_add_char(&bytes, '.');
	root = read_bytes(&reading, bytes.text, bytes.len);
	assert_null(reading.stack.damage);
	assert_int_equal(count(root), 5000);
	assert_number(item(root, 4999), 6);
	reading_end(&reading);
	str_release(&bytes);
}

static void assert_refused(int opcode, const char *name)
{
	char bytes[] = "\x80\x02](K\x01?builtins\neval\n.";
	char expected[96];
	struct reading reading;
	const struct value *root;

	bytes[6] = (char)opcode;
	root = read_bytes(&reading, bytes, sizeof(bytes) - 1);
	snprintf(expected, sizeof(expected), "%s at byte 6, which could run code: refused", name);
	assert_string_equal(reading.stack.damage, expected);
	assert_int_equal(reading.stack.damage_at, 6);
	assert_int_equal(count(root), 1); /* what came before is still worth something */
	reading_end(&reading);
}

static void what_could_run_code_is_refused_by_name(void **state)
{
	assert_refused('c', "GLOBAL");
	assert_refused(0x93, "STACK_GLOBAL");
	assert_refused('R', "REDUCE");
	assert_refused('b', "BUILD");
	assert_refused(0x81, "NEWOBJ");
	assert_refused(0x92, "NEWOBJ_EX");
	assert_refused('i', "INST");
	assert_refused('o', "OBJ");
	assert_refused('P', "PERSID");
	assert_refused('Q', "BINPERSID");
	assert_refused(0x82, "EXT1");
	assert_refused(0x83, "EXT2");
	assert_refused(0x84, "EXT4");
	assert_refused(0x97, "NEXT_BUFFER");
	assert_refused(0x98, "READONLY_BUFFER");
}

/* Of all 256 opcodes none is taken but those of plain data. */
static void no_other_opcode_is_known(void **state)
{
	static const char known[] = "(.BCGJKMNX]aehjqrstu})\x80\x85\x86\x87\x88\x89\x8a\x8b\x8c\x8d"
				    "\x8e\x94\x95";

	for (int opcode = 0; opcode < 256; opcode++) {
		char bytes[64] = "\x80\x02](K\x01";
		struct reading reading;
		bool unknown;

		bytes[6] = (char)opcode;
		(void)read_bytes(&reading, bytes, sizeof(bytes));
		assert_non_null(reading.stack.damage);
		unknown = strstr(reading.stack.damage, "no opcode of plain data") ||
			  strstr(reading.stack.damage, "refused");
		if (opcode && memchr(known, opcode, sizeof(known) - 1))
			assert_false(unknown && reading.stack.damage_at == 6);
		else
			assert_true(unknown && reading.stack.damage_at == 6);
		reading_end(&reading);
	}
}

#define assert_damaged(literal, words)                                                             \
	do {                                                                                       \
		struct reading reading_;                                                           \
		(void)read_literal(&reading_, literal);                                            \
		assert_non_null(reading_.stack.damage);                                            \
		assert_non_null(strstr(reading_.stack.damage, words));                             \
		reading_end(&reading_);                                                            \
	} while (0)

static void nonsense_is_said_and_where(void **state)
{
	assert_damaged("\x80\x02\x86.", "opcode 0x86 at byte 2 makes no sense there");
	assert_damaged("\x80\x02K\x01\x86.", "opcode 0x86 at byte 4");
	assert_damaged("\x80\x02}(K\x01u.", "opcode 0x75 at byte 6");
	assert_damaged("\x80\x02}(K\x01K\x02"
		       "e.",
		"opcode 0x65 at byte 8");
	assert_damaged("\x80\x02(K\x01K\x02"
		       "e.",
		"opcode 0x65");
	assert_damaged("\x80\x02K\x01(K\x02"
		       "e.",
		"opcode 0x65");
	assert_damaged("\x80\x02"
		       "e.",
		"opcode 0x65");
	assert_damaged("\x80\x02t.", "opcode 0x74");
	assert_damaged("\x80\x02](a.", "opcode 0x61");
	assert_damaged("\x80\x02](K\x01"
		       "a.",
		"opcode 0x61"); /* the list is below the mark */
	assert_damaged("\x80\x02](s.", "opcode 0x73");
	assert_damaged("\x80\x02(q\x00.", "opcode 0x71");
	assert_damaged("\x80\x02\x94.", "opcode 0x94");
	assert_damaged("\x80\x02h\x00.", "opcode 0x68");
	assert_damaged("\x80\x02.", "opcode 0x2e");
	assert_damaged("\x80\x02K\x01K\x02.", "opcode 0x2e");
	assert_damaged("\x80\x02](.", "opcode 0x2e");
	assert_damaged("\x80\x06N.", "pickle protocol 6, of which 5 is the newest known");
	assert_damaged("\x80\x02N.more", "4 bytes behind its end at byte 4");
}

static void lengths_that_lie_are_cuts(void **state)
{
	assert_damaged("\x80\x02X\xff\xff\xff\xff"
		       "abc",
		"cut at byte 10");
	assert_damaged("\x80\x02\x8d\xff\xff\xff\xff\xff\xff\xff\xff"
		       "abc",
		"cut at byte 14");
	assert_damaged("\x80\x02\x8b\xff\xff\xff\x7f"
		       "abc",
		"cut at byte 10");
	assert_damaged("\x80\x02\x8c", "cut at byte 3");
	assert_damaged("\x80\x02J\x01\x02", "cut at byte 5");
	assert_damaged("\x80\x02", "cut at byte 2");
	assert_damaged("", "cut at byte 0");
	/* the memo is as long as its writer has needed it */
	assert_damaged("\x80\x02Nr\xff\xff\xff\xff.", "opcode 0x72 at byte 3");
	assert_damaged("\x80\x02Nj\xff\xff\xff\xff.", "opcode 0x6a at byte 3");
}

static void a_frame_may_say_any_length(void **state)
{
	struct reading reading;

	(void)read_literal(&reading, "\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\xffK\x01.");
	assert_null(reading.stack.damage);
	assert_number(&reading.stack.root, 1);
	reading_end(&reading);
}

static void what_was_complete_is_kept(void **state)
{
	struct reading reading;
	const struct value *root = read_literal(&reading, "\x80\x02}(X\x01\x00\x00\x00"
							  "a](K\x01K\x02}(NNu}(NK\x03K");

	assert_string_equal(reading.stack.damage, "cut at byte 27");
	assert_true(value_is_cut(root));
	assert_says(item(root, 0), "a");
	assert_true(value_is_cut(item(root, 1)));
	assert_int_equal(count(item(root, 1)), 4);
	assert_number(item(item(root, 1), 1), 2);
	assert_false(value_is_cut(item(item(root, 1), 2)));
	assert_true(value_is_cut(item(item(root, 1), 3)));
	assert_int_equal(count(item(item(root, 1), 3)), 2);
	reading_end(&reading);
}

static void a_cycle_is_a_tree_like_any(void **state)
{
	struct reading reading;
	const struct value *root = read_literal(&reading, "\x80\x02]q\x00(h\x00K\x01"
							  "e.");

	assert_null(reading.stack.damage);
	assert_ptr_equal(item(root, 0)->box, root->box);
	assert_number(item(item(item(root, 0), 0), 1), 1);
	reading_end(&reading);
}

static void marks_nest_so_deep_and_no_deeper(void **state)
{
	struct str bytes = {0};
	struct reading reading;

	str_add_bytes(&bytes, "\x80\x02", 2);
	for (int i = 0; i < 100000; i++)
		str_add_bytes(&bytes, "](", 2);
	(void)read_bytes(&reading, bytes.text, bytes.len);
	assert_string_equal(reading.stack.damage, "nested deeper than 64 at byte 131");
	reading_end(&reading);
	str_release(&bytes);
}

/* Without marks a pickle may be as deep as it is long. */
static void depth_costs_no_stack(void **state)
{
	struct str bytes = {0};
	struct reading reading;
	const struct value *value;
	int depth = 0;

	str_add_bytes(&bytes, "\x80\x02)", 3);
	for (int i = 0; i < 300000; i++)
		str_add_bytes(&bytes, "\x85q\x00", 3);
	str_add_char(&bytes, '.');
	value = read_bytes(&reading, bytes.text, bytes.len);
	assert_null(reading.stack.damage);
	for (; count(value); value = item(value, 0))
		depth++;
	assert_int_equal(depth, 300000);
	reading_end(&reading);
	str_release(&bytes);
}

/* Each list holds ten times the one before: 10^100 in all, in 3 kB. */
static void shared_lists_are_not_copied(void **state)
{
	struct str bytes = {0};
	struct reading reading;
	const struct value *value;

	str_add_bytes(&bytes, "\x80\x02](K\x01q\x00", 8);
	for (int i = 0; i < 100; i++) {
		str_add_bytes(&bytes, "](", 2);
		for (int k = 0; k < 10; k++) {
			str_add_char(&bytes, 'h');
			str_add_char(&bytes, (char)i);
		}
		str_add_bytes(&bytes, "eq", 2);
		str_add_char(&bytes, (char)(i + 1));
	}
	str_add_bytes(&bytes, "e.", 2);
	value = read_bytes(&reading, bytes.text, bytes.len);
	assert_null(reading.stack.damage);
	assert_int_equal(count(value), 101);
	value = item(value, 100);
	for (int i = 0; i < 100; i++, value = item(value, 7))
		assert_int_equal(count(value), 10);
	assert_number(value, 1);
	reading_end(&reading);
	str_release(&bytes);
}

/* ------------------------------------------------------ what a maker takes */

struct maker {
	size_t nr, limit;
	int64_t sum;
};

/* Takes {.. : [{x: [n]}]}, adds the n. */
static bool make_sum(void *context, const struct value_stack *stack, const struct value *items,
	size_t nr, struct value *made)
{
	struct maker *maker = context;

	if (stack->nplaces != 3 || nr != 2 || maker->nr == maker->limit)
		return false;
	maker->sum += item(&items[1], 0)->number;
	made->number = (int64_t)maker->nr++;
	return true;
}

static struct maker sum_of(const char *between, size_t len, size_t limit)
{
	struct arena texts = {0};
	struct maker maker = {.limit = limit};
	struct value_stack stack = {.texts = &texts, .make = make_sum, .context = &maker};
	struct str bytes = {0};

	str_add_bytes(&bytes, "\x80\x02}(K\x00](]q\x05", 11);
	for (int i = 0; i < 5000; i++) {
		str_add_bytes(&bytes, "}(K\x01](K\x03", 8);
		str_add_bytes(&bytes, between, len);
		str_add_bytes(&bytes, "eu", 2);
	}
	str_add_bytes(&bytes, "eu.", 3);
	pickle_read((const uint8_t *)bytes.text, bytes.len, &stack);
	assert_null(stack.damage);
	assert_int_equal(count(item(&stack.root, 1)), 5001);
	for (size_t i = 0; i < 5000; i++)
		assert_int_equal(item(item(&stack.root, 1), i + 1)->type,
			i < limit ? VALUE_MADE : VALUE_DICT);
	value_stack_release(&stack);
	arena_release(&texts);
	str_release(&bytes);
	return maker;
}

static void a_maker_takes_dicts_as_they_come(void **state)
{
	assert_int_equal(sum_of("", 0, SIZE_MAX).sum, 15000);
	assert_int_equal(sum_of("", 0, 100).sum, 300);
	/* with something noted inside; with a list from outside that grows in there */
	assert_int_equal(sum_of("](K\x07"
				"eq\x06",
				 7, SIZE_MAX)
				 .sum,
		15000);
	assert_int_equal(sum_of("h\x05(K\x07"
				"e",
				 6, SIZE_MAX)
				 .sum,
		15000);
}

/* -------------------------------------------------------------------- JSON */

static const struct value *read_json(struct reading *reading, const char *text)
{
	*reading = (struct reading){0};
	reading->stack.texts = &reading->texts;
	json_tree_read((const uint8_t *)text, strlen(text), &reading->stack);
	return &reading->stack.root;
}

static void json_becomes_the_same_tree(void **state)
{
	struct reading reading;
	const struct value *root = read_json(&reading, " {\"a\" : [1, -2,3.5e1, true,false,null], "
						       "\"b\":{}, \"c\":\"x\\n\\u00e9\\ud83d\\ude00"
						       "\\\"\\/\", \"d\":[NaN,Infinity,-Infinity], "
						       "\"e\":[],\"f\":99999999999999999999}\n");
	const struct value *list = item(root, 1);

	assert_null(reading.stack.damage);
	assert_int_equal(count(root), 12);
	assert_number(item(list, 0), 1);
	assert_number(item(list, 1), -2);
	assert_true(item(list, 2)->real == 35);
	assert_int_equal(item(list, 3)->number, 1);
	assert_int_equal(item(list, 4)->type, VALUE_BOOL);
	assert_int_equal(item(list, 5)->type, VALUE_NONE);
	assert_says(item(root, 5), "x\n\xc3\xa9\xf0\x9f\x98\x80\"/");
	assert_true(isnan(item(item(root, 7), 0)->real));
	assert_true(isinf(item(item(root, 7), 2)->real));
	assert_int_equal(item(root, 11)->type, VALUE_REAL);
	reading_end(&reading);
}

static void assert_json_damaged(const char *text, const char *words)
{
	struct reading reading;

	(void)read_json(&reading, text);
	assert_non_null(reading.stack.damage);
	assert_string_equal(reading.stack.damage, words);
	reading_end(&reading);
}

static void odd_json_is_said_and_where(void **state)
{
	struct reading reading;

	assert_json_damaged("", "cut at byte 0");
	assert_json_damaged("{\"a\": [1, 2", "cut at byte 11");
	assert_json_damaged("{\"a\": tru", "cut at byte 9");
	assert_json_damaged("{\"a\": -", "cut at byte 7");
	assert_json_damaged("{\"a\\u00", "cut at byte 7");
	assert_json_damaged("{\"a\": 1]", "no JSON at byte 7");
	assert_json_damaged("[1 2]", "no JSON at byte 3");
	assert_json_damaged("{1: 2}", "no JSON at byte 1");
	assert_json_damaged("[\"\\x\"]", "no JSON at byte 3");
	assert_json_damaged("[1.2.3 ]", "no JSON at byte 4");
	assert_json_damaged("[] x", "1 bytes behind its end at byte 3");
	assert_json_damaged("<html>", "no JSON at byte 0");
	/* half a pair of surrogates is no reason to stop */
	assert_int_equal(item(read_json(&reading, "[\"\\ud83dx\\ud83d\\u0041\"]"), 0)->len, 8);
	assert_null(reading.stack.damage);
	reading_end(&reading);
}

static void deep_json_costs_no_stack(void **state)
{
	char *text = malloc(1000001);
	struct reading reading;

	memset(text, '[', 1000000);
	text[1000000] = '\0';
	(void)read_json(&reading, text);
	assert_string_equal(reading.stack.damage, "nested deeper than 64 at byte 64");
	reading_end(&reading);
	free(text);
}

/* --------------------------------------------------------------- the bytes */

static struct str sample(struct arena *arena, enum emit_writer writer)
{
	struct emit_node *root = emit_node(arena, EMIT_DICT);
	struct emit_node *shared = emit_list(arena, "[1, 300, 70000, [5000000000], []]");
	struct emit_node *list = emit_node(arena, EMIT_LIST);

	for (int i = 0; i < 40; i++) {
		emit_add(arena, list, shared);
		emit_add(arena, list, emit_text(arena, arena_printf(arena, "text %d", i)));
		emit_add(arena, list, emit_real(arena, 0.5 * i));
	}
	emit_set(arena, root, "list", list);
	emit_set(arena, root, "none", emit_node(arena, EMIT_NONE));
	emit_set(arena, root, "yes", emit_bool(arena, true));
	return emit_document(root, writer);
}

static uint32_t draw(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33);
}

/* Goes through a tree as far as it may: 10,000 values. */
static void visit(const struct value *value, size_t *left)
{
	size_t nr;
	const struct value *items = value_items(value, &nr);

	assert_true(value->type <= VALUE_MADE);
	if (value->type == VALUE_TEXT)
		assert_int_equal(value->text[value->len], '\0');
	for (size_t i = 0; i < nr && *left; i++) {
		--*left;
		visit(&items[i], left);
	}
}

static void read_any(const uint8_t *bytes, size_t len)
{
	uint8_t *copy = malloc(len ? len : 1); /* where reading beyond the end is seen */
	struct reading reading;
	size_t left = 10000;

	if (len)
		memcpy(copy, bytes, len);
	visit(read_bytes(&reading, copy, len), &left);
	reading_end(&reading);
	reading = (struct reading){.stack.texts = NULL};
	reading.stack.texts = &reading.texts;
	json_tree_read(copy, len, &reading.stack);
	left = 10000;
	visit(&reading.stack.root, &left);
	reading_end(&reading);
	free(copy);
}

static void documents_are_cut_and_flipped_anywhere(void **state)
{
	uint64_t seed = 5;

	for (enum emit_writer writer = EMIT_CPP; writer <= EMIT_JSON; writer++) {
		struct arena arena = {0};
		struct str bytes = sample(&arena, writer);

		for (size_t i = 0; i < bytes.len; i++) {
			char was = bytes.text[i];

			read_any((const uint8_t *)bytes.text, i);
			for (int k = 0; k < 3; k++) {
				bytes.text[i] = (char)draw(&seed);
				read_any((const uint8_t *)bytes.text, bytes.len);
			}
			bytes.text[i] = was;
		}
		str_release(&bytes);
		arena_release(&arena);
	}
}

/* Opcodes by chance: mostly ones that are known. */
static void programs_of_chance_end(void **state)
{
	static const char ops[] =
		"((((GJKMNX]]]]aaeeehhhhjqqqqrsstuu}}})\x85\x86\x87\x88\x8a\x8c\x94";
	uint64_t seed = 9;
	uint8_t bytes[400];

	for (int round = 0; round < 20000; round++) {
		size_t len = draw(&seed) % sizeof(bytes);

		for (size_t i = 0; i < len; i++)
			bytes[i] = draw(&seed) % 3 ? (uint8_t)ops[draw(&seed) % (sizeof(ops) - 1)]
						   : (uint8_t)(draw(&seed) % 6);
		read_any(bytes, len);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_have_any_length),
		cmocka_unit_test(numbers_of_more_than_64_bits_are_odd),
		cmocka_unit_test(texts_are_any_bytes),
		cmocka_unit_test(what_is_shared_is_one),
		cmocka_unit_test(a_list_may_come_in_pieces),
		cmocka_unit_test(what_could_run_code_is_refused_by_name),
		cmocka_unit_test(no_other_opcode_is_known),
		cmocka_unit_test(nonsense_is_said_and_where),
		cmocka_unit_test(lengths_that_lie_are_cuts),
		cmocka_unit_test(a_frame_may_say_any_length),
		cmocka_unit_test(what_was_complete_is_kept),
		cmocka_unit_test(a_cycle_is_a_tree_like_any),
		cmocka_unit_test(marks_nest_so_deep_and_no_deeper),
		cmocka_unit_test(depth_costs_no_stack),
		cmocka_unit_test(shared_lists_are_not_copied),
		cmocka_unit_test(a_maker_takes_dicts_as_they_come),
		cmocka_unit_test(json_becomes_the_same_tree),
		cmocka_unit_test(odd_json_is_said_and_where),
		cmocka_unit_test(deep_json_costs_no_stack),
		cmocka_unit_test(documents_are_cut_and_flipped_anywhere),
		cmocka_unit_test(programs_of_chance_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
