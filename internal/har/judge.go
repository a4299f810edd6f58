package har

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/dop251/goja"

	"oriel/web"
)

// judgePatience ends a judgement that does not: a thousand times what an
// archive of the usual size takes.
const judgePatience = 60 * time.Second

// Judge runs the detectors on a visit's calls: the very code that judges a page
// from inside it, in an engine without a page. The answer is the report as the
// page would have sent it, still to be parsed.
func Judge(ctx context.Context, v Visit) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, judgePatience)
	defer cancel()
	report, err := judge(ctx, v)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return nil, fmt.Errorf("judge %d calls: %w", len(v.Calls), err)
	}
	return report, nil
}

var program = sync.OnceValues(func() (*goja.Program, error) {
	bundle, ok := web.Bundle("detectors")
	if !ok {
		return nil, errors.New("the detectors are not in this build")
	}
	return goja.Compile("detectors.js", string(bundle.Body), false)
})

func judge(ctx context.Context, v Visit) (json.RawMessage, error) {
	p, err := program()
	if err != nil {
		return nil, err
	}
	vm := goja.New()
	vm.SetMaxCallStackSize(2000)
	stop := context.AfterFunc(ctx, func() { vm.Interrupt("out of time") })
	defer stop()
	if _, err := vm.RunProgram(p); err != nil {
		return nil, fmt.Errorf("load the detectors: %w", err)
	}
	audit, ok := goja.AssertFunction(vm.Get("detectors").ToObject(vm).Get("auditCalls"))
	if !ok {
		return nil, errors.New("the detectors have no auditCalls")
	}
	report, err := audit(goja.Undefined(), v.input(vm))
	if err != nil {
		return nil, err
	}
	return json.Marshal(report)
}

// input is the AuditInput of the detectors.
func (v Visit) input(vm *goja.Runtime) goja.Value {
	calls := make([]any, len(v.Calls))
	for i := range v.Calls {
		calls[i] = v.Calls[i].record(vm)
	}
	input := vm.NewObject()
	set(input, "calls", vm.NewArray(calls...))
	set(input, "actions", vm.NewArray())
	set(input, "pageUrl", vm.ToValue(v.URL))
	set(input, "dropped", vm.ToValue(v.Dropped))
	set(input, "now", vm.ToValue(time.Now().UnixMilli()))
	return input
}

// record is the CallRecord of the detectors.
func (c *Call) record(vm *goja.Runtime) *goja.Object {
	o := vm.NewObject()
	set(o, "id", vm.ToValue(c.ID))
	set(o, "kind", vm.ToValue(c.Kind))
	set(o, "method", vm.ToValue(c.Method))
	set(o, "url", vm.ToValue(c.URL))
	set(o, "start", vm.ToValue(c.Start))
	end, duration, status, ok := goja.Null(), goja.Null(), goja.Null(), goja.Null()
	if c.Done {
		end, duration = vm.ToValue(c.End), vm.ToValue(math.Round((c.End-c.Start)*1000)/1000)
		status, ok = vm.ToValue(c.Status), vm.ToValue(c.Status/100 == 2)
	}
	set(o, "end", end)
	set(o, "duration", duration)
	set(o, "timestamp", vm.ToValue(c.At.UnixMilli()))
	set(o, "status", status)
	set(o, "ok", ok)
	set(o, "error", textOrNull(vm, c.Error))
	set(o, "aborted", vm.ToValue(c.Aborted))
	set(o, "initiator", textOrNull(vm, c.Initiator))
	set(o, "bodyKey", textOrNull(vm, c.BodyKey))
	return o
}

func textOrNull(vm *goja.Runtime, s string) goja.Value {
	if s == "" {
		return goja.Null()
	}
	return vm.ToValue(s)
}

// set cannot fail on a plain object of ours.
func set(o *goja.Object, name string, v goja.Value) {
	if err := o.Set(name, v); err != nil {
		panic(err)
	}
}
