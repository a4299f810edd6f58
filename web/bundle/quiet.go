//go:build bundle

package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// quiet are changes to axe-core's own file. Its polyfills ask the browser
// questions that are answered by an exception; in a tab that is driven from
// outside the browser writes down a stack for each, and for each line of that
// parses half a megabyte once more. The answers of browsers that Oriel supports
// are put in instead.
var quiet = []struct{ question, answer string }{
	{"isConstructorModern(isConstructorModern.call) || ", ""},
	{`try {
          Object.defineProperty([], 'length', {
            writable: false
          }).length = 1;
        } catch (error) {
          return error instanceof TypeError;
        }`, "return true;"},
	{`Array.from(iteratorWithReturn, function() {
          throw 2;
        });`, "SAFE_CLOSING = true;"},
}

// quietLoading builds axe-core with the changes, and fails where its file is
// no longer the one they were made for.
var quietLoading = api.Plugin{Name: "quiet", Setup: func(b api.PluginBuild) {
	b.OnLoad(api.OnLoadOptions{Filter: `[/\\]axe-core[/\\]axe\.js$`}, func(at api.OnLoadArgs) (api.OnLoadResult, error) {
		text, err := os.ReadFile(at.Path)
		if err != nil {
			return api.OnLoadResult{}, err
		}
		code := string(text)
		for _, q := range quiet {
			if n := strings.Count(code, q.question); n != 1 {
				return api.OnLoadResult{}, fmt.Errorf("axe-core has %d places like this, want 1:\n%s", n, q.question)
			}
			code = strings.Replace(code, q.question, q.answer, 1)
		}
		return api.OnLoadResult{Contents: &code}, nil
	})
}}
