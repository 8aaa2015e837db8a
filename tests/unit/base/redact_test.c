/* SPDX-License-Identifier: Apache-2.0 */
#include "base/redact.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))

struct told {
	const char *said, *shown; /* NULL: as it was said. Runs of stars are one star */
};

/* Runs of stars as one, and '|' for NUL: for people. */
static void squeeze(char *to, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (bytes[i] != '*' || !i || bytes[i - 1] != '*')
			*to++ = bytes[i] ? bytes[i] : '|';
	*to = '\0';
}

/* In a copy of exactly its bytes, so that a sanitizer sees whoever reads beyond; twice. */
static void check(const struct told *told, void (*redact)(char *, size_t))
{
	size_t len = strlen(told->said);
	char *bytes = malloc(len ? len : 1);
	char now[512];

	for (size_t i = 0; i < len; i++)
		bytes[i] = (char)(told->said[i] == '|' ? '\0' : told->said[i]);
	for (int twice = 0; twice < 2; twice++) {
		redact(bytes, len);
		squeeze(now, bytes, len);
		assert_string_equal(now, told->shown ? told->shown : told->said);
	}
	free(bytes);
}

static void secrets_in_text_become_stars(void **state)
{
	static const struct told all[] = {
		{"psql postgres://ann:s3cret@db.site:5432/x", "psql postgres://*@db.site:5432/x"},
		{"git clone https://ghp_short@github.com/a", "git clone https://*@github.com/a"},
		{"amqp://u:p/w#1@host/v", "amqp://*@host/v"},
		{"DB_PASSWORD=hunter2 next", "DB_PASSWORD=* next"},
		{"password = \"two words\" ok", "password = \"*\" ok"},
		{"{\"api_key\": \"abc\", \"n\": 3}", "{\"api_key\": \"*\", \"n\": 3}"},
		{"{'secret': b'abc'}", "{'secret': b'*'}"},
		{"{\"m\":\"{\\\"password\\\": \\\"ab\\\"}\"}",
			"{\"m\":\"{\\\"password\\\": \\\"*\\\"}\"}"},
		{"{\"m\":\"token=abcd1234\\nnext\"}", "{\"m\":\"token=*\\nnext\"}"},
		{"[\"run\",\"--password\",\"hunter2\",\"-v\"]",
			"[\"run\",\"--password\",\"*\",\"-v\"]"},
		{"['x', '--api-token', 'a b', 'y']", "['x', '--api-token', '*', 'y']"},
		{"curl --token hunter2 now", "curl --token * now"},
		{"--key=hunter2", "--key=*"},
		{"Authorization: Bearer abc def\nnext", "Authorization: *\nnext"},
		{"sent Bearer abcdefgh12345678 there", "sent Bearer * there"},
		{"id AKIAIOSFODNN7EXAMPLE.", "id *"},
		{"hf_abcdefghijklmnopQRST", "*"},
		{"sk-proj-ABCD1234efgh5678", "*"},
		{"jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.x-y_z!", "jwt *!"},
		{"https://b.s3/x?X-Amz-Signature=0123456789abcdef01&a=1",
			"https://b.s3/x?X-Amz-Signature=*"},
		{"aws_secret_access_key: abc/def+1", "aws_secret_access_key: *"},
		{"key -----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
			"key -----BEGIN*\n*\n-----END RSA PRIVATE KEY-----"},
		{"TOKEN=abcdefgh", "TOKEN=*"},
		{"db_pass: canary, redis_pwd: 'x y'", "db_pass: * redis_pwd: '*'"},
		{"password:                    aligned", "password:                    *"},
		{"api_key              = abc", "api_key              = *"},
		{"  wandb_api_key ................. abc1", "  wandb_api_key ................. *"},
		{"{\"a\":\"{\\\"b\\\":\\\"{\\\\\\\"password\\\\\\\":\\\\\\\"ab\\\\\\\",1}\\\"}\"}",
			"{\"a\":\"{\\\"b\\\":\\\"{\\\\\\\"password\\\\\\\":\\\\\\\"*\\\\\\\",1}"
			"\\\"}\"}"},
		{"{\"m\":\"{\\\"password\\\":\\\"a\\\\\\\"b\\\",1}\"}",
			"{\"m\":\"{\\\"password\\\":\\\"*\\\",1}\"}"},
		{"{\"m\":\"x\\\\\\\"token=abcd1234\\\\\\\" y\"}",
			"{\"m\":\"x\\\\\\\"token=*\\\\\\\" y\"}"},
		{"\"https:\\/\\/me:pw@h\\/x\"", "\"https:\\/\\/*@h\\/x\""},
		{"+ mysql -u root -phunter2 db\n++ curl -sSu 'me:a b' h",
			"+ mysql -u root -p* db\n++ curl -sSu '*' h"},
		{"7\t+ redis-cli -a pw", "7\t+ redis-cli -a *"},
		{"[0]: + sudo docker login -u me -p pw", "[0]: + sudo docker login -u me -p *"},
		{"--password -hunter2 -v", "--password * -v"},
		{"https://hooks.slack.com/services/T0/B0/abcdEFGH12345678 x",
			"https://hooks.slack.com/services/* x"},
		{"with url: /api/webhooks/12/abcdEFGH12345678_- (Caused",
			"with url: /api/webhooks/* (Caused"},
		{"https://api.telegram.org/bot123456:AAabcdEFGH12345678/send",
			"https://api.telegram.org/bot123456:*/send"},
		{"xai-ABCDEFGH12345678abcdefgh12345678, ok", "*, ok"},
		{"pplx-abcdEFGH12345678abcdEFGH 1", "* 1"},
		{"lsv2_pt_0123456789abcdef0123_45 1", "* 1"},
		{"tvly-dev-abcdEFGH12345678 1", "* 1"},
		{"AGE-SECRET-KEY-1ABCDEFGH12345678QQQQ 1", "* 1"},
		{"dapi0123456789abcdef0123456789abcdef 1", "* 1"},
		{"figd_abcdEFGH12345678abcd 1", "* 1"},
		{"shpat_0123456789abcdef01234567 1", "* 1"},
		{"glptt-0123456789abcdef01234567 1", "* 1"},
		{"password=cut", "password=*"},
		{"{\"password\":\"cut", "{\"password\":\"*"},
	};

	for (size_t i = 0; i < NR(all); i++)
		check(&all[i], redact_text);
}

