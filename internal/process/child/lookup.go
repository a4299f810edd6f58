package child

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// resolve finds the program of a Spec the way the child's own shell would: in
// the PATH of its environment and from its directory, never the supervisor's.
func resolve(s Command, env []string) (string, error) {
	path, err := search(s, env)
	if err != nil {
		return "", err
	}
	// Absolute, because the child looks at it from its own directory.
	return filepath.Abs(path)
}

func search(s Command, env []string) (string, error) {
	if s.Dir != "" {
		info, err := os.Stat(s.Dir)
		if err != nil {
			return "", fmt.Errorf("directory %s: %w", s.Dir, reason(err))
		}
		if !info.IsDir() {
			return "", fmt.Errorf("directory %s: not a directory", s.Dir)
		}
	}
	name := s.Argv[0]
	if strings.ContainsRune(name, '/') || runtime.GOOS == "windows" && strings.ContainsRune(name, '\\') {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(s.Dir, path)
		}
		found, err := executable(path, env)
		if err != nil {
			return "", fmt.Errorf("%s: %w", path, reason(err))
		}
		return found, nil
	}
	for _, dir := range filepath.SplitList(getenv(env, "PATH")) {
		if dir == "" {
			dir = "."
		}
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(s.Dir, dir)
		}
		if found, err := executable(filepath.Join(dir, name), env); err == nil {
			return found, nil
		}
	}
	return "", notFound(s, env, name)
}

// notFound words the most common failure so that the next step is clear.
func notFound(s Command, env []string, name string) error {
	local := filepath.Join(s.Dir, "node_modules", ".bin", name)
	if _, err := executable(local, env); err == nil {
		return fmt.Errorf("%s: executable not found in PATH; it is in node_modules/.bin: run it through the package manager (npx %s)", name, name)
	}
	path := getenv(env, "PATH")
	if path == "" {
		return fmt.Errorf("%s: executable not found: PATH is empty in the given environment", name)
	}
	return fmt.Errorf("%s: executable not found in PATH (%s)", name, path)
}

// reason takes the operation and path off an error that is worded by its caller.
func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// getenv returns a variable of an environment; the last setting counts.
func getenv(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		k, v, ok := strings.Cut(env[i], "=")
		if ok && (k == name || runtime.GOOS == "windows" && strings.EqualFold(k, name)) {
			return v
		}
	}
	return ""
}

// quoteArgv writes an argument list as one would type it.
func quoteArgv(argv []string) string {
	out := make([]string, len(argv))
	for i, a := range argv {
		if a == "" || strings.ContainsAny(a, " \t\n\"'\\$`!*?[](){}<>|&;#~") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		out[i] = a
	}
	return strings.Join(out, " ")
}
