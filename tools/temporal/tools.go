//go:build tools

// Package temporal pins the Temporal server and command line that Decorum runs when none is at hand.
package temporal

import _ "github.com/temporalio/cli/cmd/temporal"
