/**
 * What of the JavaScript SDK's own tests cannot pass, and why. `scripts/sdkSuite.mjs` runs that
 * suite and holds it to this list; docs/use/compatibility.md prints it.
 *
 * A test that passes may not be listed, a test that fails must be.
 */

interface SuiteException {
  /** Below `test/public` of the package, without `.spec.ts`. */
  readonly file: string;
  /** The name of a test behind those of its groups. */
  readonly test: string;
  readonly why: string;
}

interface SecondRun {
  readonly file: string;
  /** Options of the server. */
  readonly server: Readonly<Record<string, unknown>>;
  /** There is nothing to be had from the usual server. */
  readonly isOnly?: true;
  readonly why: string;
}

/** Files that are not even started. */
export const NOT_RUN: readonly Omit<SuiteException, "test">[] = [
  { file: "integration/semanticRerank", why: "wants an inference service of Azure" },
];

/** Files whose tests want servers with different settings: a test has to pass with one of them. */
export const SECOND_RUNS: readonly SecondRun[] = [
  {
    file: "functional/query",
    server: { manualRatePerPartition: 6000 },
    why: "expects five ranges of a container with 25,000 RU/s",
  },
  {
    file: "functional/item/bulk.item",
    server: { manualRatePerPartition: 6000 },
    why: "its faked splits are of ranges that 25,100 RU/s do not give by default",
  },
  {
    file: "integration/changeFeedIterator",
    server: { manualRatePerPartition: 6000 },
    why: "tells the ranges of containers apart that have fewer of them by default",
  },
  {
    file: "integration/crossPartition",
    server: { manualRatePerPartition: 6000 },
    why: "counts the rounds in which a client asks all ranges, which are fewer by default",
  },
  {
    file: "functional/client",
    server: { https: true },
    why: "its client gets no token of an identity provider for plain HTTP",
  },
  {
    file: "integration/sslVerification",
    server: { https: true, port: 8081 },
    isOnly: true,
    why: "wants TLS on that port of this machine",
  },
];

/** Their authors skip these, too, for accounts that are reached by the newer gateway alone. */
const OLDER_GATEWAY =
  "expects 401 for a request that is signed well, a fault of the service's older gateway; " +
  "the newer one answers as here";

export const SUITE_EXCEPTIONS: readonly SuiteException[] = [
  ...[
    "RGW_idEndingWithWhitespace",
    "RGW_idEndingWithWhitespaces",
    "RGW_idEndingWithPercentEncodedWhitespace",
    "RGW_idWithPercentEncodedSpecialChar",
  ].map((name) => ({
    file: "functional/item/itemIdEncoding",
    test: `Id encoding ${name}`,
    why: OLDER_GATEWAY,
  })),
];
