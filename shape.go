package kiln

import "reflect"

type shape uint8

const (
	shapeOther shape = iota
	shapeInt
	shapeFloat
	shapeSlice
	shapePointer
	shapeBytes
)

// class returns what a value of the shape is to a kernel.
func (s shape) class() argClass {
	switch s {
	case shapeInt:
		return classInt
	case shapeFloat:
		return classFloat
	case shapePointer, shapeSlice:
		return classPointer
	case shapeBytes:
		return classBytes
	}
	return classNone
}

// kindOf tells how values of T are given to a kernel.
func kindOf[T any]() shape {
	t := reflect.TypeFor[T]()
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return shapeInt
	case reflect.Float32, reflect.Float64:
		return shapeFloat
	case reflect.Slice:
		return shapeSlice
	case reflect.Pointer, reflect.UnsafePointer:
		return shapePointer
	case reflect.Struct, reflect.Array:
		if plain(t) {
			return shapeBytes
		}
	}
	return shapeOther
}

// plain reports that values of t are bytes only: a Go pointer inside would be
// hidden from the garbage collector while the kernel runs.
func plain(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Int,
		reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uint, reflect.Uintptr,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return true
	case reflect.Array:
		return plain(t.Elem())
	case reflect.Struct:
		for f := range t.Fields() {
			if !plain(f.Type) {
				return false
			}
		}
		return true
	}
	return false
}
