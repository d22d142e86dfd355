package cache

import (
	"context"
	"time"
)

// Claimer is a store whose users can agree on who makes an item, so that the
// others wait for it instead of making it as well. Nothing but time depends on
// it: a claim that cannot be had is none.
type Claimer interface {
	// Claim returns once nobody else, in any process, has a claim on key, and
	// then at the latest when wait is over or ctx is done. The holder of a claim
	// that dies gives it up. had reports whether the claim is the caller's, who
	// then asks Get again, since the item may have come meanwhile, and calls
	// release once the item is stored or given up.
	Claim(ctx context.Context, key Key, wait time.Duration) (release func(), had bool)
}

// Claim implements Claimer by the nearest tier that does.
func (t *Tiered) Claim(ctx context.Context, key Key, wait time.Duration) (release func(), had bool) {
	for _, s := range t.tiers {
		if c, ok := s.(Claimer); ok {
			return c.Claim(ctx, key, wait)
		}
	}
	return func() {}, false
}
