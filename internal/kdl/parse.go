package kdl

import "strings"

// parser reads one document in one version. Each method consumes what it is
// named after and leaves the cursor right behind it; after an error the cursor
// means nothing any more.
type parser struct {
	cursor
	version Version
}

func parse(text string, version Version) (Document, *Error) {
	p := &parser{cursor{text: text, line: 1, column: 1}, version}
	nodes, err := p.nodes(0, Position{})
	if err != nil {
		return Document{}, err
	}
	return Document{Version: version, Nodes: nodes}, nil
}

// marker reads the version marker a document may begin with; 0 is none. Its
// form is a commented-out node, so the parser proper passes over it.
func marker(text string) (Version, *Error) {
	c := cursor{text: text, line: 1, column: 1}
	if !c.accept("/-") {
		return 0, nil
	}
	for isSpace(c.peek()) {
		c.next()
	}
	if !c.accept("kdl-version") || !isSpace(c.peek()) {
		return 0, nil
	}
	for isSpace(c.peek()) {
		c.next()
	}
	at, start := c.position(), c.off
	for isWord(c.peek(), V2) {
		c.next()
	}
	word := c.text[start:c.off]
	for isSpace(c.peek()) {
		c.next()
	}
	if r := c.peek(); r != eof && !isNewline(r) {
		return 0, nil
	}
	switch word {
	case "1":
		return V1, nil
	case "2":
		return V2, nil
	}
	return 0, c.errorAt(at, "expected kdl-version 1 or 2, got %q", word)
}

// nodes reads nodes up to the end of the text, or inside a children block (depth
// above 0) up to and including its closing brace.
func (p *parser) nodes(depth int, opened Position) ([]Node, *Error) {
	var nodes []Node
	for {
		if err := p.lineSpace(); err != nil {
			return nil, err
		}
		switch {
		case p.peek() == eof && depth > 0:
			return nil, p.errorf(`expected "}" to close the block opened at %d:%d, got the end of the file`, opened.Line, opened.Column)
		case p.peek() == eof:
			return nodes, nil
		case depth > 0 && p.accept("}"):
			return nodes, nil
		}
		dropped := p.accept("/-")
		if dropped {
			if err := p.afterSlashdash(); err != nil {
				return nil, err
			}
		}
		node, err := p.node(depth)
		if err != nil {
			return nil, err
		}
		if !dropped {
			nodes = append(nodes, node)
		}
	}
}

func (p *parser) node(depth int) (Node, *Error) {
	var node Node
	var err *Error
	if node.Type, err = p.annotation(); err != nil {
		return node, err
	}
	node.Position = p.position()
	if !p.atString() {
		return node, p.errorf("expected a node name, got %s", p.got())
	}
	if node.Name, _, err = p.string(); err != nil {
		return node, err
	}
	blocks := false // a children block, commented out or not, has been read
	for {
		spaced, err := p.nodeSpace()
		if err != nil {
			return node, err
		}
		if p.terminator(depth) {
			node.Props = lastOfEach(node.Props)
			return node, nil
		}
		dropped := p.accept("/-")
		if dropped {
			spaced = true
			if err := p.afterSlashdash(); err != nil {
				return node, err
			}
		}
		if p.peek() == '{' {
			if err := p.block(&node, dropped, depth); err != nil {
				return node, err
			}
			blocks = true
			continue
		}
		switch {
		case blocks:
			return node, p.errorf(`expected a newline or ";" after the block, got %s`, p.got())
		case !spaced:
			return node, p.missingSpace()
		}
		if err := p.entry(&node, dropped); err != nil {
			return node, err
		}
	}
}

// lastOfEach drops every property that a later one of the same name replaces.
func lastOfEach(props []Prop) []Prop {
	if len(props) < 2 {
		return props
	}
	last := make(map[string]int, len(props))
	for i, prop := range props {
		last[prop.Name] = i
	}
	kept := make([]Prop, 0, len(last))
	for i, prop := range props {
		if last[prop.Name] == i {
			kept = append(kept, prop)
		}
	}
	return kept
}

// terminator consumes what ends a node. A closing brace ends one too, but
// belongs to the block.
func (p *parser) terminator(depth int) bool {
	switch r := p.peek(); {
	case r == eof, r == '}' && depth > 0:
		return true
	case r == ';', isNewline(r):
		p.next()
		return true
	}
	return p.lineComment()
}

