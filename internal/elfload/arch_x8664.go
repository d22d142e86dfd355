package elfload

// x8664 is the x86-64 psABI.
var x8664 = arch{
	goarch:   "amd64",
	machine:  machineX8664,
	page:     4096,
	stubSize: 16,
	stub:     stubX8664,
	relocs: []relocation{
		0:  {"R_X86_64_NONE", formIgnored, 0, checkNone},
		1:  {"R_X86_64_64", formAbs, 8, checkNone},
		2:  {"R_X86_64_PC32", formPC, 4, checkSigned},
		3:  {"R_X86_64_GOT32", formSlotOff, 4, checkSigned},
		4:  {"R_X86_64_PLT32", formBranch, 4, checkSigned},
		5:  {"R_X86_64_COPY", formDynamic, 0, checkNone},
		6:  {"R_X86_64_GLOB_DAT", formDynamic, 0, checkNone},
		7:  {"R_X86_64_JUMP_SLOT", formDynamic, 0, checkNone},
		8:  {"R_X86_64_RELATIVE", formDynamic, 0, checkNone},
		9:  {"R_X86_64_GOTPCREL", formSlotPC, 4, checkSigned},
		10: {"R_X86_64_32", formAbs, 4, checkUnsigned},
		11: {"R_X86_64_32S", formAbs, 4, checkSigned},
		12: {"R_X86_64_16", formAbs, 2, checkEither},
		13: {"R_X86_64_PC16", formPC, 2, checkSigned},
		14: {"R_X86_64_8", formAbs, 1, checkEither},
		15: {"R_X86_64_PC8", formPC, 1, checkSigned},
		16: {"R_X86_64_DTPMOD64", formTLS, 0, checkNone},
		17: {"R_X86_64_DTPOFF64", formTLS, 0, checkNone},
		18: {"R_X86_64_TPOFF64", formTLS, 0, checkNone},
		19: {"R_X86_64_TLSGD", formTLS, 0, checkNone},
		20: {"R_X86_64_TLSLD", formTLS, 0, checkNone},
		21: {"R_X86_64_DTPOFF32", formTLS, 0, checkNone},
		22: {"R_X86_64_GOTTPOFF", formTLS, 0, checkNone},
		23: {"R_X86_64_TPOFF32", formTLS, 0, checkNone},
		24: {"R_X86_64_PC64", formPC, 8, checkNone},
		25: {"R_X86_64_GOTOFF64", formOff, 8, checkNone},
		26: {"R_X86_64_GOTPC32", formTablePC, 4, checkSigned},
		27: {"R_X86_64_GOT64", formSlotOff, 8, checkNone},
		28: {"R_X86_64_GOTPCREL64", formSlotPC, 8, checkNone},
		29: {"R_X86_64_GOTPC64", formTablePC, 8, checkNone},
		30: {"R_X86_64_GOTPLT64", formSlotOff, 8, checkNone},
		// L - GOT + A: 64 bits reach every symbol, so none needs a stub.
		31: {"R_X86_64_PLTOFF64", formOff, 8, checkNone},
		32: {"R_X86_64_SIZE32", formSize, 4, checkUnsigned},
		33: {"R_X86_64_SIZE64", formSize, 8, checkNone},
		34: {"R_X86_64_GOTPC32_TLSDESC", formTLS, 0, checkNone},
		35: {"R_X86_64_TLSDESC_CALL", formTLS, 0, checkNone},
		36: {"R_X86_64_TLSDESC", formTLS, 0, checkNone},
		37: {"R_X86_64_IRELATIVE", formDynamic, 0, checkNone},
		41: {"R_X86_64_GOTPCRELX", formSlotPC, 4, checkSigned},
		42: {"R_X86_64_REX_GOTPCRELX", formSlotPC, 4, checkSigned},
		43: {"R_X86_64_CODE_4_GOTPCRELX", formSlotPC, 4, checkSigned},
		44: {"R_X86_64_CODE_4_GOTTPOFF", formTLS, 0, checkNone},
		45: {"R_X86_64_CODE_4_GOTPC32_TLSDESC", formTLS, 0, checkNone},
		50: {"R_X86_64_CODE_6_GOTTPOFF", formTLS, 0, checkNone},
	},
}

// stubX8664 writes "endbr64; jmp *slot(%rip)" and pads with int3.
func stubX8664(code []byte, at, slot uint64) {
	const jumpEnd = 10
	n := copy(code, "\xf3\x0f\x1e\xfa\xff\x25")
	le.PutUint32(code[n:], uint32(slot-(at+jumpEnd)))
	for i := jumpEnd; i < len(code); i++ {
		code[i] = 0xcc
	}
}
