/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of secrets, and values that are known for what they are.
 *
 * A name is looked at part by part (db_password, dbPassword, x-api-key): the last part decides.
 * "key" and "token" alone mean many things in a training job (a key of a dict, a tokenizer's end of
 * sentence), so they need company.
 */
#include "base/redact-names.h"

#include <string.h>
#include <strings.h>

#include "base/redact.h"

#define NR(array)  (sizeof(array) / sizeof((array)[0]))
#define PARTS      8
#define PART_BYTES 24
#define KEY_LEAST  14 /* no key that is known by its beginning is shorter */

/* The parts of a name, in lower case, the last one first. */
struct parts {
	char part[PARTS][PART_BYTES];
	size_t nr;
};

/*
 * True if a part of the name begins at `at`: behind what is no letter or digit, or at a hump of
 * camelCase.
 */
static bool part_ends(const char *name, size_t at)
{
	if (!redact_is_alnum(name[at - 1]))
		return true;
	return redact_is_lower(name[at - 1]) && redact_is_upper(name[at]);
}

/*
 * Takes a name apart, from its end; digits at the end of a part and parts beyond PARTS are left
 * out.
 */
static void parts_take(struct parts *parts, const char *name, size_t len)
{
	while (len && parts->nr < PARTS) {
		size_t end, from, kept;

		while (len && !redact_is_letter(name[len - 1]))
			len--;
		end = from = len;
		while (from && redact_is_alnum(name[from - 1])) {
			from--;
			if (from && part_ends(name, from))
				break;
		}
		if (from == end)
			return;
		kept = end - from < PART_BYTES ? end - from : PART_BYTES - 1;
		for (size_t i = 0; i < kept; i++)
			parts->part[parts->nr][i] = redact_lowered(name[from + i]);
		parts->part[parts->nr++][kept] = '\0';
		len = from;
	}
}

static const struct {
	const char *last;
	enum redact_name is;
} names[] = {
	{"password", REDACT_NAME_STRONG},
	{"passwd", REDACT_NAME_STRONG},
	{"passwort", REDACT_NAME_STRONG},
	{"passphrase", REDACT_NAME_STRONG},
	{"passcode", REDACT_NAME_STRONG},
	{"passwords", REDACT_NAME_STRONG},
	{"pgpassword", REDACT_NAME_STRONG},
	{"mypwd", REDACT_NAME_STRONG},
	{"secret", REDACT_NAME_STRONG},
	{"secrets", REDACT_NAME_STRONG},
	{"credential", REDACT_NAME_STRONG},
	{"credentials", REDACT_NAME_STRONG},
	{"creds", REDACT_NAME_STRONG},
	{"cred", REDACT_NAME_STRONG},
	{"apikey", REDACT_NAME_STRONG},
	{"apitoken", REDACT_NAME_STRONG},
	{"secretkey", REDACT_NAME_STRONG},
	{"accesskey", REDACT_NAME_STRONG},
	{"privatekey", REDACT_NAME_STRONG},
	{"accountkey", REDACT_NAME_STRONG},
	{"authkey", REDACT_NAME_STRONG},
	{"authtoken", REDACT_NAME_STRONG},
	{"accesstoken", REDACT_NAME_STRONG},
	{"jwt", REDACT_NAME_STRONG},
	{"psk", REDACT_NAME_STRONG},
	{"passin", REDACT_NAME_STRONG},
	{"passout", REDACT_NAME_STRONG},
	{"authorization", REDACT_NAME_HEADER},
	{"cookie", REDACT_NAME_HEADER},
	{"key", REDACT_NAME_KEY},
	{"token", REDACT_NAME_TOKEN},
	{"auth", REDACT_NAME_ASSIGNED},
	{"pass", REDACT_NAME_ASSIGNED},
	{"pwd", REDACT_NAME_ASSIGNED},
	{"bearer", REDACT_NAME_ASSIGNED},
	{"signature", REDACT_NAME_SIGNATURE},
	{"sig", REDACT_NAME_SIGNATURE},
};

const char *redact_name_word(size_t i)
{
	return i < NR(names) ? names[i].last : NULL;
}

/* What "key" is a secret with before it; the key of a cache, a store, a dict is none. */
static const char *const key_of[] = {"api", "access", "secret", "private", "auth", "encryption",
	"signing", "account", "ssh", "license", "subscription", "client", "service", "deploy",
	"master", "shared", "wandb", "openai", "anthropic", "aws", "azure", "gcp", "google", "hf",
	"comet", "neptune", "mlflow", "storage", "admin", "root", "user", "session"};

