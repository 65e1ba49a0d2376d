/**
 * A seed: the databases, containers, scripts and items that a server is to begin with, as a value.
 * Every part of it knows its place in the file that it comes from, because what is wrong with it
 * may show only when it is made.
 *
 * Not here: how a seed is written (`readSeed.ts`), and how it is made (`server/seed`).
 */
import type { JsonObject } from "../json/value.ts";
import type { Throughput } from "../model/throughput.ts";

export interface ServerSeed {
  /** The file, as it was named, or a word for what was given as a value. */
  readonly name: string;
  readonly databases: readonly SeedDatabase[];
}

interface SeedPart {
  /** File, line, column and path: `seed.yaml:3:5 databases.shop`. */
  readonly place: string;
}

export interface SeedDatabase extends SeedPart {
  readonly id: string;
  /** Absent where the seed says nothing of it. */
  readonly throughput: Throughput | undefined;
  readonly containers: readonly SeedContainer[];
}

export interface SeedContainer extends SeedPart {
  readonly id: string;
  /**
   * What of the body of a container the seed says, in the service's form. Without a `partitionKey`
   * the container has to be there already.
   */
  readonly body: JsonObject;
  readonly throughput: Throughput | undefined;
  readonly scripts: readonly SeedScript[];
  readonly items: readonly SeedItems[];
}

export type SeedScriptKind = "storedProcedure" | "trigger" | "userDefinedFunction";

export interface SeedScript extends SeedPart {
  readonly kind: SeedScriptKind;
  readonly id: string;
  /** Members of its body besides the code: when a trigger runs. */
  readonly terms: JsonObject;
  readonly code: { readonly text: string } | { readonly path: string };
}

/** One item that stands in the seed, or all items of a file. */
export type SeedItems = SeedPart & ({ readonly item: JsonObject } | { readonly path: string });
