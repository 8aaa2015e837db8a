/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the tree is made of 100,000 stacks in a moment: nearly all of them are the same few. So each
 * stack becomes a path (numbers of frames, outermost first), equal paths are found by their hash,
 * and only different ones are sorted and made nodes of: neighbours share what they have in common.
 *
 * Members come in ascending order, so a node's set is filled by appending, no set is ever sorted.
 * Nodes in a chain have the same set: only where paths end or fork one is collected (`head`).
 */
#include "job/stacktree.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/array.h"
#include "job/stackfacts.h"

/* In paths, behind all frames: why a stack has no outermost frames, or none at all. */
#define PATH_CUT  0x80000000u
#define PATH_NONE 0xc0000000u
#define PATH_KIND 0xc0000000u

/* A path that at least one stack takes. */
struct path {
	size_t from; /* in `steps` */
	uint32_t len;
	uint32_t number; /* in the order of their finding */
	uint64_t hash;
	int node; /* where it ends */
};

struct planting {
	struct stacktree tree; /* first: it is what the caller holds */
	struct arena arena;    /* of all that it points to */
	ARRAY(uint32_t) steps;
	ARRAY(struct path) paths;
	uint32_t *slots; /* 1 + path, 0 free; open addressing */
	size_t nslots;
	ARRAY(const char *) cuts; /* words of PATH_CUT and PATH_NONE, each once */
	ARRAY(uint32_t) stacks;
	ARRAY(int) members;   /* of each stack */
	ARRAY(uint32_t) ways; /* the path of each stack */
	struct stacktree_node *nodes;
	int *heads; /* of each node: the one in its chain whose set is collected */
};

/* -- paths ------------------------------------------------------------------------------------- */

static uint32_t cut_number(struct planting *p, const char *words)
{
	for (size_t i = 0; i < p->cuts.nr; i++)
		if (!strcmp(p->cuts.items[i], words))
			return (uint32_t)i;
	*array_add(&p->cuts) = words;
	return (uint32_t)p->cuts.nr - 1;
}

/*
 * How many frames there are from the innermost one up to where the tree begins. What is further out
 * than the outermost Python frame is how the interpreter came to run, the same in every rank.
 */
static size_t find_beginning(const struct planting *p, const struct job_stack *stack)
{
	const struct job_frame *frames = p->tree.job->frames;
	size_t n = stack->nframes;

	while (n && frames[stack->frames[n - 1]].kind != JOB_FRAME_PYTHON)
		n--;
	return n ? n : stack->nframes;
}

/* Appends the steps of a stack; their number. */
static uint32_t add_steps(
	struct planting *p, const struct job_stack *stack, const struct stacktree_options *options)
{
	const struct job_frame *frames = p->tree.job->frames;
	size_t n = stack->nframes, from = p->steps.nr;

	if (!n)
		*array_add(&p->steps) = PATH_NONE | cut_number(p, stack->cut);
	else if (*stack->cut && !stack->rooted)
		*array_add(&p->steps) = PATH_CUT | cut_number(p, stack->cut);
	else if (!options->plumbing)
		n = find_beginning(p, stack);
	p->tree.hidden += stack->nframes - n;
	for (size_t i = n; i--;) {
		if (frames[stack->frames[i]].plumbing && !options->plumbing)
			p->tree.hidden++;
		else
			*array_add(&p->steps) = stack->frames[i];
	}
	/* What ran has shown only its Python frames: it stands somewhere further in. */
	if (n && *stack->cut && stack->rooted && frames[stack->frames[0]].kind == JOB_FRAME_PYTHON)
		*array_add(&p->steps) = PATH_CUT | cut_number(p, stack->cut);
	return (uint32_t)(p->steps.nr - from);
}

static uint64_t hash_steps(const uint32_t *steps, uint32_t len)
{
	uint64_t hash = len;

	for (uint32_t i = 0; i < len; i++) {
		hash = (hash ^ steps[i]) * 0x9e3779b97f4a7c15ull;
		hash ^= hash >> 32;
	}
	return hash;
}

static uint32_t *find_slot(const struct planting *p, const struct path *path)
{
	size_t at = path->hash & (p->nslots - 1);

	for (; p->slots[at]; at = (at + 1) & (p->nslots - 1)) {
		const struct path *other = &p->paths.items[p->slots[at] - 1];

		if (other->hash == path->hash && other->len == path->len &&
			!memcmp(p->steps.items + other->from, p->steps.items + path->from,
				path->len * sizeof(uint32_t)))
			break;
	}
	return &p->slots[at];
}

