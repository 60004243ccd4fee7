package input

import (
	"context"
	"errors"
	"time"

	"nmu/internal/matio"
)

// ErrTime reports that the time of --time-limit was over before the matrix was read.
var ErrTime = errors.New("--time-limit: the time was over before the matrix was read; nothing is written")

// leastReading is the time that reading has at least, so that a run with a short limit has a
// result, which is better than none.
const leastReading = time.Second

// Limit makes the reading of the matrix end after the time of --time-limit, with ErrTime; 0
// stands for no limit.
func (in *Matrix) Limit(ctx context.Context, limit time.Duration) context.CancelFunc {
	if limit <= 0 {
		return func() {}
	}
	var done context.CancelFunc
	in.context, done = context.WithTimeoutCause(ctx, max(limit, leastReading), ErrTime)
	return done
}

// Until makes ctx, and the limit of Limit, end the reading of an open file.
func (in *Matrix) Until(ctx context.Context, file *matio.File) context.CancelFunc {
	done := context.CancelFunc(func() {})
	if in.context != nil {
		if end, ok := in.context.Deadline(); ok {
			ctx, done = context.WithDeadlineCause(ctx, end, ErrTime)
		}
	}
	file.Until(ctx)
	return done
}
