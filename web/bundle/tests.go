//go:build bundle

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// runTests bundles every test file into a folder of its own that is removed
// afterwards, and hands them to node's test runner. The tests run with web/ as
// their working directory. No test file at all is an error: a green run that
// ran nothing would be a lie.
func runTests(root string, filters []string) error {
	entries, err := testFiles(root, filters)
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		return errors.New("no test files match")
	}
	out, err := os.MkdirTemp("", "oriel-web-tests-")
	if err != nil {
		return fmt.Errorf("make test folder: %w", err)
	}
	defer os.RemoveAll(out)
	result := api.Build(api.BuildOptions{
		AbsWorkingDir: root,
		EntryPoints:   entries,
		Outdir:        out,
		Outbase:       root,
		OutExtension:  map[string]string{".js": ".mjs"},
		Bundle:        true,
		Write:         true,
		Format:        api.FormatESModule,
		Platform:      api.PlatformNode,
		Target:        api.ES2020,
		Sourcemap:     api.SourceMapInline,
		LogLevel:      api.LogLevelSilent,
	})
	if err := failure("tests", result.Errors); err != nil {
		return err
	}
	args := []string{"--enable-source-maps", "--test"}
	for _, file := range result.OutputFiles {
		args = append(args, file.Path)
	}
	node := exec.Command("node", args...)
	node.Dir = root
	node.Stdout, node.Stderr = os.Stdout, os.Stderr
	if err := node.Run(); err != nil {
		return fmt.Errorf("run node tests: %w", err)
	}
	return nil
}

func testFiles(root string, filters []string) ([]string, error) {
	var entries []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == "dist") {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".test.ts") && matches(path, filters) {
			entries = append(entries, path)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find test files: %w", err)
	}
	return entries, nil
}

func matches(path string, filters []string) bool {
	for _, f := range filters {
		if strings.Contains(filepath.ToSlash(path), f) {
			return true
		}
	}
	return len(filters) == 0
}
