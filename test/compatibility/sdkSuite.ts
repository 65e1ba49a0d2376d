/**
 * What of the JavaScript SDK's own tests cannot pass, and why. `scripts/sdkSuite.mjs` runs that
 * suite and holds it to this list; docs/compatibility.md prints it.
 *
 * A test that passes may not be listed, a test that fails must be.
 */

export interface SuiteException {
  /** Below `test/public` of the package, without `.spec.ts`. */
  readonly file: string;
  /** The name of a test behind those of its groups. */
  readonly test: string;
  readonly why: string;
}

export interface SecondRun {
  readonly file: string;
  /** Options of the server. */
  readonly server: Readonly<Record<string, unknown>>;
  readonly why: string;
}

/** Files that are not even started. */
export const NOT_RUN: readonly Omit<SuiteException, "test">[] = [
  {
    file: "integration/sslVerification",
    why: "wants TLS on port 8081 of this machine; passes by hand with `orrery start --https`",
  },
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
];

const SECOND_GATEWAY = "expects a second gateway with rules of its own, which refuses such ids";

export const SUITE_EXCEPTIONS: readonly SuiteException[] = [
  ...[
    "RGW_idEndingWithWhitespace",
    "RGW_idEndingWithWhitespaces",
    "RGW_idEndingWithPercentEncodedWhitespace",
    "RGW_idWithPercentEncodedSpecialChar",
  ].map((name) => ({
    file: "functional/item/itemIdEncoding",
    test: `Id encoding ${name}`,
    why: SECOND_GATEWAY,
  })),
  {
    file: "functional/NonStreamingQueryPolicy",
    test: "Vector search feature VectorEmbeddingPolicy should fail to create vector embedding policy",
    why: "expects a limit of 1,536 dimensions; the documented one is 4,096 by now",
  },
  {
    file: "functional/query",
    test: "Queries QueryIterator: Hierarchical partitions asyncIterator",
    why: "expects an empty page behind a full last one; here a full last page says that it is the last",
  },
  {
    file: "functional/client",
    test: "Client Tests Constructor fails to read databases with bad AAD authentication",
    why: "its client sends no such token over plain HTTP; passes with `orrery start --https`",
  },
];
