package forward

// canProbe says whether a kept connection can be asked whether it is open.
// Here the standard transport does, with a reader of its own.
const canProbe = false

func (l *link) alive() bool { return false }
