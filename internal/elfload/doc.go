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
// An image is one reservation of three ranges: text with its call stubs
// (read, execute), constants with the global offset table and everything else
// that only relocation writes (read), and data (read, write). No page is ever
// writable and executable. Definitions inside the object always win over those
// of the process, weak ones and COMDAT groups included.
//
// Position-independent small-model code loads anywhere, and so do the medium,
// large and static large models. Code that was compiled to live below 2 GiB
// (static small) is placed there; where it names data of another library it
// cannot be loaded, and the error says so.
//
// Parse proves that an object is well formed, not that its code is what the
// compiler wrote: a flipped bit inside an instruction is still a valid object.
// Bytes that come from a file or a network must be verified against a digest
// before they are parsed.
package elfload
