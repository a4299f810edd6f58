// Command oriel gives an AI coding assistant eyes: an MCP server that starts a
// project's dev server, fronts it with an instrumenting proxy, and answers what
// the browser really shows.
package main

import (
	"os"

	"oriel/internal/cli"
)

func main() {
	os.Exit(cli.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
