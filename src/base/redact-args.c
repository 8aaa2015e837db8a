/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Secrets in the arguments of commands, and in variables of environments.
 *
 * A variable is kept only if its name is known to be harmless. An argument is looked at with the
 * one before it, since an option may want a secret as its value, and with the program that it
 * belongs to: `-p' is a password of mysql's, a port of docker's. Arguments, the words of a command
 * line within an argument, and what shells trace are walked in the same way (take_words()).
 */
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

/*
 * Variables that hold arguments without the program that they are of, which alone tells what its
 * options hold.
 */
static const char *const headless[] = {"OMPI_ARGV"};

bool redact_keeps_variable(const char *name)
{
	for (size_t i = 0; i < NR(headless); i++)
		if (!strcmp(name, headless[i]))
			return false;
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

/*
 * Hides USER:PASSWORD of USER:PASSWORD@HOST without a scheme before it; a digest of an image has
 * another form.
 */
static void redact_login(char *value, size_t len)
{
	char *at = memrchr(value, '@', len), *colon = memchr(value, ':', len);

	if (!at || !colon || colon == value || colon + 1 >= at || at + 1 == value + len ||
		memchr(value, '/', (size_t)(colon - value)) || memchr(value, ' ', len) ||
		colon[1] == '/' || is_digest(at + 1, (size_t)(value + len - at - 1)))
		return;
	memset(value, REDACT_STAR, (size_t)(at - value));
}

/* Hides the secret that a value, or a word of one, is or holds. */
static void redact_single(char *value, size_t len)
{
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

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* True if there is a blank in it. */
static bool has_blank(const char *at, size_t len)
{
	while (len && !is_blank(at[len - 1]))
		len--;
	return len;
}

static bool is_number(const char *text, size_t len)
{
	while (len && (redact_is_digit(text[len - 1]) || strchr("+-.e", text[len - 1])))
		len--;
	return !len;
}

/*
 * True if an option or variable of that name, leading dashes or not, holds a secret. `assigned` is
 * true if the name stands before a '=' or is an option, and not merely before a colon.
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

/*
 * Hides the value of a variable of an environment, unless it is a number or may be kept; what may
 * be kept goes through redact_kept(). True if the value was hidden.
 */
static bool redact_variable(const char *name_at, size_t name_len, char *value, size_t len,
	void (*redact_kept)(char *, size_t))
{
	char name[NAME_BYTES] = "";

	if (name_len < sizeof(name)) {
		memcpy(name, name_at, name_len);
		if (redact_keeps_variable(name)) {
			redact_kept(value, len);
			return false;
		}
		if (!is_secret_name(name, name_len, true) && is_number(value, len))
			return false;
	}
	memset(value, REDACT_STAR, len);
	return true;
}

/*
 * Hides values in a list as `ALL,A=x,B=y' or `A=x;B=y'. What stands without a name behind a value
 * that was hidden may be the rest of it. True if there was a variable in the list.
 */
static bool redact_list(char *at, size_t len, bool shouted, void (*redact_kept)(char *, size_t))
{
	bool any = false, hidden = false;

	for (size_t one; len; at += one, len -= one) {
		char *assign;

		for (one = 0; one < len && at[one] != ',' && at[one] != ';';)
			one++;
		assign = memchr(at, '=', one);
		if (assign && is_variable(at, (size_t)(assign - at), shouted)) {
			size_t name_len = (size_t)(assign - at);

			hidden = redact_variable(
				at, name_len, assign + 1, one - name_len - 1, redact_kept);
			any = true;
		} else if (hidden) {
			memset(at, REDACT_STAR, one);
		}
		one += one < len;
	}
	return any;
}

/* --- Arguments ------------------------------------------------------------------------------- */

enum held {
	HELD_BEHIND = 1, /* what is glued to the option */
	HELD_NEXT = 2,   /* the next argument, or what is behind a '=' */
	HELD_EITHER = HELD_BEHIND | HELD_NEXT,
};

/*
 * Letters of curl's options without a value, which may stand before another letter in one argument.
 */
#define CURL_LETTERS "#012346aBfGgIijJkLlMnNOpqRsSvZ"

