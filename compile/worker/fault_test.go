package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/target"
)

// deep is a type so deep that LLVM's parser overflows its stack.
func deep() string {
	const n = 400_000
	return "@g = external global " + strings.Repeat("[1 x ", n) + "i8" + strings.Repeat("]", n) + "\n" + saxpy
}

// endless is a pipeline that runs for longer than any test waits.
var endless = strings.Repeat("default<O3>,", 10_000) + "globaldce"

// large is a store that the code generator takes apart into single bytes.
const large = `
define void @saxpy(ptr %y, ptr %x, float %a, i32 %n) {
  store volatile [100000000 x i8] zeroinitializer, ptr %y
  ret void
}
`

// What LLVM crashes of costs one child; the host gets what it said.
func TestCrash(t *testing.T) {
	p := newPool(t, Options{Processes: 1})
	wantWork(t, p)
	first := p.idle[0]
	for range 2 {
		im, err := p.Compile(t.Context(), request(t, p, deep()))
		failed, ok := errors.AsType[*compile.Error](err)
		if im != nil || !ok || !errors.Is(err, compile.ErrFault) || errors.Is(err, ErrLimit) {
			t.Fatalf("%v", err)
		}
		if failed.Stage != compile.StageParse || failed.Kernel != "saxpy" || !strings.Contains(failed.Summary, "SIGSEGV: segmentation violation in LLVMParseIRInContext") {
			t.Errorf("%v; want the kernel, the stage parse and SIGSEGV", err)
		}
		if !strings.HasSuffix(failed.Log, "signal arrived during cgo execution") || len(failed.Log) > 300 {
			t.Errorf("the log is %q", failed.Log)
		}
	}
	select {
	case <-first.ended:
	default:
		t.Error("the child has survived")
	}
	if _, err := p.Summarise(t.Context(), []byte(deep())); !errors.Is(err, compile.ErrFault) {
		t.Errorf("summary: %v", err)
	}
	wantWork(t, p)
}

// llvm/llvm-project#213504: on valid IR LLVM says "LLVM ERROR" and ends the
// process. The child catches that; it has lost a thread and goes.
func TestFatalErrorLLVM213504(t *testing.T) {
	p := newPool(t, Options{Processes: 1})
	wantWork(t, p)
	first := p.idle[0]
	const ir = `
define <4 x i32> @saxpy(<4 x i32> %v) {
  %r = call <4 x i32> @llvm.aarch64.neon.sqdmulh.v4i32(<4 x i32> %v, <4 x i32> %v)
  ret <4 x i32> %r
}
declare <4 x i32> @llvm.aarch64.neon.sqdmulh.v4i32(<4 x i32>, <4 x i32>)
`
	_, err := p.Compile(t.Context(), request(t, p, ir))
	failed, ok := errors.AsType[*compile.Error](err)
	if !ok || !errors.Is(err, compile.ErrFault) || failed.Stage != compile.StageGenerate || !strings.Contains(failed.Log, "Cannot select") {
		t.Fatalf("%+v", err)
	}
	<-first.ended
	wantWork(t, p)
}

// kavon/atJIT#4, pytorch/pytorch PR#181293: a compile that takes for ever, and
// nobody knows which.
func TestTimeLimitAtJIT4(t *testing.T) {
	p := newPool(t, Options{Processes: 1, Time: time.Second})
	wantWork(t, p)
	r := request(t, p, saxpy)
	r.Options.Pipeline = endless
	began := time.Now()
	_, err := p.Compile(t.Context(), r)
	took := time.Since(began)
	failed, ok := errors.AsType[*compile.Error](err)
	if !ok || !errors.Is(err, ErrLimit) || errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("%v", err)
	}
	if failed.Stage != compile.StageOptimise || failed.Kernel != "saxpy" || !strings.Contains(failed.Summary, "it took more than 1s") {
		t.Errorf("%v; want the kernel, the stage optimise and the limit", err)
	}
	if took < time.Second || took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
	wantWork(t, p)
}

