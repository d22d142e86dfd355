#include "textflag.h"

// func syncCode(lo, hi uintptr)
//
// For each cache line of [lo, hi): clean it to the point where instruction
// fetches see it, then forget what was fetched from it. Lines are taken to have
// the smallest size the architecture allows.
TEXT ·syncCode(SB), NOSPLIT, $0-16
	MOVD lo+0(FP), R0
	MOVD hi+8(FP), R1
	AND  $~15, R0, R2

clean:
	CMP  R1, R2
	BHS  cleaned
	WORD $0xd50b7b22 // dc cvau, x2
	ADD  $16, R2
	B    clean

cleaned:
	WORD $0xd5033b9f // dsb ish
	AND  $~15, R0, R2

forget:
	CMP  R1, R2
	BHS  done
	WORD $0xd50b7522 // ic ivau, x2
	ADD  $16, R2
	B    forget

done:
	WORD $0xd5033b9f // dsb ish
	WORD $0xd5033fdf // isb
	RET