/* What programs tell of commands, and of JSON. */
/* What stands in a word, or between a name and its value, and is not shown. */
static void secrets_that_escapes_part_become_stars(void **state)
{
	static const struct told all[] = {
		{"pass\033[31mword=hunter2 x", "pass\033[31mword=* x"},
		{"password\033[0m=\033[1;31mhunter2\033[0m x",
			"password\033[0m=\033[1;31m*\033[0m x"},
		{"password=hun\033[31mter2\n", "password=*\033[31m*\n"},
		{"pass\bword=hunter2", "pass\bword=*"},
		{"{\"log\":\"pass\\bword=hunter2\"}", "{\"log\":\"pass\\bword=*\"}"},
		{"\033]0;title\apass\033]0;x\033\\word=hunter2",
			"\033]0;title\apass\033]0;x\033\\word=*"},
		{"ghp_abcd\033[0mefghijklmnopqrstuvwxyzABCDEFGH0123", "*\033[0m*"},
		{"https://u:\033[1mhunter2\033[0m@host/x", "https://*\033[1m*\033[0m@host/x"},
		{"{\"log\":\"pass\\u0077ord=hunter2\\n\"}", "{\"log\":\"pass\\u0077ord=*\\n\"}"},
		{"{\"log\":\"password\\u003dhunter2\\n\"}", "{\"log\":\"password\\u003d*\\n\"}"},
		{"{\"log\":\"password=h\\u0061nter\"}", "{\"log\":\"password=*\"}"},
		{"{\"log\":\"?a=1\\u0026api_key=hunter2\\u0026b=2\"}",
			"{\"log\":\"?a=1\\u0026api_key=*\"}"},
		{"{\"log\":\"password\\u001b[0m=\\u001b[1mhunter2\\n\"}",
			"{\"log\":\"password\\u001b[0m=\\u001b[1m*\\n\"}"},
		{"pass\033[31mword\033]\nword=x", NULL},
		{"\033", NULL},
		{"\\u00", NULL},
		{"\\\\u004", NULL},
		{"\033[3", NULL},
	};

	(void)state;
	for (size_t i = 0; i < NR(all); i++)
		check(&all[i], redact_text);
}

