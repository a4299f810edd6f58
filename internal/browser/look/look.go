// Package look is how a page is shown: size, device, colours, motion, and how
// fast the network and the processor are.
package look

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
)

// Look is how a tab presents itself to pages. The zero value is a desktop of
// 1280 by 800.
type Look struct {
	Device        string  // one of Devices; sets what the fields below leave open
	Width, Height int     // of the viewport in CSS pixels
	Scale         float64 // device pixels per CSS pixel
	Mobile        bool    // honours the viewport meta tag, as phones do
	Touch         bool
	ColorScheme   string  // "light" or "dark"; empty: light
	ReducedMotion bool    // prefers-reduced-motion: reduce
	Throttle      string  // one of Throttles; empty: none
	CPU           float64 // how many times slower the processor is; 0: not
	Private       bool    // the tab is for whoever opened it, and in no list

	agent string // what the browser calls itself
}

// device is a row of the table of devices.
type device struct {
	name          string
	width, height int
	scale         float64
	mobile        bool
	agent         string // %s is the version of Chromium
}

const (
	safari  = "Mozilla/5.0 (%s) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1"
	android = "Mozilla/5.0 (Linux; Android 15; %s) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36"
)

var devices = []device{
	{"desktop", 1280, 800, 1, false, ""},
	{"laptop", 1440, 900, 2, false, ""},
	{"wide", 1920, 1080, 1, false, ""},
	{"iphone", 393, 852, 3, true, fmt.Sprintf(safari, "iPhone; CPU iPhone OS 18_0 like Mac OS X")},
	{"iphone-se", 375, 667, 2, true, fmt.Sprintf(safari, "iPhone; CPU iPhone OS 18_0 like Mac OS X")},
	{"pixel", 412, 915, 2.625, true, fmt.Sprintf(android, "Pixel 9")},
	{"galaxy", 360, 780, 3, true, fmt.Sprintf(android, "SM-S921B")},
	{"ipad", 820, 1180, 2, true, fmt.Sprintf(safari, "iPad; CPU OS 18_0 like Mac OS X")},
}

// Devices are the names that Look.Device takes.
func Devices() []string {
	names := make([]string, len(devices))
	for i, d := range devices {
		names[i] = d.name
	}
	return names
}

// link is a row of the table of networks: latency in ms, kilobits per second.
type link struct {
	name     string
	latency  float64
	down, up float64
	offline  bool
	kind     network.ConnectionType
}

var links = []link{
	{"slow-3g", 2000, 400, 400, false, network.ConnectionTypeCellular3g},
	{"fast-3g", 562, 1440, 675, false, network.ConnectionTypeCellular3g},
	{"4g", 165, 8100, 1350, false, network.ConnectionTypeCellular4g},
	{"offline", 0, 0, 0, true, network.ConnectionTypeNone},
}

// Throttles are the names that Look.Throttle takes.
func Throttles() []string {
	names := make([]string, len(links))
	for i, l := range links {
		names[i] = l.name
	}
	return names
}

// Offline says that the page has no network.
func (l Look) Offline() bool {
	return slices.ContainsFunc(links, func(k link) bool { return k.name == l.Throttle && k.offline })
}

// Bounds of a viewport, in CSS pixels.
const (
	minSide = 50
	maxSide = 10000
)

// Complete checks a look and fills in what it leaves open.
func (l *Look) Complete() error {
	name := strings.ToLower(l.Device)
	if name == "" {
		name = devices[0].name
	}
	i := slices.IndexFunc(devices, func(d device) bool { return d.name == name })
	if i < 0 {
		return fmt.Errorf("unknown device %q (valid: %s)", l.Device, strings.Join(Devices(), ", "))
	}
	d := devices[i]
	if l.Width == 0 && l.Height == 0 {
		l.Width, l.Height = d.width, d.height
	}
	if l.Scale == 0 {
		l.Scale = d.scale
	}
	l.Device, l.agent = d.name, d.agent
	l.Mobile, l.Touch = l.Mobile || d.mobile, l.Touch || d.mobile
	switch {
	case l.Width < minSide || l.Height < minSide || l.Width > maxSide || l.Height > maxSide:
		return fmt.Errorf("viewport %dx%d: each side must be from %d to %d", l.Width, l.Height, minSide, maxSide)
	case l.Scale < 0.1 || l.Scale > 8:
		return fmt.Errorf("scale %g: must be from 0.1 to 8", l.Scale)
	case l.CPU != 0 && (l.CPU < 1 || l.CPU > 100):
		return fmt.Errorf("cpu %g: must be from 1 to 100 times slower", l.CPU)
	case l.ColorScheme != "" && l.ColorScheme != "light" && l.ColorScheme != "dark":
		return fmt.Errorf("unknown colour scheme %q (valid: light, dark)", l.ColorScheme)
	case l.Throttle != "" && !slices.Contains(Throttles(), l.Throttle):
		return fmt.Errorf("unknown throttle %q (valid: %s)", l.Throttle, strings.Join(Throttles(), ", "))
	}
	return nil
}

