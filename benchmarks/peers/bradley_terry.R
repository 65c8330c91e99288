# Bradley-Terry on a CSV of scores (player, round, score), by glm and by BradleyTerry2, within rounds.
#   Rscript bradley_terry.R scores.csv out.csv
# The design is EloML's: counts of both orders of a pair, ties a half and rounded down.
suppressMessages(library(BradleyTerry2))
arguments <- commandArgs(trailingOnly = TRUE)
scores <- read.csv(arguments[1], colClasses = c("character", "character", "numeric"))
players <- unique(scores$player)
m <- length(players)
board <- matrix(NA_real_, m, length(unique(scores$round)))
board[cbind(match(scores$player, players), match(scores$round, unique(scores$round)))] <- scores$score

preparation <- system.time({
  pairs <- which(!diag(m), arr.ind = TRUE)
  wins <- rowSums(board[pairs[, 1], ] > board[pairs[, 2], ])
  ties <- rowSums(board[pairs[, 1], ] == board[pairs[, 2], ])
  design <- matrix(0, nrow(pairs), m)
  design[cbind(seq_len(nrow(pairs)), pairs[, 1])] <- 1
  design[cbind(seq_len(nrow(pairs)), pairs[, 2])] <- -1
  won <- floor(wins + ties / 2)
  lost <- won[match(paste(pairs[, 2], pairs[, 1]), paste(pairs[, 1], pairs[, 2]))]
})["elapsed"]
seconds <- c()
seconds["glm"] <- system.time(
  one <- glm(cbind(won, lost) ~ design[, -m] - 1, family = binomial)
)["elapsed"]
once <- pairs[, 1] < pairs[, 2]
frame <- data.frame(won = won[once], lost = lost[once])
frame$a <- factor(players[pairs[once, 1]], players)
frame$b <- factor(players[pairs[once, 2]], players)
seconds["BTm"] <- system.time(
  two <- BTm(cbind(won, lost), a, b, data = frame, refcat = players[m])
)["elapsed"]
found <- list(glm = c(coef(one), 0), BTm = rep(0, m))
found$BTm[match(sub("^\\.\\.", "", names(coef(two))), players)] <- coef(two)
write.csv(data.frame(player = rep(players, 2), method = rep(names(found), each = m),
                     epp = unlist(found), seconds = rep(seconds, each = m),
                     preparation = preparation), arguments[2], row.names = FALSE)
