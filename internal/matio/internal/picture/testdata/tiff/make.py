"""Writes the pictures of this folder, with Pillow 9.4 and its libtiff.

TestTIFFCompressions has the same pictures as formulas.
"""

from PIL import Image, TiffImagePlugin

WIDTH, HEIGHT = 37, 23
bilevel, grey = (Image.new(mode, (WIDTH, HEIGHT)) for mode in "1L")
for y in range(HEIGHT):
    for x in range(WIDTH):
        bilevel.putpixel((x, y), 255 if (x * x + 3 * y) % 8 == 0 else 0)
        grey.putpixel((x, y), (37 * y + 11 * x) % 256)

PHOTOMETRIC, FILL_ORDER, T4_OPTIONS, PREDICTOR = 262, 266, 292, 317
LOSSLESS = ["raw", "packbits", "tiff_lzw", "tiff_adobe_deflate"]
FAX = ["tiff_ccitt", "group3", "group4"]


def save(kind, compression, variant="", tags={}):
    name = f"{kind}-{compression}{variant}.tif"
    globals()[kind].save(name, compression=compression, tiffinfo=tags)


for compression in LOSSLESS + FAX:
    save("bilevel", compression)
    save("bilevel", compression, "-white-is-zero", {PHOTOMETRIC: 0})
for compression in LOSSLESS:
    save("grey", compression)
    save("grey", compression, "-white-is-zero", {PHOTOMETRIC: 0})
for compression in LOSSLESS[2:]:
    save("grey", compression, "-predictor", {PREDICTOR: 2})
for compression in ["packbits", "group3", "group4"]:
    save("bilevel", compression, "-reversed", {FILL_ORDER: 2})
save("bilevel", "group3", "-two-dimensional", {T4_OPTIONS: 1})
save("bilevel", "group3", "-aligned", {T4_OPTIONS: 4})
TiffImagePlugin.STRIP_SIZE = 5 * ((WIDTH + 7) // 8)  # five rows
for compression in ["group3", "group4"]:
    save("bilevel", compression, "-strips")
