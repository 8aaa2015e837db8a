/* SPDX-License-Identifier: Apache-2.0 */
#include "words/preset.h"

#include <string.h>

#include "tests/unit/unit.h"

/* The command that is made of these words; "" none is. */
static void assert_command(const char *expected, const char *const *words)
{
	struct job_launch launch = {.argv = {.at = words}};
	const struct job_rank rank = {.process = 0};
	const struct job job = {
		.launches = &launch, .nlaunches = 1, .ranks = &rank, .nranks = 1};
	const struct verdict verdict = {.class = VERDICT_INCONCLUSIVE};
	const struct verdicts verdicts = {.job = &job, .at = &verdict, .n = 1};
	struct steps steps = {0};

	while (words[launch.argv.n])
		launch.argv.n++;
	preset_add(&steps, &verdicts, &verdict);
	assert_int_equal(steps.all.nr, 1);
	assert_string_equal(steps.all.items[0].command, expected);
	assert_non_null(strstr(steps.all.items[0].words, "no compile, 2 ranks, 1 step"));
	steps_release(&steps);
}

#define OF(...) ((const char *const[]){__VA_ARGS__, NULL})

static void a_command_of_torchrun_is_made_small(void **state)
{
	(void)state;
	assert_command("TORCH_COMPILE_DISABLE=1 torchrun --standalone --nproc_per_node=2 train.py "
		       "--lr 3e-4 --max-steps 1",
		OF("torchrun", "--nnodes", "4", "--nproc-per-node=8", "--rdzv_backend=c10d",
			"train.py", "--lr", "3e-4", "--max-steps", "9000"));
	assert_command("TORCH_COMPILE_DISABLE=1 /opt/bin/torchrun --standalone --nproc_per_node=2 "
		       "-m my.train 'a b' --steps=1",
		OF("/opt/bin/torchrun", "--standalone", "--nproc_per_node", "8", "-m", "my.train",
			"a b", "--steps=20"));
	assert_command("TORCH_COMPILE_DISABLE=1 python3 -m torch.distributed.run --standalone "
		       "--nproc_per_node=2 t.py",
		OF("python3", "-m", "torch.distributed.run", "--nproc_per_node=8", "t.py"));
}

/* Without one there are words, and no command that would do something else. */
static void any_other_command_stays_as_it_is(void **state)
{
	(void)state;
	assert_command("", OF("srun", "python", "train.py"));
	assert_command("", OF("torchrun", "--nproc_per_node=8"));
	assert_command("", OF("torchrun", "train.py", "--token=***"));
	assert_command("", OF("python3", "train.py"));
}

static void what_a_shell_would_read_is_quoted(void **state)
{
	(void)state;
	assert_command("TORCH_COMPILE_DISABLE=1 torchrun --standalone --nproc_per_node=2 t.py "
		       "'$(rm -rf /)' 'it'\\''s' ''",
		OF("torchrun", "t.py", "$(rm -rf /)", "it's", ""));
}

static void of_no_launch_there_is_none(void **state)
{
	const struct job job = {0};
	const struct verdict verdict = {.class = VERDICT_INCONCLUSIVE};
	const struct verdicts verdicts = {.job = &job, .at = &verdict, .n = 1};
	struct steps steps = {0};

	(void)state;
	preset_add(&steps, &verdicts, &verdict);
	assert_int_equal(steps.all.nr, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_command_of_torchrun_is_made_small),
		cmocka_unit_test(any_other_command_stays_as_it_is),
		cmocka_unit_test(what_a_shell_would_read_is_quoted),
		cmocka_unit_test(of_no_launch_there_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