/* Programs with options that want a secret, though their names do not tell. */
static const struct holder {
	const char *program, *option;
	enum held held;
	const char *letters; /* NULL: the option's letter stands first */
} programs[] = {
	{"mysql", "-p", HELD_BEHIND, NULL},
	{"mysqldump", "-p", HELD_BEHIND, NULL},
	{"mysqladmin", "-p", HELD_BEHIND, NULL},
	{"mysqlimport", "-p", HELD_BEHIND, NULL},
	{"mysqlsh", "-p", HELD_BEHIND, NULL},
	{"mariadb", "-p", HELD_BEHIND, NULL},
	{"mariadb-dump", "-p", HELD_BEHIND, NULL},
	{"sshpass", "-p", HELD_EITHER, NULL},
	{"curl", "-u", HELD_EITHER, CURL_LETTERS},
	{"curl", "-U", HELD_EITHER, CURL_LETTERS},
	{"curl", "-b", HELD_EITHER, CURL_LETTERS},
	{"curl", "--user", HELD_NEXT, NULL},
	{"curl", "--proxy-user", HELD_NEXT, NULL},
	{"redis-cli", "-a", HELD_EITHER, NULL},
	{"redis-server", "--requirepass", HELD_NEXT, NULL},
	{"mongo", "-p", HELD_EITHER, NULL},
	{"mongosh", "-p", HELD_EITHER, NULL},
	{"smbclient", "-U", HELD_EITHER, NULL},
	{"ldapsearch", "-w", HELD_EITHER, NULL},
	{"ldapadd", "-w", HELD_EITHER, NULL},
	{"ldapmodify", "-w", HELD_EITHER, NULL},
	{"sqlcmd", "-P", HELD_EITHER, NULL},
	{"bcp", "-P", HELD_EITHER, NULL},
	{"unzip", "-P", HELD_EITHER, NULL},
	{"zip", "-P", HELD_EITHER, NULL},
	{"7z", "-p", HELD_BEHIND, NULL},
	{"openssl", "-k", HELD_NEXT, NULL},
	{"openssl", "-K", HELD_NEXT, NULL},
	{"ipmitool", "-P", HELD_EITHER, NULL},
	{"xfreerdp", "/p:", HELD_BEHIND, NULL},
	{"mosquitto_pub", "-P", HELD_EITHER, NULL},
	{"mosquitto_sub", "-P", HELD_EITHER, NULL},
	/* This is `docker login' and its like; other words of docker have a -p for ports. */
	{"login", "-p", HELD_EITHER, NULL},
};

/* Programs whose options end where the command begins that they run. */
static const char *const runners[] = {"sshpass"};

/* Options before a variable that goes to somebody's environment. */
static const char *const giving[] = {"-e", "--env", "-x", "--export", "-genv", "--genv", "--setenv",
	"--build-arg", "-env", "mca_base_env_list"};

/* Those of them that stand before a name and a value in two arguments, as Hydra has it. */
static const char *const pairing[] = {"-genv", "--genv", "-env"};

/* What the argument before says of this one. */
enum expected {
	EXPECT_NOTHING,
	EXPECT_SECRET,   /* this argument is the value of the option before */
	EXPECT_VARIABLE, /* it may be NAME=VALUE */
	EXPECT_PAIR,     /* the same, or NAME, and VALUE follows */
	EXPECT_VALUE,    /* that */
};

/* How far a list of arguments has been understood. */
struct args {
	const char *program; /* the last argument that `programs' has; "" none */
	bool of_env;         /* env's own arguments, before the command that it runs */
	enum expected expected;
	const char *name; /* of the value that is expected */
	size_t name_len;
};

static bool is_text(const char *at, size_t len, const char *text)
{
	return len == strlen(text) && !memcmp(at, text, len);
}

static bool is_one_of(const char *at, size_t len, const char *const *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (is_text(at, len, list[i]))
			return true;
	return false;
}

static bool is_giving(const char *at, size_t len)
{
	return is_one_of(at, len, giving, NR(giving));
}