// Apply makes a page look so. The look must be complete.
func (l Look) Apply(ctx context.Context, page cdp.Session) error {
	scheme, motion := l.ColorScheme, "no-preference"
	if scheme == "" {
		scheme = "light"
	}
	if l.ReducedMotion {
		motion = "reduce"
	}
	steps := []func() error{
		func() error {
			return send(ctx, page, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
				Width: int64(l.Width), Height: int64(l.Height), DeviceScaleFactor: l.Scale, Mobile: l.Mobile,
				ScreenWidth: int64(l.Width), ScreenHeight: int64(l.Height), ScreenOrientation: orientation(l),
			})
		},
		func() error {
			p := emulation.SetTouchEmulationEnabledParams{Enabled: l.Touch}
			if l.Touch {
				p.MaxTouchPoints = 5
			}
			return send(ctx, page, emulation.SetTouchEmulationEnabled, p)
		},
		func() error {
			return send(ctx, page, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
				{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: motion},
			}})
		},
		// Several tabs cannot all have the focus; each page shall think so.
		func() error {
			return send(ctx, page, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
		},
		func() error {
			return send(ctx, page, emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{UserAgent: l.agent})
		},
		func() error {
			return send(ctx, page, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: max(1, l.CPU)})
		},
		func() error { return throttle(ctx, page, l.Throttle) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return fmt.Errorf("set the look of the page: %w", err)
		}
	}
	return nil
}

func orientation(l Look) *emulation.ScreenOrientation {
	switch {
	case !l.Mobile:
		return nil
	case l.Width > l.Height:
		return &emulation.ScreenOrientation{Type: emulation.ScreenOrientationTypeLandscapePrimary, Angle: 90}
	default:
		return &emulation.ScreenOrientation{Type: emulation.ScreenOrientationTypePortraitPrimary}
	}
}

// own are the addresses of what stands beside the page rather than in it: it is
// reached at any speed, and the page offline.
const own = "*://*:*/__devtool/*"

func throttle(ctx context.Context, page cdp.Session, name string) error {
	conditions := []*network.Conditions{}
	state := network.OverrideNetworkStateParams{DownloadThroughput: -1, UploadThroughput: -1}
	if i := slices.IndexFunc(links, func(l link) bool { return l.name == name }); i >= 0 {
		l := links[i]
		const bytes = 1000.0 / 8
		conditions = append(conditions, &network.Conditions{URLPattern: own, DownloadThroughput: -1, UploadThroughput: -1}, &network.Conditions{
			Latency: l.latency, DownloadThroughput: l.down * bytes, UploadThroughput: l.up * bytes, Offline: l.offline, ConnectionType: l.kind,
		})
		state = network.OverrideNetworkStateParams{
			Offline: l.offline, Latency: l.latency, DownloadThroughput: l.down * bytes, UploadThroughput: l.up * bytes, ConnectionType: l.kind,
		}
	}
	if err := send(ctx, page, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
		MatchedNetworkConditions: conditions, EmulateOfflineServiceWorker: new(state.Offline),
	}); err != nil {
		return err
	}
	return send(ctx, page, network.OverrideNetworkState, state)
}

// send is for commands that answer nothing.
func send[P, R any](ctx context.Context, page cdp.Session, command cdp.Command[P, R], params P) error {
	_, err := cdp.Call(ctx, page, command, params)
	return err
}
