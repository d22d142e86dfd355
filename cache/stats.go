package cache

import "sync/atomic"

// Stats is what a store has counted since it was opened, in this process.
type Stats struct {
	// Hits counts the items returned by Get.
	Hits int64 `json:"hits"`
	// Misses counts the misses of Get by their reason. Reasons that have not
	// occurred are left out.
	Misses map[Reason]int64 `json:"misses"`
	// GetErrors counts the errors of Get that are no misses.
	GetErrors int64 `json:"get_errors"`
	// Puts counts the items stored.
	Puts int64 `json:"puts"`
	// PutErrors counts the items that could not be stored. ErrReadOnly is not counted.
	PutErrors int64 `json:"put_errors"`
	// BytesOut is the sum of the values that Get returned, in bytes.
	BytesOut int64 `json:"bytes_out"`
	// BytesIn is the sum of the values that Put stored, in bytes.
	BytesIn int64 `json:"bytes_in"`
	// Evictions counts the items dropped to keep to a size bound or by Trim.
	Evictions int64 `json:"evictions"`
	// UpkeepErrors counts faults in bookkeeping (times of use, trimming,
	// leftovers) that no caller of Get or Put was told of.
	UpkeepErrors int64 `json:"upkeep_errors"`
}

// Missed returns the number of misses for all reasons.
func (s Stats) Missed() int64 {
	var n int64
	for _, m := range s.Misses {
		n += m
	}
	return n
}

// Counters counts for a store. The zero value is ready; it is safe for
// concurrent use and must not be copied.
type Counters struct {
	hits, getErrors, puts, putErrors   atomic.Int64
	bytesOut, bytesIn, evicted, upkeep atomic.Int64
	misses                             [len(reasons)]atomic.Int64
}

// Hit counts a Get that returned size bytes.
func (c *Counters) Hit(size int) {
	c.hits.Add(1)
	c.bytesOut.Add(int64(size))
}

// Miss counts a miss. A reason that is none of the constants counts as Unreadable.
func (c *Counters) Miss(why Reason) {
	for i, r := range reasons {
		if r == why {
			c.misses[i].Add(1)
			return
		}
	}
	c.misses[len(reasons)-1].Add(1)
}

// GetError counts an error of Get that is no miss.
func (c *Counters) GetError() { c.getErrors.Add(1) }

// Put counts size bytes stored.
func (c *Counters) Put(size int) {
	c.puts.Add(1)
	c.bytesIn.Add(int64(size))
}

// PutError counts an item that could not be stored.
func (c *Counters) PutError() { c.putErrors.Add(1) }

// Evict counts n items dropped.
func (c *Counters) Evict(n int) { c.evicted.Add(int64(n)) }

// UpkeepError counts a fault in bookkeeping.
func (c *Counters) UpkeepError() { c.upkeep.Add(1) }

// Stats returns the counts. Each is exact; taken together they are those of one
// moment only while nothing else counts.
func (c *Counters) Stats() Stats {
	s := Stats{
		Hits:         c.hits.Load(),
		Misses:       map[Reason]int64{},
		GetErrors:    c.getErrors.Load(),
		Puts:         c.puts.Load(),
		PutErrors:    c.putErrors.Load(),
		BytesOut:     c.bytesOut.Load(),
		BytesIn:      c.bytesIn.Load(),
		Evictions:    c.evicted.Load(),
		UpkeepErrors: c.upkeep.Load(),
	}
	for i := range c.misses {
		if n := c.misses[i].Load(); n > 0 {
			s.Misses[reasons[i]] = n
		}
	}
	return s
}
