package options

import (
	"strings"

	"nmu/lnmu"
)

// Command holds the values of flags of the command that C, Python and R have no setting for.
type Command struct {
	Rank      int
	Method    string
	Precision string // a word of Precisions
	Start     string // a random or computed start, or a folder with V and W
	Continued string // the folder of a run
	Improve   bool
	Memory    int64 // bytes; M stays in its file if it needs more; 0 for no limit

	Out         string // a folder, or the file of a page
	Write       []string
	Scale       string
	Top         int
	Report      bool
	JSON, Force bool
	Show        string // how progress is shown
	Quiet       bool
	Image, Map  [2]int
	PixelOrder  string
	Invert      bool
	Compared    string // the folder of nmu rank or nmu consensus
	Library     string // a file of spectra
	Figures     string // a folder for drawings
	Order       string // of the entries in a file
	Full        bool
	MPI         bool // the run is one of several processes
}

// The commands of nmu that are no calls of the engine.
const (
	Report Call = 1 << (iota + 16)
	Convert
	Demo
	Selftest
	Man
	Graph // nmu biclique, beside the call Biclique

	// Beside marks settings that also hold for files beside that of M, such as weights.
	Beside
)

// The words of flags.
var (
	Precisions = []string{"float32", "float64"}
	Formats    = []string{"npy", "csv", "mat", "envi"} // of factors
	Progresses = []string{"line", "json", "none"}
	Orders     = []string{"rows", "columns"}
)

// ScaleTopics is the Scale of a V whose columns add up to 1.
const ScaleTopics = "topics"

// Flag is a flag of commands. It hides the setting of its name.
type Flag struct {
	Option
	Letter   string // a short name, or ""
	Commands Call
	Default  string // which Value has at first
	Why      string // C, Python and R have no such setting, or another one
}

