package devurl_test

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"oriel/internal/process/devurl"
	"oriel/internal/process/ring"
)

var rankNames = map[devurl.Rank]string{
	devurl.Mentioned: "mentioned", devurl.Listening: "listening", devurl.Announced: "announced", devurl.Local: "local",
}

func show(found []devurl.Found) string {
	var out []string
	for _, f := range found {
		out = append(out, f.URL+" "+rankNames[f.Rank])
	}
	return strings.Join(out, ", ")
}

// Lines as the tools print them, without colours.
var banners = []struct{ line, want string }{
	// Vite and what is built on it: SvelteKit, Solid, React Router, Angular since 17, VitePress
	{"  ➜  Local:   http://localhost:5173/", "http://localhost:5173/ local"},
	{"  ➜  Local:   http://localhost:5173/shop/", "http://localhost:5173/shop/ local"},
	{"  ➜  Local:   https://localhost:5173/", "https://localhost:5173/ local"},
	{"  > Local: http://localhost:3000/", "http://localhost:3000/ local"},
	{"  - Local:        http://localhost:3000", "http://localhost:3000 local"},
	{"   - Local:         http://localhost:3001", "http://localhost:3001 local"},
	{"- ready started server on 0.0.0.0:3000, url: http://localhost:3000", "http://localhost:3000 announced"},
	{"┃ Local    http://localhost:4321/", "http://localhost:4321/ local"},
	{"  🚀  astro  v3.0.0 started in 61ms", ""},
	{"Local:    http://localhost:3000/ ", "http://localhost:3000/ local"},
	{"  > Local:    http://localhost:3000/ ", "http://localhost:3000/ local"},
	{"** Angular Live Development Server is listening on localhost:4200, open your browser on http://localhost:4200/ **", "http://localhost:4200/ announced"},
	{"│   Local:            http://localhost:6006/                  │", "http://localhost:6006/ local"},
	{"│   - Local:    http://localhost:3000     │", "http://localhost:3000 local"},
	{"║ Local:  http://localhost:8080/ ║", "http://localhost:8080/ local"},
	{"|   Local:  http://localhost:8080/|", "http://localhost:8080/ local"},
	{"  Local:            http://localhost:3000", "http://localhost:3000 local"},
	{"  On Your Network:  http://192.168.1.5:3000", ""},
	{"App running at: - Local: http://localhost:8080/ - Network: http://192.168.0.12:8080/", "http://localhost:8080/ local"},
	{"<i> [webpack-dev-server] Loopback: http://localhost:8080/, http://[::1]:8080/", "http://localhost:8080/ announced, http://[::1]:8080/ announced"},
	{"ℹ ｢wds｣: Project is running at http://localhost:8080/", "http://localhost:8080/ announced"},
	{"Server running at http://localhost:1234", "http://localhost:1234 announced"},
	{" INFO  Accepting connections at http://localhost:3000", "http://localhost:3000 announced"},
	{"[11ty] Server at http://localhost:8080/", "http://localhost:8080/ announced"},
	{"[SUCCESS] Docusaurus website is running at: http://localhost:3000/", "http://localhost:3000/ announced"},
	{"⠀  http://localhost:8000/", "http://localhost:8000/ announced"},
	{"  http://127.0.0.1:8080", "http://127.0.0.1:8080 announced"},
	{"Build successful (2511ms) – Serving on http://localhost:4200/", "http://localhost:4200/ announced"},
	{"[wrangler:info] Ready on http://localhost:8787", "http://localhost:8787 announced"},
	{"Started development server: http://localhost:3000", "http://localhost:3000 announced"},
	{`Serving "/home/me/site" at http://127.0.0.1:8080`, "http://127.0.0.1:8080 announced"},
	{"Web is waiting on http://localhost:8081", "http://localhost:8081 announced"},
	{"{\"level\":30,\"time\":1763200000000,\"msg\":\"Server listening at http://127.0.0.1:3000\"}", "http://127.0.0.1:3000 announced"},
	{"🚀  Server ready at: http://localhost:4000/", "http://localhost:4000/ announced"},
	// Python
	{"Starting development server at http://127.0.0.1:8000/", "http://127.0.0.1:8000/ announced"},
	{" * Running on http://127.0.0.1:5000", "http://127.0.0.1:5000 announced"},
	{" * Running on http://127.0.0.1:5000/ (Press CTRL+C to quit)", "http://127.0.0.1:5000/ announced"},
	{" * Running on http://192.168.1.20:5000", ""},
	{" * Running on all addresses (0.0.0.0)", ""},
	{"INFO:     Uvicorn running on http://127.0.0.1:8000 (Press CTRL+C to quit)", "http://127.0.0.1:8000 announced"},
	{"INFO:     Uvicorn running on http://0.0.0.0:8000 (Press CTRL+C to quit)", "http://localhost:8000 announced"},
	{"   server   Server started at http://127.0.0.1:8000", "http://127.0.0.1:8000 announced"},
	{"   server   Documentation at http://127.0.0.1:8000/docs", "http://127.0.0.1:8000/docs mentioned"},
	{"[2026-11-15 15:00:00 +0000] [4242] [INFO] Listening at: http://127.0.0.1:8000 (4242)", "http://127.0.0.1:8000 announced"},
	{"Serving HTTP on 0.0.0.0 port 8000 (http://0.0.0.0:8000/) ...", "http://localhost:8000/ announced"},
	{"Serving HTTP on :: port 8000 (http://[::]:8000/) ...", "http://localhost:8000/ announced"},
	{"  You can now view your Streamlit app in your browser.", ""},
	{"  Local URL: http://localhost:8501", "http://localhost:8501 local"},
	{"  Network URL: http://192.168.1.20:8501", ""},
	{"    http://localhost:8888/lab?token=0123abcd", "http://localhost:8888/lab?token=0123abcd announced"},
	// Ruby, PHP, Elixir, Java, .NET, Rust
	{"* Listening on http://127.0.0.1:3000", "http://127.0.0.1:3000 announced"},
	{"* Listening on http://[::1]:3000", "http://[::1]:3000 announced"},
	{"[2026-11-15 22:27:59] INFO  WEBrick::HTTPServer#start: pid=4311 port=8953", "http://localhost:8953 listening"},
	{"[2026-11-15 22:27:59] INFO      http://127.0.0.1:8953", "http://127.0.0.1:8953 announced"},
	{"2026-11-15T15:04:05.123Z info: http://localhost:8000/", "http://localhost:8000/ announced"},
	{"15:04:05 [I] http://localhost:8000/", "http://localhost:8000/ announced"},
	{"* Listening on tcp://0.0.0.0:3000", "http://localhost:3000 announced"},
	{"* Listening on ssl://127.0.0.1:3000?cert=config/cert.pem&key=config/key.pem", "https://127.0.0.1:3000 announced"},
	{"   INFO  Server running on [http://127.0.0.1:8000].  ", "http://127.0.0.1:8000 announced"},
	{"[Sat Nov 14 10:00:00 2026] PHP 8.3.0 Development Server (http://localhost:8000) started", "http://localhost:8000 announced"},
	{"    Server address: http://127.0.0.1:4000/", "http://127.0.0.1:4000/ announced"},
	{"Web Server is available at http://localhost:1313/ (bind address 127.0.0.1) ", "http://localhost:1313/ announced"},
	{"[info] Access ShopWeb.Endpoint at http://localhost:4000", "http://localhost:4000 announced"},
	{"[info] Running ShopWeb.Endpoint with Bandit 1.5.7 at 127.0.0.1:4000 (http)", "http://127.0.0.1:4000 listening"},
	{"Tomcat started on port 8080 (http) with context path '/'", "http://localhost:8080 listening"},
	{"Tomcat started on port(s): 8443 (https) with context path ''", "https://localhost:8443 listening"},
	{"      Now listening on: https://localhost:5001", "https://localhost:5001 announced"},
	{"🚀 Rocket has launched from http://127.0.0.1:8000", "http://127.0.0.1:8000 announced"},
	{`starting service: "actix-web-service-127.0.0.1:8080", workers: 2, listening on: 127.0.0.1:8080`, "http://127.0.0.1:8080 listening"},
	// Go
	{"listening on :8080", "http://localhost:8080 listening"},
	{"2026/11/15 15:04:05 listening on :8080", "http://localhost:8080 listening"},
	{"2026/11/15 15:04:05 Listening on port 8080...", "http://localhost:8080 listening"},
	{"http: listening addr=:8080", "http://localhost:8080 listening"},
	{"[GIN-debug] Listening and serving HTTP on :8080", "http://localhost:8080 listening"},
	{"[GIN-debug] Listening and serving HTTPS on :8443", "https://localhost:8443 listening"},
	{"⇨ http server started on [::]:1323", "http://localhost:1323 listening"},
	{"│               http://127.0.0.1:3000               │", "http://127.0.0.1:3000 announced"},
	{"│       (bound on host 0.0.0.0 and port 3000)       │", "http://localhost:3000 listening"},
	{`time=2026-11-15T15:04:05.000Z level=INFO msg="starting server" addr=:4000`, "http://localhost:4000 listening"},
	{`{"level":"info","ts":1763200000.1,"msg":"listening","addr":":8080"}`, "http://localhost:8080 listening"},
	{`level=INFO msg=listening addr=127.0.0.1:9000`, "http://127.0.0.1:9000 listening"},
	{`msg="server running" url=http://localhost:9000`, "http://localhost:9000 announced"},
	// Node servers in a few words
	{"Example app listening on port 3000", "http://localhost:3000 listening"},
	{"HttpServer started on port 8080", "http://localhost:8080 listening"},
	{"Server is running on port 5000", "http://localhost:5000 listening"},
	{"JSON Server started on PORT :3000", "http://localhost:3000 listening"},
	{"Server started: port=4000", "http://localhost:4000 listening"},
	{"Listening on http://0.0.0.0:8000/ (http://localhost:8000/)", "http://localhost:8000/ announced"},
	{"Listening on http://localhost:8000/, http://127.0.0.1:8000/ and http://[::1]:8000/", "http://localhost:8000/ announced, http://127.0.0.1:8000/ announced, http://[::1]:8000/ announced"},
	{"http://localhost:3000 is ready", "http://localhost:3000 announced"},
	{"Open http://shop.localhost:3000 in your browser!", "http://shop.localhost:3000 announced"},
	{"Visit (http://localhost:3000/a_(b)).", "http://localhost:3000/a_(b) announced"},
	{"HTTP://LOCALHOST:3000/ is ready", "http://localhost:3000/ announced"},
}

