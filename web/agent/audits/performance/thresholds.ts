// Every limit the performance audit goes by, and what its findings take off
// the score. All limits are echoed in the raw report.
//
// The score starts at 100. A metric takes off the share that Lighthouse gives
// it, by Lighthouse's curve: nothing while it is good, half of its share at the
// curve's median, nearly all of it far beyond. The shares are Lighthouse's,
// scaled so that those of the metrics that were measured add up to 100. What
// makes a page slow without being slow on this machine (an image four times too
// large, a script that blocks) takes off a few points of its own: on the
// developer's machine it would not show otherwise.

/** Lighthouse's control points: up to the first a metric is good, at the second it has half its score. */
export interface Curve {
  readonly good: number;
  readonly median: number;
  /** Its share in Lighthouse's score. */
  readonly share: number;
}

/** Lighthouse's default set (mobile), whose first values are those of Core Web Vitals; the speed index cannot be had in a page. */
export const FCP: Curve = { good: 1800, median: 3000, share: 10 };
export const LCP: Curve = { good: 2500, median: 4000, share: 25 };
export const TBT: Curve = { good: 200, median: 600, share: 30 };
export const CLS: Curve = { good: 0.1, median: 0.25, share: 25 };

/** Not in Lighthouse's score: Core Web Vitals' limits, and fixed weights. */
export const INP_GOOD_MS = 200;
export const INP_POOR_MS = 500;
export const TTFB_GOOD_MS = 800;
export const TTFB_POOR_MS = 1800;

/** A metric on a development server, whose code is neither bundled nor minified, counts for this share of itself. */
export const DEVELOPMENT_SHARE = 0.5;

/** The main thread is taken to be free for good after this long without a long task. */
export const QUIET_MS = 5000;

/** A style sheet of the page's own that blocks rendering is normal; so many, or one that takes this long, is not. */
export const BLOCKING_SHEETS_MAX = 4;
export const BLOCKING_SHEET_SLOW_MS = 500;

/** An image may have this many times the pixels of its box in each direction: sharp screens need them. */
export const IMAGE_DENSITY = 2;
/** Bytes that must be wasted to be worth a word: Lighthouse's limit. */
export const IMAGE_WASTE_BYTES = 12 * 1024;
/** Pixels in excess that must be there when the bytes are not known. */
export const IMAGE_WASTE_PIXELS = 1_000_000;
/** Images from this many screens down need not be loaded at once. */
export const IMAGE_FAR_SCREENS = 2;
export const IMAGE_FAR_BYTES = 4 * 1024;
/** A largest paint later than this is worth hurrying. */
export const LCP_HURRY_MS = 1200;

/** Lighthouse's limits for the bytes of a page. */
export const BYTES_INFO = 2667 * 1024;
export const BYTES_WARNING = 4000 * 1024;
export const REQUESTS_INFO = 100;
/** Text that is worth compressing: of one file (Lighthouse's limit), and of all of them. */
export const COMPRESS_FILE_BYTES = 1400;
export const COMPRESS_BYTES = 20 * 1024;
export const REDIRECT_MS = 100;

export const THRESHOLDS = {
  fcpGoodMs: FCP.good,
  fcpMedianMs: FCP.median,
  lcpGoodMs: LCP.good,
  lcpMedianMs: LCP.median,
  tbtGoodMs: TBT.good,
  tbtMedianMs: TBT.median,
  clsGood: CLS.good,
  clsMedian: CLS.median,
  inpGoodMs: INP_GOOD_MS,
  inpPoorMs: INP_POOR_MS,
  ttfbGoodMs: TTFB_GOOD_MS,
  ttfbPoorMs: TTFB_POOR_MS,
  developmentShare: DEVELOPMENT_SHARE,
  quietMs: QUIET_MS,
  blockingSheetsMax: BLOCKING_SHEETS_MAX,
  blockingSheetSlowMs: BLOCKING_SHEET_SLOW_MS,
  imageDensity: IMAGE_DENSITY,
  imageWasteBytes: IMAGE_WASTE_BYTES,
  imageWastePixels: IMAGE_WASTE_PIXELS,
  imageFarScreens: IMAGE_FAR_SCREENS,
  imageFarBytes: IMAGE_FAR_BYTES,
  lcpHurryMs: LCP_HURRY_MS,
  bytesInfo: BYTES_INFO,
  bytesWarning: BYTES_WARNING,
  requestsInfo: REQUESTS_INFO,
  compressFileBytes: COMPRESS_FILE_BYTES,
  compressBytes: COMPRESS_BYTES,
  redirectMs: REDIRECT_MS,
} as const;

export const WEIGHTS = {
  inpWarning: 8,
  inpCritical: 15,
  slowServerWarning: 4,
  slowServerCritical: 8,
  renderBlockingScript: 4,
  renderBlockingSheet: 3,
  imageOversized: 4,
  imageUnsized: 3,
  imageNotLazy: 2,
  lcpLazy: 6,
  lcpNoPriority: 2,
  fontDisplay: 2,
  bytesInfo: 2,
  bytesWarning: 5,
  requests: 1,
  uncompressed: 4,
  redirects: 1,
  noStore: 1,
} as const;
