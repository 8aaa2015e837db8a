// SPDX-License-Identifier: Apache-2.0

// The deeds of bare.py in Go.
package main

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
)

func number(word string) int {
	n, err := strconv.Atoi(word)
	if err != nil {
		os.Exit(99)
	}
	return n
}

func main() {
	for i := 1; i < len(os.Args); i++ {
		switch os.Args[i] {
		case "here":
			fmt.Println(os.Getpid())
		case "wait":
			os.NewFile(5, "leash").Read(make([]byte, 1))
		case "say":
			fmt.Print("out\n\x01\n")
			fmt.Fprintln(os.Stderr, "err")
		case "exit":
			os.Exit(number(os.Args[i+1]))
		case "die":
			syscall.Kill(os.Getpid(), syscall.Signal(number(os.Args[i+1])))
			select {}
		}
	}
}
