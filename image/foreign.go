package image

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// foreignMagics are the binaries people hand over by mistake, and what to do about it.
var foreignMagics = [...]struct{ magic, what string }{
	{"\x1F\x8B", "a gzip file (unpack it first)"},
	{"\x28\xB5\x2F\xFD", "a zstd file (unpack it first)"},
	{"\xFD7zXZ\x00", "an xz file (unpack it first)"},
	{"BZh", "a bzip2 file (unpack it first)"},
	{"PK\x03\x04", "a zip file"},
	{"!<arch>\n", "an ar archive (extract a member first)"},
	{"!<thin>\n", "a thin ar archive"},
	{"ML\xEFR", "MLIR bytecode"},
	{"\x03\x02\x23\x07", "a SPIR-V module"},
	{"\xCF\xFA\xED\xFE", "a Mach-O file"},
	{"\xCA\xFE\xBA\xBE", "a Mach-O universal or Java class file"},
	{"MZ", "a Windows executable"},
	{"DXBC", "a DirectX shader"},
	{"\x93NUMPY", "a NumPy array"},
	{"\x00asm", "a WebAssembly module"},
	{"CPCH", "a clang precompiled header"},
	{"\xFF\xFE", "UTF-16 text"},
	{"\xFE\xFF", "UTF-16 text"},
}

func foreignBinary(b []byte) string {
	for _, m := range foreignMagics {
		if hasPrefix(b, m.magic) {
			return m.what
		}
	}
	if len(b) < 4 && (strings.HasPrefix(magicBitcode, string(b)) || strings.HasPrefix(magicWrapper, string(b)) || strings.HasPrefix(magicELF, string(b))) {
		return "a file cut off within its first 4 bytes"
	}
	return ""
}

const utf8BOM = "\xEF\xBB\xBF"

func trimBOM(b []byte) []byte { return bytes.TrimPrefix(b, []byte(utf8BOM)) }

// isText looks at the first bytes only: enough to tell text from a binary.
func isText(b []byte) bool {
	head := b[:min(len(b), 4096)]
	if len(head) < len(b) {
		for i := 0; i < utf8.UTFMax && len(head) > 0 && !utf8.Valid(head); i++ {
			head = head[:len(head)-1]
		}
	}
	return utf8.Valid(head) && bytes.IndexFunc(head, isControl) < 0
}

func isControl(r rune) bool {
	return r < ' ' && r != '\n' && r != '\r' && r != '\t' && r != '\f' && r != '\v' || r == 0x7F
}

// foreignText names text that is not IR, by the first thing after its comments.
func foreignText(b []byte) string {
	if hasPrefix(b, "#!") {
		return "a script"
	}
	s, commented := skipComments(string(trimBOM(b[:min(len(b), 64<<10)])))
	word := s
	if i := strings.IndexAny(s, " \t\r\n({[<:;,="); i >= 0 {
		word = s[:i]
	}
	switch {
	case s == "" && commented:
		return "text with nothing but comments"
	case s == "":
		return "a blank file"
	case strings.HasPrefix(word, "."):
		return "assembly text"
	case word == "module" || word == `"builtin.module"` || word == "builtin.module" || word == "gpu.module" || word == "func.func" || strings.HasPrefix(word, "#map"):
		return "MLIR text"
	case strings.HasPrefix(word, "<"):
		return "markup text"
	case word == "" && s[0] == '<':
		return "markup text"
	case word == "" && (s[0] == '{' || s[0] == '['):
		return "JSON text"
	case isCWord(word):
		return "C source (compile it with clang -emit-llvm first)"
	}
	return "text that begins " + quoteStart(s)
}

func isCWord(word string) bool {
	switch word {
	case "#include", "#define", "#if", "#ifdef", "#ifndef", "#pragma", "#undef", "#line",
		"extern", "static", "typedef", "struct", "enum", "union", "const", "inline",
		"void", "int", "float", "double", "char", "unsigned", "long", "short",
		"template", "namespace", "using", "class", "constexpr", "auto",
		"__global__", "__device__", "__constant__", "__kernel", "kernel", "__attribute__":
		return true
	}
	return false
}

func skipComments(s string) (rest string, commented bool) {
	for {
		s = strings.TrimSpace(s)
		switch {
		case strings.HasPrefix(s, "//") || strings.HasPrefix(s, ";"):
			_, s, _ = strings.Cut(s, "\n")
		case strings.HasPrefix(s, "/*"):
			_, s, _ = strings.Cut(s, "*/")
		default:
			return s, commented
		}
		commented = true
	}
}

func quoteStart(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	if len(line) > 32 {
		line = strings.ToValidUTF8(line[:32], "") + "…"
	}
	return "\"" + strings.TrimSpace(line) + "\""
}
