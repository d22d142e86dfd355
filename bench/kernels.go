package main

import (
	"context"
	"fmt"
	"time"

	"github.com/kilnjit/kiln"
	"github.com/kilnjit/kiln/bench/workload"
)

var polynomial = benchmark{
	name:  "polynomial",
	title: "Polynomial with degree and coefficients constant",
	how: "4 Mi points, degree 7, applied 4 times, from the sm_80 image with every number and the launch's shape compiled " +
		"in, against the C loop with the same constants (clang 22 -O3 -march=native -fno-math-errno, OpenMP) and the C loop that reads them.",
	run: runPolynomial,
}

var gridKernels = benchmark{
	name:  "kernels",
	title: "GPU kernels on the CPU, full size",
	how: "The sm_80 image of each kernel, as it is and with numbers and shape compiled in; PoCL 3.1 with the OpenCL C of " +
		"the same kernel, numba with a parallel loop over the same items, C by hand as the limit. All on as many threads and " +
		"with buffers in huge pages, every first output checked against the expected sum. *Level* is within 5 %.",
	run: runKernels,
}

// named is a contender and what the table calls it.
type named struct {
	name    string
	contest contender
	missing string
}

func start(name string, c contender, err error) named {
	if err != nil {
		return named{name: name, missing: err.Error()}
	}
	return named{name: name, contest: c}
}

func runPolynomial(ctx context.Context, b *bench) ([]row, error) {
	set, err := workload.Load("testdata/spmd", workload.Full)
	if err != nil {
		return nil, err
	}
	k := set.Kernel("poly")
	generic, constant, err := ours(ctx, set, "sm_80.raw", k)
	if err != nil {
		return nil, err
	}
	defer generic.engine.Close()
	fixed, fixedErr := b.reference(ctx, "poly_const", k)
	read, readErr := b.reference(ctx, "poly", k)
	rivals := []named{start("limit: C, constants", fixed, fixedErr), start("C, read at run time", read, readErr)}
	rows, err := contest(b, []named{{name: "specialised", contest: constant}, {name: "as it is", contest: generic}}, rivals)
	if err != nil {
		return nil, err
	}
	rows[0] = rows[0].times(1.2, least, rivals[0].name)
	rows[0].Work, rows[1].Work = "poly, specialised", "poly, as it is"
	return rows, nil
}

func runKernels(ctx context.Context, b *bench) ([]row, error) {
	set, err := workload.Load("testdata/spmd", workload.Full)
	if err != nil {
		return nil, err
	}
	var all []row
	for _, name := range []string{"saxpy", "matmul_naive", "stencil7", "nbody"} {
		k := set.Kernel(name)
		generic, constant, err := ours(ctx, set, "sm_80.raw", k)
		if err != nil {
			return nil, err
		}
		pocl, poclErr := b.pocl(ctx, k)
		numba, numbaErr := b.numba(ctx, k)
		byHand, byHandErr := b.reference(ctx, name, k)
		rivals := []named{start("peer: PoCL 3.1", pocl, poclErr), start("peer: numba", numba, numbaErr), start("limit: C", byHand, byHandErr)}
		rows, err := contest(b, []named{{name: name + ", as it is", contest: generic}, {name: name + ", specialised", contest: constant}}, rivals)
		generic.engine.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, r := range rows {
			all = append(all, r.times(1.05, least, rivals[0].name, rivals[1].name))
		}
	}
	return all, nil
}

// contest runs all contenders in turn, several rounds, and ends the rivals.
func contest(b *bench, own, rivals []named) ([]row, error) {
	everyone := append(append([]named{}, own...), rivals...)
	defer func() {
		for _, n := range everyone {
			if n.contest != nil {
				n.contest.close()
			}
		}
	}()
	times := make([][]float64, len(everyone))
	for round := range b.rounds(12, 2) {
		for i := range everyone {
			i = (i + round) % len(everyone)
			if everyone[i].contest == nil {
				continue
			}
			t, err := everyone[i].contest.launches(b.rounds(4, 2))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", everyone[i].name, err)
			}
			times[i] = append(times[i], t...)
		}
	}
	var against []rival
	for i, n := range rivals {
		against = append(against, rival{Name: n.name, Sample: scaled(times[len(own)+i], "ms"), Missing: n.missing})
	}
	var rows []row
	for i, n := range own {
		rows = append(rows, row{Work: n.name, Unit: "ms", Kiln: scaled(times[i], "ms"), Against: against})
	}
	return rows, nil
}

// form is kiln's contender: one kernel with its arguments.
type form struct {
	engine *kiln.Engine
	kernel *kiln.Kernel
	ctx    context.Context
	args   []kiln.LaunchArg
}

// ours returns a kernel as it is and specialised, both checked; the caller
// closes the engine.
func ours(ctx context.Context, set *workload.Set, image string, k *workload.Kernel) (generic, constant *form, err error) {
	engine, err := kiln.Open(kiln.Options{Cache: kiln.CacheOptions{Off: true}})
	if err != nil {
		return nil, nil, err
	}
	module, err := engine.Load(ctx, kiln.File(set.Image(image)))
	if err != nil {
		return nil, nil, err
	}
	kernel, err := module.Kernel(k.Name)
	if err != nil {
		return nil, nil, err
	}
	input := k.Make()
	var forms []*form
	for _, fixed := range []bool{false, true} {
		input.Reset()
		f := &form{engine, kernel, ctx, input.Launch(fixed)}
		if err := kernel.Launch(ctx, f.args...); err != nil {
			return nil, nil, err
		}
		if err := input.Check(); err != nil {
			return nil, nil, err
		}
		forms = append(forms, f)
	}
	// The output that the first form writes was replaced by a fresh one.
	forms[0].args = input.Launch(false)
	return forms[0], forms[1], nil
}

func (f *form) launches(n int) ([]float64, error) {
	var times []float64
	for range n {
		began := time.Now()
		if err := f.kernel.Launch(f.ctx, f.args...); err != nil {
			return nil, err
		}
		times = append(times, float64(time.Since(began)))
	}
	return times, nil
}

func (f *form) close() {}