static void secrets_told_by_programs_become_stars(void **state)
{
	static const struct told all[] = {
		{"x \"https:\\/\\/hooks.slack.com\\/services\\/T0\\/B0\\/abcdEFGH12345678\" y",
			"x \"https:\\/\\/hooks.slack.com\\/services\\/*\" y"},
		{"{\"m\":\"{\\\"u\\\":\\\"h:\\\\/webhooks\\\\/1\\\\/abcdEFGH12345678\\\""
			",1}\"}",
			"{\"m\":\"{\\\"u\\\":\\\"h:\\\\/webhooks\\\\/*\\\",1}\"}"},
		{"{\"m\":\"{\\\"token\\\": \\\"abcdEFGH12345678\\\"}\"}",
			"{\"m\":\"{\\\"token\\\": \\\"*\\\"}\"}"},
		{"ran: curl -sS -u me:pw https://h:80/x", "ran: curl -sS -u * https://h:80/x"},
		{"{\"cmd\":\"curl -H \\\"A: b\\\" --user \\\"me:p w\\\" h\"}",
			"{\"cmd\":\"curl -H \\\"A: b\\\" --user \\\"*\\\" h\"}"},
		{"curl -x h --proxy-user=me:pw; next", "curl -x h --proxy-user=* next"},
	};

	for (size_t i = 0; i < NR(all); i++)
		check(&all[i], redact_text);
}

/* '|' is itself here, and no end of an argument. */
static void check_table(const char *said, const char *shown)
{
	size_t len = strlen(said);
	char *bytes = malloc(len);
	char now[512];

	memcpy(bytes, said, len);
	for (int twice = 0; twice < 2; twice++) {
		redact_text(bytes, len);
		squeeze(now, bytes, len);
		assert_string_equal(now, shown ? shown : said);
	}
	free(bytes);
}

static void a_table_has_secrets_beside_their_names(void **state)
{
	static const struct told all[] = {
		{"| lr | 0.1 |\n| password | hunter2 |\n| seed | 3 |",
			"| lr | 0.1 |\n| password | * |\n| seed | 3 |"},
		{"[rank0]: |  db_password  |  \"hunter2\"  |",
			"[rank0]: |  db_password  |  \"*\"  |"},
		{"\xe2\x94\x82 api_key \xe2\x94\x82 abc \xe2\x94\x82",
			"\xe2\x94\x82 api_key \xe2\x94\x82 * \xe2\x94\x82"},
		{"{\"m\":\"a\\n| password | hunter2 |\\n| b | c |\"}",
			"{\"m\":\"a\\n| password | * |\\n| b | c |\"}"},
		{" wandb_api_key | abc\n token | abcdEFGH12345678",
			" wandb_api_key | *\n token | *"},
	};

	for (size_t i = 0; i < NR(all); i++)
		check_table(all[i].said, all[i].shown);
}

/* Columns that are called so, what explains, numbers, what a shell does with a program's output. */
static void other_tables_stay(void **state)
{
	static const char *const all[] = {
		"| user | password | host |\n|------|------|------|\n| password | user | h |",
		"| password | The word to log in with |\n| secrets | 3 |\n| api_key | None |",
		"echo password | base64\npass | fail\n| tokens | 1024 |\n| token | eos |",
		"| step | loss |\n| eos_token | </s> |\n| password |\n| password | |",
	};

	for (size_t i = 0; i < NR(all); i++)
		check_table(all[i], NULL);
}

