package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

func printInspected(s *session, r *inspectResult) error {
	fmt.Fprintf(s.stdout, "%s  %s, %s\n", r.File, withVersion(r.Kind, r.Version), size(int64(r.Bytes)))
	out := tabwriter.NewWriter(s.stdout, 0, 8, 2, ' ', 0)
	for _, field := range [][2]string{{"producer", r.Producer}, {"target", r.Target}, {"sha256", r.Digest}} {
		if field[1] != "" {
			fmt.Fprintf(out, "  %s\t%s\n", field[0], field[1])
		}
	}
	out.Flush()
	switch {
	case r.Own != nil:
		return r.Own.print(s.stdout)
	case !r.module:
		return r.printFile(s.stdout)
	}
	fmt.Fprintf(s.stdout, "kernels (%d)\n", len(r.Kernels))
	for i := range r.Kernels {
		k := &r.Kernels[i]
		fmt.Fprintf(out, "  %s\t%s", k.Convention, k.Signature)
		if notes := k.notes(); notes != "" {
			fmt.Fprintf(out, "\t%s", notes)
		}
		fmt.Fprintln(out)
	}
	out.Flush()
	if len(r.Globals) > 0 {
		fmt.Fprintf(s.stdout, "globals (%d)\n", len(r.Globals))
	}
	for _, g := range r.Globals {
		word := "variable"
		if g.Constant {
			word = "constant"
		}
		fmt.Fprintf(out, "  %s\t%s\t%s\taddress space %d\n", word, g.Name, size(int64(g.Bytes)), g.AddressSpace)
	}
	return out.Flush()
}

func withVersion(kind, version string) string {
	if version != "" {
		return kind + " " + version
	}
	return kind
}

func (o *ownImage) print(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintf(out, "  kernel\t%s, %s, entry %s\n", o.Kernel, o.Convention, o.Entry)
	if o.Block != [3]uint32{} {
		fmt.Fprintf(out, "  block\t%s\n", extent{dims: o.Block})
	}
	if o.Grid != [3]uint32{} {
		fmt.Fprintf(out, "  grid\t%s\n", extent{dims: o.Grid})
	}
	fmt.Fprintf(out, "  parameters\t%s\n", size(int64(o.ParamBytes)))
	if len(o.Undefined) > 0 {
		fmt.Fprintf(out, "  needs\t%s\n", strings.Join(o.Undefined, " "))
	}
	for _, remark := range o.Remarks {
		fmt.Fprintf(out, "  remark\t%s\n", remark)
	}
	return out.Flush()
}

// printFile shows machine code, a program or a container.
func (r *inspectResult) printFile(w io.Writer) error {
	if r.Code != nil {
		fmt.Fprintf(w, "kernels (%d)\n", len(r.Code))
		printCode(w, "  ", r.Code)
	}
	if len(r.Entries) > 0 {
		fmt.Fprintf(w, "offloaded (%d)\n", len(r.Entries))
		out := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
		for _, e := range r.Entries {
			word := "function"
			if e.Bytes > 0 {
				word = size(int64(e.Bytes))
			}
			fmt.Fprintf(out, "  %s\t%s\t%s\n", e.Model, e.Name, word)
		}
		out.Flush()
	}
	switch {
	case r.Images != nil:
		fmt.Fprintf(w, "images (%d)\n", len(r.Images))
	case r.Code == nil:
		fmt.Fprintln(w, "no device code")
	}
	for i := range r.Images {
		if err := r.Images[i].print(w, i+1); err != nil {
			return err
		}
	}
	return nil
}

func (im *imageResult) print(w io.Writer, number int) error {
	notes := []string{withVersion(im.Kind, im.Version)}
	if im.Target != "" {
		notes = append(notes, im.Target)
	}
	if im.Model != "" {
		notes = append(notes, im.Model)
	}
	bytes := size(int64(im.Bytes))
	if im.Packing != "stored" && im.Packing != "" {
		bytes += " " + im.Packing
		if im.Unpacked > 0 {
			bytes += ", unpacked " + size(int64(im.Unpacked))
		}
	}
	if im.Registered {
		bytes += ", registered"
	}
	if len(im.Path) > 0 {
		fmt.Fprintf(w, "  %d  %s, %s\n     in %s\n", number, strings.Join(notes, ", "), bytes, strings.Join(im.Path, " > "))
	} else {
		fmt.Fprintf(w, "  %d  %s\n", number, im.Kind)
	}
	for _, k := range im.Kernels {
		fmt.Fprintf(w, "     %s\n", k)
	}
	printCode(w, "     ", im.Code)
	if im.Extracted != "" {
		fmt.Fprintf(w, "     written to %s\n", im.Extracted)
	}
	var err error
	if im.Fault != "" {
		_, err = fmt.Fprintf(w, "     DAMAGED: %s\n", im.Fault)
	}
	return err
}

func printCode(w io.Writer, indent string, list []codeResult) {
	out := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	for i := range list {
		k := &list[i]
		notes := []string{fmt.Sprintf("%d parameters, %s", k.Params, size(int64(k.ParamBytes)))}
		for _, n := range []struct {
			count uint32
			text  string
		}{
			{k.Registers, fmt.Sprintf("%d registers", k.Registers)}, {k.Spills, fmt.Sprintf("%d spilled", k.Spills)},
			{k.SharedBytes, size(int64(k.SharedBytes)) + " shared"}, {k.PrivateBytes, size(int64(k.PrivateBytes)) + " private"},
			{k.RequiredBlock[0], "block " + extent{dims: k.RequiredBlock}.String()}, {k.MaxBlock, fmt.Sprintf("at most %d work-items", k.MaxBlock)},
		} {
			if n.count > 0 {
				notes = append(notes, n.text)
			}
		}
		fmt.Fprintf(out, "%s%s\t%s\n", indent, k.Name, strings.Join(notes, ", "))
	}
	out.Flush()
}
