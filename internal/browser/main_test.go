package browser

import (
	"context"
	"fmt"
	"math"
	"os"
	"strconv"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

// childEnv makes this test program the owner of a browser, for a test that
// kills it.
const childEnv = "BROWSER_TEST_CHILD"

// cyclesEnv is how many times that owner opens and closes a page; without it,
// it does so until it is killed.
const cyclesEnv = "BROWSER_TEST_CYCLES"

var common struct {
	sync.Mutex
	browser *Browser
	dir     string
}

// shared is a browser for the tests that do not harm it.
func shared(t *testing.T) *Browser {
	t.Helper()
	common.Lock()
	defer common.Unlock()
	if common.browser == nil {
		dir, err := os.MkdirTemp("", "browser-test-")
		if err != nil {
			t.Fatal(err)
		}
		common.dir = dir
		if common.browser, err = Launch(limited(t), Options{Headless: true, Dir: dir}); err != nil {
			t.Fatalf("the tests of this house need a browser: %v", err)
		}
	}
	return common.browser
}

func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		most, err := strconv.Atoi(os.Getenv(cyclesEnv))
		if err != nil {
			most = math.MaxInt
		}
		cycle(dir, most)
		return
	}
	code := m.Run()
	if b := common.browser; b != nil {
		if err := b.Close(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, "close:", err)
			code = 1
		}
		if left, err := os.ReadDir(common.dir); err != nil || len(left) > 0 {
			fmt.Fprintln(os.Stderr, "profiles left:", left, err)
			code = 1
		}
		_ = os.RemoveAll(common.dir)
	}
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// cycle clears up after the owner before, as every owner does, then opens and
// closes pages, with a new browser every few, and says so.
func cycle(dir string, most int) {
	ctx := context.Background()
	if _, err := Sweep(ctx, dir); err != nil {
		fmt.Println("sweep:", err)
		return
	}
	for n := 0; n < most; {
		b, err := Launch(ctx, Options{Headless: true, Dir: dir})
		if err != nil {
			fmt.Println("launch:", err)
			return
		}
		for i := 0; i < 10 && n < most; i++ {
			tab, err := b.Open(ctx, "data:text/html,<p>"+fmt.Sprint(n), Look{})
			if err == nil {
				fmt.Println(n)
				n++
				err = tab.Close(ctx)
			}
			if err != nil {
				fmt.Println("cycle:", err)
				return
			}
		}
		if err := b.Close(ctx); err != nil {
			fmt.Println("close:", err)
			return
		}
	}
}