// Lines that must not be taken for the server's own address.
var negatives = []struct{ line, want string }{
	{"Port 5173 is in use, trying another one...", ""},
	{"⚠ Port 3000 is in use by process 4711, using available port 3001 instead.", ""},
	{"Something is already running on port 3000.", ""},
	{"15:04:05 WARN http://localhost:8000/", "http://localhost:8000/ mentioned"},
	{"15:04:05 ERROR http://localhost:8000/", "http://localhost:8000/ mentioned"},
	{"15:04:05 info crawled http://localhost:8000/", "http://localhost:8000/ mentioned"},
	{"Error: listen EADDRINUSE: address already in use :::3000", ""},
	{"listen tcp :8080: bind: address already in use", ""},
	{"http://localhost:3000 is already in use", ""},
	{"Error: connect ECONNREFUSED 127.0.0.1:5432", ""},
	{"[vite] http proxy error: /api/users", ""},
	{"Failed to fetch http://localhost:4000/health", ""},
	{"server on port 3000 is not running", ""},
	{"Server stopped, was listening on http://localhost:3000", ""},
	{"  ➜  Network: use --host to expose", ""},
	{"  ➜  Network: http://192.168.1.5:5173/", ""},
	{"  ➜  Network: http://10.0.0.7:5173/", ""},
	{"<i> [webpack-dev-server] On Your Network (IPv6): http://[fd00::2]:8080/", ""},
	{"<i> [webpack-dev-server] On Your Network (IPv6): http://[fe80::1]:8080/", ""},
	{"For help, see: https://nodejs.org/en/docs/inspector", ""},
	{"Debugger listening on ws://127.0.0.1:9229/6a1b", ""},
	{"Learn more: https://nextjs.org/telemetry", ""},
	{"See https://vitejs.dev/config/server-options.html#server-port for port 5173", ""},
	{"npm notice New version available! https://github.com/npm/cli/releases", ""},
	{"https://localhost.example.com:3000/ is ready", ""},
	{"https://mylocalhost:3000/ is ready", ""},
	{"http://127.0.0.1.nip.io:3000/ is ready", ""},
	{"http://user:secret@localhost:3000/ is ready", ""},
	{"listening on :0", ""},
	{"listening on :99999", ""},
	{"http://localhost:99999/ is ready", ""},
	{"GET http://localhost:3000/api/users 200 in 12ms", ""},
	{`127.0.0.1 - - [15/Nov/2026 15:04:05] "GET / HTTP/1.1" 200 -`, ""},
	{"    at http://localhost:5173/src/main.ts:12:3", ""},
	{"    at render (http://localhost:5173/src/main.ts:12:3)", ""},
	{"TypeError: x is undefined http://localhost:5173/src/main.ts:12:3", ""},
	{"15:04:05 [vite] page reload src/main.ts", ""},
	{"started at 15:04", ""},
	{"compiled at 15:04:05, ready in 300 ms", ""},
	{"ready in 1:30", ""},
	{"PostgreSQL listening on 127.0.0.1:5432", ""},
	{"Ready to accept connections tcp redis port=6379", ""},
	{"LiveReload server started on port 35729", ""},
	{"gRPC server listening on :50051", ""},
	{"metrics server listening on :9090", ""},
	{"port 3000", ""},
	{"version 1.2.3:8080", ""},
	{"10.0.0.3:8080 ready", ""},
	{"Redirecting to http://localhost:3000/login", "http://localhost:3000/login mentioned"},
	{"API at http://localhost:4000", "http://localhost:4000 mentioned"},
	{"[api] Server ready at http://localhost:4000", "http://localhost:4000 mentioned"},
	{"[HPM] Proxy created: /api  -> http://localhost:4000", "http://localhost:4000 mentioned"},
	{"  /api → http://localhost:4000", "http://localhost:4000 mentioned"},
	{"Proxying /api to http://localhost:4000", "http://localhost:4000 mentioned"},
	{"VITE_API_URL=http://localhost:4000", "http://localhost:4000 mentioned"},
	{"NEXTAUTH_URL=http://localhost:3000", "http://localhost:3000 mentioned"},
	{"curl http://localhost:3000/health", "http://localhost:3000/health mentioned"},
	{"CORS: origin http://localhost:3000 allowed", "http://localhost:3000 mentioned"},
	{"connecting to http://localhost:9200", "http://localhost:9200 mentioned"},
	{"fetch http://localhost:9200/_search", "http://localhost:9200/_search mentioned"},
	{"       UI: http://localhost:3001", "http://localhost:3001 mentioned"},
	{"GraphiQL: http://localhost:8000/___graphql", "http://localhost:8000/___graphql mentioned"},
	{"Swagger UI available at http://localhost:8000/swagger", "http://localhost:8000/swagger mentioned"},
	{"", ""},
	{":", ""},
	{"http://", ""},
	{"http://[", ""},
	{"http://[::", ""},
	{"listening on http://[]:80", ""},
}