static void grow_slots(struct planting *p)
{
	free(p->slots);
	p->nslots = p->nslots ? p->nslots * 2 : 1024;
	p->slots = alloc_zeroed(p->nslots, sizeof(*p->slots));
	for (size_t i = 0; i < p->paths.nr; i++)
		*find_slot(p, &p->paths.items[i]) = (uint32_t)i + 1;
}

/* Notes the stack, with its path; a path that is known already gives its steps back. */
static void add_stack(struct planting *p, size_t i, const struct stacktree_options *options)
{
	const struct job_stack *stack = &p->tree.job->stacks[i];
	struct path path = {.from = p->steps.nr, .node = JOB_NONE};
	uint32_t *slot;

	if (p->paths.nr * 2 >= p->nslots)
		grow_slots(p);
	path.len = add_steps(p, stack, options);
	path.hash = hash_steps(p->steps.items + path.from, path.len);
	slot = find_slot(p, &path);
	if (*slot) {
		p->steps.nr = path.from;
	} else {
		path.number = (uint32_t)p->paths.nr;
		*array_add(&p->paths) = path;
		*slot = (uint32_t)p->paths.nr;
	}
	*array_add(&p->stacks) = (uint32_t)i;
	*array_add(&p->ways) = *slot - 1;
	*array_add(&p->members) =
		stack->rank != JOB_NONE ? stack->rank : (int)p->tree.job->nranks + stack->process;
}

/* Main threads: of ranks' own processes, and of processes of no rank. */
static bool is_wanted(const struct job *job, const struct job_stack *stack)
{
	return stack->main &&
	       (stack->rank == JOB_NONE || job->ranks[stack->rank].process == stack->process);
}

/* -- nodes ------------------------------------------------------------------------------------- */

/* A path with its steps at hand, to sort. */
struct climb {
	const uint32_t *steps;
	struct path *path;
	uint32_t same; /* so many steps are those of the one before it */
};

static int compare_climbs(const void *va, const void *vb)
{
	const struct climb *a = va, *b = vb;
	uint32_t len = a->path->len < b->path->len ? a->path->len : b->path->len;

	for (uint32_t i = 0; i < len; i++)
		if (a->steps[i] != b->steps[i])
			return a->steps[i] < b->steps[i] ? -1 : 1;
	return (a->path->len > b->path->len) - (a->path->len < b->path->len);
}

static int add_node(struct planting *p, int parent, uint32_t step)
{
	int number = (int)p->tree.nnodes++;
	struct stacktree_node *node = &p->nodes[number];

	*node = (struct stacktree_node){
		.parent = parent, .child = JOB_NONE, .next = JOB_NONE, .cut = ""};
	if (parent == JOB_NONE)
		return number;
	node->kind = STACKTREE_FRAME;
	node->frame = step;
	if (step & PATH_CUT) {
		node->kind = (step & PATH_KIND) == PATH_NONE ? STACKTREE_NONE : STACKTREE_CUT;
		node->frame = 0;
		node->cut = p->cuts.items[step & ~PATH_KIND];
	}
	node->next = p->nodes[parent].child;
	p->nodes[parent].child = number;
	return number;
}

/* How far a path begins like the one before it. */
static uint32_t same_steps(const struct climb *at, const struct climb *before)
{
	uint32_t same = 0;

	while (same < before->path->len && same < at->path->len &&
		before->steps[same] == at->steps[same])
		same++;
	return same;
}

/* All paths, sorted, and how many nodes they take. */
static struct climb *sort_paths(struct planting *p, size_t *ret_nodes, size_t *ret_longest)
{
	size_t n = p->paths.nr;
	struct climb *climbs = alloc_zeroed(n + 1, sizeof(*climbs));

	*ret_nodes = 1;
	*ret_longest = 0;
	for (size_t i = 0; i < n; i++) {
		climbs[i].path = &p->paths.items[i];
		climbs[i].steps = p->steps.items + climbs[i].path->from;
	}
	array_sort_items(climbs, n, sizeof(*climbs), compare_climbs);
	for (size_t i = 0; i < n; i++) {
		climbs[i].same = i ? same_steps(&climbs[i], &climbs[i - 1]) : 0;
		*ret_nodes += climbs[i].path->len - climbs[i].same;
		if (climbs[i].path->len > *ret_longest)
			*ret_longest = climbs[i].path->len;
	}
	return climbs;
}

