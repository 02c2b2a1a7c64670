extension Calibration {
  // Made by `Scripts/train` from 3070 listenings of up to 16 s, all speeds, to sound that is not in
  // the catalog, and 1350 to sound that is, cut at 1771 places
  // (dev-7-30, dev-77-60, absent-77). Never edited by hand.

  /// The tails of the margin in those listenings: in the first second, then after it, each first at the
  /// reference's own speed and then at others.
  static let marginTails = [
    Tail(beginning: 5.32, scale: 1.503, certainty: 5.03),
    Tail(beginning: 3.73, scale: 1.000, certainty: 5.03),
    Tail(beginning: 5.19, scale: 1.575, certainty: 5.03),
    Tail(beginning: 5.08, scale: 1.899, certainty: 5.03),
  ]

  /// The tails of the discriminant in those listenings: in the first second, then after it, each first at the
  /// reference's own speed and then at others.
  static let discriminantTails = [
    Tail(beginning: 2.34, scale: 0.712, certainty: 5.03),
    Tail(beginning: 0.77, scale: 0.458, certainty: 5.03),
    Tail(beginning: 1.94, scale: 0.993, certainty: 5.03),
    Tail(beginning: 1.14, scale: 0.930, certainty: 5.03),
  ]

  /// The share of listenings to what is in the catalog that are decided within one unit of certainty, near the
  /// accepted one: in the first second, then after it, each first at the reference's own speed and then at others.
  static let rightDensities = [0.0993, 0.0106, 0.0405, 0.0072]

  /// The discriminant's weights: in the first second, then after it, in the order of its terms.
  static let discriminantWeights: [[Double]] = [
    [
      -2.7824,  // one
      0.8623,  // weighedMargin
      0.4321,  // weighedMarginSquared
      1.6404,  // margin
      -1.3356,  // seconds
      0.7959,  // isOwnSpeed
      0.0374,  // spread
      0.3602,  // spreadOfAll
      -0.8256,  // bands
      0.3785,  // bandSpread
      -5.5532,  // coverage
      4.2330,  // strongCoverage
      14.0535,  // missed
      -16.0717,  // evidence
      -1.1134,  // clean
      9.3531,  // noisy
      -1.6656,  // clarity
      -2.6209,  // explained
      5.5986,  // explainedHeight
      3.1164,  // coverageAtClarity
      -5.0258,  // missedAtClarity
    ],
    [
      -0.9648,  // one
      -1.5746,  // weighedMargin
      0.5575,  // weighedMarginSquared
      3.1916,  // margin
      -1.8717,  // seconds
      1.2891,  // isOwnSpeed
      0.4794,  // spread
      0.5630,  // spreadOfAll
      1.2415,  // bands
      -1.2337,  // bandSpread
      -21.0858,  // coverage
      7.0136,  // strongCoverage
      11.6913,  // missed
      -67.5987,  // evidence
      -3.1452,  // clean
      44.5205,  // noisy
      -3.8794,  // clarity
      -29.9956,  // explained
      35.3414,  // explainedHeight
      8.9180,  // coverageAtClarity
      3.3741,  // missedAtClarity
    ],
  ]

  /// The figures of each look.
  static let looks: [Look] = [
    Look(
      seconds: 0.4, scale: 2.43, margin80: 0.49, marginScale: 0.66, bestWrong: 12.0),
    Look(
      seconds: 0.6, scale: 2.46, margin80: 0.65, marginScale: 0.68, bestWrong: 12.3),
    Look(
      seconds: 0.8, scale: 2.70, margin80: 0.76, marginScale: 0.82, bestWrong: 13.4),
    Look(
      seconds: 1.0, scale: 2.55, margin80: 0.92, marginScale: 1.04, bestWrong: 13.2),
    Look(
      seconds: 1.2, scale: 1.79, margin80: 1.07, marginScale: 1.36, bestWrong: 7.8),
    Look(
      seconds: 1.4, scale: 1.80, margin80: 1.10, marginScale: 1.45, bestWrong: 7.4),
    Look(
      seconds: 1.6, scale: 1.78, margin80: 1.11, marginScale: 1.76, bestWrong: 8.2),
    Look(
      seconds: 2.0, scale: 1.89, margin80: 1.05, marginScale: 1.82, bestWrong: 7.4),
    Look(
      seconds: 2.4, scale: 1.95, margin80: 1.01, marginScale: 1.87, bestWrong: 8.0),
    Look(
      seconds: 3.0, scale: 2.08, margin80: 1.03, marginScale: 1.92, bestWrong: 8.2),
    Look(
      seconds: 3.6, scale: 2.20, margin80: 1.06, marginScale: 2.09, bestWrong: 8.5),
    Look(
      seconds: 4.2, scale: 2.29, margin80: 1.08, marginScale: 2.20, bestWrong: 8.6),
    Look(
      seconds: 5.0, scale: 2.47, margin80: 1.03, marginScale: 2.29, bestWrong: 8.7),
    Look(
      seconds: 6.0, scale: 2.62, margin80: 0.91, marginScale: 2.67, bestWrong: 8.7),
    Look(
      seconds: 7.0, scale: 2.83, margin80: 0.81, marginScale: 2.61, bestWrong: 8.8),
    Look(
      seconds: 8.0, scale: 3.03, margin80: 0.72, marginScale: 2.66, bestWrong: 8.8),
    Look(
      seconds: 10.0, scale: 3.46, margin80: 0.55, marginScale: 2.68, bestWrong: 9.1),
    Look(
      seconds: 12.0, scale: 3.87, margin80: 0.42, marginScale: 2.72, bestWrong: 9.7),
    Look(
      seconds: 14.0, scale: 4.28, margin80: 0.31, marginScale: 2.59, bestWrong: 10.1),
    Look(
      seconds: 16.0, scale: 4.59, margin80: 0.19, marginScale: 2.51, bestWrong: 10.4),
  ]
}