func TestFind(t *testing.T) {
	for _, tt := range append(banners[:len(banners):len(banners)], negatives...) {
		if got := show(devurl.Find(tt.line)); got != tt.want {
			t.Errorf("%q\n got  %q\n want %q", tt.line, got, tt.want)
		}
	}
}

// The bytes real tools wrote, to a terminal and to a pipe, cut anywhere.
func TestRecordings(t *testing.T) {
	want := map[string]string{
		"vite": "http://localhost:5391/", "vite-host": "http://localhost:5392/", "http-server": "http://127.0.0.1:5393",
		"webpack-dev-server": "http://localhost:5394/", "python": "http://localhost:5396/",
		"next": "http://localhost:5398", "serve": "http://localhost:5399", "nuxt": "http://localhost:5400/",
	}
	files, err := filepath.Glob("testdata/*")
	if err != nil || len(files) < 10 {
		t.Fatalf("recordings: %v %v", files, err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range []int{1, 7, len(raw)} {
			r := ring.New(0)
			for p := raw; len(p) > 0; {
				n := min(step, len(p))
				r.Write(ring.Stdout, p[:n], time.Unix(0, 0))
				p = p[n:]
			}
			r.Flush(time.Unix(0, 0))
			var best devurl.Found
			for _, l := range r.Query(ring.Query{}).Lines {
				for _, f := range devurl.Find(l.Text) {
					if best.URL == "" || f.Rank > best.Rank {
						best = f
					}
				}
			}
			name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
			if best.URL != want[name] || !best.Own() {
				t.Errorf("%s by %d bytes: got %+v, want %s", file, step, best, want[name])
			}
		}
	}
}

func TestPort(t *testing.T) {
	for raw, want := range map[string]string{"http://localhost": "80", "https://localhost/": "443", "http://[::1]:3000/": "3000"} {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		if got := devurl.Port(u); got != want {
			t.Errorf("%s: got %s, want %s", raw, got, want)
		}
	}
}

// FuzzFind holds that whatever a child prints, a find is a local http URL.
func FuzzFind(f *testing.F) {
	for _, b := range banners {
		f.Add(b.line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		for _, found := range devurl.Find(line) {
			u, err := url.Parse(found.URL)
			if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
				t.Errorf("%q: %q is no plain URL (%v)", line, found.URL, err)
				continue
			}
			h := u.Hostname()
			if !strings.HasSuffix(h, "localhost") && !strings.HasPrefix(h, "127.") && h != "::1" && !strings.HasSuffix(h, ".me") {
				t.Errorf("%q: %q is not local", line, found.URL)
			}
		}
	})
}

func BenchmarkFind(b *testing.B) {
	line := "asset main.js 179 KiB [emitted] (name: main) at 15:04:05 in node_modules/webpack"
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		devurl.Find(line)
	}
}
