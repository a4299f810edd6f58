package doctor

import "io/fs"

// writable cannot be told from an access list without trying.
func writable(string) bool { return true }

func notOurs(info fs.FileInfo) string {
	if !info.IsDir() {
		return "is no folder"
	}
	return ""
}

// othersEnter: the folder inherits an access list that names its user alone.
func othersEnter(fs.FileInfo) bool { return false }
