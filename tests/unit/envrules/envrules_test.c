/* SPDX-License-Identifier: Apache-2.0 */
#include "envrules/envrules.h"

#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "tests/unit/unit.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))
#define VARIABLES_MOST 3

/* A launch of which nothing is known. */
#define UNKNOWN .ranks = -1, .world = -1, .hosts = -1, .cpus = -1, .torch = -1, .compile_s = -1

/* One launch, and whether the rule about `name` of that grade speaks of it. */
struct told {
	const char *name;
	enum envrule_grade grade;
	bool speaks;
	const char *variables[VARIABLES_MOST];
	struct envrules_launch launch;
};

#define NOTE ENVRULE_NOTE
#define WARN ENVRULE_WARN
#define FAIL ENVRULE_FAIL

static const struct envrules_launch unknown = {UNKNOWN};

#define RANKS(n) {.ranks = (n), .world = -1, .hosts = -1, .cpus = -1, .torch = -1, .compile_s = -1}
#define HOSTS(n) {.ranks = -1, .world = -1, .hosts = (n), .cpus = -1, .torch = -1, .compile_s = -1}
#define WORLD(n) {.ranks = -1, .world = (n), .hosts = -1, .cpus = -1, .torch = -1, .compile_s = -1}
#define TORCH(n) {.ranks = -1, .world = -1, .hosts = -1, .cpus = -1, .torch = (n), .compile_s = -1}
#define COMPILE(n) \
	{.ranks = -1, .world = -1, .hosts = -1, .cpus = -1, .torch = -1, .compile_s = (n)}
#define CROWD(n, c) \
	{.ranks = (n), .world = -1, .hosts = -1, .cpus = (c), .torch = -1, .compile_s = -1}
#define NET(names) {UNKNOWN, .interfaces = (names)}
#define ANY {UNKNOWN}

