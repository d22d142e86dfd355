#include "textflag.h"

// The offsets of Frame's fields.
#define frame_fn   0
#define frame_n    8
#define frame_args 16

// A C function of one argument, a *Frame: it calls the frame's function with
// the frame's arguments and leaves the result in the first of them. Room for
// 26 arguments on the stack, beyond the six in registers.
TEXT callFrame<>(SB), NOSPLIT|NOFRAME, $0
	PUSHQ BP
	MOVQ  SP, BP
	PUSHQ BX
	SUBQ  $(26*8+8), SP
	MOVQ  DI, BX
	MOVQ  frame_n(BX), CX
	SUBQ  $6, CX
	JLE   registers
	LEAQ  (frame_args+6*8)(BX), SI
	MOVQ  SP, DI
	CLD
	REP
	MOVSQ

registers:
	MOVQ (frame_args+0*8)(BX), DI
	MOVQ (frame_args+1*8)(BX), SI
	MOVQ (frame_args+2*8)(BX), DX
	MOVQ (frame_args+3*8)(BX), CX
	MOVQ (frame_args+4*8)(BX), R8
	MOVQ (frame_args+5*8)(BX), R9
	XORL AX, AX
	MOVQ frame_fn(BX), R11
	CALL R11
	MOVQ AX, frame_args(BX)
	ADDQ $(26*8+8), SP
	POPQ BX
	POPQ BP
	XORL AX, AX
	RET

GLOBL ·callFrameAddress(SB), NOPTR|RODATA, $8
DATA ·callFrameAddress(SB)/8, $callFrame<>(SB)
