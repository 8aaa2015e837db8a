/* SPDX-License-Identifier: Apache-2.0 */
/*
 * embed.c: a program that has Python inside. Built without Python's headers, linked with libpython
 * or not:
 *
 *	embed once TEXT		one interpreter runs the text
 *	embed twice TEXT	it is ended, begun again, and runs it again
 *	embed inner TEXT	a second interpreter beside the first runs it, then the first does
 *	embed thread TEXT	the interpreter is begun in a thread, which runs it
 *	embed load LIBRARY TEXT	libpython is loaded only now, privately
 *
 * It prints each result of PyRun_SimpleString() and exits with 5, so that its ring is kept.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static void *library; /* NULL: linked */

static void *find(const char *name)
{
	return dlsym(library ? library : RTLD_DEFAULT, name);
}

static void call(const char *name)
{
	void (*fn)(void);

	*(void **)&fn = find(name);
	fn();
}

static void run(const char *text)
{
	int (*fn)(const char *);

	*(void **)&fn = find("PyRun_SimpleString");
	printf("ran: %d\n", fn(text));
	fflush(stdout);
}

static void live(const char *text)
{
	call("Py_Initialize");
	run(text);
	call("Py_Finalize");
}

static void inner(const char *text)
{
	void *(*get)(void), *(*begin)(void), *(*swap)(void *), *first, *second;
	void (*end)(void *);

	*(void **)&get = find("PyThreadState_Get");
	*(void **)&begin = find("Py_NewInterpreter");
	*(void **)&swap = find("PyThreadState_Swap");
	*(void **)&end = find("Py_EndInterpreter");
	call("Py_Initialize");
	first = get();
	second = begin();
	run(text);
	end(second);
	swap(first);
	run(text);
	call("Py_Finalize");
}

static void *in_thread(void *text)
{
	live(text);
	return NULL;
}

int main(int argc, char **argv)
{
	char *text = argv[argc - 1];
	pthread_t thread;

	if (argc < 3)
		return 2;
	if (!strcmp(argv[1], "load"))
		library = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
	if (!find("Py_Initialize"))
		return 3;
	if (!strcmp(argv[1], "inner")) {
		inner(text);
	} else if (!strcmp(argv[1], "thread")) {
		pthread_create(&thread, NULL, in_thread, text);
		pthread_join(thread, NULL);
	} else {
		live(text);
		if (!strcmp(argv[1], "twice"))
			live(text);
	}
	return 5;
}