/* What "pass" opens something with before it; a pass of anything else is a round over the data. */
static const char *const pass_of[] = {"db", "database", "sql", "mysql", "postgres", "pg", "redis",
	"mongo", "rabbitmq", "broker", "ldap", "ftp", "sftp", "ssh", "smtp", "imap", "mail",
	"proxy", "http", "wifi", "root", "admin", "sudo", "user", "login", "account", "keystore",
	"registry"};

/* What "token" is one of text with before it. */
static const char *const token_of[] = {"pad", "eos", "bos", "unk", "mask", "cls", "sep", "image",
	"special", "next", "last", "first", "max", "min", "num", "per", "start", "end", "stop",
	"new", "prompt", "video", "audio", "text", "input", "output", "decoder", "vocab", "each",
	"unexpected", "invalid", "prev", "tool", "think", "single"};

static bool is_one_of(const char *word, const char *const *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(word, list[i]))
			return true;
	return false;
}

static bool is_shouted(const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (redact_is_lower(name[i]))
			return false;
	return true;
}

enum redact_name redact_name_of(const char *name, size_t len)
{
	struct parts parts = {0};
	enum redact_name is = REDACT_NAME_NONE;
	bool option = len && name[0] == '-';

	parts_take(&parts, name, len);
	if (!parts.nr)
		return REDACT_NAME_NONE;
	for (size_t i = 0; i < NR(names) && !is; i++)
		if (!strcmp(parts.part[0], names[i].last))
			is = names[i].is;
	if (is == REDACT_NAME_KEY && parts.nr > 1 &&
		(is_shouted(name, len) || is_one_of(parts.part[1], key_of, NR(key_of))))
		return REDACT_NAME_STRONG;
	/* TOKEN=x is a variable; token=x may be a word of text. */
	if ((is == REDACT_NAME_KEY || is == REDACT_NAME_TOKEN) && parts.nr == 1 && !option &&
		is_shouted(name, len))
		return REDACT_NAME_ASSIGNED;
	if (is == REDACT_NAME_KEY && parts.nr > 1 && !option)
		return REDACT_NAME_NONE;
	if (is == REDACT_NAME_TOKEN && parts.nr > 1)
		return is_one_of(parts.part[1], token_of, NR(token_of)) ? REDACT_NAME_NONE
									: REDACT_NAME_STRONG;
	if (is == REDACT_NAME_ASSIGNED && parts.nr > 1 &&
		(!strcmp(parts.part[0], "pass") || !strcmp(parts.part[0], "pwd")) &&
		is_one_of(parts.part[1], pass_of, NR(pass_of)))
		return REDACT_NAME_STRONG;
	/* PWD alone is where a process is; a pass alone is one over the data. */
	if (is == REDACT_NAME_ASSIGNED && parts.nr == 1 && !option)
		return strcmp(parts.part[0], "auth") ? REDACT_NAME_NONE : is;
	return is;
}

/* --- Values that say what they are ----------------------------------------------------------- */

static bool is_hex(char c)
{
	return redact_is_digit(c) || (redact_lowered(c) >= 'a' && redact_lowered(c) <= 'f');
}

enum made_of {
	MADE_OF_ANY,
	MADE_OF_DIGITS, /* among others: words of men may begin so too */
	MADE_OF_HEX,
};

/*
 * Keys that are known by how they begin: at least `more` characters follow, of letters, digits,
 * "_-".
 */
