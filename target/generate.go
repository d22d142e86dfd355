package target

//go:generate go run ./gen
