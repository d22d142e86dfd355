package compile

import (
	"strings"

	"github.com/kilnjit/kiln/internal/llvm/capi"
	"github.com/kilnjit/kiln/target"
)

// least is the first processor and PTX version that have an intrinsic.
type least struct {
	// prefix begins the intrinsic's name behind "llvm.nvvm.".
	prefix string
	sm     int
	// only is the letter of processors that alone have it, such as "a" of sm_90a.
	only string
	ptx  target.PTXVersion
}

// leastNVIDIA lists the families of intrinsics that came later than sm_50; of
// several that fit the longest prefix counts. LLVM dies of the others where
// the processor lacks them, which is an error, too, but a less telling one.
var leastNVIDIA = []least{
	{"activemask", 30, "", 62},
	{"atomic.add.gen.f.", 60, "", 50},
	{"barrier.cluster.", 90, "", 78},
	{"barrier.cta.", 30, "", 60},
	{"barrier.sync", 30, "", 60},
	{"bar.warp.sync", 30, "", 60},
	{"clusterlaunchcontrol.", 100, "", 86},
	{"cp.async.", 80, "", 70},
	{"cp.async.bulk.", 90, "", 80},
	{"cp.async.mbarrier.", 80, "", 70},
	{"elect.sync", 90, "", 80},
	{"fence.mbarrier_init.", 90, "", 80},
	{"fence.proxy.", 90, "", 80},
	{"fence.sc.cluster", 90, "", 78},
	{"getctarank", 90, "", 78},
	{"griddepcontrol.", 90, "", 78},
	{"idp2a.", 61, "", 50},
	{"idp4a.", 61, "", 50},
	{"is_explicit_cluster", 90, "", 78},
	{"ldmatrix.", 75, "", 65},
	{"mapa", 90, "", 78},
	{"match.", 70, "", 60},
	{"mbarrier.", 80, "", 70},
	{"mma.", 70, "", 64},
	{"nanosleep", 70, "", 63},
	{"read.ptx.sreg.cluster", 90, "", 78},
	{"read.ptx.sreg.nclusterid", 90, "", 78},
	{"redux.sync.", 80, "", 70},
	{"redux.sync.f", 100, "a", 86},
	{"setmaxnreg.", 90, "a", 80},
	{"shfl.sync.", 30, "", 60},
	{"stmatrix.", 90, "", 78},
	{"tcgen05.", 100, "a", 86},
	{"vote.all.sync", 30, "", 60},
	{"vote.any.sync", 30, "", 60},
	{"vote.ballot.sync", 30, "", 60},
	{"vote.uni.sync", 30, "", 60},
	{"wgmma.", 90, "a", 80},
	{"wmma.", 70, "", 60},
}

// leastOf returns what an NVIDIA intrinsic needs, nil where the table does not
// say.
func leastOf(name string) *least {
	rest, ok := strings.CutPrefix(name, "llvm.nvvm.")
	if !ok {
		return nil
	}
	var best *least
	for i := range leastNVIDIA {
		l := &leastNVIDIA[i]
		if strings.HasPrefix(rest, l.prefix) && (best == nil || len(l.prefix) > len(best.prefix)) {
			best = l
		}
	}
	return best
}

// amdFamilies lists intrinsics of AMD's that only some processors have.
var amdFamilies = []struct {
	// prefix begins the name behind "llvm.amdgcn.".
	prefix string
	// processors are the beginnings of the names of those that have it.
	processors []string
	where      string
}{
	{"mfma.", []string{"gfx908", "gfx90a", "gfx94", "gfx95", "gfx9-4"}, "gfx908, gfx90a, gfx942 and gfx950"},
	{"smfmac.", []string{"gfx94", "gfx95", "gfx9-4"}, "gfx942 and gfx950"},
	{"wmma.", []string{"gfx11", "gfx12"}, "gfx11 and gfx12"},
	{"swmmac.", []string{"gfx12"}, "gfx12"},
	{"permlane16", []string{"gfx10", "gfx11", "gfx12", "gfx95"}, "gfx10 and later"},
	{"permlanex16", []string{"gfx10", "gfx11", "gfx12"}, "gfx10 and later"},
	{"permlane64", []string{"gfx11", "gfx12"}, "gfx11 and gfx12"},
	{"mov.dpp8", []string{"gfx10", "gfx11", "gfx12"}, "gfx10 and later"},
}

// checkIntrinsics refuses intrinsics that the processor does not have.
func (b *build) checkIntrinsics() error {
	processor := b.request.Target.Processor
	for f := range b.code.functions {
		name := capi.GetValueName2(f)
		if !strings.HasPrefix(name, "llvm.") || capi.GetFirstUse(f) == 0 {
			continue
		}
		if b.request.Target.Arch() == target.AMDGPU {
			for i := range amdFamilies {
				family := &amdFamilies[i]
				if strings.HasPrefix(name, "llvm.amdgcn."+family.prefix) && !hasPrefixOf(processor, family.processors) {
					return faultf(ErrUnsupported, "the kernel uses %s, which %s have and %s has not", name, family.where, processor)
				}
			}
			continue
		}
		l := leastOf(name)
		if l == nil {
			continue
		}
		switch sm := target.SM(processor); {
		case sm < l.sm:
			return faultf(ErrUnsupported, "the kernel uses %s, which is there from sm_%d%s on, not on %s", name, l.sm, l.only, processor)
		case l.only != "" && strings.HasSuffix(processor, "0"):
			return faultf(ErrUnsupported, "the kernel uses %s, which only processors such as sm_%d%s have: compile for %s%s", name, l.sm, l.only, processor, l.only)
		}
	}
	return nil
}

func hasPrefixOf(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}