static void what_a_judge_needs_stays(void **state)
{
	static const struct told all[] = {
		{"KeyError: 'model.weight'"},
		{"RuntimeError: Missing key(s) in state_dict: \"a.b\", \"c\""},
		{"max_tokens=4096 num_tokens: 17 eos_token=\"</s>\" pad_token: '<pad>'"},
		{"wait timeout after 300000ms, keys: /default_pg/0//cuda/0"},
		{"key: default_pg/0//store_based_barrier_key:1 token: unknown"},
		{"std::runtime_error: a::token::b"},
		{"tcp://10.0.0.1:29500 and http://[::1]:80/x http://h:80/@scope"},
		{"forward pass: 3 signature: f(x, y) author=ann monkey=1"},
		{"{\"password\": null, \"secret\":true, \"api_key\": 12}"},
		{"CUDA_VISIBLE_DEVICES=GPU-5b3c2a10-77aa-4c1e-9d0e-1f2a3b4c5d6e"},
		{"/tmp/torchinductor_u/fx/cabcdefghijklmnopqrstuvwxyz234567abcdefghijklmnop.py"},
		{"\"revision\":\"0123456789abcdef0123456789abcdef01234567\""},
		{"TokenizerFast(vocab_size=3) PWD=/home/ann pwd: /x"},
		{"if password == other: return"},
		{"--password --verbose"},
		{"cache_key=fxgraph12345678"},
		{"forward_pass: 12ms backward_pass: slow step_pass:                  ok"},
		{"use_auth_token ....... False\n  db_password .......... None\n  eos_token .... "
		 "</s>"},
		{"key ... and password .. wait... token ... of it"},
		{"--password                  asked for if it is not given"},
		{"--password -h --token - of it"},
		{"+ python train.py -p 29500 -u x\n+ HOSTS=a,b srun -n 2 t\nloss 3 + mysql -px"},
		{"xai-explanations-of-a-model-of-words-only dapi_server_connection_pool_manager"},
		{"http://h/services/status/ready /webhooks/list bot:12 bot12:30 webhooks/a1"},
		{"curl -u to log in, curl --user-agent a:b curl -u http://h/x -u user: h"},
		{"{\\\"token\\\": \\\"the\\\"} \\/services\\/status\\/ready"},
		{"c:\\\\new\\\\table \\\"quoted\\\": 1 https:\\/\\/h:80\\/x"},
		{""},
	};

	for (size_t i = 0; i < NR(all); i++)
		check(&all[i], redact_text);
}

