package page

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"oriel/internal/page/wire"
)

// kept is the server's word on a picture.
func (p *peer) kept() wire.Kept {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), 10*time.Second)
	defer cancel()
	_, frame, err := p.conn.Read(ctx)
	if err != nil {
		p.t.Fatal(err)
	}
	var m wire.Kept
	if err := json.Unmarshal(frame, &m); err != nil || m.T != "kept" {
		p.t.Fatalf("%s, %v", frame, err)
	}
	return m
}

// TestShots: a picture that comes in parts is put together and kept for its
// page; what is none is refused with words, and so are too many.
func TestShots(t *testing.T) {
	s := newSite(t)
	var seen []Shot
	var of []string
	s.hub.options.Keep = func(page Info, shot Shot) (Kept, error) {
		if len(shot.Data) == 0 {
			return Kept{}, errors.New("not a picture")
		}
		seen, of = append(seen, shot), append(of, page.ID)
		return Kept{Seq: 7, Path: "/x.png"}, nil
	}
	p := s.join(s.issue("document"), "")
	data := strings.Repeat("picture ", 5000)
	text := base64.StdEncoding.EncodeToString([]byte(data))
	half := len(text) / 8 * 4
	p.send(fmt.Sprintf("{\"t\":\"shot\",\"id\":1,\"name\":\"a\\u0000b\",\"scale\":0.5,\"parts\":1}\n%s", text[:half]))
	p.send(text[half:])
	if m := p.kept(); m.ID != 1 || m.Seq != 7 || m.Path != "/x.png" || m.Error != "" {
		t.Errorf("%+v", m)
	}
	if len(seen) != 1 || string(seen[0].Data) != data || seen[0].Scale != 0.5 || strings.ContainsRune(seen[0].Name, 0) || of[0] != p.page {
		t.Fatalf("%d pictures of %v", len(seen), of)
	}
	for _, c := range []struct{ frame, want string }{
		{"{\"t\":\"shot\",\"id\":2,\"parts\":0}\n###", "read the picture"},
		{"{\"t\":\"shot\",\"id\":3}", "not a picture"},
	} {
		p.send(c.frame)
		if m := p.kept(); !strings.Contains(m.Error, c.want) || m.Path != "" {
			t.Errorf("%s: %+v", c.frame, m)
		}
	}
	refused := 0
	for i := range 3 * shotBurst {
		p.send(fmt.Sprintf("{\"t\":\"shot\",\"id\":%d}\n%s", 10+i, base64.StdEncoding.EncodeToString([]byte("x"))))
		if p.kept().Error == errManyShots.Error() {
			refused++
		}
	}
	if refused < shotBurst {
		t.Errorf("%d of %d were refused", refused, 3*shotBurst)
	}
}

// TestBlank: the document in which a page with a strict policy draws has no
// policy itself, and nobody else may frame it.
func TestBlank(t *testing.T) {
	s := newSite(t)
	r, err := http.Get(s.server.URL + "/__devtool/blank.html")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if r.StatusCode != 200 || r.Header.Get("Content-Security-Policy") != "" || r.Header.Get("X-Frame-Options") != "SAMEORIGIN" || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") {
		t.Errorf("%d %v", r.StatusCode, r.Header)
	}
	http.DefaultClient.CloseIdleConnections()
}
