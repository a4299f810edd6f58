package har

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
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
		calls[i] = vm.NewDynamicObject(record{&v.Calls[i], vm})
	}
	input := vm.NewObject()
	set(input, "calls", vm.NewArray(calls...))
	set(input, "actions", vm.NewArray())
	set(input, "pageUrl", vm.ToValue(v.URL))
	set(input, "dropped", vm.ToValue(v.Dropped))
	set(input, "now", vm.ToValue(time.Now().UnixMilli()))
	return input
}

// record is the CallRecord of the detectors: a view of a call, since filling an
// object for each would take longer than they need to read them.
type record struct {
	call *Call
	vm   *goja.Runtime
}

// recordKeys are the fields of a CallRecord.
var recordKeys = []string{
	"id", "kind", "method", "url", "start", "end", "duration", "timestamp", "status", "ok", "error", "aborted", "initiator", "bodyKey",
}

// Get implements goja.DynamicObject.
func (r record) Get(key string) goja.Value {
	c := r.call
	switch key {
	case "id":
		return r.vm.ToValue(c.ID)
	case "kind":
		return r.vm.ToValue(c.Kind)
	case "method":
		return r.vm.ToValue(c.Method)
	case "url":
		return r.vm.ToValue(c.URL)
	case "start":
		return r.vm.ToValue(c.Start)
	case "timestamp":
		return r.vm.ToValue(c.At.UnixMilli())
	case "error":
		return textOrNull(r.vm, c.Error)
	case "aborted":
		return r.vm.ToValue(c.Aborted)
	case "initiator":
		return textOrNull(r.vm, c.Initiator)
	case "bodyKey":
		return textOrNull(r.vm, c.BodyKey)
	}
	return r.outcome(key)
}

// outcome is a field that is null while the call is in flight.
func (r record) outcome(key string) goja.Value {
	c := r.call
	var value any
	switch key {
	case "end":
		value = c.End
	case "duration":
		value = math.Round((c.End-c.Start)*1000) / 1000
	case "status":
		value = c.Status
	case "ok":
		value = c.Status/100 == 2
	default:
		return nil
	}
	if !c.Done {
		return goja.Null()
	}
	return r.vm.ToValue(value)
}

// Set implements goja.DynamicObject; records are only read.
func (record) Set(string, goja.Value) bool { return false }

// Has implements goja.DynamicObject.
func (record) Has(key string) bool { return slices.Contains(recordKeys, key) }

// Delete implements goja.DynamicObject; records are only read.
func (r record) Delete(key string) bool { return !r.Has(key) }

// Keys implements goja.DynamicObject.
func (record) Keys() []string { return recordKeys }

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
