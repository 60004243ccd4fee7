# The images of Donoho and Stodden: limbs of three pixels at four joints, each in one of four positions.
swimmer <- local({
  m <- array(0, c(20, 11, 256))
  m[6:15, 6, ] <- 1
  joints <- list(c(6, 5, -1, -1), c(6, 7, -1, 1), c(15, 5, 1, -1), c(15, 7, 1, 1)) # row, column, out and side
  for (j in 0:255) for (k in 1:4) {
    at <- joints[[k]]
    position <- (j %/% 4^(4 - k)) %% 4
    step <- rbind(c(at[3], 0), at[3:4], c(0, at[4]), c(-at[3], at[4]))[position + 1, ]
    for (t in 0:3) m[at[1] + t * step[1], at[2] + t * step[2], j + 1] <- 1
  }
  matrix(m, 220)
})
