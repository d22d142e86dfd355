package cpu

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/kilnjit/kiln/device"
)

// BenchmarkLaunchEmpty is the whole way from Go into a kernel of one group
// that does nothing, and back.
func BenchmarkLaunchEmpty(b *testing.B) {
	d := open(b, 0)
	b.Run("call alone", func(b *testing.B) {
		call := newClock(compiled(b, "kernels.c"))
		for b.Loop() {
			call()
		}
	})
	for _, groups := range []int{1, 2, 1000} {
		b.Run(fmt.Sprint(groups), func(b *testing.B) {
			f := device.Function(kernel(b, d, "empty"))
			l := over(groups, nil)
			b.ReportAllocs()
			for b.Loop() {
				if err := f.Launch(l); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkStream is an empty kernel in a stream: queued among many others, and
// alone with a wait for it.
func BenchmarkStream(b *testing.B) {
	d := open(b, 1)
	f := kernel(b, d, "empty")
	s, err := d.Stream()
	if err != nil {
		b.Fatal(err)
	}
	l := over(1, nil)
	for _, every := range []int{1000, 1} {
		b.Run(fmt.Sprint(every), func(b *testing.B) {
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				if err := s.Launch(b.Context(), f, l, nil); err != nil {
					b.Fatal(err)
				}
				if n++; n%every == 0 {
					if err := s.Synchronize(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
			}
			if err := s.Synchronize(b.Context()); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkFault is a launch whose kernel faults, and the error made of it.
func BenchmarkFault(b *testing.B) {
	f := kernel(b, open(b, 0), "null_store")
	var null uint64
	l := over(1, block(&null))
	for b.Loop() {
		if f.Launch(l) == nil {
			b.Fatal("no fault")
		}
	}
}

// pause waits without giving up the processor.
func pause(clock func() uint64, d time.Duration) {
	for start, ticks := clock(), uint64(d)*tickRate()/1000; clock()-start < ticks; {
	}
}

// BenchmarkLaunchWake reports how long after a launch its second thread begins
// its first group, in launches of 200 µs on two threads that are 50 µs apart.
func BenchmarkLaunchWake(b *testing.B) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	d := open(b, 2)
	f := kernel(b, d, "work")
	w := newWorkload(slices.Repeat([]time.Duration{100 * time.Microsecond}, 4)...)
	clock := newClock(compiled(b, "kernels.c"))
	l := over(4, w.params)
	var wakes []uint64
	alone := 0
	for b.Loop() {
		pause(clock, 50*time.Microsecond)
		start := clock()
		if err := f.Launch(l); err != nil {
			b.Fatal(err)
		}
		first := map[uint64]uint64{}
		for g, thread := range w.threads {
			if at, ok := first[thread]; !ok || w.began[g] < at {
				first[thread] = w.began[g]
			}
		}
		if len(first) < 2 {
			alone++
			continue
		}
		var begins []uint64
		for _, at := range first {
			begins = append(begins, at-start)
		}
		wakes = append(wakes, slices.Max(begins))
	}
	if len(wakes) == 0 {
		b.Fatal("no launch was shared")
	}
	slices.Sort(wakes)
	us := func(ticks uint64) float64 { return float64(ticks) / float64(tickRate()) }
	b.ReportMetric(us(wakes[0]), "wake-min-µs")
	b.ReportMetric(us(wakes[len(wakes)/2]), "wake-median-µs")
	b.ReportMetric(us(wakes[len(wakes)*9/10]), "wake-p90-µs")
	b.ReportMetric(100*float64(alone)/float64(alone+len(wakes)), "%alone")
}

// BenchmarkSpeedup reports how much faster two threads are than one with
// 10 ms of work.
func BenchmarkSpeedup(b *testing.B) {
	w := newWorkload(slices.Repeat([]time.Duration{10 * time.Microsecond}, 1000)...)
	l := over(1000, w.params)
	alone, both := kernel(b, open(b, 1), "work"), kernel(b, open(b, 2), "work")
	var times [2][]time.Duration
	for b.Loop() {
		for i, f := range []*function{alone, both} {
			start := time.Now()
			if err := f.Launch(l); err != nil {
				b.Fatal(err)
			}
			times[i] = append(times[i], time.Since(start))
		}
	}
	slices.Sort(times[0])
	slices.Sort(times[1])
	b.ReportMetric(float64(times[0][0])/float64(times[1][0]), "speedup-best")
	b.ReportMetric(float64(times[0][len(times[0])/2])/float64(times[1][len(times[1])/2]), "speedup-median")
}