func (p *parser) missingSpace() *Error {
	if p.peek() == '=' {
		return p.errorf(`unexpected "=": only a string can be a property name, and its type annotation goes before the value`)
	}
	return p.errorf(`expected a space, a newline or ";", got %s`, p.got())
}

func (p *parser) block(node *Node, dropped bool, depth int) *Error {
	opened := p.position()
	if depth >= MaxDepth {
		return p.errorf("blocks are nested deeper than %d levels", MaxDepth)
	}
	if node.Block && !dropped {
		return p.errorf("node %q already has a block of children", node.Name)
	}
	p.next()
	children, err := p.nodes(depth+1, opened)
	if err != nil {
		return err
	}
	if !dropped {
		node.Block, node.Children = true, children
	}
	return nil
}

// entry reads an argument or a property into node.
func (p *parser) entry(node *Node, dropped bool) *Error {
	at := p.position()
	if !p.atString() {
		value, err := p.value()
		if err == nil && !dropped {
			node.Args = append(node.Args, value)
		}
		return err
	}
	text, bare, err := p.string()
	if err != nil {
		return err
	}
	isProp, err := p.equals()
	switch {
	case err != nil:
		return err
	case !isProp:
		if bare && p.version == V1 {
			return p.errorAt(at, "expected a value, got the bare word %q: in KDL 1 strings stand in quotes", text)
		}
		if !dropped {
			node.Args = append(node.Args, Value{Position: at, Kind: String, Text: text})
		}
		return nil
	}
	value, err := p.value()
	if err != nil || dropped {
		return err
	}
	node.Props = append(node.Props, Prop{Position: at, Name: text, Value: value})
	return nil
}

// equals consumes the sign between property name and value if it is there.
// Version 2 allows space around it; where no sign follows, that space is left.
func (p *parser) equals() (bool, *Error) {
	if p.version == V1 {
		return p.accept("="), nil
	}
	before := p.cursor
	if _, err := p.nodeSpace(); err != nil {
		return false, err
	}
	if !p.accept("=") {
		p.cursor = before
		return false, nil
	}
	_, err := p.nodeSpace()
	return true, err
}

func (p *parser) value() (Value, *Error) {
	annotation, err := p.annotation()
	if err != nil {
		return Value{}, err
	}
	value := Value{Position: p.position(), Type: annotation}
	switch {
	case p.atNumber():
		value.Kind, value.Text, err = p.number()
	case p.atKeyword():
		value.Kind, value.Text, err = p.keyword()
	case p.atString():
		var bare bool
		value.Kind = String
		value.Text, bare, err = p.string()
		if err == nil && bare && p.version == V1 {
			err = p.errorAt(value.Position, "expected a value, got the bare word %q: in KDL 1 strings stand in quotes", value.Text)
		}
	default:
		err = p.errorf("expected a value, got %s", p.got())
	}
	return value, err
}

// annotation reads a type annotation if there is one. Version 2 allows space
// within and behind it.
func (p *parser) annotation() (Annotation, *Error) {
	var annotation Annotation
	if !p.accept("(") {
		return annotation, nil
	}
	if err := p.space(); err != nil {
		return annotation, err
	}
	annotation.Position = p.position()
	if !p.atString() {
		return annotation, p.errorf("expected a type name, got %s", p.got())
	}
	var err *Error
	if annotation.Name, _, err = p.string(); err != nil {
		return annotation, err
	}
	if err := p.space(); err != nil {
		return annotation, err
	}
	if !p.accept(")") {
		return annotation, p.errorf(`expected ")" after the type name, got %s`, p.got())
	}
	return annotation, p.space()
}

// space skips space inside a construct, where only version 2 allows it.
func (p *parser) space() *Error {
	if p.version == V1 {
		return nil
	}
	_, err := p.nodeSpace()
	return err
}

// afterSlashdash skips what may stand between a slashdash and what it drops.
func (p *parser) afterSlashdash() *Error {
	var err *Error
	if p.version == V1 {
		_, err = p.nodeSpace()
	} else {
		err = p.lineSpace()
	}
	if r := p.peek(); err == nil && (r == eof || isNewline(r) || strings.ContainsRune("};", r) || p.has("/-")) {
		err = p.errorf(`expected something to drop after "/-", got %s`, p.got())
	}
	return err
}