/* Returns how much of the argument is the holder's option; 0 if it is another option. */
static size_t option_head(const struct holder *holder, const char *at, size_t len)
{
	size_t head = strlen(holder->option), letter = 1;

	if (len >= head && !memcmp(at, holder->option, head))
		return head;
	if (!holder->letters || *at != '-')
		return 0;
	while (letter < len && at[letter] && strchr(holder->letters, at[letter]))
		letter++;
	return letter < len && at[letter] == holder->option[1] ? letter + 1 : 0;
}

/*
 * Hides the secret that stands in an option of the program. Returns EXPECT_SECRET if it comes next.
 */
static enum expected take_held(const struct args *args, char *at, size_t len)
{
	for (size_t i = 0; *args->program && i < NR(programs); i++) {
		size_t head;

		if (strcmp(args->program, programs[i].program) != 0)
			continue;
		head = option_head(&programs[i], at, len);
		if (head && len > head && programs[i].held & HELD_BEHIND)
			memset(at + head, REDACT_STAR, len - head);
		else if (head && len == head && programs[i].held & HELD_NEXT)
			return EXPECT_SECRET;
	}
	return EXPECT_NOTHING;
}

/*
 * Returns what an option without '=' wants next. Where its value stands in it already, hides that.
 */
static enum expected take_option(const struct args *args, char *at, size_t len)
{
	if (take_held(args, at, len))
		return EXPECT_SECRET;
	if (is_one_of(at, len, pairing, NR(pairing)))
		return EXPECT_PAIR;
	if (is_giving(at, len))
		return EXPECT_VARIABLE;
	/* An option in which something was hidden has its value already. */
	if (*at != '-' || memchr(at, REDACT_STAR, len) || !is_secret_name(at, len, true))
		return EXPECT_NOTHING;
	return EXPECT_SECRET;
}

/* True for "-xNAME=VALUE": the letter of an option, and a variable glued to it. */
static bool is_glued(const char *at, size_t name_len)
{
	return name_len > 2 && at[0] == '-' && (at[1] == 'x' || at[1] == 'e') &&
	       is_variable(at + 2, name_len - 2, true);
}

/* Handles an argument with a '=' at name_len. */
static void take_assigned(const struct args *args, char *at, size_t len, size_t name_len)
{
	char *value = at + name_len + 1;
	size_t value_len = len - name_len - 1;
	bool given = args->expected == EXPECT_VARIABLE || args->expected == EXPECT_PAIR;

	if (given && redact_list(at, len, false, redact_value))
		return;
	if (take_held(args, at, name_len))
		memset(value, REDACT_STAR, value_len);
	else if (is_giving(at, name_len))
		(void)redact_list(value, value_len, false, redact_value);
	else if (is_glued(at, name_len))
		(void)redact_list(at + 2, len - 2, true, redact_value);
	else if (is_variable(at, name_len, !args->of_env))
		(void)redact_variable(at, name_len, value, value_len, redact_value);
	else if (is_secret_name(at, name_len, true) && !is_number(value, value_len))
		memset(value, REDACT_STAR, value_len);
	else
		redact_value(value, value_len);
}

/*
 * Notes which program the next options belong to: the last argument that is a program with such
 * options, since its other arguments stand between.
 */
static void take_program(struct args *args, const char *at, size_t len)
{
	size_t base = len;

	while (base && at[base - 1] != '/')
		base--;
	at += base;
	len -= base;
	args->of_env = is_text(at, len, "env");
	if (is_one_of(args->program, strlen(args->program), runners, NR(runners)))
		args->program = "";
	for (size_t i = 0; i < NR(programs); i++)
		if (is_text(at, len, programs[i].program))
			args->program = programs[i].program;
}

/* True if an argument may be the value of a secret option; such a value may begin with one dash. */
static bool may_be_value(const char *at, size_t len)
{
	return *at != '-' || (len > 2 && at[1] != '-');
}

/*
 * Handles an argument that is not the value of the one before. Returns what is expected of the
 * next.
 */
static enum expected take_other(struct args *args, char *at, size_t len)
{
	const char *assign = memchr(at, '=', len);
	enum expected next = EXPECT_NOTHING;
	bool given =
		args->of_env || args->expected == EXPECT_VARIABLE || args->expected == EXPECT_PAIR;
	/* Code, and command lines within an argument, are text. */
	bool one_word = !has_blank(at, len) || (assign && *at == '-');

