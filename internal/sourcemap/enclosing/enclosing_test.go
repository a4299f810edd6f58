package enclosing

import (
	"strings"
	"testing"
	"time"
)

// TestFunction: the place is the character after «.
func TestFunction(t *testing.T) {
	for name, tc := range map[string]struct{ source, want string }{
		"function":               {"async function loadUsers() {\n  await «fetch('/u');\n}", "loadUsers"},
		"after the function":     {"function a() { return 1 }\n«fetch('/u')", ""},
		"generator":              {"function* pages() { «yield fetch('/u') }", "pages"},
		"expression":             {"const load = function () { «fetch('/u') }", "load"},
		"named expression":       {"const load = function inner() { «fetch('/u') }", "inner"},
		"arrow":                  {"const loadUsers = async () => {\n  «fetch('/u')\n}", "loadUsers"},
		"arrow, one parameter":   {"export const load = id => {\n  «fetch(id)\n}", "load"},
		"arrow, expression":      {"export const load = (id) => «fetch(`/u/${id}`);", "load"},
		"expression ends":        {"const a = () => b()\nconst c = d()\n«fetch('/u')", ""},
		"expression in a list":   {"const o = { a: () => b(), c: () => «fetch('/u') }", "c"},
		"typed arrow":            {"const load: Loader<User[]> = async (id: string): Promise<User[]> => {\n «fetch(id) }", "load"},
		"typed function":         {"function load<T extends { id: string }>(a: T, { b }: { b: number }): Promise<Map<string, T>> {\n «fetch(a) }", "load"},
		"return type, object":    {"function load(): { a: string } {\n «fetch(a) }", "load"},
		"method":                 {"class UserStore {\n  async load() {\n    «fetch('/u')\n  }\n}", "UserStore.load"},
		"method of a subclass":   {"export default class Users extends Store<User> implements A, B {\n  static async #load(id: number): Promise<void> {\n    «fetch('/u')\n  }\n}", "Users.load"},
		"constructor":            {"class Api {\n  constructor(private http: Http) {\n    «fetch('/u')\n  }\n}", "Api"},
		"field":                  {"class Api {\n  load = async () => {\n    «fetch('/u')\n  }\n}", "Api.load"},
		"field, expression":      {"class Api {\n  load = () => «fetch('/u')\n}", "Api.load"},
		"getter":                 {"class Api { get users() { return «fetch('/u') } }", "Api.users"},
		"class expression":       {"const Api = class { load() { «fetch('/u') } }", "Api.load"},
		"object method":          {"export default {\n  async mounted() {\n    «fetch('/u')\n  }\n}", "mounted"},
		"object property":        {"const api = {\n  load: async (id) => { «fetch('/u') }\n}", "load"},
		"callback in component":  {"export function UserList({ ids }: Props) {\n  useEffect(() => {\n    ids.forEach((id) => {\n      «fetch(`/u/${id}`)\n    })\n  }, [ids])\n}", "UserList"},
		"component, many lines":  {"export function UserList({\n  ids,\n  onPick = () => {},\n}: Props) {\n  useEffect(() => {\n    «fetch('/u')\n  })\n}", "UserList"},
		"inner named":            {"function UserList() {\n  const load = useCallback(async () => {\n    «fetch('/u')\n  }, [])\n}", "load"},
		"memo":                   {"const Row = React.memo(forwardRef(({ id }, ref) => {\n  «fetch('/u')\n}))", "Row"},
		"generic wrapper":        {"const load = useCallback<Loader>(async (id) => {\n «fetch('/u') }, [])", "load"},
		"unknown call":           {"const users = await pool.run(async () => {\n  «fetch('/u')\n})", ""},
		"then":                   {"function load() { return fetch('/a').then((r) => r.json()).then(a => «fetch('/b')) }", "load"},
		"assignment":             {"exports.load = function () { «fetch('/u') }", "load"},
		"prototype":              {"Api.prototype.load = function () { «fetch('/u') }", "load"},
		"control flow":           {"function load() {\n  if (a) {\n    for (const x of y) {\n      while (z) { switch (q) { case 1: { try { «fetch('/u') } catch (e) {} } } }\n    }\n  }\n}", "load"},
		"catch":                  {"function load() { try { a() } catch (e) { «fetch('/u') } finally { } }", "load"},
		"brackets in strings":    {"function load() { const a = '}'; const b = \"}\"; const c = `}${'}'}}`; «fetch('/u') }", "load"},
		"brackets in comments":   {"function load() { // }\n /* } */ «fetch('/u') }", "load"},
		"brackets in regexps":    {"function load() { const a = /[}/]\\}/g.test(b); const d = a / 2; «fetch('/u') }", "load"},
		"apostrophe in JSX":      {"function Users() {\n  return <p title='x'>Don't {a} stop</p>\n}\nfunction Other() {\n  «fetch('/u')\n}", "Other"},
		"JSX around":             {"function Users() {\n  const go = () => {\n    «fetch('/u')\n  }\n  return <a href=\"/x\" onClick={() => { go() }}>it's {n}</a>\n}", "go"},
		"JSX handler":            {"export const Users = () => (\n  <button onClick={() => { «fetch('/u') }}>it's</button>\n)", "Users"},
		"in a template":          {"function load(id) { return get(`/u/${ids.map((i) => { return «x(i) })}`) }", "load"},
		"after a template":       {"function a() { return `${ {b: 1}.b }` }\nfunction load() { «fetch('/u') }", "load"},
		"ternary":                {"function load() { const f = a ? (b) : { c: () => { «fetch('/u') } } }", "c"},
		"vue":                    {"<template>\n  <p>it's {{ n }}</p>\n</template>\n<script setup lang=\"ts\">\nasync function load() {\n  «fetch('/u')\n}\n</script>\n", "load"},
		"page":                   {"<!doctype html>\n<p>don't {</p>\n<script>\n  function boot() { «fetch('/u') }\n</script>", "boot"},
		"svelte, script second":  {"<script context=\"module\">let a = '{'</script>\n<script>\n  const load = async () => { «fetch('/u') }\n</script>\n<p>{a}</p>", "load"},
		"top level":              {"const r = await «fetch('/u')", ""},
		"unicode":                {"function größe() { const s = 'ä'; «fetch('/u') }", "größe"},
		"decorator":              {"@Injectable()\nexport class Api {\n  @Cached({ ttl: 5 })\n  load(@Param() id: string) { «fetch('/u') }\n}", "Api.load"},
		"abstract and overloads": {"abstract class Api {\n  abstract a(): void;\n  b(x: string): void;\n  b(x: any) { «fetch('/u') }\n}", "Api.b"},
		"export default":         {"export default async () => { «fetch('/u') }", "default"},
		"semicolon-free":         {"const a = async () => get('/a')\n\nexport const b = async () => «get('/b')\n", "b"},
		"chain over lines":       {"const a = () =>\n  get('/a')\n    .then((x) => x)\n    .then(() => «get('/b'))\n", "a"},
	} {
		before, after, ok := strings.Cut(tc.source, "«")
		if !ok {
			t.Fatalf("%s: no place", name)
		}
		line := strings.Count(before, "\n") + 1
		column := len(before) - strings.LastIndex(before, "\n")
		if got := Function(before+after, line, column); got != tc.want {
			t.Errorf("%s: %q, want %q\n%s", name, got, tc.want, tc.source)
		}
	}
}

func FuzzFunction(f *testing.F) {
	f.Add("const a = `${b(`${c}`)}` => { /x/ }", 1, 20)
	f.Add("<script>class A extends B<C> { #d(): E { '", 1, 40)
	f.Add(strings.Repeat("`${", 100)+strings.Repeat("((((]", 100), 1, 5000)
	f.Fuzz(func(t *testing.T, text string, line, column int) {
		_ = Function(text, line, column)
	})
}

// TestStaysLinear: texts made to make a careless reader slow.
func TestStaysLinear(t *testing.T) {
	const n = 100_000
	for name, text := range map[string]string{
		"templates": strings.Repeat("`${", n), "brackets": strings.Repeat("(", n) + strings.Repeat("]", n), "quotes": strings.Repeat("'\\", n), "escapes": "'" + strings.Repeat(`\'`, n) + "\n",
		"regexps": strings.Repeat("=/[", n), "newlines": "a => b" + strings.Repeat("\n", n), "types": strings.Repeat(">(){}", n), "arrows": strings.Repeat("=> ", n), "comments": strings.Repeat("/*", n),
	} {
		start := time.Now()
		Function(text+"\n", 3, 1)
		// Milliseconds, on a busy machine with the race detector a second or two; quadratic work takes a minute.
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
}
