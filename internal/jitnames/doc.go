// Package jitnames tells the tools outside a process which code it has made:
// perf, by its map file or its dump file, and gdb, by its interface for
// compilers that run in the process.
//
// A map file (/tmp/perf-PID.map) is one line of text for each function, and
// perf reads it when it reports. It cannot say that code is gone: where an
// address is used again, perf takes the name that was written last. A dump file
// (jit-PID.dump) has times and the code itself, so that perf can annotate
// instructions, and outlives the process; "perf inject --jit" merges it into a
// recording made with "perf record -k mono". gdb gets the object with its debug
// information, and stops, prints and steps by the lines of the source.
//
// Files are opened once in a process and stay open until it ends: code of all
// that writes to one goes into it.
package jitnames
