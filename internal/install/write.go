package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// follow resolves symbolic links, also one that leads to a file that is not
// there yet: settings are often links into a folder under version control.
func follow(path string) (string, error) {
	for range 40 {
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return path, nil
		}
		if err != nil {
			return "", err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			return path, nil
		}
		target, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return "", fmt.Errorf("%s: too many symbolic links", path)
}

// replace puts out in the place of the file, at once or not at all, with its
// mode and owner.
func (f file) replace(out []byte, private bool) (err error) {
	dir := filepath.Dir(f.path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the settings' folder: %w", err)
	}
	tmp, err := os.CreateTemp(dir, ".oriel-*.tmp")
	if err != nil {
		return fmt.Errorf("write %s: %w", f.path, err)
	}
	defer func() {
		if err != nil {
			tmp.Close()
			os.Remove(tmp.Name())
		}
	}()
	mode := f.mode.Perm()
	switch {
	case f.mode != 0:
		keepOwner(tmp, f.info)
	case private:
		mode = 0o600
	default:
		mode = 0o644
	}
	if err := tmp.Chmod(mode); err != nil {
		return fmt.Errorf("write %s: %w", f.path, err)
	}
	if _, err := tmp.Write(out); err != nil {
		return fmt.Errorf("write %s: %w", f.path, err)
	}
	if err := tmp.Sync(); err != nil {
		return fmt.Errorf("write %s: %w", f.path, err)
	}
	if err := tmp.Close(); err != nil {
		return fmt.Errorf("write %s: %w", f.path, err)
	}
	if !f.unchanged() {
		return errChanged
	}
	if err := os.Rename(tmp.Name(), f.path); err != nil {
		return fmt.Errorf("write %s: %w", f.path, err)
	}
	return nil
}
