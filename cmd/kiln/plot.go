package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// print shows both versions in a table and as a plot.
func (r *benchResult) print(s *session) error {
	var b strings.Builder
	b.WriteString(r.Kernel)
	if r.Grid != [3]uint32{} {
		fmt.Fprintf(&b, "  grid %s  block %s", extent{dims: r.Grid}, extent{dims: r.Block})
	}
	fmt.Fprintf(&b, "  on %s\n", r.Target)
	out := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	fmt.Fprintln(out, "  version\tleast\tmedian\tp90\tlaunches\tfirst")
	for _, v := range []struct {
		name string
		*benchVersion
	}{{"generic", &r.Generic}, {"specialised", &r.Specialised}} {
		first := duration(v.FirstNS) + ", code from the cache"
		if v.Code == "compiled" {
			first = duration(v.FirstNS) + ", of which compiling " + duration(v.CompileNS)
		}
		fmt.Fprintf(out, "  %s\t%s\t%s\t%s\t%d\t%s\n", v.name, nanoseconds(v.MinNS), nanoseconds(v.MedianNS), nanoseconds(v.P90NS), v.Launches, first)
	}
	out.Flush()
	fmt.Fprintf(&b, "  specialised on %s: %.2f times as fast\n\n", strings.Join(r.Fixed, ", "), r.Speedup)
	b.WriteString(histogram(r.Generic.times, r.Specialised.times))
	_, err := fmt.Fprint(s.stdout, b.String())
	return err
}

// nanoseconds prints a time that may be a fraction of one.
func nanoseconds(ns float64) string {
	if ns < 1000 {
		return digits(ns) + " ns"
	}
	return duration(int64(ns))
}

const (
	plotRows  = 10
	plotWidth = 28
)

// histogram draws two sorted lists of times side by side over one scale, from
// the least of all to the upper 98th percentile; what is above counts in the
// last row.
func histogram(generic, specialised []float64) string {
	low := min(generic[0], specialised[0])
	high := max(percentile(generic, 98), percentile(specialised, 98))
	if high <= low {
		high = low + 1
	}
	count := func(times []float64) (rows [plotRows]int, most int) {
		for _, t := range times {
			row := min(int((t-low)/(high-low)*plotRows), plotRows-1)
			rows[row]++
			most = max(most, rows[row])
		}
		return rows, most
	}
	left, leftMost := count(generic)
	right, rightMost := count(specialised)
	var b strings.Builder
	fmt.Fprintf(&b, "  %10s   %-*s %s\n", "from", plotWidth+7, "generic", "specialised")
	for row := range plotRows {
		from := low + (high-low)*float64(row)/plotRows
		line := fmt.Sprintf("  %10s   %s %s", nanoseconds(from), bar(left[row], leftMost), bar(right[row], rightMost))
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// bar draws a number as a bar of the most, with the number behind it.
func bar(n, most int) string {
	if n == 0 {
		return strings.Repeat(" ", plotWidth+7)
	}
	length := max(1, n*plotWidth/most)
	return fmt.Sprintf("%s %-*d", strings.Repeat("#", length), plotWidth+6-length, n)
}

func percentile(sorted []float64, percent int) float64 { return sorted[len(sorted)*percent/100] }
