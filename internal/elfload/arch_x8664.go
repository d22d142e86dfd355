package elfload

// x8664 is the x86-64 psABI.
var x8664 = arch{
	goarch:   "amd64",
	machine:  machineX8664,
	low:      true,
	stubSize: 16,
	stub:     stubX8664,
	relocs: []relocation{
		0:  {"R_X86_64_NONE", formIgnored, fieldNone, checkNone},
		1:  {"R_X86_64_64", formAbs, field64, checkNone},
		2:  {"R_X86_64_PC32", formPC, field32, checkSigned},
		3:  {"R_X86_64_GOT32", formSlotOff, field32, checkSigned},
		4:  {"R_X86_64_PLT32", formBranch, field32, checkSigned},
		5:  {"R_X86_64_COPY", formDynamic, fieldNone, checkNone},
		6:  {"R_X86_64_GLOB_DAT", formDynamic, fieldNone, checkNone},
		7:  {"R_X86_64_JUMP_SLOT", formDynamic, fieldNone, checkNone},
		8:  {"R_X86_64_RELATIVE", formDynamic, fieldNone, checkNone},
		9:  {"R_X86_64_GOTPCREL", formSlotPC, field32, checkSigned},
		10: {"R_X86_64_32", formAbs, field32, checkUnsigned},
		11: {"R_X86_64_32S", formAbs, field32, checkSigned},
		12: {"R_X86_64_16", formAbs, field16, checkEither},
		13: {"R_X86_64_PC16", formPC, field16, checkSigned},
		14: {"R_X86_64_8", formAbs, field8, checkEither},
		15: {"R_X86_64_PC8", formPC, field8, checkSigned},
		16: {"R_X86_64_DTPMOD64", formTLS, fieldNone, checkNone},
		17: {"R_X86_64_DTPOFF64", formTLS, fieldNone, checkNone},
		18: {"R_X86_64_TPOFF64", formTLS, fieldNone, checkNone},
		19: {"R_X86_64_TLSGD", formTLS, fieldNone, checkNone},
		20: {"R_X86_64_TLSLD", formTLS, fieldNone, checkNone},
		21: {"R_X86_64_DTPOFF32", formTLS, fieldNone, checkNone},
		22: {"R_X86_64_GOTTPOFF", formTLS, fieldNone, checkNone},
		23: {"R_X86_64_TPOFF32", formTLS, fieldNone, checkNone},
		24: {"R_X86_64_PC64", formPC, field64, checkNone},
		25: {"R_X86_64_GOTOFF64", formOff, field64, checkNone},
		26: {"R_X86_64_GOTPC32", formTablePC, field32, checkSigned},
		27: {"R_X86_64_GOT64", formSlotOff, field64, checkNone},
		28: {"R_X86_64_GOTPCREL64", formSlotPC, field64, checkNone},
		29: {"R_X86_64_GOTPC64", formTablePC, field64, checkNone},
		30: {"R_X86_64_GOTPLT64", formSlotOff, field64, checkNone},
		// L - GOT + A: 64 bits reach every symbol, so none needs a stub.
		31: {"R_X86_64_PLTOFF64", formOff, field64, checkNone},
		32: {"R_X86_64_SIZE32", formSize, field32, checkUnsigned},
		33: {"R_X86_64_SIZE64", formSize, field64, checkNone},
		34: {"R_X86_64_GOTPC32_TLSDESC", formTLS, fieldNone, checkNone},
		35: {"R_X86_64_TLSDESC_CALL", formTLS, fieldNone, checkNone},
		36: {"R_X86_64_TLSDESC", formTLS, fieldNone, checkNone},
		37: {"R_X86_64_IRELATIVE", formDynamic, fieldNone, checkNone},
		41: {"R_X86_64_GOTPCRELX", formSlotPC, field32, checkSigned},
		42: {"R_X86_64_REX_GOTPCRELX", formSlotPC, field32, checkSigned},
		43: {"R_X86_64_CODE_4_GOTPCRELX", formSlotPC, field32, checkSigned},
		44: {"R_X86_64_CODE_4_GOTTPOFF", formTLS, fieldNone, checkNone},
		45: {"R_X86_64_CODE_4_GOTPC32_TLSDESC", formTLS, fieldNone, checkNone},
		50: {"R_X86_64_CODE_6_GOTTPOFF", formTLS, fieldNone, checkNone},
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
