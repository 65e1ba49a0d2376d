/** The names in a path that a user wrote, such as `/address/"zip code"`. */
import { parseKeyLevels } from "../../keys/expressionText.ts";

/** Returns undefined when the text is no path. */
export function parsePath(text: string): readonly string[] | undefined {
  const parsed = parseKeyLevels(text);
  if (!parsed.ok || parsed.value.length !== 1) return undefined;
  const [level] = parsed.value;
  return level?.kind === "path" ? level.steps : undefined;
}

/** Takes a text that is no path as a property name. */
export function stepsOfPath(text: string): readonly string[] {
  return parsePath(text) ?? [text];
}
