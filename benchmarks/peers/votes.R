# Votes with an intercept a judge, by lme4's glmer on a row for every vote.
#   Rscript votes.R votes.csv out.csv nAGQ
# votes.csv: first, second (player, from 0), outcome (0 or 1), judge.
suppressMessages(library(lme4))
arguments <- commandArgs(trailingOnly = TRUE)
votes <- read.csv(arguments[1])
m <- max(votes$first, votes$second) + 1
design <- matrix(0, nrow(votes), m, dimnames = list(NULL, paste0("X", seq_len(m))))
design[cbind(seq_len(nrow(votes)), votes$first + 1)] <- 1
design[cbind(seq_len(nrow(votes)), votes$second + 1)] <- -1
design <- design[, -m] # the last player's effect is 0
table <- data.frame(outcome = votes$outcome, judge = factor(votes$judge), first = 1, design)
formula <- as.formula(paste("outcome ~ 0 + first +", paste(colnames(design), collapse = " + "), "+ (1 | judge)"))
control <- glmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-10, maxfun = 1e5))
seconds <- system.time(
  fit <- glmer(formula, data = table, family = binomial, nAGQ = as.integer(arguments[3]), control = control)
)["elapsed"]
errors <- sqrt(diag(as.matrix(vcov(fit))))
write.csv(data.frame(term = c(names(fixef(fit)), "sd_judge", "loglik", "seconds"),
                     estimate = c(fixef(fit), sqrt(unlist(VarCorr(fit))[1]), as.numeric(logLik(fit)), seconds),
                     error = c(errors, NA, NA, NA)), arguments[2], row.names = FALSE)
print(format(read.csv(arguments[2]), digits = 10))