static void secrets_in_arguments_become_stars(void **state)
{
	static const struct told all[] = {
		{"python|t.py|--password|hunter2|--lr|0.1", "python|t.py|--password|*|--lr|0.1"},
		{"python|t.py|--api-key=a b c", "python|t.py|--api-key=*"},
		{"python|t.py|--token|x|--token", "python|t.py|--token|*|--token"},
		{"t|--db|postgres://u:pw@h/d", "t|--db|postgres://*@h/d"},
		{"env|FOO=bar|low=er|RANK=3|python|x=y", "env|FOO=*|low=*|RANK=3|python|x=y"},
		{"make|WORD=abc|N=12", "make|WORD=*|N=12"},
		{"mpirun|-x|foo=bar|-x|NCCL_DEBUG=INFO|a", "mpirun|-x|foo=*|-x|NCCL_DEBUG=INFO|a"},
		{"srun|--export=ALL,A=b,NCCL_DEBUG=INFO|a",
			"srun|--export=ALL,A=*,NCCL_DEBUG=INFO|a"},
		{"/usr/bin/mysql|-phunter2|db", "/usr/bin/mysql|-p*|db"},
		{"curl|-u|me:pw|-H|X-Api-Key: abc", "curl|-u|*|-H|X-Api-Key: *"},
		{"sshpass|-p|pw|ssh|-p|22|h", "sshpass|-p|*|ssh|-p|22|h"},
		{"sh|-c|X_TOKEN=abc python t.py", "sh|-c|X_TOKEN=* python t.py"},
		{"curl|--proxy|me:p@w@proxy.site:3128|--proxy=me:pw@h",
			"curl|--proxy|*@proxy.site:3128|--proxy=*@h"},
		{"wandb|login|0123456789abcdef0123456789abcdef01234567", "wandb|login|*"},
		{"t|--run=Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv", "t|--run=*"},
		{"mysql|-u|root|-phunter2|-h|db", "mysql|-u|root|-p*|-h|db"},
		{"timeout|5|/bin/redis-cli|-h|h|-a|pw", "timeout|5|/bin/redis-cli|-h|h|-a|*"},
		{"mongosh|-u|me|-p|pw", "mongosh|-u|me|-p|*"},
		{"openssl|enc|-k|pw|-keyout|f", "openssl|enc|-k|*|-keyout|f"},
		{"7z|x|-ppw", "7z|x|-p*"},
		{"ldapsearch|-D|x|-w|pw", "ldapsearch|-D|x|-w|*"},
		{"xfreerdp|/u:me|/p:pw", "xfreerdp|/u:me|/p:*"},
		{"docker|login|-u|me|-p|pw", "docker|login|-u|me|-p|*"},
		{"curl|--user|me:pw|--user-agent|x|h", "curl|--user|*|--user-agent|x|h"},
		{"curl|--user=me:pw|-sSu|me:pw|-su|a:b", "curl|--user=*|-sSu|*|-su|*"},
		{"mpiexec|-genv|HF_TOKEN|pw|-env|A|b|-n|2|a",
			"mpiexec|-genv|HF_TOKEN|*|-env|A|*|-n|2|a"},
		{"mpiexec|-genv|NCCL_DEBUG|INFO|-genv|A=b|a",
			"mpiexec|-genv|NCCL_DEBUG|INFO|-genv|A=*|a"},
		{"srun|--export|ALL,DB=x,y,NCCL_DEBUG=INFO|a",
			"srun|--export|ALL,DB=*,*,NCCL_DEBUG=INFO|a"},
		{"mpirun|-xFOO=pw|-x|A=b,c|-eNCCL_DEBUG=INFO|a",
			"mpirun|-xFOO=*|-x|A=*,*|-eNCCL_DEBUG=INFO|a"},
		{"mpirun|--mca|mca_base_env_list|a=x;b=y|t",
			"mpirun|--mca|mca_base_env_list|a=*;b=*|t"},
		{"t|--password|-hunter2|--lr|1", "t|--password|*|--lr|1"},
		{"sh|-c|mysql -u root -ppw && A=b c", "sh|-c|mysql -u root -p* && A=* c"},
	};

	for (size_t i = 0; i < NR(all); i++)
		check(&all[i], redact_args);
}

static void other_arguments_stay(void **state)
{
	static const struct told all[] = {
		{"torchrun|--nproc-per-node=8|--rdzv-endpoint=h:29500|t.py|model.hidden=4096"},
		{"python|-m|pytest|-p|no:cacheprovider"},
		{"python|-c|import os; x = 3; print(x)"},
		{"python|-c|from multiprocessing.spawn import spawn_main; "
		 "spawn_main(pipe_handle=7)"},
		{"t|--tokenizer|gpt2|--max-tokens|4096|--key-padding|--lr=1e-4"},
		{"/data/cabcdefghijklmnopqrstuvwxyz234567abcdefghijklmnop/train.py"},
		{"docker|run|pytorch:24.01@sha256:0123|-v|/a:/b@c|ssh://h:22/x@y"},
		{"env|-i|NCCL_DEBUG=INFO|sh"},
		{"t|--password|-v|--key|--lr|2|-epochs=3|-xlayers=two"},
		{"mpiexec|-genvall|-genvlist|A,B|-n|2|a|-p|4|-u|x"},
		{"t|-env|CartPole-v1|--lr|3|-x|a.csv|-e|s/a=b/c,d/"},
		{"sh|-c|cd /x && srun -n 2 python t.py --lr=0.1 -p 3 | tee 'a b' \"c d\""},
		{"sshpass|-e|ssh|-p|22|h"},
	};

	for (size_t i = 0; i < NR(all); i++)
		check(&all[i], redact_args);
}

