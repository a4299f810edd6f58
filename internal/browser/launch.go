package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"

	"oriel/internal/browser/places"
	"oriel/internal/browser/profile"
)

// Options say which browser is started and how.
type Options struct {
	Path     string   // its program; empty: the one Find finds in Env
	Headless bool     // without a window
	Dir      string   // where profiles live
	Env      []string // its environment; nil: that of this process
	Args     []string // further flags, such as --lang=de
	Prefix   string   // of tab ids; empty: "tab-"
}

// ErrNoDisplay says that a window has no place to appear.
var ErrNoDisplay = errors.New("no display for a browser window (DISPLAY and WAYLAND_DISPLAY are empty): open it headless")

// StartError says that the browser was found but did not come up.
type StartError struct {
	Path string
	Err  error
}

func (e *StartError) Error() string {
	text := e.Err.Error()
	hint := ""
	if strings.Contains(text, "sandbox") {
		hint = "; its sandbox does not work on this machine: allow user namespaces, or set " + ArgsEnv + "=--no-sandbox if the pages are trusted"
	}
	const most = 600
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return fmt.Sprintf("start %s: %s%s", e.Path, strings.TrimSpace(text), hint)
}

func (e *StartError) Unwrap() error { return e.Err }

// Variables that choose how a browser is reached.
const (
	ArgsEnv = "ORIEL_CHROME_ARGS" // further flags, separated by spaces
	URLEnv  = "ORIEL_BROWSER_URL" // attach to this CDP endpoint instead of starting one
)

// flags are for a browser that nobody set up: it must not ask, phone home,
// slow down what is in the background, or share anything with the user's own.
var flags = []string{
	"no-first-run", "no-default-browser-check", "no-service-autorun",
	"disable-background-networking", "disable-background-timer-throttling", "disable-backgrounding-occluded-windows",
	"disable-breakpad", "disable-client-side-phishing-detection", "disable-component-extensions-with-background-pages",
	"disable-component-update", "disable-crash-reporter", "disable-default-apps", "disable-dev-shm-usage", "disable-domain-reliability",
	"disable-hang-monitor", "disable-popup-blocking", "disable-prompt-on-repost", "disable-renderer-backgrounding", "disable-search-engine-choice-screen",
	"disable-sync", "force-color-profile=srgb", "metrics-recording-only", "password-store=basic", "use-mock-keychain",
	"disable-features=Translate,MediaRouter,OptimizationHints,AcceptCHFrame,InterestFeedContentSuggestions,CertificateTransparencyComponentUpdater,DialMediaRouteProvider,AutofillServerCommunication",
}

// headlessFlags are for pictures that are the same everywhere, none taken before
// the images on it are decoded.
var headlessFlags = []string{"headless", "hide-scrollbars", "mute-audio", "disable-gpu", "disable-checker-imaging", "enable-unsafe-swiftshader", "disable-extensions", "window-size=1280,800"}

// Launch starts a browser over a pipe: no port is opened, and when this
// process dies, however it dies, the pipe closes and the browser ends. The
// profile is new and goes with the browser. ctx bounds the start alone; Close
// ends the browser.
func Launch(ctx context.Context, o Options) (*Browser, error) {
	path, env := o.Path, lookup(o.Env)
	if path == "" {
		var err error
		if path, err = Find(env); err != nil {
			return nil, err
		}
	}
	if !o.Headless && runtime.GOOS == "linux" && env("DISPLAY") == "" && env("WAYLAND_DISPLAY") == "" {
		return nil, ErrNoDisplay
	}
	home, err := profile.New(o.Dir)
	if err != nil {
		return nil, err
	}
	alloc, stop := chromedp.NewExecAllocator(context.Background(), allocation(o, path, home)...)
	b := newBrowser(o, alloc)
	b.stopped, b.profile, b.place = stop, home, path
	if err := b.start(ctx); err != nil {
		return nil, &StartError{path, err}
	}
	return b, nil
}

