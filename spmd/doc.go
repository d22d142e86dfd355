// Package spmd turns GPU kernels into host code. A kernel is written for one
// work-item of many; the CPU device enters one function that runs a range of
// work-groups. Lower makes the one of the other, from the bitcode of NVPTX,
// AMDGPU, SPIR and of OpenCL C for the host.
//
// It goes in three steps. Ingest takes the kernel and what it reaches from the
// module's text and makes it ordinary IR: no address spaces, no attributes or
// calling conventions of a GPU, ids and launch sizes as calls of kiln.*
// functions, the device's library functions defined. LLVM then inlines and
// simplifies. Lowering at last reads the one function that is left and writes
// the entry around it, in one of four forms:
//
//   - lanes: work-items side by side along x are the lanes of vectors. Values
//     that are equal in all lanes stay scalar, addresses that ascend with the
//     lane become vector loads and stores, and where control depends on the
//     lane the blocks run one after the other under masks.
//   - items: one work-item after the other. Any kernel without barriers can
//     run so; it is what is left over where lanes do not fill a vector or a
//     shape is not taken.
//   - regions: where work-items meet, at barriers and in operations across a
//     warp, the kernel is cut at its barriers and where loops that hold one
//     begin. All items of a group run a region, as lanes, one chunk of them after
//     the other, before any runs the next. What differs by item and is needed
//     beyond a cut lies in arrays of the group, unless it follows from the ids.
//   - coroutines: each work-item suspends where it meets others, and a scheduler lets those go on that have
//     met. Any kernel can run so: those do whose items may part ways where some
//     meet, wait for one another in loops, or meet in part of a group.
package spmd

import "errors"

// ErrUnsupported is what a kernel gives that uses something this package does
// not lower. The error that wraps it names each such thing once.
var ErrUnsupported = errors.New("not supported by kernels on the CPU")
