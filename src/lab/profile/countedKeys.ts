/**
 * Keys that are to be counted: by their paths if they consist of paths only, else as expressions.
 */
import type { KeyLevels } from "../../keys/expression.ts";

export interface ExpressionKey {
  /** The key expression as it was written. */
  readonly text: string;
  readonly levels: KeyLevels;
}
