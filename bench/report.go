package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// section is the rows of one benchmark.
type section struct {
	Name  string   `json:"name"`
	Title string   `json:"title"`
	How   string   `json:"how"`
	Rows  []row    `json:"rows"`
	Notes []string `json:"notes,omitempty"`
}

type report struct {
	Machine  []string  `json:"machine"`
	Sections []section `json:"sections"`
}

// writeHead writes what comes before the sections.
func (r *report) writeHead(w io.Writer) {
	fmt.Fprint(w, `# Benchmarks

Written by `+"`make bench`"+`; no figure here is typed by hand. Each row's contenders ran interleaved in the same run.
A cell is the least and the median of all measurements; the verdict on a target is about the figure in the
column *judged*. A *floor* is what the machine does at best, a *limit* is hand-written C, a *peer* is another
system that does the same work.

`)
	for _, line := range r.Machine {
		fmt.Fprintln(w, "-", line)
	}
}

func (s *section) write(w io.Writer) {
	fmt.Fprintf(w, "\n## %s\n\n%s\n\n", s.Title, s.How)
	fmt.Fprintln(w, "| work | unit | kiln | against | | judged | target | met | again |")
	fmt.Fprintln(w, "|---|---|---:|---|---:|---:|---|---|---|")
	for _, r := range s.Rows {
		against, theirs := "", ""
		if len(r.Against) > 0 {
			against, theirs = r.Against[0].cells()
		}
		judged := ""
		switch {
		case r.Judged == 0:
		case r.Ratio:
			judged = fmt.Sprintf("%.2f ×", r.Judged)
		default:
			judged = figure(r.Judged)
		}
		line(w, r.Work, r.Unit, r.Kiln.cell(), against, theirs, judged, r.Target, r.verdict(), "`"+r.Command+"`")
		for i := 1; i < len(r.Against); i++ {
			against, theirs := r.Against[i].cells()
			line(w, "", "", "", against, theirs, "", "", "", "")
		}
	}
	for _, r := range s.Rows {
		if r.Note != "" {
			fmt.Fprintf(w, "\n%s: %s.\n", r.Work, r.Note)
		}
	}
	for _, n := range s.Notes {
		fmt.Fprintf(w, "\n%s\n", n)
	}
}

func line(w io.Writer, cells ...string) {
	fmt.Fprintln(w, "| "+strings.Join(cells, " | ")+" |")
}

func (v *rival) cells() (name, figures string) {
	if v.Missing != "" {
		return v.Name, v.Missing
	}
	return v.Name, v.Sample.cell()
}

func (s sample) cell() string {
	if s.N == 0 {
		return ""
	}
	return figure(s.Min) + " / " + figure(s.Median)
}

// figure prints three digits that count.
func figure(x float64) string {
	if x >= 100 || x <= -100 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// summary counts the verdicts.
func (r *report) summary() string {
	met := map[string]int{}
	for _, s := range r.Sections {
		for i := range s.Rows {
			met[s.Rows[i].verdict()]++
		}
	}
	text := fmt.Sprintf("%d targets met, %d missed", met["yes"], met["no"])
	if met["?"] > 0 {
		text += fmt.Sprintf(", %d not measured", met["?"])
	}
	return text
}
