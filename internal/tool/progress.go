package tool

import "context"

// Progress is one report of long work.
type Progress struct {
	Done    float64 `json:"done"`
	Total   float64 `json:"total,omitempty"` // 0: unknown
	Message string  `json:"message,omitempty"`
}

type progressKey struct{}

// WithProgress makes Report on the returned context call sink. Progress rides
// on the context, so that a handler works the same when nobody listens.
func WithProgress(ctx context.Context, sink func(Progress)) context.Context {
	return context.WithValue(ctx, progressKey{}, sink)
}

// Report tells whoever waits for this call how far it is.
func Report(ctx context.Context, p Progress) {
	if sink, ok := ctx.Value(progressKey{}).(func(Progress)); ok && sink != nil {
		sink(p)
	}
}
