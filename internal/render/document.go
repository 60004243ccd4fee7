package render

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
)

// Page is a page of HTML that needs no other file: the answer first, then its sections.
type Page struct {
	Brand, Title string
	Answer       []string // the results in a few sentences
	Lead         string   // what the page is about
	Links        []Link   // to other pages
	Sections     []Part
	Content      *string // for programs: what the page shows; nil if they need not know
	Script       template.JS
}

// Part is a section of a page.
type Part struct {
	ID, Title string
	Body      template.HTML
}

// Link is a link to a page at a path beside it.
type Link struct{ Text, URL string }

var (
	//go:embed page.css
	pageStyle string
	//go:embed page.gohtml
	pageText string

	page = template.Must(template.New("page").Funcs(template.FuncMap{"style": func() template.CSS { return template.CSS(pageStyle) }, "inline": Inline}).Parse(pageText))
)

// Write writes the page. It copies the bodies of sections and escapes all other text, and everywhere what Printable
// escapes. Errors are those of w.
func (p Page) Write(w io.Writer) error {
	var b bytes.Buffer
	err := page.Execute(&b, p)
	if err == nil {
		_, err = (&Screen{Out: w}).Write(b.Bytes())
	}
	if err != nil {
		return fmt.Errorf("render: writing the page: %w", err)
	}
	return nil
}

// Document is the report of a computation for readers.
type Document struct {
	Brand, Title string   // of the page: the program, and what the page is about
	Answer       []string // the results in a few sentences
	Facts        Facts    // the circumstances
	Sections     []Section
}

// Section is a part of a document. An empty field is left out.
type Section struct {
	Title string
	SVG   [][]byte // plots; only a page shows them
	Table Table
	List  []string
}

// Inline returns a drawing for a page of HTML.
func Inline(svg []byte) template.HTML {
	return template.HTML(bytes.Replace(svg, []byte("<svg "), []byte(`<svg class="drawing" `), 1))
}

// WriteHTML writes the document as one page that needs no other file, with the facts at its end. It copies the SVG of a
// section and escapes all other text, also for HTML what Printable escapes. Errors are those of w.
func (d Document) WriteHTML(w io.Writer) error {
	p := Page{Brand: d.Brand, Title: d.Title, Answer: d.Answer}
	for i, s := range append(d.Sections[:len(d.Sections):len(d.Sections)], Section{Title: "How it was run", Table: d.Facts.table()}) {
		var b strings.Builder
		if err := page.ExecuteTemplate(&b, "section", s); err != nil {
			return fmt.Errorf("render: a section of the page: %w", err)
		}
		p.Sections = append(p.Sections, Part{fmt.Sprintf("section-%d", i+1), s.Title, template.HTML(b.String())})
	}
	return p.Write(w)
}

// WriteText writes the facts and sections for a terminal, with section titles in capitals. It
// leaves out Brand, Title, Answer and plots. Errors are those of w.
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
