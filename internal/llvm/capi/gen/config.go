package main

// versions are the major versions whose headers are read, oldest first.
var versions = []int{19, 22}

// headers are read in this order; types must come before their users.
var headers = []string{
	"Types.h", "Error.h", "ErrorHandling.h", "Core.h", "Analysis.h", "BitReader.h", "BitWriter.h",
	"Comdat.h", "DebugInfo.h", "DisassemblerTypes.h", "Disassembler.h", "IRReader.h", "Linker.h", "Object.h", "Support.h",
	"Target.h", "TargetMachine.h", "Transforms/PassBuilder.h",
}

// targets are the back ends whose initialisers are bound; the headers make
// them from macros.
var targets = []string{"AArch64", "AMDGPU", "NVPTX", "X86"}

var targetParts = []string{"TargetInfo", "Target", "TargetMC", "AsmPrinter", "AsmParser", "Disassembler"}

// Not every target has every part.
var targetLacks = map[string]bool{
	"NVPTXAsmParser":    true,
	"NVPTXDisassembler": true,
}

// unsizedArrays are array parameters, by function and name, whose size the
// caller must know.
var unsizedArrays = map[string]bool{
	"LLVMGetParamTypes.Dest":            true,
	"LLVMGetStructElementTypes.Dest":    true,
	"LLVMGetSubtypes.Arr":               true,
	"LLVMGetParams.Params":              true,
	"LLVMGetBasicBlocks.BasicBlocks":    true,
	"LLVMGetNamedMetadataOperands.Dest": true,
	"LLVMGetMDNodeOperands.Dest":        true,
	"LLVMGetAttributesAtIndex.Attrs":    true,
	"LLVMGetCallSiteAttributes.Attrs":   true,
	"LLVMGetHandlers.Handlers":          true,
}

// retained are text parameters whose address LLVM keeps after the call.
var retained = map[string]bool{
	"LLVMPassBuilderOptionsSetAAPipeline.AAPipeline": true,
}

// addresses are functions whose const char * is the address of bytes, not a
// terminated string.
var addresses = map[string]bool{
	"LLVMGetBufferStart":     true,
	"LLVMGetSectionContents": true,
}

// byteSlices are text parameters, by function and name, that stand for any
// bytes.
var byteSlices = map[string]bool{
	"LLVMCreateMemoryBufferWithMemoryRange.InputData":     true,
	"LLVMCreateMemoryBufferWithMemoryRangeCopy.InputData": true,
}

// errorMessages are functions whose char * is freed by
// LLVMDisposeErrorMessage.
var errorMessages = map[string]bool{
	"LLVMGetErrorMessage":     true,
	"LLVMDisposeErrorMessage": true,
}

// constantPrefix is put before the constants of an enumeration whose names
// would not tell what they are.
var constantPrefix = map[string]string{
	"LLVMOpcode": "Op",
}

// movedConstants are enumerations whose values differ between the versions;
// the newest version's are taken.
var movedConstants = map[string]bool{
	"LLVMDWARFSourceLanguage": true,
}

// changedSignatures are functions that the versions declare differently,
// where a call by the newest declaration is right for all of them.
var changedSignatures = map[string]bool{
	"LLVMIntrinsicCopyOverloadedName":      true, // only lost a const
	"LLVMIntrinsicCopyOverloadedName2":     true, // only lost a const
	"LLVMDIBuilderCreateObjectPointerType": true, // an argument more, which 19 does not look at
}

// renamed are C names whose usual Go name is another's.
var renamed = map[string]string{
	"LLVMObjectFileRef": "ObjectFileHandle",
}
