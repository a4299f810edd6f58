// Package page is one live tab: its socket, typed messages, and Exec. A Hub
// keeps the pages of one proxy and serves everything under /__devtool/.
//
// # Who may speak as a page
//
// Every Hub has a Secret that never leaves the process. From it come:
//
//   - a key for each document the agent's tag is put into: random bits and what
//     kind of document it is, with a MAC. The key proves that this proxy issued
//     the document; without one, no socket is opened. It is stateless, so a
//     hundred thousand documents cost no memory. A socket must also come with
//     the proxy's own Host and Origin, which keeps other sites out even if a
//     key leaked; only a sandboxed document, whose Origin is null, has to be
//     believed on its key alone.
//   - a page id, which is public, and a ticket, which goes to the page over its
//     socket: the id and an instance number under a MAC. A page that
//     reconnects (sleep, network, restart of the daemon) shows the ticket and
//     is the same page again; a socket of the same page that still seems alive
//     is closed in its favour.
//
// A document may come out of the browser's cache (a 304, a second tab), so one
// key may turn up again. Whoever shows a known key without its ticket is never
// given that page: it gets an id of its own. That is all a thief of a key can
// get, and what a cached document needs. A ticket that does not verify closes
// the socket. Knowing or guessing a page id is worth nothing.
//
// Keep the Secret (DeriveSecret from one that is stored) and pages survive a
// restart; lose it and their keys no longer verify: they stay away until they
// are reloaded.
//
// Which proxy and page an entry belongs to is written by the Hub, from the
// socket it came over. Everything a page sends is checked, bounded and cleaned;
// what is dropped is counted.
//
// # How code runs
//
// See package script for how code becomes scripts that run it at most once, and
// web/agent/exec.ts for the page's side. An answer is matched to its request on
// the socket that the request went out on, so that no page can answer for
// another.
package page