func allocation(o Options, path string, home *profile.Profile) []chromedp.ExecAllocatorOption {
	options := []chromedp.ExecAllocatorOption{chromedp.ExecPath(path), chromedp.UserDataDir(home.Dir)}
	all := flags
	if o.Headless {
		all = append(all[:len(all):len(all)], headlessFlags...)
	}
	// A user's own flags come last and win.
	for _, arg := range append(all[:len(all):len(all)], o.Args...) {
		name, value, given := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		switch {
		case name == "":
		case given:
			options = append(options, chromedp.Flag(name, value))
		default:
			options = append(options, chromedp.Flag(name, true))
		}
	}
	if o.Env != nil {
		options = append(options, chromedp.NoInheritEnv, chromedp.Env(o.Env...))
	}
	if home.Temp != "" { // a browser that is killed leaves folders there
		options = append(options, chromedp.Env("TMPDIR="+home.Temp, "TMP="+home.Temp, "TEMP="+home.Temp))
	}
	return options
}

func lookup(env []string) func(string) string {
	if env == nil {
		return os.Getenv
	}
	return func(name string) string {
		for i := len(env) - 1; i >= 0; i-- {
			if key, value, ok := strings.Cut(env[i], "="); ok && key == name {
				return value
			}
		}
		return ""
	}
}

// Attach joins a browser that runs elsewhere, by its CDP endpoint: ws:// or
// wss:// for the socket itself, http:// or https:// for a base that answers
// /json/version. The tabs that are already there are left alone: ours live in
// a browser context of their own, which the browser drops when we go away,
// however we go.
func Attach(ctx context.Context, endpoint string, o Options) (*Browser, error) {
	scheme, _, ok := strings.Cut(endpoint, "://")
	if !ok || (scheme != "ws" && scheme != "wss" && scheme != "http" && scheme != "https") {
		return nil, fmt.Errorf("attach to browser: expected a ws:// or http:// address, got %q", endpoint)
	}
	socket, err := places.Resolve(ctx, endpoint)
	if err != nil {
		return nil, fmt.Errorf("attach to browser at %s: %w", endpoint, err)
	}
	alloc, stop := remote.NewAllocator(context.Background(), socket, remote.NoModifyURL)
	b := newBrowser(o, alloc)
	b.remote, b.place = true, endpoint
	b.stopped = func() {
		stop()
		chromedp.FromContext(alloc).Allocator.Wait()
	}
	if err := b.start(ctx); err != nil {
		return nil, fmt.Errorf("attach to browser at %s: %w", endpoint, err)
	}
	return b, nil
}

// startPatience is how long a browser may take to answer for the first time.
const startPatience = 30 * time.Second

// start brings the connection up and prepares the browser. When it fails,
// nothing is left.
func (b *Browser) start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	// chromedp binds the browser to the context of the first call, which must
	// therefore be the root; the caller's context cancels it from the side.
	up := context.AfterFunc(ctx, b.kill)
	err := b.prepare()
	if !up() && err != nil {
		err = fmt.Errorf("%w (%w)", context.Cause(ctx), err)
	}
	b.work.Go(b.watch)
	if err != nil {
		b.closing.Store(true)
		b.kill()
		<-b.done
		b.work.Wait()
	}
	return err
}

func (b *Browser) prepare() error {
	if _, err := chromedp.CallBrowser(b.root, cdpbrowser.GetVersion, cdp.Empty{}); err != nil {
		return err
	}
	b.chrome = chromedp.FromContext(b.root).Browser
	if b.remote {
		own, err := chromedp.CallBrowser(b.root, target.CreateBrowserContext, target.CreateBrowserContextParams{DisposeOnDetach: new(true)})
		if err != nil {
			return fmt.Errorf("make a context of our own: %w", err)
		}
		b.context = own.BrowserContextID
	}
	b.follow()
	if _, err := chromedp.CallBrowser(b.root, target.SetDiscoverTargets, target.SetDiscoverTargetsParams{Discover: true}); err != nil {
		return err
	}
	// Not every endpoint can, and nothing else depends on it.
	_, _ = chromedp.CallBrowser(b.root, cdpbrowser.SetDownloadBehavior, cdpbrowser.SetDownloadBehaviorParams{
		Behavior: cdpbrowser.SetDownloadBehaviorBehaviorDeny, BrowserContextID: b.context, EventsEnabled: new(true),
	})
	return nil
}

// Sweep removes the profiles under dir that dead processes left, and returns
// how many there were.
func Sweep(ctx context.Context, dir string) (int, error) { return profile.Sweep(ctx, dir) }
