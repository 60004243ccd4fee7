package picture

import (
	"io"

	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/text"
)

// pgmHeader reads the header of a PGM image: "P2" (pixels as text) or "P5", width,
// height and largest value, separated by space and comments, and one space.
func (im *imageFile) pgmHeader() error {
	kind := [2]byte{}
	io.ReadFull(im.r, kind[:]) // IsPGM has seen them
	switch kind[1] {
	case '2', '5':
	case '1', '4':
		return im.f.Unsupported("a bitmap (PBM): convert it to PGM")
	default:
		return im.f.Unsupported("a colour image (PPM): convert it to PGM")
	}
	im.text = kind[1] == '2'
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
		return im.f.Bad(im.pos, "largest value %d, must be in 1 to 65535", top)
	}
	im.max = int(top)
	im.decode = 2 * w // a line
	// Pixels in decimal are at least a digit and a space each, but for the last.
	bytes := int64(1)
	limit := im.f.Size - im.pos
	if im.text {
		limit = (limit + 1) / 2
	} else if top > 0xff {
		bytes = 2
	}
	n, ok := element.Mul(h, w)
	if ok {
		n, ok = element.Mul(n, bytes)
	}
	return im.setSize(h, w, n, ok, limit)
}

// decimal reads a number, before it space and comments, and the one space that
// ends it.
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
			return 0, im.f.Bad(im.pos-1, "want a decimal number, have %q", c)
		}
	}
}

func (im *imageFile) pgmPixels(dst []float64) error {
	line := make([]byte, 2*im.w)
	if im.max <= 0xff {
		line = line[:im.w]
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
			var v int
			switch {
			case im.text:
				d, err := im.decimal()
				if err != nil {
					return err
				}
				v = int(min(d, 1<<16))
			case im.max <= 0xff:
				v = int(line[x])
			default: // most significant byte first
				v = int(line[2*x])<<8 | int(line[2*x+1])
			}
			if v > im.max {
				return im.f.Bad(im.pos, "a pixel of value %d, the largest is to be %d", v, im.max)
			}
			dst[x*im.h+y] = float64(v) / float64(im.max)
		}
	}
	// Some programs end a file with a line feed.
	for {
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
}