/* Makes the nodes; `trail` are those on the way to the path before, which begins alike. */
static void grow_nodes(struct planting *p)
{
	size_t nodes, longest;
	struct climb *climbs = sort_paths(p, &nodes, &longest);
	int *trail = alloc_zeroed(longest + 1, sizeof(*trail));

	p->nodes = arena_new_many(&p->arena, struct stacktree_node, nodes);
	trail[0] = add_node(p, JOB_NONE, 0);
	for (size_t i = 0; i < p->paths.nr; i++) {
		const struct climb *at = &climbs[i];

		for (uint32_t k = at->same; k < at->path->len; k++)
			trail[k + 1] = add_node(p, trail[k], at->steps[k]);
		at->path->node = trail[at->path->len];
	}
	p->tree.nodes = p->nodes;
	free(trail);
	free(climbs);
}

/* -- sets -------------------------------------------------------------------------------------- */

/* A node that has one child and where no path ends: all who are here are there. */
static bool is_link(const struct planting *p, int node)
{
	const struct stacktree_node *this = &p->nodes[node];

	return this->child != JOB_NONE && p->nodes[this->child].next == JOB_NONE && !this->ends;
}

/* The node that stands for each chain is its innermost: children come behind their parents. */
static void find_heads(struct planting *p)
{
	p->heads = alloc_zeroed(p->tree.nnodes + 1, sizeof(*p->heads));
	for (size_t i = p->tree.nnodes; i--;)
		p->heads[i] = is_link(p, (int)i) ? p->heads[p->nodes[i].child] : (int)i;
}

/* The next head on the way out. */
static int outward(const struct planting *p, int head)
{
	int at = p->nodes[head].parent;

	while (at != JOB_NONE && p->heads[at] == head)
		at = p->nodes[at].parent;
	return at == JOB_NONE ? JOB_NONE : p->heads[at];
}

/* Who passes a head, or who ends in a node. */
struct gathered {
	int *members;
	size_t nr;
	int last;
};

static void gather_one(struct gathered *at, int member, bool keep)
{
	if (at->last == member)
		return;
	at->last = member;
	if (keep)
		at->members[at->nr] = member;
	at->nr++;
}

/*
 * Who passes every head, and behind those who ends in every node: counted in the first turn, kept
 * in the second.
 */
static void walk_stacks(struct planting *p, struct gathered *at, const int *outer, bool keep)
{
	size_t n = p->tree.nnodes;

	for (size_t i = 0; i < 2 * n; i++) {
		at[i].last = JOB_NONE;
		if (keep && at[i].nr)
			at[i].members = arena_new_many(&p->arena, int, at[i].nr);
		at[i].nr = 0;
	}
	for (size_t i = 0; i < p->stacks.nr; i++) {
		int end = p->paths.items[p->ways.items[i]].node;

		gather_one(&at[n + (size_t)end], p->members.items[i], keep);
		for (int node = end; node != JOB_NONE; node = outer[node]) {
			gather_one(&at[node], p->members.items[i], keep);
			p->nodes[node].threads += !keep;
		}
	}
}

static uint64_t hash_set(const struct gathered *set)
{
	uint64_t hash = set->nr;

	for (size_t i = 0; i < set->nr; i++)
		hash = ((hash ^ (uint64_t)set->members[i]) * 0x9e3779b97f4a7c15ull) ^ hash >> 29;
	return hash ^ hash >> 32;
}

/* All sets there are, equal ones once. */
struct naming {
	struct stacktree_set *sets;
	size_t nr;
	uint32_t *slots; /* 1 + number, 0 free; open addressing */
	size_t nslots;
};

static uint32_t name_set(struct naming *naming, const struct gathered *set)
{
	size_t at = hash_set(set) & (naming->nslots - 1);

	for (; naming->slots[at]; at = (at + 1) & (naming->nslots - 1)) {
		const struct stacktree_set *known = &naming->sets[naming->slots[at] - 1];

		if (known->n == set->nr &&
			(!set->nr || !memcmp(known->at, set->members, set->nr * sizeof(int))))
			return naming->slots[at] - 1;
	}
	naming->sets[naming->nr++] = (struct stacktree_set){set->members, set->nr};
	naming->slots[at] = (uint32_t)naming->nr;
	return (uint32_t)naming->nr - 1;
}

