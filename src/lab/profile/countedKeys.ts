/** Keys that somebody wants counted: by their paths where those are all there is to it. */
import type { KeyLevels } from "../../keys/expression.ts";

export interface ExpressionKey {
  /** As it is written. */
  readonly text: string;
  readonly levels: KeyLevels;
}
