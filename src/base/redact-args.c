/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of commands, and variables of environments: names of which are known to be harmless. */
#include <string.h>
#include <strings.h>

#include "base/redact-names.h"
#include "base/redact.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))

#define NAME_BYTES 256

/* --- Environment ----------------------------------------------------------------------------- */

/* A name may be kept if it is one of these, or begins with one that ends in '*'. */
static const char *const wanted[] = {
#define LOG_ERROR(text)
#define LOG_NOISE(text)
#define ENVIRONMENT(pattern) pattern,
#include "lists/backend-words.def"
#undef LOG_ERROR
#undef LOG_NOISE
#undef ENVIRONMENT
	"TORCH*",
	"PYTORCH_*",
	"CUDA_*",
	"NVIDIA_VISIBLE_DEVICES",
	"TRITON_*",
	"XLA_*",
	"JAX_*",
	"RANK",
	"LOCAL_RANK",
	"WORLD_SIZE",
	"LOCAL_WORLD_SIZE",
	"GROUP_RANK",
	"NODE_RANK",
	"ROLE_*",
	"MASTER_ADDR",
	"MASTER_PORT",
	"PET_*",
	"SLURM_*",
	"FLUX_*",
	"OMP_*",
	"MKL_*",
	"INQUEST_*",
	"PYTHON*",
	"DEEPSPEED_*",
	"ACCELERATE_*",
	"LD_LIBRARY_PATH",
	"LD_PRELOAD",
	"PATH",
	"HOME",
	"TMPDIR",
	"CONDA_PREFIX",
	"VIRTUAL_ENV",
	"KMP_*",
	"CUBLAS_*",
	"GOMP_*",
	"USER",
	"LOGNAME",
};

/* A name with one of these in it is never kept. */
static const char *const secret[] = {"KEY", "TOKEN", "SECRET", "PASS", "PWD", "CRED", "AUTH",
	"PRIVATE", "COOKIE", "SIGNATURE", "JWT", "BEARER", "SESSION"};

bool redact_lists_variable(const char *name)
{
	for (size_t i = 0; i < NR(wanted); i++) {
		size_t len = strcspn(wanted[i], "*");

		if (!strncmp(name, wanted[i], len) && (wanted[i][len] || !name[len]))
			return true;
	}
	return false;
}

bool redact_keeps_variable(const char *name)
{
	for (size_t i = 0; i < NR(secret); i++)
		if (strcasestr(name, secret[i]))
			return false;
	return redact_lists_variable(name);
}

static bool is_digest(const char *at, size_t len)
{
	static const char digest[] = "sha256:";

	return len >= sizeof(digest) - 1 && !memcmp(at, digest, sizeof(digest) - 1);
}

/* USER:PASSWORD@HOST without a scheme before it; a digest of an image has another form. */
static void redact_login(char *value, size_t len)
{
	char *at = memrchr(value, '@', len), *colon = memchr(value, ':', len);

	if (!at || !colon || colon == value || colon + 1 >= at || at + 1 == value + len ||
		memchr(value, '/', (size_t)(colon - value)) || memchr(value, ' ', len) ||
		colon[1] == '/' || is_digest(at + 1, (size_t)(value + len - at - 1)))
		return;
	memset(value, REDACT_STAR, (size_t)(at - value));
}

void redact_value(char *value, size_t len)
{
	if (!len)
		return;
	redact_login(value, len);
	if (redact_is_key(value, len))
		memset(value, REDACT_STAR, len);
	else
		redact_text(value, len);
}

/* True if [name, name + len) is what shells take as a variable's name. */
static bool is_variable(const char *name, size_t len, bool shouted)
{
	if (!len || redact_is_digit(name[0]))
		return false;
	for (size_t i = 0; i < len; i++) {
		char c = name[i];

		if (c != '_' && !redact_is_digit(c) &&
			!(shouted ? redact_is_upper(c) : redact_is_letter(c)))
			return false;
	}
	return true;
}

static bool is_number(const char *text, size_t len)
{
	while (len && (redact_is_digit(text[len - 1]) || strchr("+-.e", text[len - 1])))
		len--;
	return !len;
}

/*
 * True if an option or variable of that name, leading dashes or not, holds a secret. `assigned`:
 * it stands before a '=' or is an option, and not merely before a colon.
 */
static bool is_secret_name(const char *name, size_t len, bool assigned)
{
	switch (redact_name_of(name, len)) {
	case REDACT_NAME_STRONG:
	case REDACT_NAME_HEADER:
		return true;
	case REDACT_NAME_KEY:
	case REDACT_NAME_TOKEN:
		return assigned && len && name[0] == '-';
	case REDACT_NAME_ASSIGNED:
		return assigned;
	default:
		return false;
	}
}

/* NAME=VALUE of an environment: numbers, and what may be kept, stay. */
static void redact_assignment(char *at, size_t len, size_t name_len)
{
	char name[NAME_BYTES] = "";
	char *value = at + name_len + 1;
	size_t value_len = len - name_len - 1;

	if (name_len < sizeof(name)) {
		memcpy(name, at, name_len);
		if (redact_keeps_variable(name)) {
			redact_value(value, value_len);
			return;
		}
		if (!is_secret_name(name, name_len, true) && is_number(value, value_len))
			return;
	}
	memset(value, REDACT_STAR, value_len);
}

