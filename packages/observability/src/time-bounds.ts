/** The default bounds of time histograms, in seconds: from 1 ms to 1 minute. */
export const TIME_BOUNDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];
