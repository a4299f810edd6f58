package mcpserver

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"
)

// Stdio serves one client on a pair of streams until in or ctx ends; both are
// a regular end and give nil. Calls read before in ended are answered if that
// takes no longer than a second; then, as at once when ctx ends, those that
// still run are cancelled and waited for.
//
// Nothing but protocol is written to out. A read of in that is under way when
// ctx ends is interrupted where the operating system can; a blocking standard
// input cannot be, and that read is left to end with the process.
func Stdio(ctx context.Context, o Options, in io.Reader, out io.Writer) error {
	s, err := newServer(ctx, o)
	if err != nil {
		return err
	}
	defer s.close()
	c := newConn(in, out)
	session, err := s.sdk.Connect(ctx, c, nil)
	if err != nil {
		return fmt.Errorf("start MCP session: %w", err)
	}
	defer context.AfterFunc(ctx, c.stop)()

	<-c.ended
	s.end()
	if !within(grace, func() { _ = session.Wait() }) { // conn keeps the error that counts
		return fmt.Errorf("end MCP session: a call or the client's end of the stream did not stop within %v", grace)
	}
	if interrupt(in) {
		<-c.pumped
	}
	return c.failure()
}

// interrupt makes a read that is under way return, and reports whether it will.
func interrupt(in io.Reader) bool {
	if d, ok := in.(interface{ SetReadDeadline(time.Time) error }); ok && d.SetReadDeadline(time.Unix(1, 0)) == nil {
		return true
	}
	if _, ok := in.(*os.File); ok {
		return false
	}
	c, ok := in.(io.Closer)
	return ok && c.Close() == nil
}