static const struct told all[] = {
	{"MASTER_ADDR", FAIL, true, {"MASTER_ADDR=localhost"}, HOSTS(2)},
	{"MASTER_ADDR", FAIL, true, {"MASTER_ADDR=127.0.0.1"}, HOSTS(2)},
	{"MASTER_ADDR", FAIL, false, {"MASTER_ADDR=localhost"}, HOSTS(1)},
	{"MASTER_ADDR", FAIL, false, {"MASTER_ADDR=localhost"}, ANY},
	{"MASTER_ADDR", FAIL, false, {"MASTER_ADDR=m1"}, HOSTS(2)},
	{"WORLD_SIZE", WARN, true, {"WORLD_SIZE=4"}, WORLD(8)},
	{"WORLD_SIZE", WARN, false, {"WORLD_SIZE=8"}, WORLD(8)},
	{"WORLD_SIZE", WARN, false, {"WORLD_SIZE=4"}, ANY},
	{"RANK", WARN, true, {"RANK=0"}, RANKS(8)},
	{"RANK", WARN, false, {"RANK=0"}, RANKS(1)},
	{"RANK", WARN, false, {NULL}, RANKS(8)},
	{"OMP_NUM_THREADS", WARN, true, {"OMP_NUM_THREADS=16"}, CROWD(8, 64)},
	{"OMP_NUM_THREADS", WARN, false, {"OMP_NUM_THREADS=8"}, CROWD(8, 64)},
	{"OMP_NUM_THREADS", WARN, false, {"OMP_NUM_THREADS=16"}, RANKS(8)},
	{"OMP_NUM_THREADS", NOTE, true, {NULL}, RANKS(8)},
	{"OMP_NUM_THREADS", NOTE, false, {"OMP_NUM_THREADS=1"}, RANKS(8)},
	{"PYTHONUNBUFFERED", NOTE, true, {NULL}, ANY},
	{"PYTHONUNBUFFERED", NOTE, false, {"PYTHONUNBUFFERED=1"}, ANY},

	{"CUDA_VISIBLE_DEVICES", FAIL, true, {"CUDA_VISIBLE_DEVICES="}, ANY},
	{"CUDA_VISIBLE_DEVICES", FAIL, true, {"CUDA_VISIBLE_DEVICES=-1"}, ANY},
	{"CUDA_VISIBLE_DEVICES", FAIL, false, {NULL}, ANY},
	{"CUDA_VISIBLE_DEVICES", FAIL, true, {"CUDA_VISIBLE_DEVICES=0,1"}, RANKS(4)},
	{"CUDA_VISIBLE_DEVICES", FAIL, false, {"CUDA_VISIBLE_DEVICES=0,1,2,3"}, RANKS(4)},
	{"CUDA_VISIBLE_DEVICES", FAIL, true, {"CUDA_VISIBLE_DEVICES=0,1,-1,3"}, RANKS(4)},
	{"CUDA_VISIBLE_DEVICES", FAIL, true, {"CUDA_VISIBLE_DEVICES=0,1,0"}, ANY},
	{"CUDA_VISIBLE_DEVICES", FAIL, false, {"CUDA_VISIBLE_DEVICES=1,10,11"}, ANY},
	{"CUDA_VISIBLE_DEVICES", NOTE, true, {"CUDA_VISIBLE_DEVICES=3"}, ANY},
	{"CUDA_VISIBLE_DEVICES", NOTE, true, {"CUDA_VISIBLE_DEVICES=0,2"}, ANY},
	{"CUDA_VISIBLE_DEVICES", NOTE, true, {"CUDA_VISIBLE_DEVICES=GPU-1"}, ANY},
	{"CUDA_VISIBLE_DEVICES", NOTE, false, {"CUDA_VISIBLE_DEVICES=0,1"}, ANY},
	{"CUDA_DEVICE_MAX_CONNECTIONS", WARN, true, {"CUDA_DEVICE_MAX_CONNECTIONS=1"}, ANY},
	{"CUDA_DEVICE_MAX_CONNECTIONS", WARN, false, {"CUDA_DEVICE_MAX_CONNECTIONS=32"}, ANY},
	{"CUDA_LAUNCH_BLOCKING", WARN, true, {"CUDA_LAUNCH_BLOCKING=1"}, ANY},
	{"CUDA_LAUNCH_BLOCKING", WARN, false, {"CUDA_LAUNCH_BLOCKING=0"}, ANY},
	{"CUDA_CACHE_DISABLE", WARN, true, {"CUDA_CACHE_DISABLE=1"}, ANY},
	{"CUDA_CACHE_DISABLE", WARN, false, {"CUDA_CACHE_DISABLE=0"}, ANY},

	{"NCCL_SOCKET_IFNAME", FAIL, true, {"NCCL_SOCKET_IFNAME=ib0"}, NET("lo eth0 ")},
	{"NCCL_SOCKET_IFNAME", FAIL, true, {"NCCL_SOCKET_IFNAME==eth"}, NET("lo eth0 ")},
	{"NCCL_SOCKET_IFNAME", FAIL, false, {"NCCL_SOCKET_IFNAME=eth"}, NET("lo eth0 ")},
	{"NCCL_SOCKET_IFNAME", FAIL, false, {"NCCL_SOCKET_IFNAME=ib,eth"}, NET("lo eth0 ")},
	{"NCCL_SOCKET_IFNAME", FAIL, false, {"NCCL_SOCKET_IFNAME=^docker"}, NET("lo eth0 ")},
	{"NCCL_SOCKET_IFNAME", FAIL, false, {"NCCL_SOCKET_IFNAME=ib0"}, ANY},
	{"GLOO_SOCKET_IFNAME", FAIL, true, {"GLOO_SOCKET_IFNAME=eth0,ib0"}, NET("lo eth0 ")},
	{"GLOO_SOCKET_IFNAME", FAIL, true, {"GLOO_SOCKET_IFNAME=eth"}, NET("lo eth0 ")},
	{"GLOO_SOCKET_IFNAME", FAIL, false, {"GLOO_SOCKET_IFNAME=eth0"}, NET("lo eth0 ")},
	{"GLOO_SOCKET_IFNAME", FAIL, false, {"GLOO_SOCKET_IFNAME=ib0"}, ANY},
	{"NCCL_P2P_DISABLE", WARN, true, {"NCCL_P2P_DISABLE=1"}, RANKS(8)},
	{"NCCL_P2P_DISABLE", WARN, false, {"NCCL_P2P_DISABLE=1"}, RANKS(1)},
	{"NCCL_P2P_DISABLE", WARN, false, {"NCCL_P2P_DISABLE=0"}, RANKS(8)},
	{"NCCL_SHM_DISABLE", WARN, true, {"NCCL_SHM_DISABLE=1"}, RANKS(8)},
	{"NCCL_SHM_DISABLE", WARN, false, {"NCCL_SHM_DISABLE=0"}, RANKS(8)},
	{"NCCL_IB_DISABLE", WARN, true, {"NCCL_IB_DISABLE=1"}, HOSTS(2)},
	{"NCCL_IB_DISABLE", WARN, false, {"NCCL_IB_DISABLE=1"}, HOSTS(1)},
	{"NCCL_MNNVL_ENABLE", WARN, true, {"NCCL_MNNVL_ENABLE=1"}, ANY},
	{"NCCL_MNNVL_ENABLE", WARN, false, {"NCCL_MNNVL_ENABLE=0"}, ANY},
	{"NCCL_NVLS_ENABLE", NOTE, true, {"NCCL_NVLS_ENABLE=0"}, ANY},
	{"NCCL_NVLS_ENABLE", NOTE, false, {NULL}, ANY},
	{"NCCL_PROTO", WARN, true, {"NCCL_PROTO=LL,LL128"}, ANY},
	{"NCCL_PROTO", WARN, false, {"NCCL_PROTO=^LL128"}, ANY},
	{"NCCL_PROTO", WARN, false, {"NCCL_PROTO=Simple"}, ANY},
	{"NCCL_PROTO", NOTE, true, {"NCCL_PROTO=Simple"}, ANY},
	{"NCCL_PROTO", NOTE, false, {NULL}, ANY},
	{"NCCL_ALGO", NOTE, true, {"NCCL_ALGO=Ring"}, ANY},
	{"NCCL_ALGO", NOTE, false, {NULL}, ANY},
	{"NCCL_DEBUG_FILE", WARN, true, {"NCCL_DEBUG_FILE=/tmp/nccl.%h"}, RANKS(8)},
	{"NCCL_DEBUG_FILE", WARN, false, {"NCCL_DEBUG_FILE=/tmp/nccl.%h.%p"}, RANKS(8)},
	{"NCCL_DEBUG", NOTE, true, {"NCCL_DEBUG=INFO"}, ANY},
	{"NCCL_DEBUG", NOTE, false, {"NCCL_DEBUG=WARN"}, ANY},
	{"NCCL_CUMEM_ENABLE", NOTE, true, {"NCCL_CUMEM_ENABLE=0"}, ANY},
	{"NCCL_CUMEM_ENABLE", NOTE, false, {"NCCL_CUMEM_ENABLE=1"}, ANY},
	{"NCCL_RUNTIME_CONNECT", NOTE, true, {"NCCL_RUNTIME_CONNECT=0"}, ANY},
	{"NCCL_RUNTIME_CONNECT", NOTE, false, {NULL}, ANY},
	{"NCCL_RAS_ENABLE", WARN, true, {"NCCL_RAS_ENABLE=0"}, ANY},
	{"NCCL_RAS_ENABLE", WARN, false, {"NCCL_RAS_ENABLE=1"}, ANY},
	{"NCCL_NVTX_DISABLE", WARN, true, {"NCCL_NVTX_DISABLE=1"}, ANY},
	{"NCCL_NVTX_DISABLE", WARN, false, {NULL}, ANY},
	{"NCCL_TIMEOUT", WARN, true, {"NCCL_TIMEOUT=1800"}, ANY},
	{"NCCL_TIMEOUT", WARN, false, {NULL}, ANY},

	{"TORCH_DISTRIBUTED_DEBUG", WARN, true, {"TORCH_DISTRIBUTED_DEBUG=DETAIL"}, ANY},
	{"TORCH_DISTRIBUTED_DEBUG", WARN, false, {"TORCH_DISTRIBUTED_DEBUG=INFO"}, ANY},
	{"TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC", WARN, true,
		{"TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC=60"}, ANY},
	{"TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC", WARN, true,
		{"TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC=480"}, COMPILE(900)},
	{"TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC", WARN, false,
		{"TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC=60"}, COMPILE(14)},
	{"TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC", WARN, false,
		{"TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC=480"}, ANY},
	{"TORCH_NCCL_ENABLE_MONITORING", WARN, true, {"TORCH_NCCL_ENABLE_MONITORING=0"}, ANY},
	{"TORCH_NCCL_ENABLE_MONITORING", WARN, false, {NULL}, ANY},
	{"TORCH_NCCL_ASYNC_ERROR_HANDLING", WARN, true, {"TORCH_NCCL_ASYNC_ERROR_HANDLING=0"}, ANY},
	{"TORCH_NCCL_ASYNC_ERROR_HANDLING", WARN, true, {"TORCH_NCCL_ASYNC_ERROR_HANDLING=1"}, ANY},
	{"TORCH_NCCL_ASYNC_ERROR_HANDLING", WARN, false,
		{"TORCH_NCCL_ASYNC_ERROR_HANDLING=3"}, ANY},
	{"TORCH_NCCL_BLOCKING_WAIT", WARN, true, {"TORCH_NCCL_BLOCKING_WAIT=1"}, ANY},
	{"TORCH_NCCL_BLOCKING_WAIT", WARN, false, {"TORCH_NCCL_BLOCKING_WAIT=0"}, ANY},
	{"TORCH_NCCL_HIGH_PRIORITY", NOTE, true, {"TORCH_NCCL_HIGH_PRIORITY=1"}, ANY},
	{"TORCH_NCCL_HIGH_PRIORITY", NOTE, false, {NULL}, ANY},
	{"NCCL_ASYNC_ERROR_HANDLING", WARN, true, {"NCCL_ASYNC_ERROR_HANDLING=1"}, ANY},
	{"NCCL_ASYNC_ERROR_HANDLING", WARN, false, {NULL}, ANY},
	{"NCCL_BLOCKING_WAIT", WARN, true, {"NCCL_BLOCKING_WAIT=1"}, ANY},
	{"NCCL_BLOCKING_WAIT", WARN, false, {NULL}, ANY},
	{"NCCL_DESYNC_DEBUG", WARN, true, {"NCCL_DESYNC_DEBUG=1"}, ANY},
	{"NCCL_DESYNC_DEBUG", WARN, false, {NULL}, ANY},
	{"TORCH_NCCL_TRACE_BUFFER_SIZE", WARN, true, {"TORCH_NCCL_TRACE_BUFFER_SIZE=0"}, ANY},
	{"TORCH_NCCL_TRACE_BUFFER_SIZE", WARN, true, {NULL}, TORCH(206)},
	{"TORCH_NCCL_TRACE_BUFFER_SIZE", WARN, false, {NULL}, TORCH(207)},
	{"TORCH_NCCL_TRACE_BUFFER_SIZE", WARN, false, {NULL}, ANY},
	{"TORCH_NCCL_TRACE_BUFFER_SIZE", WARN, false, {"TORCH_NCCL_TRACE_BUFFER_SIZE=2000"},
		TORCH(206)},
	{"TORCH_FR_BUFFER_SIZE", WARN, true, {"TORCH_FR_BUFFER_SIZE=0"}, ANY},
	{"TORCH_FR_BUFFER_SIZE", WARN, false, {"TORCH_FR_BUFFER_SIZE=20000"}, ANY},
	{"TORCH_NCCL_DUMP_ON_TIMEOUT", WARN, true, {"TORCH_NCCL_DUMP_ON_TIMEOUT=0"}, ANY},
	{"TORCH_NCCL_DUMP_ON_TIMEOUT", WARN, false, {"TORCH_NCCL_DUMP_ON_TIMEOUT=1"}, ANY},
	{"TORCH_FR_DUMP_ON_TIMEOUT", WARN, true, {"TORCH_FR_DUMP_ON_TIMEOUT=false"}, ANY},
	{"TORCH_FR_DUMP_ON_TIMEOUT", WARN, false, {NULL}, ANY},
	{"PYTORCH_CUDA_ALLOC_CONF", WARN, true,
		{"PYTORCH_CUDA_ALLOC_CONF=a:1", "PYTORCH_ALLOC_CONF=b:1"}, ANY},
	{"PYTORCH_CUDA_ALLOC_CONF", WARN, false,
		{"PYTORCH_CUDA_ALLOC_CONF=a:1", "PYTORCH_ALLOC_CONF=a:1"}, ANY},
	{"PYTORCH_CUDA_ALLOC_CONF", NOTE, true, {"PYTORCH_CUDA_ALLOC_CONF=a:1"}, ANY},
	{"PYTORCH_CUDA_ALLOC_CONF", NOTE, false, {"PYTORCH_ALLOC_CONF=a:1"}, ANY},
	{"PYTORCH_NO_CUDA_MEMORY_CACHING", WARN, true, {"PYTORCH_NO_CUDA_MEMORY_CACHING=1"}, ANY},
	{"PYTORCH_NO_CUDA_MEMORY_CACHING", WARN, false, {NULL}, ANY},
	{"TORCH_COMPILE_DISABLE", NOTE, true, {"TORCH_COMPILE_DISABLE=1"}, ANY},
	{"TORCH_COMPILE_DISABLE", NOTE, false, {"TORCH_COMPILE_DISABLE=0"}, ANY},
	{"TORCHINDUCTOR_FORCE_DISABLE_CACHES", WARN, true,
		{"TORCHINDUCTOR_FORCE_DISABLE_CACHES=1"}, ANY},
	{"TORCHINDUCTOR_FORCE_DISABLE_CACHES", WARN, false, {NULL}, ANY},
	{"TORCHINDUCTOR_FX_GRAPH_CACHE", WARN, true, {"TORCHINDUCTOR_FX_GRAPH_CACHE=0"}, ANY},
	{"TORCHINDUCTOR_FX_GRAPH_CACHE", WARN, false, {"TORCHINDUCTOR_FX_GRAPH_CACHE=1"}, ANY},
	{"TORCHINDUCTOR_MAX_AUTOTUNE", WARN, true, {"TORCHINDUCTOR_MAX_AUTOTUNE=1"}, ANY},
	{"TORCHINDUCTOR_MAX_AUTOTUNE", WARN, false, {NULL}, ANY},
	{"TORCHINDUCTOR_COMPILE_THREADS", WARN, true, {"TORCHINDUCTOR_COMPILE_THREADS=64"},
		CROWD(8, 64)},
	{"TORCHINDUCTOR_COMPILE_THREADS", WARN, false, {"TORCHINDUCTOR_COMPILE_THREADS=32"},
		CROWD(8, 64)},
};

