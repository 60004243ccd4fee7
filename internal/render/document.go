package render

import (
	"bytes"
	"fmt"
	"html/template"
	"io"
	"strings"
)

// Document is the report of a computation for readers.
type Document struct {
	Title    string // of the window
	Heading  string // above all
	Facts    Facts  // the circumstances
	Sections []Section
}

// Section is a part of a document. An empty field is left out.
type Section struct {
	Title string
	SVG   []byte // a plot; only a page shows it
	Table Table
	List  []string
}

var page = template.Must(template.New("page").Funcs(template.FuncMap{"facts": func(f Facts) template.HTML { return f.table().html() }, "table": Table.html, "svg": inline}).Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light">
<title>{{.Title}}</title>
<style>
body { font: 14px/1.4 sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em; color: #111; background: #fff; }
h2 { margin-top: 2em; text-transform: capitalize; }
table { border-collapse: collapse; }
th, td { border-bottom: 1px solid #ccc; padding: .2em .8em .2em 0; text-align: left; font-variant-numeric: tabular-nums; }
.r { text-align: right; white-space: nowrap; }
svg { max-width: 100%; height: auto; }
</style>
</head>
<body>
<h1>{{.Heading}}</h1>
{{facts .Facts}}
{{range .Sections}}{{if .Title}}
<h2>{{.Title}}</h2>{{end}}
{{svg .SVG}}
{{if .Table.Rows}}{{table .Table}}
{{end}}{{if .List}}<ul>{{range .List}}
<li>{{.}}</li>{{end}}
</ul>
{{end}}{{end}}</body>
</html>
`))

// inline returns an SVG document for an HTML page, without the declarations before its first
// element, which HTML does not allow.
func inline(svg []byte) template.HTML {
	if at := bytes.Index(svg, []byte("<svg")); at > 0 {
		svg = svg[at:]
	}
	return template.HTML(svg)
}

// WriteHTML writes the document as one page that needs no other file. It copies the SVG of a
// section and escapes all other text, also for HTML what Printable escapes. Errors are those of
// w.
func (d Document) WriteHTML(w io.Writer) error {
	if err := page.Execute(&Screen{Out: w}, d); err != nil {
		return fmt.Errorf("render: writing the page: %w", err)
	}
	return nil
}

// WriteText writes the facts and sections for a terminal, with section titles in capitals. It
// leaves out Title, Heading and plots. Errors are those of w.
func (d Document) WriteText(w io.Writer) error {
	var b bytes.Buffer
	if err := d.Facts.WriteText(&b); err != nil {
		return err
	}
	for _, s := range d.Sections {
		b.WriteString("\n")
		if s.Title != "" {
			b.WriteString(strings.ToUpper(s.Title) + "\n")
		}
		if err := s.Table.WriteText(&b, ""); err != nil {
			return err
		}
		for _, item := range s.List {
			b.WriteString(Printable(item) + "\n")
		}
	}
	_, err := b.WriteTo(w)
	return err
}