// Flags returns the flags that set r and are not in the list of Settings.
func Flags(r *Run) []Flag {
	const compares = Rank | Consensus
	every := Setting{Takes: func(Description) bool { return true }}.Methods()
	last := len(every) - 1
	recursive := methodsWith(func(d Description) bool { return d.Recursive })
	const argument, hasFactors, ofCommand, nothingReplaced = "an argument of its own", "the caller has V and W", "pictures are of the command", "nothing is replaced"
	return []Flag{
		{Option{"rank", "number `R` of factors, mostly far below m and n", count(&r.Rank)}, "r", Factor, "", argument},
		{Option{"method", "`METHOD`: " + strings.Join(every[:last], ", ") + " or " + every[last] + "; see nmu --help", word(&r.Method, every)}, "", Factor | compares, lnmu.NMF{}.Name(), argument},
		{Option{"precision", "`TYPE`: float32 or float64", word(&r.Precision, Precisions)}, "", Factor | Transform | compares, "float64", "the type of M"},
		{Option{"precision", "`TYPE`: float32 or float64 (default: float64, or float32 for a single INPUT of a type that fits into float32)", word(&r.Precision, Precisions)}, "", Convert, "", ""},
		{Option{"init", "`START`: random; nested (random, each factor by itself, see --continue); svd (first singular vectors); snpa or spa (pure columns of M, by successive nonnegative projection, or by successive projection); or a folder with V.npy and W.npy, such as a previous DIR", start(&r.Command.Start, Inits())}, "", Factor, "random", "the setting init, with V and W for a folder"},
		{Option{"continue", recursive + ": add factors to those of `DIR`, a run of smaller rank with --init nested --restarts 1 (or --init svd, spa or snpa); options that are not given come from it; nmf: go on with new columns, the columns of INPUT", text(&r.Continued, folder)}, "", Factor, "", "the setting continue, with V and W for a folder"},
		{Option{"improve", "also measure the error after V W is multiplied by the best number, and after 100 HALS steps that keep the zeros", flagged(&r.Improve)}, "", Factor, "", "nmu_improve"},

		{Option{"out", "folder `DIR` for the results (default: print only)", text(&r.Out, folder)}, "o", Factor | Transform, "", hasFactors},
		{Option{"out", "folder `DIR` for the tables, a plot and a page (default: print only)", text(&r.Out, folder)}, "o", compares, "", "the caller has the result"},
		{Option{"out", "`FILE` for the page, - for standard output (default: report.html in DIR)", text(&r.Out, file)}, "o", Report, "", ""},
		{Option{"out", "folder `DIR` for the pictures (default: print only)", text(&r.Out, folder)}, "o", Demo, "", ""},
		{Option{"report", "also write report.html to DIR, a page about the run; see nmu report", flagged(&r.Report)}, "", Factor, "", "nmu report makes a page of files"},
		{Option{"image", "the columns of M are images of height x width pixels, `HxW`; basis.png shows the columns of V", shape(&r.Image)}, "", Factor | Report, "", ofCommand},
		{Option{"map", "the columns of M are the pixels of one image of height x width, `HxW`; weights.png shows the rows of W as maps", shape(&r.Map)}, "", Factor | Report, "", ofCommand},
		{Option{"image-order", "`ORDER` of the pixels of --image and --map: by columns (default) or rows", word(&r.PixelOrder, []string{"columns", "rows"})}, "", Factor | Report, "", ofCommand},
		{Option{"invert", "draw large entries white on black", flagged(&r.Invert)}, "", Factor | Report, "", ofCommand},
		{Option{"comparison", "add the comparison of ranks that nmu rank has written to `DIR`, and a link to its page or to that of nmu consensus", text(&r.Compared, folder)}, "", Report, "", ""},
		{Option{"library", "compare the parts with known spectra, and print their angles; `FILE` has a column for each spectrum, and the rows of M, or wavelengths around those of M, between which it is interpolated", text(&r.Library, file)}, "", Report, "", ""},
		{Option{"figures", "also write the parts, their weights and the errors to `DIR` as drawings for papers, each as .svg and .pdf; replaces earlier ones", text(&r.Figures, folder)}, "", Report, "", ""},
		{Option{"write", "more `FORMATS` of the factors in DIR, such as csv,mat: csv (tables with names), mat (MATLAB), envi (W as a cube); npy is always written", wordList{&r.Write, Formats}}, "", Factor, Formats[0], hasFactors},
		{Option{"write", "more `FORMATS` of W in DIR: csv (a table with names), mat (MATLAB); npy is always written", wordList{&r.Write, Formats[:3]}}, "", Transform, Formats[0], hasFactors},
		{Option{"scale", "`SCALE`: topics scales the columns of V to add up to 1, as distributions; DIR also receives mixtures.npy, W with columns scaled likewise (default: no scaling)", word(&r.Scale, []string{ScaleTopics})}, "", Factor, "", "nmu_topics"},
		{Option{"top", "print the `K` largest rows and columns of each factor, by name", count(&r.Top)}, "", Factor, "", hasFactors},
		{Option{"order", "`ORDER` of a .npy file: rows (C order) or columns (Fortran order)", word(&r.Order, Orders)}, "", Convert, Orders[0], ""},
		{Option{"json", "print JSON instead of a table", flagged(&r.JSON)}, "", Factor | Inspect | Transform | compares | Biclique | Convert | Selftest, "", "the caller has the result"},
		{Option{"full", "test kernels with all shapes, alignments, classes of values and broken arguments, and all factorizations at every level; this takes minutes", flagged(&r.Full)}, "", Selftest, "", ""},
		{Option{"force", "write to DIR even if it holds other files or a checkpoint", flagged(&r.Force)}, "", Factor | Transform | compares, "", nothingReplaced},
		{Option{"force", "replace a page in DIR that shows more, or a file that is no page", flagged(&r.Force)}, "", Report, "", ""},
		{Option{"force", "replace what is there", flagged(&r.Force)}, "", Convert | Demo | Man, "", ""},
		{Option{"checkpoint-every", "write a checkpoint for nmu resume to DIR every `D`, and when --time-limit or a signal ends the run; 0 never (default 5m, once the run has taken 10m)", seconds(&r.Every)}, "", Factor | compares, "", "the setting checkpoint-every"},
		{Option{"progress", "`HOW` to show progress on stderr: line (on a terminal), json (a line of JSON a few times per second) or none", word(&r.Show, Progresses)}, "", Factor | compares, Progresses[0], "nmu_progress and a callback"},
		{Option{"quiet", "print only errors on stderr, no notes and no progress", flagged(&r.Quiet)}, "", Factor | Transform | compares | Biclique, "", "nothing is printed"},

		{Option{"max-memory", "limit the memory to about `SIZE`, such as 2GiB (default: 256MB)", bytes(&r.MaxMemory)}, "", Convert, "", ""},
		{Option{"memory", "limit the memory to `SIZE`, such as 2GB; if M and its working copies need more, M stays in its file (.npy, or the folder of a sparse matrix from nmu convert) and the copies go to scratch files; with --mpi each process takes SIZE", bytes(&r.Memory)}, "", Factor, "", "scratch leaves M in its file"},
		{Option{"scratch", "folder `DIR` for scratch files, which are removed at the end (default: the system's temporary folder)", text(&r.Scratch, folder)}, "", Factor, "", "the setting scratch"},
		{Option{"mpi", "run as one of the processes started by mpirun, which share the matrix (needs a program built with the tag mpi)", flagged(&r.MPI)}, "", Factor, "", "a process has the whole of M"},
	}
}