static const struct known {
	const char *begins;
	size_t more;
	enum made_of made_of;
} keys[] = {
	{"AKIA", 16, MADE_OF_ANY},
	{"ASIA", 16, MADE_OF_ANY},
	{"ghp_", 16, MADE_OF_ANY},
	{"gho_", 16, MADE_OF_ANY},
	{"ghu_", 16, MADE_OF_ANY},
	{"ghs_", 16, MADE_OF_ANY},
	{"ghr_", 16, MADE_OF_ANY},
	{"github_pat_", 16, MADE_OF_ANY},
	{"glpat-", 16, MADE_OF_ANY},
	{"gldt-", 16, MADE_OF_ANY},
	{"hf_", 16, MADE_OF_ANY},
	{"api_org_", 16, MADE_OF_ANY},
	{"sk-", 16, MADE_OF_ANY},
	{"sk_live_", 16, MADE_OF_ANY},
	{"sk_test_", 16, MADE_OF_ANY},
	{"rk_live_", 16, MADE_OF_ANY},
	{"pk_live_", 16, MADE_OF_ANY},
	{"whsec_", 16, MADE_OF_ANY},
	{"xoxb-", 10, MADE_OF_ANY},
	{"xoxp-", 10, MADE_OF_ANY},
	{"xoxa-", 10, MADE_OF_ANY},
	{"xoxr-", 10, MADE_OF_ANY},
	{"xoxs-", 10, MADE_OF_ANY},
	{"xapp-", 10, MADE_OF_ANY},
	{"AIza", 30, MADE_OF_ANY},
	{"ya29.", 16, MADE_OF_ANY},
	{"GOCSPX-", 16, MADE_OF_ANY},
	{"npm_", 20, MADE_OF_ANY},
	{"pypi-", 16, MADE_OF_ANY},
	{"dop_v1_", 16, MADE_OF_ANY},
	{"SG.", 20, MADE_OF_ANY},
	{"nvapi-", 16, MADE_OF_ANY},
	{"r8_", 20, MADE_OF_ANY},
	{"gsk_", 16, MADE_OF_ANY},
	{"dckr_pat_", 10, MADE_OF_ANY},
	{"vault:", 20, MADE_OF_ANY},
	{"hvs.", 16, MADE_OF_ANY},
	{"eyJ", 24, MADE_OF_ANY},
	{"wandb_v1_", 16, MADE_OF_ANY},
	{"xai-", 32, MADE_OF_DIGITS},
	{"pplx-", 24, MADE_OF_DIGITS},
	{"lsv2_", 24, MADE_OF_DIGITS},
	{"tvly-", 20, MADE_OF_DIGITS},
	{"AGE-SECRET-KEY-", 20, MADE_OF_DIGITS},
	{"dapi", 32, MADE_OF_HEX},
	{"figd_", 20, MADE_OF_DIGITS},
	{"shpat_", 20, MADE_OF_DIGITS},
	{"glptt-", 20, MADE_OF_DIGITS},
};

const char *redact_key_begin(size_t i)
{
	return i < NR(keys) ? keys[i].begins : NULL;
}

/* Returns how far the word is a key of that row; 0 if it is none. */
static size_t known_length(const struct known *known, const char *word, size_t len)
{
	size_t head = strlen(known->begins), at = head;
	bool mixed = false, digit = false;

	if (len < head + known->more || memcmp(word, known->begins, head) != 0)
		return 0;
	while (at < len && (redact_is_alnum(word[at]) || strchr("_-.=", word[at]))) {
		if (!word[at] || (known->made_of == MADE_OF_HEX && !is_hex(word[at])))
			break;
		mixed = mixed || !redact_is_lower(word[at]);
		digit = digit || redact_is_digit(word[at]);
		at++;
	}
	return at >= head + known->more && (known->made_of ? digit : mixed) ? at : 0;
}

size_t redact_known_key(const char *word, size_t len)
{
	size_t found = 0;

	if (len < KEY_LEAST)
		return 0;
	for (size_t i = 0; i < NR(keys) && !found; i++)
		if (*word == *keys[i].begins)
			found = known_length(&keys[i], word, len);
	return found;
}

/*
 * A key is a long word of one piece: hexadecimal of a key's length, or base64 with all sorts of
 * characters. A path, a name made of words, or a list has several pieces.
 */
bool redact_is_key(const char *word, size_t len)
{
	size_t hex = 0, upper = 0, lower = 0, digits = 0, pad = 0;

	if (redact_known_key(word, len) == len && len)
		return true;
	if (len < 32 || len > 4096 || word[0] == '/' || word[0] == '.')
		return false;
	for (size_t i = 0; i < len; i++) {
		char c = word[i];

		if (!redact_is_alnum(c) && c != '+' && c != '/' && c != '=' && c != '_' && c != '-')
			return false;
		hex += is_hex(c);
		upper += redact_is_upper(c) != 0;
		lower += redact_is_lower(c) != 0;
		digits += redact_is_digit(c) != 0;
		pad += c == '+' || c == '/' || c == '_' || c == '-';
	}
	if (hex == len && digits && digits < len)
		return true;
	return upper >= 3 && lower >= 3 && digits >= 3 && pad <= len / 10;
}