static void name_sets(struct planting *p, const struct gathered *at)
{
	size_t n = p->tree.nnodes;
	struct naming naming = {.nslots = 16};

	while (naming.nslots < n * 4)
		naming.nslots *= 2;
	naming.slots = alloc_zeroed(naming.nslots, sizeof(*naming.slots));
	naming.sets = arena_new_many(&p->arena, struct stacktree_set, 2 * n);
	for (size_t i = 0; i < n; i++) {
		if (p->heads[i] == (int)i)
			p->nodes[i].set = name_set(&naming, &at[i]);
		if (p->nodes[i].ends)
			p->nodes[i].end_set = name_set(&naming, &at[n + i]);
	}
	p->tree.sets = naming.sets;
	p->tree.nsets = naming.nr;
	free(naming.slots);
}

static void gather_sets(struct planting *p)
{
	size_t n = p->tree.nnodes;
	struct gathered *at = alloc_zeroed(2 * n, sizeof(*at));
	int *outer = alloc_zeroed(n, sizeof(*outer));

	for (size_t i = 0; i < p->stacks.nr; i++)
		p->nodes[p->paths.items[p->ways.items[i]].node].ends++;
	find_heads(p);
	for (size_t i = 0; i < n; i++)
		outer[i] = p->heads[i] == (int)i ? outward(p, (int)i) : JOB_NONE;
	walk_stacks(p, at, outer, false);
	walk_stacks(p, at, outer, true);
	name_sets(p, at);
	for (size_t i = 0; i < n; i++) {
		p->nodes[i].set = p->nodes[p->heads[i]].set;
		p->nodes[i].threads = p->nodes[p->heads[i]].threads;
	}
	free(outer);
	free(at);
}

/* -- order ------------------------------------------------------------------------------------- */

static int compare_sets(const struct stacktree_set *a, const struct stacktree_set *b)
{
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	for (size_t i = 0; i < a->n; i++)
		if (a->at[i] != b->at[i])
			return a->at[i] < b->at[i] ? -1 : 1;
	return 0;
}

/* The place of a stack of the job in the tree; JOB_NONE it is not in it. */
static int find_end(const struct planting *p, size_t stack)
{
	size_t low = 0, high = p->stacks.nr;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (p->stacks.items[middle] < stack)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == p->stacks.nr || p->stacks.items[low] != stack)
		return JOB_NONE;
	return p->paths.items[p->ways.items[low]].node;
}

/* Marks the way of each thread that a fatal signal names. */
static void mark_dead(struct planting *p)
{
	const struct job *job = p->tree.job;

	for (size_t i = 0; i < job->nsignals; i++) {
		const struct job_signal *signal = &job->signals[i];
		size_t from, to;

		if (!signal->fatal || !signal->tid || signal->rank == JOB_NONE)
			continue;
		stackfacts_of_rank(job, signal->rank, &from, &to);
		while (from < to && (job->stacks[from].tid != signal->tid ||
					    job->stacks[from].process != signal->process))
			from++;
		for (int at = from < to ? find_end(p, from) : JOB_NONE; at != JOB_NONE;
			at = p->nodes[at].parent)
			p->nodes[at].died = true;
	}
}

/* A child of a node, to sort. */
struct branch {
	bool died;
	const struct stacktree_set *set;
	enum stacktree_kind kind;
	int node;
};

static int compare_branches(const void *va, const void *vb)
{
	const struct branch *a = va, *b = vb;
	int order;

	if (a->died != b->died)
		return a->died ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	order = compare_sets(a->set, b->set);
	return order ? order : a->node - b->node;
}

/* Siblings with the odd one out first. */
static void order_branches(struct planting *p)
{
	ARRAY(struct branch) branches = {0};

	for (size_t i = 0; i < p->tree.nnodes; i++) {
		branches.nr = 0;
		for (int at = p->nodes[i].child; at != JOB_NONE; at = p->nodes[at].next)
			*array_add(&branches) = (struct branch){p->nodes[at].died,
				&p->tree.sets[p->nodes[at].set], p->nodes[at].kind, at};
		if (branches.nr < 2)
			continue;
		array_sort(&branches, compare_branches);
		for (size_t k = 0; k < branches.nr; k++)
			p->nodes[branches.items[k].node].next =
				k + 1 < branches.nr ? branches.items[k + 1].node : JOB_NONE;
		p->nodes[i].child = branches.items[0].node;
	}
	array_release(&branches);
}

/* -- classes ----------------------------------------------------------------------------------- */

