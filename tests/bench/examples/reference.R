# Print what R's packages compute from their own copies of the examples: example,quantity,value,by.
# Run by `python -m tests.bench.engines`, in this folder.

suppressMessages({
  library(lme4); library(lmerTest); library(ordinal); library(BradleyTerry2); library(clubSandwich)
  library(psych); library(psyphy); library(rjags)
})
options(digits = 12, warn = -1)

by <- function(package) paste0(package, " ", packageVersion(package), " of R ", getRversion())
say <- function(example, values, source) {
  cat(sprintf("\"%s\",\"%s\",%.10g,\"%s\"\n", example, names(values), unlist(values), source), sep = "")
}
table_of <- function(name) read.csv(paste0(name, ".csv"), comment.char = "#")

# Means with errors by clusters: the delete-one-cluster variance CR3
means_of <- function() {
  source <- by("clubSandwich")
  fit <- lm(score ~ 0 + Machine, nlme::Machines)
  by_worker <- vcovCR(fit, cluster = nlme::Machines$Worker, type = "CR3")
  all <- coef_test(fit, vcov = by_worker, test = "Satterthwaite")
  apart <- linear_contrast(fit, vcov = by_worker, contrasts = matrix(c(-1, 1, 0), 1), test = "Satterthwaite")
  say("machines: means", c("mean of machine A" = all$beta[1], "its error" = all$SE[1], "its degrees of freedom" = all$df[1],
    "machine B less A" = apart$Est, "its error by workers" = apart$SE, "the difference's degrees of freedom" = apart$df), source)
  fit <- lm(diameter ~ 1, Penicillin)
  v <- function(cluster) vcovCR(fit, cluster = cluster, type = "CR3")[1]
  plate <- v(Penicillin$plate); sample <- v(Penicillin$sample); both <- v(seq_len(nrow(Penicillin)))
  say("penicillin: means", c("mean" = unname(coef(fit)), "error by plates" = sqrt(plate), "error by samples" = sqrt(sample),
    "two-way error" = sqrt(plate + sample - both)), source)
}

# Linear mixed models
fast_of <- function() {
  source <- paste("lme4", packageVersion("lme4"), "with", by("lmerTest"))
  of <- function(example, fit, fixed, sds) {
    rows <- coef(summary(fit))
    spread <- as.data.frame(VarCorr(fit))
    named <- function(values, suffix) setNames(values, paste0(fixed, suffix))
    say(example, c(named(rows[, "Estimate"], ""), named(rows[, "Std. Error"], ": error"), named(rows[, "df"], ": df"),
      setNames(spread$sdcor[match(c(names(sds), "Residual"), spread$grp)], c(sds, "SD of the residual")),
      "log-likelihood" = as.numeric(logLik(fit))), source)
  }
  # The search of lme4 is made to go on until more digits are right.
  control <- lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-10))
  of("sleepstudy", lmer(Reaction ~ I(Days - 4.5) + (1 | Subject), sleepstudy, control = control), c("mean", "slope of days"),
    c(Subject = "SD of subjects"))
  of("penicillin", lmer(diameter ~ 1 + (1 | plate) + (1 | sample), Penicillin, control = control), "mean",
    c(plate = "SD of plates", sample = "SD of samples"))
  of("machines", lmer(score ~ 0 + Machine + (1 | Worker) + (1 | Worker:Machine), nlme::Machines, control = control),
    paste("machine", c("A", "B", "C")), c(Worker = "SD of workers", "Worker:Machine" = "SD of worker:machine"))
  of("dyestuff2", lmer(Yield ~ 1 + (1 | Batch), Dyestuff2, control = control), "mean", c(Batch = "SD of batches"))
}

