// Package elfload loads relocatable ELF objects, the ".o" files a compiler
// writes, into this process: it maps them, applies their relocations, seals
// their pages and makes their functions callable. It needs no linker, no LLVM
// and no cgo.
//
// [Parse] is pure: it reads bytes, checks every one it relies on and lays the
// image out, the same on every machine. [Object.Load] binds an object to the
// process. An object can be loaded any number of times, each image with its
// own data.
//
// An image has three zones: text with its call stubs (read, execute), constants
// with the global offset table and everything else that only relocation writes
// (read), and data (read, write). No page is ever writable and executable, for
// no thread at any moment. Zones of a kind of all images lie together in large
// regions, so that thousands of images need a handful of the system's mappings;
// pages belong to one image each, and a closed image's pages are used again.
// Definitions inside the object always win over those of the process, weak ones
// and COMDAT groups included.
//
// Objects of x86-64 and of AArch64 (64-bit, little-endian) are known; docs/loader.md
// lists models and relocations. Position-independent code and code of the large
// model load anywhere. x86-64 code that was compiled to live below 2 GiB (static
// small) is placed there; where code names data of another library that it
// cannot reach, it cannot be loaded, and the error says so.
//
// Parse proves that an object is well formed, not that its code is what the
// compiler wrote: a flipped bit inside an instruction is still a valid object.
// Bytes that come from a file or a network must be verified against a digest
// before they are parsed.
package elfload
