package proxy

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
)

func TestRedirectsAndCookies(t *testing.T) {
	r := serve(t, func(w http.ResponseWriter, r *http.Request) {
		own := "http://" + r.Host
		w.Header().Set("Location", map[string]string{
			"/own": own + "/a?b=" + own, "/relative": "/a", "/other": "http://other.example/", "/scheme": "//" + r.Host + "/c", "/https": "https://" + r.Host + "/",
		}[r.URL.Path])
		w.Header().Set("Content-Location", own+"/cl")
		w.Header().Set("Refresh", "3; url="+own+"/r")
		w.Header().Add("Set-Cookie", "a=1; Domain=127.0.0.1; Path=/")
		w.Header().Add("Set-Cookie", "b=2; SameSite=Strict; HttpOnly")
		w.WriteHeader(302)
	})
	port := fmt.Sprint(r.Port())
	for _, host := range []string{"localhost:" + port, "127.0.0.1:" + port, "app.localhost:" + port} {
		for path, want := range map[string]string{
			"/own": "http://" + host + "/a?b=" + r.target, "/relative": "/a", "/other": "http://other.example/",
			"/scheme": "http://" + host + "/c", "/https": "https://" + r.host + "/",
		} {
			got := r.get(t, path, "Host", host)
			if got.StatusCode != 302 || got.Header.Get("Location") != want {
				t.Errorf("%s %s: %s, want %s", host, path, got.Header.Get("Location"), want)
			}
			if cl, rf := got.Header.Get("Content-Location"), got.Header.Get("Refresh"); cl != "http://"+host+"/cl" || rf != "3; url=http://"+host+"/r" {
				t.Errorf("%s: %s, %s", host, cl, rf)
			}
			first := "a=1; Path=/"
			if host == "127.0.0.1:"+port {
				first = "a=1; Domain=127.0.0.1; Path=/" // the same name: nothing to translate
			}
			if c := got.Header["Set-Cookie"]; len(c) != 2 || c[0] != first || c[1] != "b=2; SameSite=Strict; HttpOnly" {
				t.Errorf("%s: cookies %q", host, c)
			}
		}
	}
	if e := r.log.http(t, "/own"); e.ResponseHead.Get("Location") != r.target+"/a?b="+r.target {
		t.Errorf("the record has %s: not what the target said", e.ResponseHead.Get("Location"))
	}
}

func TestPublicURL(t *testing.T) {
	r := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "http://"+r.Host+"/a")
		w.Header().Set("X-Origin", "saw "+r.Header.Get("Origin"))
		w.WriteHeader(302)
	}, func(c *Config) { c.PublicURL = &url.URL{Scheme: "https", Host: "dev.example"} })
	if r.URL() != "https://dev.example" {
		t.Errorf("URL %s", r.URL())
	}
	base := "http://" + r.listener.Addr().String()
	req, _ := http.NewRequest("GET", base+"/", nil)
	req.Host = "dev.example"
	req.Header.Set("Origin", "https://dev.example")
	c := plain()
	defer c.CloseIdleConnections()
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if l, o := resp.Header.Get("Location"), resp.Header.Get("X-Origin"); l != "https://dev.example/a" || o != "saw "+r.target {
		t.Errorf("location %s, origin %s", l, o)
	}
}

// Headers that lead scripts, or say back what the target was sent, name the
// proxy; what the target allows to other origins stays.
func TestOtherHeadersThatNameTheTarget(t *testing.T) {
	r := serve(t, func(w http.ResponseWriter, r *http.Request) {
		own := "http://" + r.Host
		for name, v := range map[string]string{
			"Hx-Redirect": own + "/a", "X-Inertia-Location": own, "Hx-Location": `{"path":"` + own + `/b"}`,
			"Link": "<" + own + "/c>; rel=preload, <http://other.example/d>; rel=next", "Reporting-Endpoints": `e="` + own + `/r"`,
			"X-Words": "not " + own + "/e", "X-Longer": own + "1/f", "X-User": "http://a@" + r.Host + "/",
			"Access-Control-Allow-Origin": own, "Timing-Allow-Origin": own,
		} {
			w.Header().Set(name, v)
		}
		w.Header().Set("X-Referer", r.Header.Get("Referer"))
	})
	got := r.get(t, "/h", "Referer", r.URL()+"/page")
	for name, want := range map[string]string{
		"Hx-Redirect": r.URL() + "/a", "X-Inertia-Location": r.URL(), "Hx-Location": `{"path":"` + r.URL() + `/b"}`,
		"Link": "<" + r.URL() + "/c>; rel=preload, <http://other.example/d>; rel=next", "Reporting-Endpoints": `e="` + r.URL() + `/r"`,
		"X-Words": "not " + r.target + "/e", "X-Longer": r.target + "1/f", "X-User": "http://a@" + r.host + "/",
		"Access-Control-Allow-Origin": r.target, "Timing-Allow-Origin": r.target, "X-Referer": r.URL() + "/page",
	} {
		if v := got.Header.Get(name); v != want {
			t.Errorf("%s: %s, want %s", name, v, want)
		}
	}
	if e := r.log.http(t, "/h"); e.ResponseHead.Get("Hx-Redirect") != r.target+"/a" {
		t.Errorf("the record has %s: not what the target said", e.ResponseHead.Get("Hx-Redirect"))
	}
}