/* The launch of a row, with its variables. */
static struct envrules_launch launch_of(const struct told *told, char **env)
{
	struct envrules_launch launch = told->launch;
	size_t nr = 0;

	while (nr < VARIABLES_MOST && told->variables[nr]) {
		env[nr] = (char *)told->variables[nr];
		nr++;
	}
	env[nr] = NULL;
	launch.env = env;
	return launch;
}

/* Does a rule about that variable, of that grade, speak? All that do are noted. */
static bool speaks(const struct told *told, bool *spoke)
{
	char *env[VARIABLES_MOST + 1];
	struct envrules_launch launch = launch_of(told, env);
	const struct envrule *rule = NULL;
	bool found = false;

	while ((rule = envrules_next(&launch, rule))) {
		for (size_t i = 0; i < envrules_count(); i++)
			if (envrules_at(i) == rule)
				spoke[i] = true;
		found = found || (!strcmp(rule->name, told->name) && rule->grade == told->grade);
	}
	return found;
}

static void a_rule_speaks_where_it_holds_and_is_silent_elsewhere(void **state)
{
	bool *spoke = calloc(envrules_count(), sizeof(bool));

	(void)state;
	for (size_t i = 0; i < NR(all); i++)
		if (speaks(&all[i], spoke) != all[i].speaks)
			fail_msg("row %zu, %s: the rule %s", i, all[i].name,
				all[i].speaks ? "is silent" : "speaks");
	for (size_t i = 0; i < envrules_count(); i++)
		if (!spoke[i])
			fail_msg("no row makes the rule about %s speak: %s",
				envrules_at(i)->name, envrules_at(i)->does);
	free(spoke);
}

