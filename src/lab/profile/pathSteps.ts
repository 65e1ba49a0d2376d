/** The names in a path that a user wrote, such as `/address/"zip code"`. */
import { parseKeyLevels } from "../../keys/expressionText.ts";

/** Undefined when it is no path. */
export function parsePath(text: string): readonly string[] | undefined {
  const parsed = parseKeyLevels(text);
  if (!parsed.ok || parsed.value.length !== 1) return undefined;
  const [level] = parsed.value;
  return level?.kind === "path" ? level.steps : undefined;
}

/** What is no path is taken for a name. */
export function stepsOfPath(text: string): readonly string[] {
  return parsePath(text) ?? [text];
}
