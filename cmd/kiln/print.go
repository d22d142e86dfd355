package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// duration prints a time with three digits: "12.3 ms".
func duration(ns int64) string {
	switch d := time.Duration(ns); {
	case d >= 10*time.Second:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d >= time.Second:
		return fmt.Sprintf("%.2f s", d.Seconds())
	case d >= time.Millisecond:
		return digits(float64(ns)/1e6) + " ms"
	case d >= time.Microsecond:
		return digits(float64(ns)/1e3) + " µs"
	}
	return fmt.Sprintf("%d ns", ns)
}

func digits(v float64) string {
	switch {
	case v >= 99.95:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 9.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// size prints a number of bytes: "4.2 MiB".
func size(bytes int64) string {
	v, units := float64(bytes), []string{"B", "KiB", "MiB", "GiB", "TiB"}
	for v >= 1024 && len(units) > 1 {
		v, units = v/1024, units[1:]
	}
	if units[0] == "B" {
		return fmt.Sprintf("%d B", bytes)
	}
	return digits(v) + " " + units[0]
}

// sum prints a float with enough digits to compare by eye.
func sum(v float64) string { return strconv.FormatFloat(v, 'g', 12, 64) }

// indent puts two spaces before every line but the first.
func indent(text string) string { return strings.ReplaceAll(text, "\n", "\n  ") }

func (s *session) printLaunch(r *launchResult) error {
	if s.json {
		return s.printJSON(r)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s", r.Kernel)
	if r.Grid != [3]uint32{} {
		fmt.Fprintf(&b, "  grid %s  block %s", extent{dims: r.Grid}, extent{dims: r.Block})
	}
	fmt.Fprintf(&b, "  on %s\n", r.Target)
	if r.Result != nil {
		fmt.Fprintf(&b, "  returned  %s\n", sum(float64(*r.Result)))
	}
	for _, out := range r.Outputs {
		name := out.Name
		if name == "" {
			name = fmt.Sprintf("argument %d", out.Argument)
		}
		fmt.Fprintf(&b, "  sum       %s  (%s, %s[%d])\n", sum(float64(out.Sum)), name, out.Type, out.Count)
	}
	switch r.Code {
	case "compiled":
		fmt.Fprintf(&b, "  first     %s, of which compiling %s\n", duration(r.FirstNS), duration(r.CompileNS))
	case "cache":
		fmt.Fprintf(&b, "  first     %s, code from the cache\n", duration(r.FirstNS))
	default:
		fmt.Fprintf(&b, "  first     %s\n", duration(r.FirstNS))
	}
	if r.Repeat > 0 {
		fmt.Fprintf(&b, "  repeated  least %s, median %s, of %d launches\n", duration(r.RepeatMinNS), duration(r.RepeatMedianNS), r.Repeat)
	}
	if r.Check != nil {
		fmt.Fprintf(&b, "  check     %s\n", r.Check)
	}
	_, err := fmt.Fprint(s.stdout, b.String())
	return err
}
