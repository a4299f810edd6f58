package formats

import (
	"fmt"
	"io"
	"strings"

	"oriel/internal/audit"
	"oriel/internal/report"
)

// github writes workflow commands: an annotation per finding, on the line to
// change when it is known, and one with the score.
func github(w io.Writer, all []report.Data, o Options) error {
	var b strings.Builder
	for _, d := range all {
		for _, r := range d.Overall().Audits {
			for _, f := range r.Findings {
				if f.Issue() {
					b.WriteString(annotation(r.Audit, f) + "\n")
				}
			}
		}
		level := "notice"
		if d.Score() < o.MinScore {
			level = "error"
		}
		title, summary := verdict(d)
		fmt.Fprintf(&b, "::%s title=%s::%s\n", level, property(title), data(name(d)+": "+summary))
	}
	return put(w, "github", b.String())
}

func annotation(name string, f audit.Finding) string {
	level := map[audit.Severity]string{audit.Critical: "error", audit.Info: "notice"}[f.Severity]
	if level == "" {
		level = "warning"
	}
	var properties []string
	file := sourceFile(f)
	if file != "" {
		properties = append(properties, "file="+property(file))
		if f.Initiator.Line > 0 {
			properties = append(properties, fmt.Sprintf("line=%d", f.Initiator.Line))
		}
	}
	properties = append(properties, "title="+property(ruleOf(name, f).id))
	message := statement(f, file == "")
	if file != "" && f.Initiator.Function != "" {
		message += " (in " + f.Initiator.Function + ")"
	}
	return "::" + level + " " + strings.Join(properties, ",") + "::" + data(message)
}

// data and property escape what would end a command, or begin another.
func data(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func property(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