static void variables_are_kept_by_name_and_value(void **state)
{
	static const struct told values[] = {
		{"postgres://u:pw@h/db", "postgres://*@h/db"},
		{"INFO"},
		{"/usr/lib:/lib"},
		{"0123456789abcdef0123456789abcdef", "*"},
		/* OMPI_MCA_mca_base_env_list, SLURM_EXPORT_ENV */
		{"mysql -u root -phunter2 -h db", "mysql -u root -p* -h db"},
		{"DB=x ./a --lr 1 --user me --key \"a b\"",
			"DB=* ./a --lr 1 --user me --key \"*\""},
		{"DB=x;NCCL_DEBUG=INFO;RANK=3", "DB=*;NCCL_DEBUG=INFO;RANK=3"},
		{"ALL,DB=x,lower=y,PATH=/a:/b", "ALL,DB=*,lower=*,PATH=/a:/b"},
		{"=mlx5_0:1,mlx5_1:1"},
		{"^docker0,lo;eth"},
		{"granularity=fine,compact,1,0"},
		{"max_split_size_mb:128,expandable_segments:True"},
		{"node[01-04,7],gpu-a"},
		{"--xla_gpu_a=true --xla_dump_to=/tmp/x --xla_b=3"},
		{"allreduce:tree;broadcast:ring"},
		{"cpu=4,gres/gpu=8"},
		{"7.0 8.0+PTX 9.0"},
		{"/a/libx.so /b/liby.so"},
		{"ALL"},
	};

	assert_true(redact_keeps_variable("NCCL_DEBUG"));
	assert_true(redact_keeps_variable("TORCH_DB_URL"));
	assert_false(redact_keeps_variable("EDITOR"));
	/* "-u root -phunter2": it says that it is of mysql elsewhere. */
	assert_true(redact_keeps_variable("OMPI_COMMAND"));
	assert_false(redact_keeps_variable("OMPI_ARGV"));
	assert_true(redact_lists_variable("OMPI_ARGV"));
	assert_false(redact_keeps_variable("TORCH_HUB_TOKEN"));
	assert_true(redact_lists_variable("TORCH_HUB_TOKEN"));
	assert_false(redact_lists_variable("AWS_SECRET_ACCESS_KEY"));
	for (size_t i = 0; i < NR(values); i++)
		check(&values[i], redact_value);
}

/* Texts that are all beginnings; who reads to the end for each is over its deadline. */
static void a_hostile_text_costs_little(void **state)
{
	static const char *const pieces[] = {"token=", "://", "key='", "-----BEGIN", "Bearer ",
		"auth=\\", "--token ", "eyJ", "sig=a", "+ ", "+ mysql ", "\\", "password=\"\\",
		"password  ", "a ....", "services/", "services\\/", "curl ", "curl -u",
		"| password ", "| password | x ", "\xe2\x94\x82password",
		"--x='", "ALL,RANK=", "env RANK=\"", "\033", "\033]", "\033[", "\b", "\\u0061",
		"\\u001b]", "\033[mtoken=a"};
	size_t len = 1 << 20;
	char *text = malloc(len);

	for (size_t i = 0; i < NR(pieces); i++) {
		size_t piece = strlen(pieces[i]);

		for (size_t at = 0; at < len; at++)
			text[at] = pieces[i][at % piece];
		redact_text(text, len);
		redact_value(text, len);
		redact_args(text, len);
	}
	free(text);
}

