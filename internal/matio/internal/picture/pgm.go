package picture

import (
	"io"
	"strings"

	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/text"
)

// pgmHeader reads the header of a PGM or PPM image: "P2" or "P3" (pixels as text), "P5" or
// "P6", then width, height and largest value. Space and comments separate them, and one space
// follows.
func (im *imageFile) pgmHeader() error {
	kind := [2]byte{}
	io.ReadFull(im.r, kind[:]) // IsPGM has seen them
	im.samples = 1
	switch kind[1] {
	case '1', '4':
		return im.f.Unsupported("a bitmap (PBM): convert it to PGM")
	case '3', '6':
		im.samples = 3
	}
	im.text = kind[1] < '4'
	im.pos = 2
	var v [3]int64
	for i := range v {
		var err error
		if v[i], err = im.decimal(); err != nil {
			return err
		}
	}
	w, h, top := v[0], v[1], v[2]
	if top < 1 || top > 0xffff {
		return im.f.Bad(im.pos, "largest value %d: must be in 1 to 65535", top)
	}
	im.max = int(top)
	im.decode = 2 * w * int64(im.samples) // a line
	// Each pixel in decimal takes at least a digit and a space; the last one takes a digit.
	bytes := int64(1)
	limit := im.f.Size - im.pos
	if im.text {
		limit = (limit + 1) / 2
	} else if top > 0xff {
		bytes = 2
	}
	n, ok := element.Mul(h, w)
	if ok {
		n, ok = element.Mul(n, bytes*int64(im.samples))
	}
	if err := im.setSize(h, w, n, ok, limit); err != nil || im.text {
		return err
	}
	return im.afterPixels(im.pos + n)
}

// afterPixels counts the bytes that follow the pixels, which end at byte end. Fewer than 16
// bytes of white space do not count, because some programs end a file with them.
func (im *imageFile) afterPixels(end int64) error {
	head := make([]byte, min(16, im.f.Size-end))
	if err := readFull(im.file, head, end); err != nil {
		return im.f.ReadError(end, err)
	}
	if IsPGM(head) {
		return im.f.Unsupported("a second image follows the first at byte %d: write one image into each file", end)
	}
	if strings.TrimSpace(string(head)) != "" || len(head) == 16 {
		im.extra = im.f.Size - end
	}
	return nil
}

// decimal reads space and comments, a number, and the one space that ends it.
func (im *imageFile) decimal() (int64, error) {
	n, k := int64(0), 0
	for comment := false; ; {
		c, err := im.r.ReadByte()
		if err == io.EOF && k > 0 {
			return n, nil
		}
		if err != nil {
			return 0, im.f.ReadError(im.pos, err)
		}
		im.pos++
		switch {
		case comment:
			comment = c != '\n' && c != '\r'
		case c >= '0' && c <= '9':
			if k++; k > 10 {
				return 0, im.f.Bad(im.pos-1, "a number of more than ten digits")
			}
			n = 10*n + int64(c-'0')
		case k > 0 && (text.IsSpace(c) || c == '#'):
			if c == '#' { // ends the number, and is a comment
				if err := im.r.UnreadByte(); err != nil {
					return 0, im.f.ReadError(im.pos, err)
				}
				im.pos--
			}
			return n, nil
		case c == '#':
			comment = true
		case !text.IsSpace(c):
			return 0, im.f.Bad(im.pos-1, "want a decimal number, not %q", c)
		}
	}
}

// pgmPixels reads the pixels into dst. A colour that is not grey is an error, unless grey
// converts it.
func (im *imageFile) pgmPixels(dst []float64, grey bool) error {
	line := make([]byte, 2*im.w*im.samples)
	if im.max <= 0xff {
		line = line[:im.w*im.samples]
	}
	for y := range im.h {
		if !im.text {
			n, err := io.ReadFull(im.r, line)
			im.pos += int64(n)
			if err != nil {
				return im.f.ReadError(im.pos, err)
			}
		}
		for x := range im.w {
			var v [3]int
			for s := range im.samples {
				at := x*im.samples + s
				switch {
				case im.text:
					d, err := im.decimal()
					if err != nil {
						return err
					}
					v[s] = int(min(d, 1<<16))
				case im.max <= 0xff:
					v[s] = int(line[at])
				default: // most significant byte first
					v[s] = int(line[2*at])<<8 | int(line[2*at+1])
				}
				if v[s] > im.max {
					return im.f.Bad(im.pos, "a pixel has the value %d, but the header gives %d as the largest", v[s], im.max)
				}
			}
			switch {
			case im.samples == 1, v[0] == v[1] && v[1] == v[2]:
				dst[x*im.h+y] = float64(v[0]) / float64(im.max)
			case grey:
				dst[x*im.h+y] = float64(luma(v[0], v[1], v[2])) / float64(1000*im.max)
			default:
				return im.colour(y, x)
			}
		}
	}
	return im.textEnds()
}

// textEnds returns an error if more numbers follow than the header says.
func (im *imageFile) textEnds() error {
	for im.text {
		c, err := im.r.ReadByte()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return im.f.ReadError(im.pos, err)
		}
		if !text.IsSpace(c) {
			return im.f.Bad(im.pos, "data follow the pixels")
		}
		im.pos++
	}
	return nil
}
