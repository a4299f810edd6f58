// Package facts knows which findings of different audits are about the same
// thing: one change settles them.
package facts

var facts = map[string]string{
	"accessibility page-has-heading-one": "h1", "seo h1-missing": "h1",
	"accessibility html-has-lang": "lang", "accessibility html-lang-valid": "lang", "seo lang-missing": "lang",
	"accessibility document-title": "title", "seo title-missing": "title",
	"accessibility link-name": "link", "seo link-no-text": "link",
	"accessibility meta-refresh": "refresh", "seo meta-refresh": "refresh",
	"accessibility duplicate-id-aria": "id", "dom duplicate-id": "id",
	"accessibility tabindex": "tabindex", "dom positive-tabindex": "tabindex",
}

// Finding is what a finding is known by here.
type Finding struct{ Audit, Type string }

// Same says whether two findings of different audits are about one thing.
func Same(a, b Finding) bool {
	fact := facts[a.Audit+" "+a.Type]
	return fact != "" && a.Audit != b.Audit && facts[b.Audit+" "+b.Type] == fact
}
