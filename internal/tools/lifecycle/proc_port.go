package lifecycle

import (
	"context"
	"fmt"
	"strings"

	"oriel/internal/process"
	"oriel/internal/tools/words"
)

type procPortIn struct {
	Port  int  `json:"port" required:"true"`
	Kill  bool `json:"kill"`
	Force bool `json:"force"`
}

type procPortHolder struct {
	process.Holder
	ProcessID string `json:"process_id,omitempty"` // set when this project started it
	Killed    bool   `json:"killed,omitempty"`
}

type procPortOut struct {
	Port    int              `json:"port"`
	Holders []procPortHolder `json:"holders"`
}

func (o procPortOut) Text() string {
	if len(o.Holders) == 0 {
		return fmt.Sprintf("nothing listens on port %d\n", o.Port)
	}
	var b strings.Builder
	for _, h := range o.Holders {
		switch {
		case h.Hidden:
			fmt.Fprintf(&b, "port %d is held by a process of another user\n", o.Port)
			continue
		case h.ProcessID != "":
			fmt.Fprintf(&b, "port %d is held by process %s (pid %d, %s)", o.Port, h.ProcessID, h.PID, words.Clip(h.Command, 80))
		default:
			fmt.Fprintf(&b, "port %d is held by pid %d (%s), which Oriel did not start in this project", o.Port, h.PID, words.Clip(h.Command, 80))
		}
		if h.Killed {
			b.WriteString(": ended")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func procPort(s Session, ctx context.Context, in procPortIn) (procPortOut, error) {
	out := procPortOut{Port: in.Port, Holders: []procPortHolder{}}
	if in.Port < 1 || in.Port > 65535 {
		return out, fmt.Errorf("port: expected a number from 1 to 65535, got %d", in.Port)
	}
	holders, err := process.PortHolders(in.Port)
	if err != nil {
		return out, err
	}
	for _, h := range holders {
		holder := procPortHolder{Holder: h}
		if id, ok := s.Owner(h); ok {
			holder.ProcessID = id
		}
		if in.Kill {
			if err := killHolder(s, ctx, holder, in); err != nil {
				return out, err
			}
			holder.Killed = true
		}
		out.Holders = append(out.Holders, holder)
	}
	return out, nil
}

func killHolder(s Session, ctx context.Context, h procPortHolder, in procPortIn) error {
	if h.Hidden {
		return fmt.Errorf("port %d is held by a process of another user, which Oriel may not end", in.Port)
	}
	if h.ProcessID != "" {
		p, err := s.Process(h.ProcessID)
		if err != nil {
			return err
		}
		return p.Stop(ctx, in.Force)
	}
	if !in.Force {
		return fmt.Errorf("pid %d (%s) was not started by Oriel in this project: add \"force\": true to end it all the same", h.PID, words.Clip(h.Command, 80))
	}
	return process.EndHolder(ctx, h.Holder, process.DefaultGrace)
}
