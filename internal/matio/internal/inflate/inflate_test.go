package inflate_test

import (
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"

	"nmu/internal/matio/internal/inflate"
)

// texts returns data of different kinds: noise, runs, repeats at every distance, indices, floats.
func texts(rng *rand.Rand) (all [][]byte) {
	noise := make([]byte, 40_000)
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	few := make([]byte, 60_000)
	for i := range few {
		few[i] = byte(rng.IntN(3)) * byte(rng.IntN(2)*rng.IntN(90))
	}
	var repeats []byte
	for len(repeats) < 120_000 {
		from := rng.IntN(len(repeats) + 1)
		from = max(from, len(repeats)-1<<rng.IntN(16))
		repeats = append(repeats, repeats[from:min(len(repeats), from+rng.IntN(400))]...)
		for range rng.IntN(5) {
			repeats = append(repeats, byte(rng.Uint32()))
		}
	}
	return [][]byte{nil, {7}, noise[:300], noise, bytes.Repeat([]byte("a"), 70_000), bytes.Repeat([]byte("abcdefg"), 20_000), few, repeats}
}

// deflated returns text at a level, in pieces that flush.
func deflated(t testing.TB, text []byte, level int) []byte {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, level)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(text[:len(text)/2])
	if level%2 == 0 {
		w.Flush()
	}
	w.Write(text[len(text)/2:])
	w.Close()
	return b.Bytes()
}

// same reports where the inflated data of b and how they end differ from those of compress/flate.
func same(t *testing.T, b []byte, wrap func(io.Reader) io.Reader) {
	t.Helper()
	want, wantErr := io.ReadAll(flate.NewReader(bytes.NewReader(b)))
	got, err := io.ReadAll(inflate.NewReader(wrap(bytes.NewReader(b))))
	switch {
	case (err == nil) != (wantErr == nil):
		t.Fatalf("%d bytes: %v, want %v", len(b), err, wantErr)
	case err == nil && !bytes.Equal(got, want):
		t.Fatalf("%d bytes inflate to %d others, want %d", len(b), len(got), len(want))
	}
	if n := min(len(got), len(want)); !bytes.Equal(got[:n], want[:n]) {
		t.Fatalf("%d bytes: what comes before the damage differs", len(b))
	}
}

func plain(r io.Reader) io.Reader { return r }

// Data of every kind and level, whole, cut short and damaged, inflate as with compress/flate.
func TestInflate(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, text := range texts(rng) {
		for _, level := range []int{flate.HuffmanOnly, 0, 1, 6, 9} {
			b := deflated(t, text, level)
			same(t, b, plain)
			same(t, append(bytes.Clone(b), 1, 2, 3), plain)
			same(t, b, iotest.HalfReader)
			same(t, b, iotest.DataErrReader)
			if len(b) < 2000 {
				same(t, b, iotest.OneByteReader)
			}
			for range 4 {
				cut := b[:rng.IntN(len(b))]
				same(t, cut, plain)
				if _, err := io.Copy(io.Discard, inflate.NewReader(bytes.NewReader(cut))); err != io.ErrUnexpectedEOF {
					t.Errorf("%d of %d bytes: the error is %v, want %v", len(cut), len(b), err, io.ErrUnexpectedEOF)
				}
				damaged := bytes.Clone(b)
				for range 1 + rng.IntN(3) {
					damaged[rng.IntN(min(len(b), 1<<(1+rng.IntN(17))))] ^= 1 << rng.IntN(8)
				}
				same(t, damaged, plain)
			}
		}
	}
	for range 5_000 {
		b := make([]byte, 1+rng.IntN(60))
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		b[0] = b[0]&^6 | 1 | byte(2*rng.IntN(3))
		same(t, b, plain)
	}
}

// FuzzInflate compares with compress/flate, whatever the bytes.
func FuzzInflate(f *testing.F) {
	for _, text := range texts(rand.New(rand.NewPCG(3, 4))) {
		f.Add(deflated(f, text[:min(len(text), 2000)], 6))
	}
	f.Fuzz(func(t *testing.T, b []byte) { same(t, b, plain) })
}

// The error of the stream below is the error of Read.
func TestReadError(t *testing.T) {
	broken := errors.New("broken")
	b := deflated(t, bytes.Repeat([]byte("abcdefgh"), 1000), 6)
	_, err := io.ReadAll(inflate.NewReader(io.MultiReader(bytes.NewReader(b[:10]), iotest.ErrReader(broken))))
	if !errors.Is(err, broken) {
		t.Errorf("the error is %v, want %v", err, broken)
	}
}