	if (assign && (one_word || given))
		take_assigned(args, at, len, (size_t)(assign - at));
	else if (*at == '-' || *at == '/')
		next = take_option(args, at, len);
	else if (args->expected == EXPECT_PAIR && is_variable(at, len, false))
		next = EXPECT_VALUE;
	else if (is_giving(at, len))
		next = EXPECT_VARIABLE;
	if (next == EXPECT_VALUE) {
		args->name = at;
		args->name_len = len;
	} else if (*at != '-' && (!assign || !(one_word || given))) {
		redact_value(at, len);
		take_program(args, at, len);
	}
	return next;
}

static void take_argument(struct args *args, char *at, size_t len)
{
	enum expected next = EXPECT_NOTHING;

	if (args->expected == EXPECT_SECRET && may_be_value(at, len))
		memset(at, REDACT_STAR, len);
	else if (args->expected == EXPECT_VALUE && may_be_value(at, len))
		(void)redact_variable(args->name, args->name_len, at, len, redact_value);
	else
		next = take_other(args, at, len);
	redact_text(at, len);
	args->expected = next;
}

/* --- Command lines --------------------------------------------------------------------------- */

/* True if quotes stand around all of a word. */
static bool is_quoted(const char *at, size_t len)
{
	return len > 1 && (*at == '"' || *at == '\'') &&
	       memchr(at + 1, *at, len - 1) == at + len - 1;
}

/*
 * Returns where a word ends. Blanks may stand in a quote that opens a word, and in one that opens
 * the value of an option or a variable.
 */
static size_t word_length(const char *at, size_t len)
{
	size_t end = 0;

	while (end < len && !is_blank(at[end])) {
		const char *close = NULL;

		if ((at[end] == '"' || at[end] == '\'') &&
			(!end || *at == '-' || at[end - 1] == '='))
			close = memchr(at + end + 1, at[end], len - end - 1);
		end = close ? (size_t)(close - at) + 1 : end + 1;
	}
	return end;
}

/*
 * Calls back with each word of a line, without the quotes around it; not with a word that is all
 * there is.
 */
static void take_words(char *line, size_t len, struct args *args,
	void (*take)(struct args *args, char *at, size_t len))
{
	for (size_t at = 0; at < len;) {
		size_t one = word_length(line + at, len - at);
		size_t quote = one && is_quoted(line + at, one);

		if (one > 2 * quote && one - 2 * quote < len)
			take(args, line + at + quote, one - 2 * quote);
		at += one + 1;
	}
}

void redact_value(char *value, size_t len)
{
	struct args args = {.program = ""};
	bool all = len > 3 && (!memcmp(value, "ALL,", 4) || !memcmp(value, "NIL,", 4));

	if (!len)
		return;
	if (has_blank(value, len))
		take_words(value, len, &args, take_argument);
	else
		(void)redact_list(value, len, !all, redact_single);
	redact_single(value, len);
}

/*
 * Handles a word of a trace: hides only what a program's options hold, since a line with a plus may
 * be anything.
 */
static void take_traced(struct args *args, char *at, size_t len)
{
	const char *assign = memchr(at, '=', len);
	enum expected next = EXPECT_NOTHING;

	if (args->expected == EXPECT_SECRET && may_be_value(at, len))
		memset(at, REDACT_STAR, len);
	else if (assign && take_held(args, at, (size_t)(assign - at)))
		memset(at + (assign - at) + 1, REDACT_STAR, len - (size_t)(assign - at) - 1);
	else if (*at == '-' || *at == '/')
		next = take_held(args, at, len);
	if (args->expected != EXPECT_SECRET && *at != '-' && !assign)
		take_program(args, at, len);
	args->expected = next;
}

void redact_trace(char *line, size_t len)
{
	struct args args = {.program = ""};

	take_words(line, len, &args, take_traced);
}

void redact_args(char *list, size_t len)
{
	struct args args = {.program = ""};

	for (size_t at = 0; at < len;) {
		size_t one = strnlen(list + at, len - at);

		if (one)
			take_argument(&args, list + at, one);
		at += one + 1;
	}
}
