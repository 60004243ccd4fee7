package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/program"
	"nmu/internal/fileset"
	"nmu/internal/options"
	"nmu/internal/record"
	"nmu/internal/release"
	"nmu/internal/render"
)

// manCommand makes the command that writes the pages of what root returns.
func manCommand(root func() *program.Program) *program.Command {
	var r options.Run
	return &program.Command{
		Of: options.Man, Run: &r, First: []string{"force"},
		Least: 1, Most: 1, Takes: "one DIR for the pages, got %d",
		Use:   "man DIR",
		Short: "Write manual pages",
		Long: `Write the manual pages of nmu and of each command to DIR: nmu.1, nmu-factor.1 and so
on. The command creates DIR if needed. The pages have the text of --help.`,
		Example: `  nmu man /usr/local/share/man/man1
  nmu man pages`,
		Do: func(call *program.Call) error {
			root := root()
			if call.Args[0] == "" {
				return exit.Misuse(errors.New("DIR is empty; name a folder for the pages"))
			}
			var files []fileset.File
			var names []string
			for _, c := range append([]*cobra.Command{root.Command}, root.Commands()...) {
				if c.Hidden || c.Deprecated != "" {
					continue
				}
				names = append(names, pageName(c)+".1")
				files = append(files, record.ContentFile(pageName(c)+".1", []byte(manPage(c))))
			}
			_, stop := exit.Interruptible(call.Context) // a signal does not end the writing, which is short
			defer stop()
			folder, err := fileset.Open(call.Args[0], names, "", r.Force)
			if err != nil {
				return err
			}
			defer folder.Close()
			if _, _, err := folder.Write(files); err != nil {
				return err
			}
			_, err = fmt.Fprintf(call.Out, "%s in %s\n", strings.Join(names, ", "), render.Printable(call.Args[0]))
			return err
		},
	}
}

// pageName is the name of the page about a command.
func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manPage returns the page about a command, for man(7). Indented lines of the help are kept as they
// are. Other lines are joined to paragraphs.
func manPage(cmd *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH \"%s\" 1 \"\" \"nmu %s\"\n", roff(strings.ToUpper(pageName(cmd))), roff(release.Version()))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(pageName(cmd)), roff(cmd.Short))
	if cmd.Runnable() || cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roff(cmd.UseLine()))
	}
	b.WriteString(".SH DESCRIPTION\n")
	manText(&b, cmd.Long)
	if cmd.HasAvailableSubCommands() {
		b.WriteString(".SH COMMANDS\n")
		for _, sub := range cmd.Commands() {
			if !sub.Hidden {
				fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(sub.CommandPath()), roff(sub.Short))
			}
		}
	}
	cmd.InitDefaultHelpFlag()
	if cmd.HasAvailableLocalFlags() && (cmd.Runnable() || cmd.HasParent()) {
		b.WriteString(".SH OPTIONS\n")
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			value, text := pflag.UnquoteUsage(f)
			fmt.Fprintf(&b, ".TP\n\\fB\\-\\-%s\\fR", roff(f.Name))
			if value != "" {
				fmt.Fprintf(&b, " \\fI%s\\fR", roff(value))
			}
			fmt.Fprintf(&b, "\n%s\n", roff(strings.Join(strings.Fields(text), " ")))
		})
	}
	if cmd.Example != "" {
		b.WriteString(".SH EXAMPLES\n")
		manText(&b, cmd.Example)
	}
	if cmd.HasParent() {
		fmt.Fprintf(&b, ".SH SEE ALSO\n.BR %s (1)\n", roff(pageName(cmd.Parent())))
	}
	return b.String()
}

// manText writes text as paragraphs. It keeps indented lines as they are.
func manText(b *strings.Builder, text string) {
	asItStands := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		indented := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
		switch {
		case indented && !asItStands:
			b.WriteString(".PP\n.nf\n")
		case asItStands && !indented && line != "":
			b.WriteString(".fi\n.PP\n")
		case !asItStands && line == "":
			b.WriteString(".PP\n")
			continue
		}
		asItStands = indented || asItStands && line == ""
		fmt.Fprintln(b, roff(line))
	}
	if asItStands {
		b.WriteString(".fi\n")
	}
}

// roff escapes a line, so that roff takes no part of it as a command.
func roff(line string) string {
	line = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\"", `\(dq`).Replace(line)
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		line = `\&` + line
	}
	return line
}
