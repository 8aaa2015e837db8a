/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/survey/launcher.h"

#include <string.h>

/* words of a Python command line that are looked at: options come before what it runs */
#define WORDS_LOOKED_AT 12

struct known {
	const char *name; /* name of the program, or of the script that Python runs */
	const char *module; /* name of the module that Python's -m runs; NULL none */
	struct launcher launcher;
};

static const struct known known[] = {
	{"torchrun", "torch.distributed.run", {"torchrun", true, false, "nproc-per-node"}},
	{"torchrun", "torch.distributed.launch", {"torchrun", true, false, "nproc-per-node"}},
	{"launch.py", "deepspeed.launcher.launch", {"deepspeed", true, false, NULL}},
	{"deepspeed", "deepspeed.launcher.runner", {"deepspeed", false, false, NULL}},
	{"accelerate", "accelerate.commands.launch",
		{"accelerate", true, false, "num-processes"}},
	{"srun", NULL, {"srun", false, true, NULL}},
	{"slurmstepd", NULL, {"slurm", false, false, NULL}},
	{"mpirun", NULL, {"mpirun", false, true, NULL}},
	{"mpiexec", NULL, {"mpirun", false, true, NULL}},
	{"mpiexec.hydra", NULL, {"hydra", false, true, NULL}},
	{"mpirun_rsh", NULL, {"mvapich", false, true, NULL}},
	{"orterun", NULL, {"mpirun", false, true, NULL}},
	{"orted", NULL, {"mpirun", false, false, NULL}},
	{"prterun", NULL, {"mpirun", false, false, NULL}},
	{"prted", NULL, {"mpirun", false, false, NULL}},
	{"hydra_pmi_proxy", NULL, {"hydra", false, false, NULL}},
	{"hydra_bstrap_proxy", NULL, {"hydra", false, false, NULL}},
	{"palsd", NULL, {"pals", false, false, NULL}},
	{"flux-shell", NULL, {"flux", false, false, NULL}},
	{"sbatch", NULL, {"slurm", false, false, NULL}},
};

static const char *const wrappers[] = {"sh", "bash", "dash", "zsh", "ksh", "fish", "tini",
	"dumb-init", "catatonit", "docker-init", "timeout", "time", "nice", "stdbuf", "nsys", "ncu",
	"strace", "ltrace", "perf", "gdb", "gdbserver", "valgrind", "sudo", "su", "runuser",
	"setpriv", "unshare", "nsenter", "bwrap", "apptainer", "singularity", "starter",
	"starter-suid", "conda", "micromamba", "uv", "script", "inquest",
	/* These run beside a rank, at the other end of its pipe: */
	"tee", "cat", "sed", "grep", "awk", "gawk", "mawk", "ts", "logger", "rotatelogs"};

/* Names of processes of inquest that were forked and renamed; none is a rank. */
static const char *const parts[] = {
	"inquest-agent", "inquest-witness", "inquest-saver", "inquest-helper"};

static const char *const shells[] = {"sh", "bash", "dash", "zsh", "ksh", "fish"};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_python(const char *name)
{
	return !strncmp(name, "python", 6) || !strncmp(name, "pypy", 4);
}

/* Returns the next word of a command line and moves behind it; NULL behind the last. */
static const char *next_word(const char *cmdline, size_t len, size_t *at)
{
	const char *word = cmdline + *at;
	const char *end = *at < len ? memchr(word, '\0', len - *at) : NULL;

	if (end)
		*at += (size_t)(end - word) + 1;
	return end ? word : NULL;
}

bool launcher_is_python(const char *comm, const char *cmdline, size_t len)
{
	size_t at = 0;
	const char *word = next_word(cmdline, len, &at);

	return is_python(comm) || (word && is_python(base_name(word)));
}

/*
 * Returns the script or module that a Python command line runs; *ret_module: it is a module (-m).
 * NULL: it runs code (-c), or nothing.
 */
static const char *python_runs(const char *cmdline, size_t len, bool *ret_module)
{
	size_t at = 0;
	const char *word = next_word(cmdline, len, &at);

	*ret_module = false;
	for (int i = 0; word && i < WORDS_LOOKED_AT; i++) {
		word = next_word(cmdline, len, &at);
		if (!word || !strcmp(word, "-c"))
			return NULL;
		if (!strcmp(word, "-m")) {
			*ret_module = true;
			return next_word(cmdline, len, &at);
		}
		if (!strcmp(word, "-X") || !strcmp(word, "-W"))
			word = next_word(cmdline, len, &at);
		else if (*word != '-')
			return word;
	}
	return NULL;
}

const struct launcher *launcher_of(const char *comm, const char *cmdline, size_t len)
{
	bool module = false;
	size_t at = 0;
	const char *first = next_word(cmdline, len, &at);
	bool python = first && is_python(base_name(first));
	const char *runs = python ? python_runs(cmdline, len, &module) : NULL;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const struct known *one = &known[i];

		if (module && one->module && runs && !strcmp(runs, one->module))
			return &one->launcher;
		if (module || !strcmp(one->name, "launch.py"))
			continue;
		if (runs ? !strcmp(base_name(runs), one->name) : !strcmp(comm, one->name))
			return &one->launcher;
		/*
		 * A name of 16 letters and more is cut by the kernel, but not in the command line.
		 */
		if (!python && first && !strcmp(base_name(first), one->name))
			return &one->launcher;
	}
	return NULL;
}

static bool is_among(const char *comm, const char *const *names, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(comm, names[i]))
			return true;
	return false;
}

bool launcher_is_wrapper(const char *comm)
{
	return is_among(comm, wrappers, sizeof(wrappers) / sizeof(wrappers[0]));
}

bool launcher_is_part(const char *comm)
{
	return is_among(comm, parts, sizeof(parts) / sizeof(parts[0]));
}

bool launcher_is_session(const char *comm, const char *cmdline, size_t len)
{
	size_t at = 0;
	const char *word = next_word(cmdline, len, &at);

	if (!word || !is_among(comm, shells, sizeof(shells) / sizeof(shells[0])))
		return false;
	while ((word = next_word(cmdline, len, &at)))
		if (*word != '-' || !strcmp(word, "-c"))
			return false;
	return true;
}
