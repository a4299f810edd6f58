// Package formats knows how tools report what is wrong: compilers, bundlers,
// linters, test runners, loggers, and the stacks of programs that failed. Each
// format is a Reader that is begun by a line and takes those that belong to it.
package formats

// opener begins to read a report; nil: the line is not the beginning of one.
type opener = func(c *Context, text string) Reader

// Family is the openers for lines with a hint in them.
type Family struct {
	Hint string
	Open []opener
}

// Families are all that is known of how tools report, the most particular first.
// A line is shown to an opener only if it has the hint in it, which nearly no
// line of healthy output has: that is what keeps reading fast.
var Families = []Family{
	{"error TS", []opener{openTSC}},
	{"╭─[", []opener{openRolldown}},
	{",-[", []opener{openRolldown}},
	{"[plugin ", []opener{openRolldownPlugin}},
	{"server error: ", []opener{openVite}},
	{"transform error: ", []opener{openVite}},
	{"[console.error]", []opener{openVite}},
	{"[Unhandled ", []opener{openVite}},
	{"evaluating SSR", []opener{openVite}},
	{"(!) Failed to run dependency scan", []opener{openAnnounced}},
	{"error during build:", []opener{openAnnounced}},
	{"uild failed with ", []opener{openAnnounced}},
	{"ERROR in ", []opener{openWebpack, openRequest}},
	{"WARNING in ", []opener{openWebpack}},
	{"ERROR(", []opener{openChecker}},
	{"WARNING(", []opener{openChecker}},
	{"━━━", []opener{openBiome}},
	{"[ERROR]", []opener{openEsbuild}},
	{"[WARNING]", []opener{openEsbuild}},
	{" problem", []opener{openSummary}},
	{" error", []opener{openSummary}},
	{"error  ", []opener{openESLint}},
	{"warning  ", []opener{openESLint}},
	{"DATA RACE", []opener{openRace}},
	{"--- FAIL: ", []opener{openGoTest}},
	{"panic", []opener{openPanic, openRustPanic}},
	{"fatal error: ", []opener{openPanic}},
	{".go:", []opener{openGoBuild}},
	{"Traceback (most recent call last):", []opener{openTraceback}},
	{`File "`, []opener{openPythonSyntax}},
	{"Internal Server Error: ", []opener{openRequest}},
	{"Exception in ASGI", []opener{openAnnounced}},
	{"PHP ", []opener{openPHP}},
	{" on line ", []opener{openPHP}},
	{"Fatal error: ", []opener{openPHP}},
	{".rb:", []opener{openRuby}},
	{"error[E", []opener{openRust}},
	{"error: ", []opener{openRust}},
	{"warning: ", []opener{openRust}},
	{"Error: ", []opener{openPlaced, openBabel}},
	{"Warn: ", []opener{openPlaced}},
	{"Error: ", []opener{openNode}},
	{"Error [", []opener{openNode}},
	{"Exception: ", []opener{openNode}},
	{"UnhandledPromiseRejection", []opener{openNode}},
	{"rror", []opener{openLog}},
	{"ERR", []opener{openLog}},
	{"FATAL", []opener{openLog}},
	{"CRIT", []opener{openLog}},
	{"PANIC", []opener{openLog}},
	{"atal", []opener{openLog}},
	{`"level":`, []opener{openLog}},
}
