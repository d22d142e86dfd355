package main

import "fmt"

// row is one line of the result: kiln's figure, those it is held against, and
// whether the target is met.
type row struct {
	Work    string  `json:"work"`
	Unit    string  `json:"unit"`
	Kiln    sample  `json:"kiln"`
	Against []rival `json:"against,omitempty"`
	// Target is the goal in words; Judged the figure held against Limit: a
	// ratio to a rival, or kiln's own in Unit.
	Target string  `json:"target,omitempty"`
	Judged float64 `json:"judged,omitempty"`
	Limit  float64 `json:"limit,omitempty"`
	Ratio  bool    `json:"ratio,omitempty"`
	Note   string  `json:"note,omitempty"`
	// Command measures this row again.
	Command string `json:"command"`
}

// rival is a floor (what the machine can do at best), a limit (hand-written
// C), or a peer (another system that does the same).
type rival struct {
	Name    string `json:"name"`
	Sample  sample `json:"sample"`
	Missing string `json:"missing,omitempty"` // why it was not measured
}

// statistic says which figure of a sample a target is about.
type statistic func(sample) float64

func least(s sample) float64  { return s.Min }
func median(s sample) float64 { return s.Median }

// atMost sets an absolute target.
func (r row) atMost(limit float64, of statistic) row {
	r.Judged, r.Limit = of(r.Kiln), limit
	r.Target = fmt.Sprintf("≤ %g %s", limit, r.Unit)
	return r
}

// times sets a target as a ratio to the best of the rivals that were measured
// and whose names are given.
func (r row) times(limit float64, of statistic, names ...string) row {
	r.Limit, r.Ratio = limit, true
	r.Target = fmt.Sprintf("≤ %g ×", limit)
	best := 0.0
	for _, v := range r.Against {
		for _, name := range names {
			if v.Name == name && v.Missing == "" && (best == 0 || of(v.Sample) < best) {
				best = of(v.Sample)
			}
		}
	}
	if best > 0 {
		r.Judged = of(r.Kiln) / best
	}
	return r
}

// verdict says whether the target is met: "yes", "no", "" for none, "?" where
// it, or the rival it is about, was not measured.
func (r *row) verdict() string {
	switch {
	case r.Target == "":
		return ""
	case r.Judged == 0:
		return "?"
	case r.Judged <= r.Limit:
		return "yes"
	}
	return "no"
}
