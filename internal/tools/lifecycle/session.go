package lifecycle

import "oriel/internal/tools/session"

// Session is what the handlers here work on.
type Session = session.Session