# Ordinal and logistic mixed models by Laplace's approximation
ordinal_of <- function() {
  # Locations are log-odds of more than the lowest answer.
  of <- function(example, fit, names, rows, sds) {
    fixed <- seq_len(ncol(rows))
    cuts <- fit$alpha
    say(example, c(setNames(drop(rows %*% c(cuts, fit$beta)), names),
      setNames(sqrt(diag(rows %*% vcov(fit)[fixed, fixed] %*% t(rows))), paste0(names, ": error")),
      setNames(diff(cuts), paste("threshold", seq_along(cuts)[-1], "less", seq_along(cuts)[-length(cuts)])),
      setNames(sapply(ordinal::VarCorr(fit)[names(sds)], function(each) sqrt(each[1])), sds),
      "log-likelihood" = as.numeric(logLik(fit))), by("ordinal"))
  }
  of("wine", clmm(rating ~ temp + contact + (1 | judge), wine), c("warm", "contact"),
    rbind(c(0, 0, 0, 0, 1, 0), c(0, 0, 0, 0, 0, 1)), c(judge = "SD of judges"))
  of("soup", clmm(SURENESS ~ PROD + (1 | RESP) + (1 | RESP:PROD), soup), c("location of the reference", "location of the test"),
    rbind(c(-1, 0, 0, 0, 0, 0), c(-1, 0, 0, 0, 0, 1)), c(RESP = "SD of respondents", "RESP:PROD" = "SD of respondent:product"))
  # With its default tolerance of the random effects, 1e-7, glmer's errors are .5 % to 1 % smaller.
  fit <- glmer(ill ~ 0 + period + (1 | herd), family = binomial, data = within(
    data.frame(herd = rep(cbpp$herd, cbpp$size), period = rep(cbpp$period, cbpp$size)),
    ill <- unlist(mapply(function(ill, all) rep(1:0, c(ill, all - ill)), cbpp$incidence, cbpp$size))),
    control = glmerControl(optimizer = "bobyqa", tolPwrss = 1e-13, optCtrl = list(rhoend = 1e-10)))
  periods <- paste("period", 1:4)
  say("cbpp", c(setNames(fixef(fit), periods), setNames(sqrt(diag(vcov(fit))), paste0(periods, ": error")),
    "SD of herds" = sqrt(VarCorr(fit)$herd[1]), "log-likelihood" = as.numeric(logLik(fit))), by("lme4"))
}

# The Bayesian model, with the same priors as Earshot's
bayes_of <- function() {
  data <- nlme::Machines
  model <- "model {
    for (i in 1:n) { y[i] ~ dnorm(m[machine[i]] + u[worker[i]] + v[worker[i], machine[i]], pow(s[3], -2)) }
    for (w in 1:6) { u[w] ~ dnorm(0, pow(s[1], -2)); for (k in 1:3) { v[w, k] ~ dnorm(0, pow(s[2], -2)) } }
    for (k in 1:3) { m[k] ~ dnorm(60, pow(100, -2)); s[k] ~ dt(0, pow(20, -2), 4)T(0,) }
  }"
  load.module("glm", quiet = TRUE)
  seeds <- lapply(1:4, function(seed) list(.RNG.name = "base::Mersenne-Twister", .RNG.seed = seed))
  chains <- jags.model(textConnection(model), list(y = data$score, machine = as.integer(data$Machine),
    worker = as.integer(as.character(data$Worker)), n = nrow(data)), inits = seeds, n.chains = 4, quiet = TRUE)
  update(chains, 5000, progress.bar = "none")
  drawn <- coda.samples(chains, c("m", "s"), 100000, thin = 5, progress.bar = "none")
  rows <- summary(drawn)$statistics
  names <- c(paste("machine", c("A", "B", "C")), "SD of workers", "SD of worker:machine", "SD of the residual")
  say("machines: posterior", c(setNames(rows[, "Mean"], names), setNames(rows[, "SD"], paste0(names, ": posterior SD"))),
    paste("JAGS", jags.version(), "by", by("rjags")))
}

