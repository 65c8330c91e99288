# PMRA as its authors fit it: lme4's glmer on a row for every match.
#   Rscript pmra.R scores.csv out.csv nAGQ
suppressMessages(library(lme4))
arguments <- commandArgs(trailingOnly = TRUE)
scores <- read.csv(arguments[1], colClasses = c("character", "character", "numeric"))
players <- unique(scores$player)
players <- players[order(tolower(players))]
rounds <- unique(scores$round)
preparation <- system.time({
  pairs <- t(combn(length(players), 2))
  rows <- lapply(rounds, function(k) {
    own <- scores[scores$round == k, ]
    value <- own$score[match(players, own$player)]
    x <- matrix(0L, nrow(pairs), length(players), dimnames = list(NULL, paste0("X", seq_along(players))))
    x[cbind(seq_len(nrow(pairs)), pairs[, 1])] <- 1L
    x[cbind(seq_len(nrow(pairs)), pairs[, 2])] <- -1L
    cbind(as.data.frame(x), fold = k, result = as.integer(value[pairs[, 1]] > value[pairs[, 2]]))
  })
  table <- do.call(rbind, rows)
  total <- tapply(scores$score, scores$player, mean)
  zero <- which.min(total[players])
})["elapsed"]
terms <- paste0("X", setdiff(seq_along(players), zero))
formula <- as.formula(paste("result ~", paste(terms, collapse = " + "), "+ (1 | fold)"))
seconds <- system.time(
  fit <- glmer(formula, data = table, family = binomial, nAGQ = as.integer(arguments[3]))
)["elapsed"]
epp <- rep(0, length(players))
epp[as.integer(sub("X", "", terms))] <- fixef(fit)[terms]
write.csv(data.frame(player = players, epp = epp, loglik = as.numeric(logLik(fit)),
                     sd_round = sqrt(unlist(VarCorr(fit))[1]), seconds = seconds,
                     preparation = preparation), arguments[2], row.names = FALSE)
