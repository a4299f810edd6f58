// Lighthouse's score of a metric: the share of pages that are slower, on a
// log-normal curve through its two control points.

import type { Curve } from "./thresholds";

/** Where the standard normal distribution has a tenth of its mass above: the first control point scores 0.9. */
const TENTH = 1.2815515655446004;

/** 1 is best. */
export function scoreOf(value: number, { good, median }: Curve): number {
  if (value <= 0) return 1;
  const spread = Math.log(median / good) / TENTH;
  return normalAbove(Math.log(value / median) / spread);
}

/** The mass of the standard normal distribution above x. */
function normalAbove(x: number): number {
  const tail = halfErfc(Math.abs(x) / Math.SQRT2);
  return x >= 0 ? tail : 1 - tail;
}

/** Half of the complementary error function, for x of 0 and more; the fraction of Abramowitz and Stegun, 7.1.26, right to 1e-7. */
function halfErfc(x: number): number {
  const t = 1 / (1 + 0.3275911 * x);
  const sum = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return (sum * Math.exp(-x * x)) / 2;
}