static void any_bytes_are_read_to_their_end_and_no_further(void **state)
{
	static const char words[] = "password=:\\\"'@://-- \n\t{}BEGINeyJAKIA-| |";
	unsigned seed = 1;

	for (int round = 0; round < 20000; round++) {
		size_t len = (size_t)(round % 60);
		char *bytes = malloc(len ? len : 1), *again = malloc(len ? len : 1);

		for (size_t i = 0; i < len; i++) {
			seed = seed * 1103515245u + 12345u;
			bytes[i] = words[seed / 65536 % (sizeof(words) - 1)];
		}
		redact_text(bytes, len);
		memcpy(again, bytes, len);
		redact_text(again, len);
		assert_memory_equal(again, bytes, len);
		redact_args(again, len);
		memcpy(bytes, again, len);
		redact_args(again, len);
		assert_memory_equal(again, bytes, len);
		free(bytes);
		free(again);
	}
}

/* What may be, or be about, a secret: one name of each word that names end in, and each key. */
static const char *const pieces[] = {"db_password", "passwd", "PASSWORT", "passPhrase", "passcode",
	"pgpassword", "mypwd", "client_secret", "Secrets", "credential", "aws_creds", "cred",
	"apikey", "apitoken", "secretkey", "accesskey", "jwt", "psk", "passin", "passout",
	"Authorization", "Cookie", "--key", "api-key", "TOKEN", "hub_token", "auth", "redis_pwd",
	"db_pass", "bearer", "X-Amz-Signature", "sig", "Bearer abcdEFGH12345678", "AKIA", "ghp_",
	"github_pat_", "glpat-", "hf_", "sk-", "xoxb-", "AIza", "SG.", "r8_", "eyJ", "dapi",
	"AGE-SECRET-KEY-", "0123456789abcdef0123456789abcdef", "abcdEFGH12345678", "pw", "=", ": ",
	" ", "\n", "\"", "\\\"", "\\", "/", "\\/", "://", "@", "+ ", "-----BEGIN",
	" PRIVATE KEY-----", "curl", " -u me:pw ", "mysql -ppw", "services/",
	"webhooks\\/", "webhookb2/", "workflows/", "bot123:", " | ", " ..... ",
	"https://me:pw@h", "x", "12", ",", "}", "\033[0m", "\\u0061", "\\u001b[m"};

/*
 * Where nothing begins as a secret does, a text is passed over. Before an "@" every word of it is
 * read, and that must come to the same.
 */
static void what_is_passed_over_has_no_secret(void **state)
{
	unsigned seed = 1;

	for (int round = 0; round < 100000; round++) {
		char plain[512], read[512];
		size_t len = 0;

		for (int i = 0; i < 2 + round % 8; i++) {
			const char *piece;

			seed = seed * 1103515245u + 12345u;
			piece = pieces[seed / 65536 % NR(pieces)];
			memcpy(plain + len, piece, strlen(piece));
			len += strlen(piece);
		}
		memcpy(read, plain, len);
		memcpy(read + len, "\n@", 2);
		redact_text(plain, len);
		redact_text(read, len + 2);
		assert_memory_equal(plain, read, len);
		redact_text(read, len + 2);
		assert_memory_equal(plain, read, len);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(secrets_in_text_become_stars),
		cmocka_unit_test(secrets_that_escapes_part_become_stars),
		cmocka_unit_test(secrets_told_by_programs_become_stars),
		cmocka_unit_test(a_table_has_secrets_beside_their_names),
		cmocka_unit_test(other_tables_stay),
		cmocka_unit_test(what_a_judge_needs_stays),
		cmocka_unit_test(secrets_in_arguments_become_stars),
		cmocka_unit_test(other_arguments_stay),
		cmocka_unit_test(variables_are_kept_by_name_and_value),
		cmocka_unit_test(a_hostile_text_costs_little),
		cmocka_unit_test(what_is_passed_over_has_no_secret),
		cmocka_unit_test(any_bytes_are_read_to_their_end_and_no_further),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
