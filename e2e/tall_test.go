package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	pictures "oriel/internal/gallery"
	"oriel/internal/tool"
)

// TestTallPageIsShownWithinBounds: services refuse a whole conversation for one
// picture with a side over 8,000 pixels, and over 2,000 among many. The file is
// whole, what is sent is within bounds, and the answer says so.
func TestTallPageIsShownWithinBounds(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Write([]byte(`<!doctype html><title>Tall</title><body style="margin:0;height:12000px;background:linear-gradient(red,blue)">`))
	}))
	t.Cleanup(site.Close)
	s, url := eyes(t, site.URL)
	t.Run("driven", func(t *testing.T) {
		s.call("browser", `{"action":"open","proxy_id":"look","viewport":"400x800"}`)
		defer s.caller.Call(context.Background(), tool.Call{Tool: "browser", Args: json.RawMessage(`{"action":"close"}`), From: tool.Origin{Dir: s.root}})
		for _, format := range []string{"png", "jpeg", "webp"} {
			s.shootTall(t, `{"action":"screenshot","full_page":true,"format":"`+format+`"}`, true)
		}
		s.shootTall(t, `{"action":"screenshot"}`, false)
	})
	t.Run("a person's own", func(t *testing.T) {
		tab(t, browser(t), url+"/")
		awaitPage(t, s)
		s.shootTall(t, `{"action":"screenshot","full_page":true}`, true)
	})
}

func (s *session) shootTall(t *testing.T, args string, tall bool) {
	t.Helper()
	res := s.caller.Call(t.Context(), tool.Call{Tool: "currentpage", Args: json.RawMessage(args), From: tool.Origin{Dir: s.root, Env: os.Environ()}})
	if res.IsError || res.Image == nil {
		t.Fatalf("%s: %s", args, res.Text)
	}
	if said := strings.Contains(res.Text, "shown scaled down"); said != tall {
		t.Errorf("%s says %s", args, res.Text)
	}
	if tall && !strings.Contains(res.Text, "×12000 ") {
		t.Errorf("the file is not whole: %s", res.Text)
	}
	_, width, height, err := pictures.Identify(res.Image.Data)
	if err != nil || width > 2000 || height > 2000 || tall && height < 1900 {
		t.Errorf("%s is sent as %d×%d, %v", args, width, height, err)
	}
}
