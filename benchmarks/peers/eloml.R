# EPP as EloML computes it, from a CSV of scores (player, round, score), by its own code.
#   Rscript eloml.R scores.csv out.csv FOLDER
# FOLDER holds a checkout of https://github.com/ModelOriented/EloML (GPL; not copied here).
suppressMessages({library(data.table); library(glmnet); library(Matrix)})
arguments <- commandArgs(trailingOnly = TRUE)
source(file.path(arguments[3], "R", "calculate_elo.R"))
scores <- read.csv(arguments[1], colClasses = c("character", "character", "numeric"))
found <- list()
for (method in c("glm", "glmnet")) {
  seconds <- system.time(capture.output(
    fit <- calculate_epp(scores, estimation = method)
  ))["elapsed"]
  found[[method]] <- data.frame(player = fit$epp$player, method = paste("EloML", method),
                                epp = fit$epp$epp, seconds = seconds)
}
write.csv(rbindlist(found), arguments[2], row.names = FALSE)
