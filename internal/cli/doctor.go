package cli

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"oriel/internal/daemon"
	"oriel/internal/doctor"
	"oriel/internal/install"
)

func (a *app) doctor() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what is missing on this machine, and how to get it",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			patient, err := a.patient()
			if err != nil {
				return err
			}
			checks := doctor.Examine(cmd.Context(), patient)
			if asJSON {
				err = doctor.JSON(a.out, checks)
			} else {
				err = doctor.Text(a.out, checks, coloured(a.out))
			}
			if err == nil && doctor.Worst(checks) == doctor.Fail {
				return exitError(1)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the checks as JSON")
	return cmd
}

// patient is this machine, seen from the caller's folder.
func (a *app) patient() (doctor.Patient, error) {
	dir, err := a.workdir()
	if err != nil {
		return doctor.Patient{}, err
	}
	machine, err := install.Here()
	if err != nil {
		return doctor.Patient{}, err
	}
	exe, err := os.Executable()
	if err != nil {
		return doctor.Patient{}, fmt.Errorf("find this program: %w", err)
	}
	return doctor.Patient{Dir: dir, Executable: exe, Version: version, Home: daemon.DefaultHome(), Build: build(), Machine: machine}, nil
}

// coloured says whether w is a terminal whose user has nothing against colour.
func coloured(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
