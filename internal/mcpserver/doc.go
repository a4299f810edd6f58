// Package mcpserver speaks the Model Context Protocol, on stdio or over
// Streamable HTTP, and hands every tools/call to a tool.Caller. It knows what a
// tool is and nothing of what tools do.
//
// Two dispatches decide who answers what.
//
// The first is by protocol generation. Clients up to revision 2025-11-25 open
// with initialize and then talk within a session; clients of 2026-07-28 open
// with server/discover, or with nothing at all, and carry their version and
// capabilities in the _meta of each request. On stdio one session serves both,
// for the SDK looks at each request by itself. Over HTTP the SDK needs two
// handlers, one that keeps sessions and one that does not, and the request's
// MCP-Protocol-Version header says which of them a request belongs to: the
// newer generation must send it, the older one sends an older value or none.
//
// The second is by method. A middleware answers tools/list and tools/call
// itself and leaves the rest (initialize, server/discover, ping, …) to the SDK.
// The SDK would sort the list by name, page it, spell out annotations that say
// what the protocol assumes anyway, parse every schema at each start, and turn
// an unknown tool into a protocol error that a model never sees. Here the list
// is written once, in the order given, and every failure of a call, an unknown
// tool and a panic included, is a result in the one form of tool.Fail.
//
// On stdio the package reads lines itself rather than through the SDK's
// transport, which ends the session at the first malformed one.
package mcpserver
