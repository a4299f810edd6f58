package kdl

// lineSpace skips everything that may stand between nodes: space, newlines,
// comments, line continuations.
func (p *parser) lineSpace() *Error {
	for {
		if _, err := p.nodeSpace(); err != nil {
			return err
		}
		switch {
		case isNewline(p.peek()):
			p.next()
		case p.lineComment():
		default:
			return nil
		}
	}
}

// nodeSpace skips what may stand between the parts of a node: space, block
// comments, and newlines behind a backslash. It tells whether there was any.
func (p *parser) nodeSpace() (bool, *Error) {
	start := p.off
	for {
		if err := p.blank(); err != nil {
			return false, err
		}
		if p.peek() != '\\' {
			return p.off > start, nil
		}
		p.next()
		if err := p.blank(); err != nil {
			return false, err
		}
		switch r := p.peek(); {
		case r == eof, p.lineComment():
		case isNewline(r):
			p.next()
		default:
			return false, p.errorf(`expected the end of the line after "\", got %s`, p.got())
		}
	}
}

// blank skips space and block comments.
func (p *parser) blank() *Error {
	for {
		switch {
		case isSpace(p.peek()):
			p.next()
		case p.has("/*"):
			if err := p.blockComment(); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

// blockComment skips a comment and those nested in it: counted, not recursed
// into, so that no depth is too deep.
func (p *parser) blockComment() *Error {
	opened := p.position()
	for open := 0; ; {
		switch {
		case p.accept("/*"):
			open++
		case p.accept("*/"):
			if open--; open == 0 {
				return nil
			}
		case p.peek() == eof:
			return p.errorAt(opened, `expected "*/" to close this comment before the end of the file`)
		default:
			p.next()
		}
	}
}

// lineComment skips a comment and the newline that ends it, if one is here.
func (p *parser) lineComment() bool {
	if !p.accept("//") {
		return false
	}
	for p.peek() != eof {
		if isNewline(p.next()) {
			break
		}
	}
	return true
}
