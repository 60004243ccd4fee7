package bench

import (
	"bytes"
	"fmt"
	"html/template"
	"io"
	"strings"
)

var page = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>nmu bench, {{.Title}}</title>
<style>
body { font: 14px/1.4 sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em; color: #111; background: #fff; }
h2 { margin-top: 2em; text-transform: capitalize; }
table { border-collapse: collapse; }
th, td { border-bottom: 1px solid #ccc; padding: .2em .8em .2em 0; text-align: left; font-variant-numeric: tabular-nums; }
svg { max-width: 100%; height: auto; }
</style>
</head>
<body>
<h1>nmu bench</h1>
<table>{{range .Facts}}
<tr><th>{{index . 0}}</th><td>{{index . 1}}</td></tr>{{end}}
</table>
{{range .Sections}}
<h2>{{.Group}}</h2>
{{.SVG}}
<table>
<tr>{{range .Head}}<th>{{.}}</th>{{end}}</tr>{{range .Rows}}
<tr>{{range .}}<td>{{.}}</td>{{end}}</tr>{{end}}
</table>
{{end}}{{if .Checks}}
<h2>Check</h2>
<table>{{range .Checks}}
<tr>{{range .}}<td>{{.}}</td>{{end}}</tr>{{end}}
</table>
{{end}}{{if .Notes}}
<h2>Notes</h2>
<ul>{{range .Notes}}
<li>{{.}}</li>{{end}}
</ul>{{end}}
</body>
</html>
`))

// WritePage writes the report as one HTML page that needs no other file.
func (r *Report) WritePage(w io.Writer) error {
	plots, err := r.Plots()
	if err != nil {
		return err
	}
	type section struct {
		Group string
		SVG   template.HTML
		Head  []string
		Rows  [][]string
	}
	data := struct {
		Title    string
		Facts    [][2]string
		Sections []section
		Checks   [][]string
		Notes    []string
	}{Title: strings.TrimSpace(r.CPU + " " + r.Date.Format("2006-01-02")), Facts: r.facts(), Notes: r.Notes}
	if len(r.Checks) > 0 {
		data.Checks = checkRows(r.Checks)
	}
	for i, g := range groups(r.all()) {
		rows := tableRows(g)
		svg := plots[i].SVG
		if at := bytes.Index(svg, []byte("<svg")); at > 0 {
			svg = svg[at:] // within HTML the declarations before it are not allowed
		}
		data.Sections = append(data.Sections, section{plots[i].Group, template.HTML(svg), rows[0], rows[1:]})
	}
	if err := page.Execute(w, data); err != nil {
		return fmt.Errorf("bench: writing the page: %w", err)
	}
	return nil
}
