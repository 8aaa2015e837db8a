/* SPDX-License-Identifier: Apache-2.0 */
/* Why one may not look, in words that say what to do: also for kernels that are not this one. */
#include "tests/unit/unit.h"

#include <string.h>
#include <unistd.h>

#include "proc/threads/permit.h"

static void says(const struct permit_facts *facts, const char *reason, const char *remedy)
{
	struct str words = {0};

	permit_words(facts, &words);
	if (!strstr(str_text(&words), reason) || !strstr(str_text(&words), remedy))
		fail_msg("no word of %s or %s in: %s", reason, remedy, str_text(&words));
	assert_null(strchr(str_text(&words), '\n'));
	str_release(&words);
}

static void whose_process_it_is_comes_first(void **state)
{
	(void)state;
	says(&(struct permit_facts){.ours = 1000, .owner = 1001, .yama = 1}, "uid 1001",
		"as that user or as root");
	says(&(struct permit_facts){.ours = 0, .owner = 1001}, "lacks CAP_SYS_PTRACE",
		"--cap-add SYS_PTRACE");
	for (int yama = 0; yama < 3; yama++)
		says(&(struct permit_facts){.same = true, .undumpable = !yama, .yama = yama},
			"root here lacks CAP_SYS_PTRACE", "--cap-add SYS_PTRACE");
	says(&(struct permit_facts){.ours = 1, .owner = 1, .same = true, .undumpable = true},
		"undumpable", "as root");
}

static void yama_has_four_scopes(void **state)
{
	struct permit_facts facts = {.ours = 1000, .owner = 1000, .same = true};

	(void)state;
	says(&facts, "security module", "root");
	facts.yama = 1;
	says(&facts, "ptrace_scope is 1", "inquest run");
	says(&facts, "ancestors", "sysctl kernel.yama.ptrace_scope=0");
	facts.yama = 2;
	says(&facts, "ptrace_scope is 2", "as root");
	facts.yama = 3;
	says(&facts, "ptrace_scope is 3", "next boot");
	/* Nobody is above the last one; the others do not concern who has the capability. */
	facts.capable = true;
	says(&facts, "ptrace_scope is 3", "next boot");
	facts.yama = 1;
	facts.tracer = 4711;
	says(&facts, "process 4711", "end that one first");
	facts.tracer = 0;
	facts.filtered = true;
	says(&facts, "seccomp", "process_vm_readv");
}

static void of_ourselves_everything_is_ours(void **state)
{
	struct permit_facts facts;

	(void)state;
	permit_look((uint32_t)getpid(), &facts);
	assert_int_equal(facts.ours, geteuid());
	assert_int_equal(facts.owner, geteuid());
	assert_true(facts.same);
	assert_false(facts.undumpable);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whose_process_it_is_comes_first),
		cmocka_unit_test(yama_has_four_scopes),
		cmocka_unit_test(of_ourselves_everything_is_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
