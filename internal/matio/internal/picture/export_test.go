package picture

// Tags that tests need.
const (
	TIFFCompression = tiffCompression
	TIFFPhotometric = tiffPhotometric
)