# Bradley–Terry, and Davidson's model of ties as a log-linear model (Fienberg and Larntz 1976)
strengths_of <- function() {
  of <- function(example, fit, names) {
    rows <- coef(summary(fit))
    say(example, c(setNames(rows[, 1], names), setNames(rows[, 2], paste0(names, ": error"))), fit$source)
  }
  data(citations, baseball, springall, package = "BradleyTerry2", envir = environment())
  counts <- countsToBinomial(citations)
  fit <- BTm(cbind(win1, win2), player1, player2, data = counts)
  fit$source <- by("BradleyTerry2")
  of("citations", fit, paste(c("Comm Statist", "JASA", "JRSS-B"), "against Biometrika"))
  baseball$home.team <- data.frame(team = baseball$home.team, at.home = 1)
  baseball$away.team <- data.frame(team = baseball$away.team, at.home = 0)
  fit <- BTm(cbind(home.wins, away.wins), home.team, away.team, ~ team + at.home, id = "team", data = baseball)
  fit$source <- by("BradleyTerry2")
  of("baseball", fit, c(paste(c("Boston", "Cleveland", "Detroit", "Milwaukee", "New York", "Toronto"), "against Baltimore"), "at home"))
  pairs <- springall$contests
  long <- data.frame(match = factor(rep(seq_len(nrow(pairs)), 3)), y = c(pairs$win, pairs$loss, pairs$tie),
    tie = rep(c(0, 0, 1), each = nrow(pairs)))
  for (each in 2:9) {
    half <- ((pairs$row == each) - (pairs$col == each)) / 2
    long[[paste0("m", each)]] <- c(half, -half, 0 * half)
  }
  fit <- glm(y ~ match + m2 + m3 + m4 + m5 + m6 + m7 + m8 + m9 + tie, poisson, long, epsilon = 1e-12)
  rows <- coef(summary(fit))[-seq_len(nrow(pairs)), ]
  names <- c(paste("mixture", 2:9, "against 1"), "log ν of ties")
  say("springall", c(setNames(rows[, 1], names), setNames(rows[, 2], paste0(names, ": error"))), paste("glm of R", getRversion()))
}

# Agreement and reliability
agreement_of <- function() {
  source <- by("psych")
  anxiety <- table_of("anxiety")
  kappa <- cohen.kappa(anxiety[, 1:2])
  say("anxiety", c("Cohen's κ of raters 1 and 2" = kappa$kappa, "κ with quadratic weights" = kappa$weighted.kappa,
    "ICC(A,1) of raters 1 and 2" = ICC(anxiety[, 1:2], lmer = FALSE)$results$ICC[2],
    "ICC(A,1) of three raters" = ICC(anxiety, lmer = TRUE)$results$ICC[2]), source)
  all <- ICC(table_of("judges"), lmer = TRUE)$results$ICC
  say("judges", c("ICC(2,1)" = all[2], "ICC(2,4)" = all[5]), source)
  # Fleiss (1971), equations 1 to 7; his result is .430.
  counts <- t(apply(table_of("diagnoses"), 1, tabulate, nbins = 5))
  seen <- mean((rowSums(counts^2) - 6) / (6 * 5))
  chance <- sum((colSums(counts) / sum(counts))^2)
  say("diagnoses", c("Fleiss’ κ of six raters" = (seen - chance) / (1 - chance)), paste("Fleiss’ formula in R", getRversion()))
}

# Detection
detection_of <- function() {
  say("d′ tables", c("d′ of ABX with .75 correct" = dprime.ABX(Pc.unb = 0.75, method = "diff"),
    "d′ of ABX with .90 correct" = dprime.ABX(Pc.unb = 0.9, method = "diff"),
    "d′ of same–different with .80 hits and .20 false alarms" = dprime.SD(H = 0.8, FA = 0.2, method = "diff")), by("psyphy"))
}

means_of(); fast_of(); ordinal_of(); strengths_of(); agreement_of(); detection_of(); bayes_of()
