package proxy

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"oriel/internal/journal"
	"oriel/internal/proxy/forward"
)

// upgrade carries a request for another protocol, WebSocket nearly always.
// After the handshake the bytes are passed untouched both ways.
func (x *exchange) upgrade() {
	resp, tunnel, err := x.p.client.Upgrade(&x.out)
	if err != nil {
		x.fail(err)
		return
	}
	if tunnel == nil {
		x.answer(resp)
		return
	}
	x.resp, x.body, x.head = resp, http.NoBody, http.Header{}
	for name, values := range resp.Header {
		x.head[name] = values
	}
	x.originResponse()
	client, buffered, err := hijack(x.w)
	if err != nil {
		tunnel.Close()
		x.fail(err)
		return
	}
	if !x.p.enter(client, tunnel) {
		client.Close()
		tunnel.Close()
		return
	}
	defer x.p.leave(client, tunnel)
	x.join(client, buffered, tunnel)
}

// join runs the tunnel and tells of its opening and its end.
func (x *exchange) join(client net.Conn, buffered io.Reader, tunnel *forward.Tunnel) {
	x.p.sockets.Add(1)
	defer x.p.sockets.Add(-1)
	ws := journal.WebSocket{URL: x.p.rules.URL(x.in.RequestURI), Protocol: x.head.Get("Sec-Websocket-Protocol")}
	x.recordSocket(ws)
	err := writeSwitch(client, x.resp, x.head)
	if err == nil {
		ws.Sent, ws.Received, err = tunnel.Join(client, buffered)
	} else {
		client.Close()
		tunnel.Close()
	}
	ws.Closed, ws.Duration = true, time.Since(x.rec.start)
	if err != nil {
		ws.Error = err.Error()
	}
	x.recordSocket(ws)
}

func (x *exchange) recordSocket(ws journal.WebSocket) {
	if x.p.cfg.Record != nil {
		x.p.cfg.Record(journal.Entry{Kind: journal.KindWebSocket, Time: x.rec.start, Proxy: x.p.cfg.ID, WebSocket: &ws})
	}
}

// hijack takes the browser's connection and what was read of it already.
func hijack(w http.ResponseWriter) (net.Conn, io.Reader, error) {
	client, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return nil, nil, errors.Join(errors.New("take over the connection"), err)
	}
	client.SetDeadline(time.Time{})
	return forward.Plain(client), io.LimitReader(rw.Reader, int64(rw.Reader.Buffered())), nil
}

func writeSwitch(client net.Conn, resp *http.Response, h http.Header) error {
	w := bufio.NewWriter(client)
	w.WriteString("HTTP/1.1 " + resp.Status + "\r\n")
	h.Write(w)
	w.WriteString("\r\n")
	return w.Flush()
}