/* --- Arguments ------------------------------------------------------------------------------- */

/* Programs whose short options want a secret: right behind them, or as the next argument. */
static const struct {
	const char *program, *option;
	bool next;
} programs[] = {
	{"mysql", "-p", false},
	{"mysqldump", "-p", false},
	{"mysqladmin", "-p", false},
	{"mariadb", "-p", false},
	{"sshpass", "-p", true},
	{"curl", "-u", true},
	{"curl", "-U", true},
	{"curl", "-b", true},
	{"redis-cli", "-a", true},
	{"mongo", "-p", true},
	{"mongosh", "-p", true},
	{"smbclient", "-U", true},
	{"ldapsearch", "-w", true},
	{"sqlcmd", "-P", true},
	{"bcp", "-P", true},
	{"unzip", "-P", true},
	{"zip", "-P", true},
	{"7z", "-p", false},
	{"openssl", "-k", true},
	{"openssl", "-K", true},
	{"ipmitool", "-P", true},
	{"xfreerdp", "/p:", false},
};

/* Options before a variable that goes to somebody's environment. */
static const char *const giving[] = {
	"-e", "--env", "-x", "--export", "-genv", "--setenv", "--build-arg", "-env"};

enum expected {
	EXPECT_NOTHING,
	EXPECT_SECRET,   /* this argument is the value of the option before */
	EXPECT_VARIABLE, /* it may be NAME=VALUE */
};

struct args {
	const char *program; /* the last argument that may name one */
	size_t program_len;
	bool of_env; /* env's own arguments, before the command that it runs */
	enum expected expected;
};

static bool is_text(const char *at, size_t len, const char *text)
{
	return len == strlen(text) && !memcmp(at, text, len);
}

static bool is_giving(const char *at, size_t len)
{
	for (size_t i = 0; i < NR(giving); i++)
		if (is_text(at, len, giving[i]))
			return true;
	return false;
}

/* What an option without '=' wants next; where its value stands in it already, hides that. */
static enum expected take_option(const struct args *args, char *at, size_t len)
{
	for (size_t i = 0; i < NR(programs); i++) {
		size_t head = strlen(programs[i].option);

		if (!is_text(args->program, args->program_len, programs[i].program) || len < head ||
			memcmp(at, programs[i].option, head) != 0)
			continue;
		if (len > head)
			memset(at + head, REDACT_STAR, len - head);
		else if (programs[i].next)
			return EXPECT_SECRET;
	}
	if (is_giving(at, len))
		return EXPECT_VARIABLE;
	return *at == '-' && is_secret_name(at, len, true) ? EXPECT_SECRET : EXPECT_NOTHING;
}

/* The list of an option as `--export=A=x,B=y' or `--env=A=x'. */
static void take_list(char *at, size_t len)
{
	while (len) {
		char *comma = memchr(at, ',', len);
		size_t one = comma ? (size_t)(comma - at) : len;
		char *assign = memchr(at, '=', one);

		if (assign && is_variable(at, (size_t)(assign - at), false))
			redact_assignment(at, one, (size_t)(assign - at));
		at += one + (comma != NULL);
		len -= one + (comma != NULL);
	}
}

/* An argument with a '=' at name_len. */
static void take_assigned(const struct args *args, char *at, size_t len, size_t name_len)
{
	char *value = at + name_len + 1;
	size_t value_len = len - name_len - 1;
	bool any = args->of_env || args->expected == EXPECT_VARIABLE;

	if (is_giving(at, name_len))
		take_list(value, value_len);
	else if (is_variable(at, name_len, !any))
		args->expected == EXPECT_VARIABLE ? take_list(at, len)
						  : redact_assignment(at, len, name_len);
	else if (is_secret_name(at, name_len, true) && !is_number(value, value_len))
		memset(value, REDACT_STAR, value_len);
	else
		redact_value(value, value_len);
}

/* An argument without one, that is no option. */
static void take_plain(struct args *args, char *at, size_t len)
{
	size_t base = len;

	redact_value(at, len);
	while (base && at[base - 1] != '/')
		base--;
	args->program = at + base;
	args->program_len = len - base;
	args->of_env = is_text(args->program, args->program_len, "env");
}

static void take_argument(struct args *args, char *at, size_t len)
{
	const char *assign = memchr(at, '=', len);
	enum expected next = EXPECT_NOTHING;
	/* Code and command lines within an argument are text. */
	bool one_word = !memchr(at, ' ', len) || (assign && *at == '-');

	if (args->expected == EXPECT_SECRET && *at != '-')
		memset(at, REDACT_STAR, len);
	else if (assign && (one_word || args->of_env || args->expected == EXPECT_VARIABLE))
		take_assigned(args, at, len, (size_t)(assign - at));
	else if (*at == '-' || *at == '/')
		next = take_option(args, at, len);
	if (args->expected != EXPECT_SECRET && *at != '-' && !assign)
		take_plain(args, at, len);
	redact_text(at, len);
	args->expected = next;
}

void redact_args(char *list, size_t len)
{
	struct args args = {.program = "", .program_len = 0};

	for (size_t at = 0; at < len;) {
		size_t one = strnlen(list + at, len - at);

		if (one)
			take_argument(&args, list + at, one);
		at += one + 1;
	}
}
