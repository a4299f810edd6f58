package process

// owner is written with the orphan tests.
func owner(string) {}
