package folder

// Limits and names that tests need.
const (
	BlockChunk = blockChunk
	StackChunk = stackChunk
	MostOpen   = mostOpen
	PartBytes  = partBytes
	CSRIndptr  = csrIndptr
)
