/** A partition key under study. */
import type { KeyLevels } from "../../keys/expression.ts";
import type { StatedFacts } from "../workload/workload.ts";

export interface Candidate {
  /** The user's name, or the expression's text. Unique in a run. */
  readonly id: string;
  readonly levels: KeyLevels;
  readonly origin:
    | "path"
    | "hierarchy"
    | "concatenation"
    | "period"
    | "suffix"
    /** Named in the workload or on the command line. */
    | "named";
  readonly stated: StatedFacts | undefined;
}
