package main

// Programs and containers hold packed parts.
import _ "github.com/kilnjit/kiln/image/packing"
