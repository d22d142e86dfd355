// Package llvm is LLVM as kiln uses it: the library found and opened, its
// faults turned into errors, and its contexts, modules and target machines as
// values that are closed once. Package capi below it is the whole C API; the
// handles of both are the same.
//
// [Locate] finds the library without opening it, [Open] opens it once a
// process, and [Run] is the only place to call it from: LLVM reports some
// faults by never returning, and only Run can give its caller an error then.
// Inside Run the caller creates a [Context], parses modules into it, and
// passes their handles to capi as it likes.
//
// A context and all that belongs to it are for one goroutine at a time.
// Contexts do not disturb each other.
package llvm
