// Package address is where a proxy listens and what it fronts: ports that stay
// the same from start to start, and targets as people write them.
package address

import (
	"fmt"
	"hash/fnv"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// Stable ports lie below the range that systems hand out by themselves.
const (
	base = 20000
	span = 12000
	try  = 20
)

// Ports are those to try for a proxy of a project: its own, which is the same
// on every start, then its neighbours, then whatever the system gives (0).
func Ports(root, id string) []int {
	h := fnv.New32a()
	h.Write([]byte(root + "\x00" + id))
	first := int(h.Sum32() % span)
	ports := make([]int, 0, try+1)
	for i := range try {
		ports = append(ports, base+(first+i)%span)
	}
	return append(ports, 0)
}

// Loops says that a proxy on this port would forward to itself.
func Loops(target *url.URL, port int) bool {
	host := target.Hostname()
	ip := net.ParseIP(host)
	return port != 0 && target.Port() == strconv.Itoa(port) && (host == "localhost" || ip != nil && ip.IsLoopback())
}

// Target reads what people write for a target: a URL, host:port, or a port.
func Target(text string) (*url.URL, error) {
	given := text
	if _, err := strconv.Atoi(strings.TrimPrefix(text, ":")); err == nil {
		text = "localhost:" + strings.TrimPrefix(text, ":")
	}
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, fmt.Errorf("target_url: expected an http or https URL such as http://localhost:3000, got %q", given)
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host, User: u.User}, nil
}
