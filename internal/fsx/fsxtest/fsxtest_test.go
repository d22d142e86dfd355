package fsxtest

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
)

func TestFaulty(t *testing.T) {
	f := &Faulty{FS: NewMem()}
	step := func(op string, fault Fault) (what string) {
		f.Reset(Nth(1, fault))
		var err error
		switch op {
		case "mkdir":
			err = f.Mkdir("/d", 0o700)
		case "read":
			var data []byte
			data, _, err = f.Read("/file", 100)
			what = string(data)
		}
		if fault.Err != nil && !errors.Is(err, fault.Err) {
			t.Errorf("%s with %v gives %v", op, fault.Err, err)
		}
		if fault.Err == nil && err != nil {
			t.Errorf("%s: %v", op, err)
		}
		return what
	}
	file, err := f.Create("/file", 0o600)
	if err != nil {
		t.Fatal(err)
	}
	f.Reset(Nth(2, Fault{Short: true, Err: syscall.ENOSPC}))
	for i, want := range []string{"4 <nil>", "2 write /file: no space left on device", "4 <nil>"} {
		if n, err := file.Write([]byte("abcd")); fmt.Sprint(n, " ", err) != want {
			t.Errorf("write %d: %d %v, want %s", i+1, n, err, want)
		}
	}
	if got := step("read", Fault{}); got != "abcdababcd" {
		t.Errorf("the file holds %q", got)
	}
	if got := step("read", Fault{Short: true}); got != "abcda" {
		t.Errorf("a short read gives %q", got)
	}
	step("read", Fault{Err: syscall.EIO})
	step("mkdir", Fault{Err: syscall.EROFS})
	step("mkdir", Fault{Err: syscall.EIO, Done: true})
	step("mkdir", Fault{Err: syscall.EEXIST})
	if stat, err := f.Lstat("/d"); err != nil || !stat.Mode.IsDir() {
		t.Errorf("a call that is done all the same: %v, %v", stat, err)
	}
	f.Reset(From(2, syscall.EIO))
	for i := range 3 {
		if _, err := f.ReadDir("/"); (err != nil) != (i > 0) {
			t.Errorf("call %d: %v", i+1, err)
		}
	}
	if n := len(f.Calls("readdir", "touch")); n != 3 || len(f.Calls("touch")) != 0 || len(f.Calls()) != 3 {
		t.Errorf("%d calls of readdir recorded: %v", n, f.Calls())
	}
}

// What a crash may leave: of a synced file all or, its name being lost, nothing;
// of an unsynced one anything. Each must come up.
func TestMemCrash(t *testing.T) {
	data := []byte("12345678")
	seen := map[string]bool{}
	for seed := range uint64(300) {
		m := NewMem()
		for _, name := range []string{"synced", "unsynced"} {
			f, err := m.Create("/"+name+".tmp", 0o600)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.Write(data); err != nil {
				t.Fatal(err)
			}
			if name == "synced" {
				if err := f.Sync(); err != nil {
					t.Fatal(err)
				}
			}
			if err := m.Rename("/"+name+".tmp", "/"+name); err != nil {
				t.Fatal(err)
			}
		}
		after := m.Crash(rand.New(rand.NewPCG(seed, 1)))
		for _, name := range []string{"synced", "unsynced"} {
			got, _, err := after.Read("/"+name, 100)
			state := "cut"
			switch {
			case err != nil:
				state = "absent"
			case bytes.Equal(got, data):
				state = "whole"
			case len(got) == len(data):
				state = "changed"
			}
			seen[name+" "+state] = true
		}
		if _, _, err := m.Read("/unsynced", 100); err != nil {
			t.Fatalf("the crash changed the file system it was taken from: %v", err)
		}
	}
	for state, want := range map[string]bool{
		"synced whole": true, "synced absent": true, "synced cut": false, "synced changed": false,
		"unsynced whole": true, "unsynced absent": true, "unsynced cut": true, "unsynced changed": true,
	} {
		if seen[state] != want {
			t.Errorf("%s: seen %v, want %v", state, seen[state], want)
		}
	}
}