/* A plain shell on a machine of which nothing is known: at most notes. */
static void an_ordinary_environment_is_not_warned_of(void **state)
{
	static const char *const env[] = {"HOME=/root", "PATH=/bin", "PYTHONUNBUFFERED=1", NULL};
	struct envrules_launch launch = unknown;

	(void)state;
	launch.env = (char *const *)env;
	assert_null(envrules_next(&launch, NULL));
}

static void each_rule_says_what_follows_and_who_says_so(void **state)
{
	(void)state;
	for (size_t i = 0; i < envrules_count(); i++) {
		const struct envrule *rule = envrules_at(i);

		assert_non_null(rule->does);
		assert_non_null(rule->source);
		assert_true(*rule->does && *rule->source);
		/* What is warned of has a remedy. */
		assert_true(rule->grade == ENVRULE_NOTE || rule->fix);
	}
	assert_true(envrules_count() >= 25);
}

static void a_variable_is_found_by_its_whole_name(void **state)
{
	static const char *const env[] = {"RANKED=7", "RANK=3", "RANK=4", "EMPTY=", NULL};
	struct envrules_launch launch = {.env = (char *const *)env};

	(void)state;
	assert_string_equal(env_value(launch.env, "RANK"), "3");
	assert_string_equal(env_value(launch.env, "EMPTY"), "");
	assert_null(env_value(launch.env, "RAN"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rule_speaks_where_it_holds_and_is_silent_elsewhere),
		cmocka_unit_test(an_ordinary_environment_is_not_warned_of),
		cmocka_unit_test(each_rule_says_what_follows_and_who_says_so),
		cmocka_unit_test(a_variable_is_found_by_its_whole_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
