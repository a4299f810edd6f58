package page

// Src is the path of the agent's file, for who writes the tag himself.
func (t Tag) Src() string { return t.src }

// KeyAttr and Key are the attribute that carries the document's key.
const KeyAttr = "data-k"

// TargetAttr is the attribute that says which host and port the proxy fronts,
// so that sockets to it can be led through the proxy.
const TargetAttr = "data-o"

// Key is the document's key.
func (t Tag) Key() string { return t.key }
