package framework

import (
	"strings"
	"testing"

	"oriel/internal/project/manifest"
)

func deps(list string) manifest.Dependencies {
	var out manifest.Dependencies
	for word := range strings.FieldsSeq(list) {
		name, version := word, ""
		if at := strings.LastIndex(word, "="); at > 0 {
			name, version = word[:at], word[at+1:]
		}
		out = append(out, manifest.Dependency{Name: name, Version: version})
	}
	return out
}

func TestIdentify(t *testing.T) {
	for _, c := range []struct {
		lang Language
		deps string
		want string // names, the first with version and port
	}{
		{Node, "react=^19 next=15.1.0", "next 15.1.0 3000"},
		{Node, "react vite=^6.0.0", "vite-react ^6.0.0 5173"},
		{Node, "vue vite", "vite-vue  5173"},
		{Node, "svelte vite", "vite-svelte  5173"},
		{Node, "solid-js vite", "vite-solid  5173"},
		{Node, "preact vite", "vite-preact  5173"},
		{Node, "vite", "vite  5173"},
		{Node, "svelte @sveltejs/kit vite", "sveltekit  5173"},
		{Node, "astro react vite", "astro  4321"},
		{Node, "@remix-run/dev express", "remix  3000"},
		{Node, "@remix-run/dev vite", "remix  5173"},
		{Node, "@react-router/dev vite react", "react-router  5173"},
		{Node, "@angular/core @angular/cli", "angular  4200"},
		{Node, "@nestjs/core express", "nest  3000"},
		{Node, "vite react express storybook", "vite-react  5173, express, storybook"},
		{Node, "express", "express  3000"},
		{Node, "storybook=8", "storybook 8 6006"},
		{Node, "webpack webpack-dev-server", "webpack  8080"},
		{Node, "webpack", ""},
		{Node, "vitest react", ""},
		{Node, "next-auth vite-plugin-x", ""},
		{Node, "next=catalog: react", "next  3000"},
		{Node, "next=workspace:*", "next  3000"},
		{Node, "vite=npm:rolldown-vite@7.1.0", "vite 7.1.0 5173"},
		{Go, "github.com/labstack/echo/v4=v4.1.0", "echo v4.1.0 1323"},
		{Go, "github.com/gofiber/fiber/v3", "fiber  3000"},
		{Go, "github.com/gin-gonic/gin-contrib", ""},
		{Python, "flask django=5.1", "django 5.1 8000, flask"},
		{Python, "streamlit fastapi", "streamlit  8501, fastapi"},
		{Rust, "axum tokio", "axum  3000"},
		{Rust, "leptos axum", "leptos  3000, axum"},
		{Ruby, "rails sinatra", "rails  3000, sinatra"},
		{PHP, "laravel/framework", "laravel  8000"},
		{Deno, "@fresh/core", "fresh  8000"},
	} {
		var got []string
		for i, f := range Identify(c.lang, deps(c.deps)) {
			if i == 0 {
				got = append(got, f.Name+" "+f.Version+" "+itoa(f.Port))
			} else {
				got = append(got, f.Name)
			}
		}
		if g := strings.Join(got, ", "); g != c.want {
			t.Errorf("Identify(%q) = %q, want %q", c.deps, g, c.want)
		}
	}
}

func itoa(n int) string {
	if n == 0 {
		return "0"
	}
	s := ""
	for ; n > 0; n /= 10 {
		s = string(rune('0'+n%10)) + s
	}
	return s
}

func TestCommandPort(t *testing.T) {
	for command, want := range map[string]int{
		"vite --port 4000":                          4000,
		"vite --port=4000 --host":                   4000,
		"next dev -p 4000":                          4000,
		"next dev -p4000":                           4000,
		"PORT=4000 react-scripts start":             4000,
		"cross-env PORT=4000 node .":                4000,
		"set PORT=4000&& node .":                    4000,
		"python manage.py runserver 0.0.0.0:9000":   9000,
		"python manage.py runserver 9000":           9000,
		"python manage.py runserver":                0,
		"python -m http.server 8001":                8001,
		"gunicorn -b :8000 app":                     8000,
		"gunicorn --bind 0.0.0.0:${PORT:-8000} app": 8000,
		"bundle exec puma -p ${PORT:-3000}":         3000,
		"bundle exec puma -p $PORT":                 0,
		"php -S localhost:8080 -t public":           8080,
		"php -S [::1]:8080":                         8080,
		"go run . -addr=:8090":                      8090,
		"go run . -port 8091":                       8091,
		"streamlit run app.py --server.port 8600":   8600,
		"serve -l 5001 dist":                        5001,
		"concurrently \"vite --port 3001\" \"tsc\"": 3001,
		"concurrently 'a --port 3001' 'b -p 3002'":  0,
		"vite --port 3001 && wait --port 3001":      3001,
		"tsc -p tsconfig.json":                      0,
		"docker run -p 8080:80 img":                 0,
		"jest -p 4":                                 0,
		"vite --port 99999":                         0,
		"node --inspect=9229 .":                     0,
		"DB_PORT=5432 node .":                       0,
		"echo 8080":                                 0,
		"--port":                                    0,
		"":                                          0,
	} {
		if got := CommandPort(command); got != want {
			t.Errorf("CommandPort(%q) = %d, want %d", command, got, want)
		}
	}
}

func TestConfigPort(t *testing.T) {
	for source, want := range map[string]int{
		"export default defineConfig({ server: { port: 3333, host: true } })":                        3333,
		"server: {\n  hmr: { port: 24678 },\n  proxy: { '/api': { port: 1111 } },\n  port: 4444,\n}": 4444,
		"server: { hmr: { port: 24678 } }":                                                           0,
		"server: { // port: 1111\n port: 2222 }":                                                     2222,
		"server: { /* port: 1111 */ }":                                                               0,
		"server: { host: 'port: 1111' }":                                                             0,
		"preview: { port: 4173 }":                                                                    0,
		"server: { port: Number(process.env.PORT) || 3000 }":                                         0,
		"devServer: { static: [{ port: 1 }], port: 9100 }":                                           9100,
		"server: { port: 3000 }, x: { server: { port: 3001 } }":                                      0,
		"server: { strictport: 5000, port: 99 }":                                                     0,
		"server: {":                                                                                  0,
		"// server: { port: 4000 }":                                                                  0,
	} {
		if got := ConfigPort([]byte(source)); got != want {
			t.Errorf("ConfigPort(%q) = %d, want %d", source, got, want)
		}
	}
}

func TestGoPort(t *testing.T) {
	for source, want := range map[string]int{
		`http.ListenAndServe(":8081", nil)`:                  8081,
		`r.Run("0.0.0.0:9090")`:                              9090,
		`e.Start(":1"); http.ListenAndServe(addr, nil)`:      0,
		`a.Listen(":3000"); http.ListenAndServe(":3001", h)`: 0,
		`t.Run("case:8080 x", f)`:                            0,
	} {
		if got := GoPort([]byte(source)); got != want {
			t.Errorf("GoPort(%s) = %d, want %d", source, got, want)
		}
	}
}

func FuzzPorts(f *testing.F) {
	for _, s := range []string{"--port=${", "-p", "server: {port: 1", "'", "`\\", "/*", "a:${A:-80}", "http.ListenAndServe(\":8080\""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, port := range []int{CommandPort(s), ConfigPort([]byte(s)), GoPort([]byte(s))} {
			if port < 0 || port > 65535 {
				t.Errorf("port %d from %q", port, s)
			}
		}
	})
}
