package cli

// ignoreBrokenPipe has nothing to do: there is no such signal here.
func ignoreBrokenPipe() {}
