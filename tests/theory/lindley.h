#ifndef TESTS_THEORY_LINDLEY_H
#define TESTS_THEORY_LINDLEY_H

/*
 * The waiting times of M/M/1, first come first served, without the engine:
 * Lindley's recursion W' = max(0, W + service - gap). Its mean is known, so the
 * statistics can be held against it. Arrivals and services have streams of
 * their own, as the model's have, so two queues of the same run share them.
 *
 * Times are in units of the mean service.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/core/rng.h"

struct lindley {
	struct rng li_gaps, li_services;
	double li_rate;	   /* arrivals */
	double li_service; /* mean */
	double li_wait;	   /* of the next customer */
};

static inline double
lindley_exponential(struct rng *r)
{
	return -log(rng_uniform(r));
}

/* Empty; `name` tells independent systems apart. */
static inline void
lindley_init(struct lindley *li, struct rng_run run, uint64_t name, double rate,
    double service)
{
	*li = (struct lindley){ .li_rate = rate, .li_service = service };
	rng_init(&li->li_gaps, run, "lindley.gaps", name);
	rng_init(&li->li_services, run, "lindley.services", name);
}

/*
 * As if it had always run: the wait is 0 with probability 1 - rho, else
 * exponential. Common random numbers: the same two draws in each system.
 */
static inline void
lindley_steady(struct lindley *li, struct rng_run run, uint64_t name)
{
	const double rho = li->li_rate * li->li_service;
	double u, mean = li->li_service / (1 - rho);
	struct rng r;

	rng_init(&r, run, "lindley.start", name);
	u = rng_uniform(&r);
	/* By inversion of P(W > w) = rho exp(-w / mean). */
	li->li_wait = u < rho ? -mean * log(u / rho) : 0;
}

/* Returns: the wait of one customer. */
static inline double
lindley_next(struct lindley *li)
{
	const double wait = li->li_wait;

	li->li_wait = fmax(
	    0, wait + li->li_service * lindley_exponential(&li->li_services) -
		   lindley_exponential(&li->li_gaps) / li->li_rate);
	return wait;
}

static inline double
lindley_mean_wait(struct lindley *li, int customers)
{
	double sum = 0;

	for (int i = 0; i < customers; i++)
		sum += lindley_next(li);
	return sum / customers;
}

/* The true mean wait: rho / (mu - lambda). */
static inline double
lindley_true_mean(double rate, double service)
{
	return rate * service * service / (1 - rate * service);
}

/*
 * Print one line, and tell whether a share of n trials is `want`, within the
 * binomial error of 99.9 % (two-sided) and `slack`.
 */
static inline int
lindley_share(const char *what, int hits, int n, double want, double slack)
{
	const double off = 3.29 * sqrt(want * (1 - want) / n) + slack;
	const double got = (double)hits / n;
	const bool ok = fabs(got - want) <= off;

	printf("%-52s %5.1f %% of %d, want %4.1f +- %.1f %s\n", what, 100 * got,
	    n, 100 * want, 100 * off, ok ? "ok" : "NOT OK");
	return ok ? 0 : 1;
}

#endif
