/**
 * The lab in the admin API, as types: where items would lie under a key, and runs of the lab's
 * commands on the server's machine. Nothing but types is imported here.
 *
 * Instants are milliseconds since 1970, shares are from 0 to 1.
 */
import type { JsonObject, JsonValue } from "../json/value.ts";

/** `POST lab/placements`: where would these items lie under that key? */
export interface PlacementQuestion {
  readonly items: readonly JsonObject[];
  /** A key as `orrery/keys` writes it: `/tenantId`, `[/tenantId, /userId]`, `concat(…)`. */
  readonly key: string;
  /** The rate that the container would have, which decides how many physical partitions it gets. */
  readonly ratePerSecond?: number | undefined;
}

/** The items as the engine would place them. */
export interface PlacementAnswer {
  /** The key in its one spelling. */
  readonly key: string;
  /** What the container's definition needs: paths, and whether they have to be written first. */
  readonly paths: readonly string[];
  readonly isMadeUp: boolean;
  readonly itemCount: number;
  readonly itemBytes: number;
  /** How many items have no value for the key, or for a part of it. */
  readonly missingCount: number;
  readonly keyCount: number;
  readonly partitions: readonly PlacedPartition[];
  /** What `orrery lab check` says of the key with these items. */
  readonly findings: readonly PlacementFinding[];
}

export interface PlacedPartition {
  /** The range id that the physical partition would have. */
  readonly id: string;
  readonly min: string;
  readonly max: string;
  readonly itemCount: number;
  readonly itemBytes: number;
  readonly keyCount: number;
  /** Logical partitions, those with most bytes first; at most `PILES_MAX` of them. */
  readonly piles: readonly PlacedPile[];
}

/** A logical partition. */
export interface PlacedPile {
  /** The values of the key; null also where the item has none, which `isNone` tells apart. */
  readonly key: readonly JsonValue[];
  readonly isNone: boolean;
  readonly epk: string;
  readonly itemCount: number;
  readonly itemBytes: number;
  /** Positions of its items in the question, in order; as many as are drawn. */
  readonly itemIndexes: readonly number[];
}

interface PlacementFinding {
  readonly check: string;
  readonly outcome: "passed" | "warning" | "unknown";
  readonly sentence: string;
}

/** `POST lab/workloads`: is the member `text` a workload? */
export interface WorkloadAnswer {
  /** What was understood, in sentences; empty when there are problems. */
  readonly summary: readonly string[];
  readonly problems: readonly { readonly place: string; readonly message: string }[];
}

/** `GET containers/{database}/{container}/recordings?part=workload` */
export interface RecordedWorkloadAnswer {
  /** What was recorded so far, as a workload in YAML. */
  readonly workload: string;
}

/** `GET lab/templates`: workloads to begin with, the worked cases of the guides among them. */
export interface TemplatesAnswer {
  readonly templates: readonly LabTemplate[];
}

export interface LabTemplate {
  readonly name: string;
  readonly title: string;
  readonly kind: "template" | "scenario";
  /** The workload as YAML or JSON. */
  readonly text: string;
}

/** `POST lab/runs` */
export interface LabRunQuestion {
  readonly kind: "advise" | "prove";
  /** The workload as YAML or JSON. */
  readonly workload: string;
  /** Which data the advice rests on; absent: what the workload declares. */
  readonly data?: LabData | undefined;
  readonly candidates?: readonly string[] | undefined;
  /** Judge no other keys than those that are named. */
  readonly onlyMine?: boolean | undefined;
  /** The key in use. */
  readonly current?: string | undefined;
  readonly months?: number | undefined;
  readonly seed?: number | undefined;
}

export type LabData =
  /** Text of a file that the asker has: NDJSON, a JSON array or CSV. */
  | {
      readonly kind: "text";
      readonly text: string;
      readonly format: "ndjson" | "json" | "csv";
      /** How the run calls it. */
      readonly name?: string | undefined;
    }
  /** The items of a container of this server, or a sample of them. */
  | {
      readonly kind: "container";
      readonly database: string;
      readonly container: string;
      /** How many items at most; absent: all of them. */
      readonly sampleCount?: number | undefined;
    };

/** `POST lab/runs/{id}/proof`: the same on the engine. */
export interface LabProofQuestion {
  /** The keys that are put on the engine, each as an expression. */
  readonly candidates: readonly string[];
}

/** What a run was asked, apart from the text of its data, which may be long. */
export interface LabRunAsked extends Omit<LabRunQuestion, "data"> {
  readonly data?:
    | Exclude<LabData, { readonly kind: "text" }>
    | { readonly kind: "text"; readonly name: string }
    | undefined;
}

export type LabRunState = "waiting" | "running" | "done" | "failed" | "cancelled";

/** `GET lab/runs/{id}`; the list has the same without `asked` and `result`. */
export interface LabRunEntry {
  readonly id: string;
  readonly kind: "advise" | "prove";
  readonly state: LabRunState;
  readonly title: string;
  readonly startedAt: number;
  readonly endedAt?: number | undefined;
  /** The last thing that the command said of its progress. */
  readonly progress?: string | undefined;
  /** Of a proof: the run whose keys are proved. */
  readonly proofOf?: string | undefined;
  readonly asked?: LabRunAsked | undefined;
  /** What somebody would type to have the same, a command each. */
  readonly commands: readonly string[];
  /** Why it failed, in the words of the command. */
  readonly problem?: string | undefined;
  /** The JSON of `orrery lab advise --json` or `orrery lab prove --json`. */
  readonly result?: JsonValue | undefined;
  /** Whether `GET lab/runs/{id}/page` has a page. */
  readonly hasPage: boolean;
}

export interface LabRunsAnswer {
  readonly runs: readonly LabRunEntry[];
}

export interface LabRunAnswer {
  readonly run: LabRunEntry;
}