/* A node in which stacks end, to sort by what it is and who. */
struct leaf {
	const struct stacktree_set *set;
	enum stacktree_kind kind; /* FRAME: whole; CUT; NONE */
	int node;
};

/* What kind of stacks end in a node, by the outermost step of its path. */
static enum stacktree_kind kind_of(const struct planting *p, int node)
{
	int at = node;

	while (p->nodes[at].parent > 0)
		at = p->nodes[at].parent;
	return p->nodes[at].kind == STACKTREE_ROOT ? STACKTREE_FRAME : p->nodes[at].kind;
}

static int compare_leaves(const void *va, const void *vb)
{
	const struct leaf *a = va, *b = vb;
	int order;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	order = a->set == b->set ? 0 : compare_sets(a->set, b->set);
	return order ? order : a->node - b->node;
}

/* All nodes in which stacks end, in the order of classes. */
static struct leaf *sort_leaves(const struct planting *p, size_t *ret_nr)
{
	struct leaf *leaves = alloc_zeroed(p->tree.nnodes, sizeof(*leaves));
	size_t n = 0;

	for (size_t i = 0; i < p->tree.nnodes; i++)
		if (p->nodes[i].ends)
			leaves[n++] = (struct leaf){
				&p->tree.sets[p->nodes[i].end_set], kind_of(p, (int)i), (int)i};
	array_sort_items(leaves, n, sizeof(*leaves), compare_leaves);
	*ret_nr = n;
	return leaves;
}

/* Leaves of one kind and one set are a class. */
static void make_classes(struct planting *p)
{
	size_t nr;
	struct leaf *leaves = sort_leaves(p, &nr);
	struct stacktree_class *classes = arena_new_many(&p->arena, struct stacktree_class, nr + 1);
	int *nodes = arena_new_many(&p->arena, int, nr + 1);
	struct stacktree_class *class = NULL;

	for (size_t i = 0; i < nr; i++) {
		nodes[i] = leaves[i].node;
		if (!class || leaves[i].set != leaves[i - 1].set ||
			leaves[i].kind != leaves[i - 1].kind) {
			class = &classes[p->tree.nclasses++];
			class->set = p->nodes[nodes[i]].end_set;
			class->whole = leaves[i].kind == STACKTREE_FRAME;
			class->none = leaves[i].kind == STACKTREE_NONE;
			class->leaves = &nodes[i];
		}
		class->whole &= p->nodes[nodes[i]].kind != STACKTREE_CUT;
		class->nleaves++;
		class->threads += p->nodes[nodes[i]].ends;
	}
	p->tree.classes = classes;
	free(leaves);
}

/* What the caller needs to find the way from a stack to where it ends. */
static void keep_stacks(struct planting *p)
{
	int *ends = arena_new_many(&p->arena, int, p->stacks.nr + 1);

	for (size_t i = 0; i < p->stacks.nr; i++)
		ends[i] = p->paths.items[p->ways.items[i]].node;
	p->tree.ends = ends;
	p->tree.stacks =
		arena_copy(&p->arena, p->stacks.items, p->stacks.nr * sizeof(*p->stacks.items));
	p->tree.nstacks = p->stacks.nr;
}

struct stacktree *stacktree_new(const struct job *job, const struct stacktree_options *options)
{
	struct planting *p = alloc_zeroed(1, sizeof(*p));

	p->tree.job = job;
	for (size_t i = 0; i < job->nstacks; i++)
		if (options->all || is_wanted(job, &job->stacks[i]))
			add_stack(p, i, options);
	grow_nodes(p);
	gather_sets(p);
	mark_dead(p);
	order_branches(p);
	make_classes(p);
	keep_stacks(p);
	array_release(&p->steps);
	array_release(&p->paths);
	array_release(&p->cuts);
	array_release(&p->stacks);
	array_release(&p->members);
	array_release(&p->ways);
	free(p->slots);
	free(p->heads);
	return &p->tree;
}

size_t stacktree_path(const struct stacktree *tree, int node, uint32_t *ret, size_t room)
{
	size_t n = 0;

	for (int at = node; at != JOB_NONE; at = tree->nodes[at].parent) {
		if (tree->nodes[at].kind != STACKTREE_FRAME)
			continue;
		if (n < room)
			ret[n] = tree->nodes[at].frame;
		n++;
	}
	return n;
}

void stacktree_free(struct stacktree *tree)
{
	struct planting *p = (struct planting *)tree;

	if (!p)
		return;
	arena_release(&p->arena);
	free(p);
}
