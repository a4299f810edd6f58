package aim

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]Aim{
		"#buy":                          {CSS: "#buy"},
		" css= .a > .b ":                {CSS: ".a > .b"},
		`input[name="text=x"]`:          {CSS: `input[name="text=x"]`},
		"text=Add to cart":              {Kind: Text, Text: "Add to cart"},
		`text="Add to cart"`:            {Kind: Text, Text: "Add to cart", Exact: true},
		`text='it\'s'`:                  {Kind: Text, Text: "it's", Exact: true},
		"text=a = b":                    {Kind: Text, Text: "a = b"},
		"text=Take >> nth=2":            {Kind: Text, Text: "Take", Nth: 2, Given: true},
		"role=Button":                   {Kind: Role, Role: "button"},
		`role=button[name="Buy [now]"]`: {Kind: Role, Role: "button", Name: "Buy [now]", Exact: true},
		"role=link[name=Terms]":         {Kind: Role, Role: "link", Name: "Terms"},
	} {
		got, err := Parse(text)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", text, got, err, want)
		}
		if again, err := Parse(got.String()); err != nil || again.Kind != want.Kind || again.Nth != want.Nth {
			t.Errorf("%s is written %s: %+v, %v", text, got, again, err)
		}
	}
	for _, text := range []string{"", "  ", "css=", "text=", `text=""`, "role=", "role=a b", "role=button[name]", "role=button[x=1]", "role=button[name=a", "#a >> b", "#a >> nth=-1"} {
		if got, err := Parse(text); err == nil {
			t.Errorf("%q is %+v", text, got)
		}
	}
}

func TestNameFits(t *testing.T) {
	part, whole := Aim{Name: "buy  now"}, Aim{Name: "Buy now", Exact: true}
	for _, tt := range []struct {
		aim  Aim
		name string
		want int
	}{
		{part, "Buy now", 2}, {part, "Buy Now!", 1}, {part, "Buy", 0}, {whole, " BUY NOW ", 2}, {whole, "Buy now!", 0}, {Aim{}, "any", 2},
	} {
		if got := tt.aim.NameFits(tt.name); got != tt.want {
			t.Errorf("%q for %q: %d, want %d", tt.name, tt.aim.Name, got, tt.want)
		}
	}
}

func TestNear(t *testing.T) {
	all := []Element{{"button", "Cancel", ""}, {"link", "Cart", "#cart"}, {"button", "Add to cart", "#add"}, {"button", "Add to cart", "#again"}, {"textbox", "", "#mail"}}
	for text, want := range map[string]string{"text=Add to crat": "#add", "#mial": "#mail", ".cart-link": "#cart", "role=button[name=Cancle]": ""} {
		a, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		got := a.Near(all, 2)
		if len(got) != 2 || got[0].Hint != want {
			t.Errorf("%s: %v, want %s first", text, got, want)
		}
	}
	a := Aim{Kind: Text, Text: "x"}
	if got := a.Near(all, 10); len(got) != 4 {
		t.Errorf("those that are alike come once: %v", got)
	}
	if got := (Element{"button", "a\n\"b\"", "#x\ny"}).String(); strings.Contains(got, "\n") || got != `button "a\n\"b\"" (#x y)` {
		t.Errorf("a page's words get loose: %s", got)
	}
	if got := Nearest("Medum", []string{"Small", "Medium"}, 1); got[0] != "Medium" {
		t.Errorf("got %v", got)
	}
}