// A caller that leaves takes the compile with it, which LLVM cannot be asked for.
func TestCancel(t *testing.T) {
	p := newPool(t, Options{Processes: 1})
	r := request(t, p, saxpy)
	r.Options.Pipeline = endless
	wantWork(t, p)
	first := p.idle[0]
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := p.Compile(ctx, r); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrLimit) || errors.Is(err, compile.ErrFault) {
		t.Errorf("%v", err)
	}
	<-first.ended
	wantWork(t, p)

	// So does a pool that is closed meanwhile.
	time.AfterFunc(200*time.Millisecond, func() { p.Close() })
	if _, err := p.Compile(t.Context(), r); !errors.Is(err, ErrClosed) {
		t.Errorf("closed meanwhile: %v", err)
	}
}

func TestMemoryLimit(t *testing.T) {
	p := newPool(t, Options{Processes: 1, Memory: 512 << 20, Time: 5 * time.Minute})
	wantWork(t, p)
	r := request(t, p, large)
	r.Options.Pipeline = "globaldce" // what makes one call of the store stays out
	r.Options.Codegen = compile.CodegenNone
	_, err := p.Compile(t.Context(), r)
	failed, ok := errors.AsType[*compile.Error](err)
	if !ok || !errors.Is(err, compile.ErrFault) || !errors.Is(err, ErrLimit) {
		t.Fatalf("%+v", err)
	}
	if failed.Stage != compile.StageGenerate || !strings.Contains(failed.Summary, "it took more than 512 MiB of memory") {
		t.Errorf("%v; want the stage generate and the limit", err)
	}
	wantWork(t, p)
}

// A child that somebody ends while it waits is replaced, and the request, which is
// not to blame, is answered; one that is ended at work is a fault.
func TestChildEndedByOthers(t *testing.T) {
	p := newPool(t, Options{Processes: 1})
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		wantWork(t, p)
		c := p.idle[0]
		if err := c.command.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		wantWork(t, p)
		<-c.ended
	}
	r := request(t, p, saxpy)
	r.Options.Pipeline = endless
	c := p.idle[0]
	time.AfterFunc(300*time.Millisecond, func() { _ = c.command.Process.Kill() })
	_, err := p.Compile(t.Context(), r)
	if !errors.Is(err, compile.ErrFault) || !strings.Contains(err.Error(), "optimise: LLVM ended its process: signal: killed") {
		t.Errorf("%v", err)
	}
	wantWork(t, p)
}

// Of what a child prints, the beginning and the end are kept.
func TestPrinted(t *testing.T) {
	p := new(printed)
	for i := range 5000 {
		if n, err := fmt.Fprintf(p, "line %04d\n", i); n != 10 || err != nil {
			t.Fatal(n, err)
		}
	}
	text := p.String()
	left := fmt.Sprintf("[%d bytes left out]", 50_000-2*mostPrinted)
	if !strings.HasPrefix(text, "line 0000\nline 0001\n") || !strings.HasSuffix(text, "line 4998\nline 4999") || !strings.Contains(text, left) {
		t.Errorf("%d bytes: %.40q … %q", len(text), text, text[len(text)-40:])
	}
	if len(text) > 2*mostPrinted+50 {
		t.Errorf("%d bytes are kept", len(text))
	}
}

// host asks for an endless compile, and prints its child's process id.
func host() int {
	path, err := os.Executable()
	if err != nil {
		return 1
	}
	p, err := New(Options{Path: path})
	if err != nil {
		return 1
	}
	native, err := target.Native()
	if err != nil {
		return 1
	}
	r := compile.Request{Module: []byte(saxpy), Kernel: "saxpy", Target: native, Toolchain: p.Toolchain()}
	if _, err := p.Compile(context.Background(), r); err != nil {
		return 1
	}
	os.Stdout.WriteString(strconv.Itoa(p.idle[0].command.Process.Pid) + "\n")
	r.Options.Pipeline = endless
	_, _ = p.Compile(context.Background(), r)
	return 1
}

// A host that is killed leaves no child behind, whatever that is at.
func TestChildEndsWithItsHost(t *testing.T) {
	command := exec.Command(os.Args[0], "host")
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 32)
	n, err := out.Read(buf)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(buf[:n])))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, 0); err != nil {
		t.Fatalf("no child of id %d: %v", pid, err)
	}
	time.Sleep(100 * time.Millisecond)
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait()
	for end := time.Now().Add(20 * time.Second); alive(pid); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			t.Fatal("the child still runs after 20 s")
		}
	}
}

// alive tells whether a process runs: one that has ended may wait for its
// parent to notice.
func alive(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(after, "Z")
}
