//go:build unix

package process

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// TestMain lets the test binary be its own child: with ORIEL_TEST_CHILD set it
// acts out the role named there instead of running tests.
func TestMain(m *testing.M) {
	if role := os.Getenv("ORIEL_TEST_CHILD"); role != "" {
		name, arg, _ := strings.Cut(role, " ")
		act, ok := roles[name]
		if !ok {
			fmt.Fprintln(os.Stderr, "no such role:", name)
			os.Exit(99)
		}
		act(arg)
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// roles are what a child can be told to do.
var roles = map[string]func(arg string){
	"print":    func(arg string) { fmt.Println(arg) },
	"exit":     func(arg string) { code, _ := strconv.Atoi(arg); os.Exit(code) },
	"sleep":    func(string) { fmt.Println("sleeping"); select {} },
	"stubborn": stubborn,
	"family":   family,
	"serve":    serve,
	"owner":    owner,
	"flood":    flood,
	"leave":    leave,
	"both":     both,
}

// sleepForever blocks without the runtime calling it a deadlock.
func sleepForever() {
	for {
		time.Sleep(time.Hour)
	}
}

// stubborn ignores the polite request.
func stubborn(string) {
	signal.Ignore(syscall.SIGTERM)
	fmt.Println("ignoring TERM")
	sleepForever()
}

// start runs this binary in another role and leaves it running.
func start(role string, attr *syscall.SysProcAttr, env ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), append(env, "ORIEL_TEST_CHILD="+role)...)
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = os.Stdout, os.Stderr, attr
	if err := cmd.Start(); err != nil {
		fmt.Println("start:", err)
		os.Exit(98)
	}
	return cmd
}

// family has a plain child, and one that left the session.
func family(arg string) {
	a := start("stubborn", nil)
	b := start("stubborn", &syscall.SysProcAttr{Setsid: true})
	fmt.Printf("family %d %d %d\n", os.Getpid(), a.Process.Pid, b.Process.Pid)
	if arg == "leave" {
		return
	}
	sleepForever()
}

// serve prints a banner and answers with the status given, 200 by default.
func serve(arg string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		os.Exit(97)
	}
	status, _ := strconv.Atoi(arg)
	if status == 0 {
		status = 200
	}
	fmt.Printf("  ➜  Local:   http://%s/\n", l.Addr())
	http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(status) }))
}

// flood writes the given number of megabytes in lines.
func flood(arg string) {
	mb, _ := strconv.Atoi(arg)
	w := bufio.NewWriterSize(os.Stdout, 64<<10)
	line := []byte(strings.Repeat("0123456789", 9) + "abcdefghi\n")
	for n := 0; n < mb<<20; n += len(line) {
		w.Write(line)
	}
	w.WriteString("the end\n")
	w.Flush()
}

// leave exits at once and leaves a child that holds the output open.
func leave(arg string) {
	c := start("sleep", &syscall.SysProcAttr{Setsid: true})
	fmt.Println("left", c.Process.Pid)
	code, _ := strconv.Atoi(arg)
	os.Exit(code)
}

// both writes to both streams in turn.
func both(string) {
	for i := range 5 {
		fmt.Fprintf(os.Stdout, "out %d\n", i)
		time.Sleep(20 * time.Millisecond)
		fmt.Fprintf(os.Stderr, "err %d\n", i)
		time.Sleep(20 * time.Millisecond)
	}
}
