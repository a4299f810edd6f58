package engine

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"oriel/internal/journal"
	"oriel/internal/sourcemap"
)

// maxSource bounds a script or map that is fetched to find a source line.
const maxSource = 64 << 20

// Sources leads from places in this proxy's pages to the project's source.
func (w *Workspace) Sources(p *Proxy) *sourcemap.Resolver {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p.sources == nil {
		client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{
			TLSClientConfig: &tls.Config{InsecureSkipVerify: p.Spec.InsecureTLS}, IdleConnTimeout: 10 * time.Second,
		}}
		fetch := func(ctx context.Context, address string) ([]byte, http.Header, error) {
			return p.fetch(ctx, client, address)
		}
		p.sources = sourcemap.New(fetch, w.Root).WithScripts(func() []string { return w.scripts(p) })
	}
	return p.sources
}

// fetch gets a file from the target itself, so that it is neither recorded nor
// changed. Addresses come from the page: only the proxy's own are asked for.
func (p *Proxy) fetch(ctx context.Context, client *http.Client, address string) ([]byte, http.Header, error) {
	rest, ok := strings.CutPrefix(address, p.URL())
	if !ok || !strings.HasPrefix(rest, "/") {
		return nil, nil, fmt.Errorf("fetch %s: not behind proxy %s", address, p.Spec.ID)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(p.Spec.Target, "/")+rest, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("fetch %s: %w", address, err)
	}
	// A dev server may answer a module or a page under one address.
	req.Header.Set("Accept", "*/*")
	req.Header.Set("Sec-Fetch-Dest", "script")
	resp, err := client.Do(req)
	if err != nil {
		return nil, nil, fmt.Errorf("fetch %s: %w", address, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, nil, fmt.Errorf("fetch %s: %s", address, resp.Status)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxSource+1))
	if err == nil && len(body) > maxSource {
		err = errors.New("too large")
	}
	if err != nil {
		return nil, nil, fmt.Errorf("fetch %s: %w", address, err)
	}
	return body, resp.Header, nil
}

// scripts are the addresses of the scripts that pages of a proxy loaded, the
// newest first.
func (w *Workspace) scripts(p *Proxy) []string {
	var list []string
	for _, e := range w.Journal.Select(journal.Query{Kinds: []journal.Kind{journal.KindHTTP}, Proxy: p.Spec.ID, Limit: 2000}).Entries {
		if e.HTTP.Destination == "script" && e.HTTP.Status/100 == 2 {
			if u, err := url.Parse(e.HTTP.URL); err == nil && u.Host == "" {
				list = append(list, p.URL()+e.HTTP.URL)
			}
		}
	}
	return list
}
