package main

import (
	"context"
	"fmt"
	"time"

	"github.com/kilnjit/kiln"
	"github.com/kilnjit/kiln/bench/workload"
)

// station is one kernel from one image: what it took and whether it was right.
type station struct {
	dir    string // of the disk cache
	file   string
	kernel *workload.Kernel
	input  *workload.Input
	want   []byte // the output by C

	compile, cached      float64 // ms
	generic, specialised float64 // ms a launch
	wrong                error
}

func (s *station) visit(ctx context.Context) error {
	if err := s.cold(ctx); err != nil {
		return err
	}
	return s.warm(ctx)
}

// cold compiles the kernel and runs it as it is and specialised.
func (s *station) cold(ctx context.Context) error {
	var compiles []time.Duration
	engine, err := kiln.Open(kiln.Options{
		Cache: kiln.CacheOptions{Dir: s.dir},
		Events: kiln.Events{CompileEnd: func(r kiln.CompileResult) {
			if r.Kernel != "" && r.Err == nil {
				compiles = append(compiles, r.Duration)
			}
		}},
	})
	if err != nil {
		return err
	}
	defer engine.Close()
	kernel, err := s.find(ctx, engine)
	if err != nil {
		return err
	}
	if s.generic, err = s.launches(ctx, kernel, false); err != nil {
		return err
	}
	if s.specialised, err = s.launches(ctx, kernel, true); err != nil {
		return err
	}
	if len(compiles) != 2 {
		return fmt.Errorf("%d compiles, want 2: one as it is, one specialised", len(compiles))
	}
	s.compile = ms(compiles[0])
	return nil
}

func (s *station) find(ctx context.Context, engine *kiln.Engine) (*kiln.Kernel, error) {
	module, err := engine.Load(ctx, kiln.File(s.file))
	if err != nil {
		return nil, err
	}
	return module.Kernel(s.kernel.Name)
}

// launches checks the output of a first launch and returns the least time of
// the next ones.
func (s *station) launches(ctx context.Context, kernel *kiln.Kernel, constant bool) (float64, error) {
	s.input.Reset()
	args := s.input.Launch(constant)
	if err := kernel.Launch(ctx, args...); err != nil {
		return 0, err
	}
	for _, err := range []error{s.input.Check(), compare(s.input.Output(), s.want)} {
		if err != nil && s.wrong == nil {
			s.wrong = err
		}
	}
	least := time.Duration(1<<63 - 1)
	for start, n := time.Now(), 0; n < 5 && (n == 0 || time.Since(start) < 300*time.Millisecond); n++ {
		began := time.Now()
		if err := kernel.Launch(ctx, args...); err != nil {
			return 0, err
		}
		least = min(least, time.Since(began))
	}
	return ms(least), nil
}

// warm measures a new engine that finds everything in the cache folder. Its
// launch is of one group, so that it is the way there that counts.
func (s *station) warm(ctx context.Context) error {
	args := append(s.input.Launch(false), kiln.Grid(1))
	began := time.Now()
	engine, err := kiln.Open(kiln.Options{Cache: kiln.CacheOptions{Dir: s.dir}})
	if err != nil {
		return err
	}
	defer engine.Close()
	kernel, err := s.find(ctx, engine)
	if err != nil {
		return err
	}
	if err := kernel.Launch(ctx, args...); err != nil {
		return err
	}
	s.cached = ms(time.Since(began))
	if n := engine.Stats().Compiles; n != 0 {
		return fmt.Errorf("%d compiles with a full cache, want none", n)
	}
	return nil
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }
