package looks

import "testing"

func TestWordsAreFew(t *testing.T) {
	const most = 420
	n := len(Snapshot.Name) + len(Snapshot.Doc.Title) + len(Snapshot.Doc.Text) + len(Snapshot.Schema)
	if n > most {
		t.Errorf("%d bytes, at most %d:\n%s\n%s", n, most, Snapshot.Doc.Text, Snapshot.Schema)
	}
	t.Logf("%d bytes: %s", n, Snapshot.Doc.Text)
}
