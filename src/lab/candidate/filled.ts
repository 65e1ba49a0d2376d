/**
 * Keys that give a key of its own to each item that has no value for another key: worth a look
 * where such items are many, because otherwise they share one logical partition.
 */
import type { KeyExpression, PathPart } from "../../keys/expression.ts";
import { printKeyLevels } from "../../keys/expressionText.ts";
import { pathText } from "../../keys/paths.ts";
import type { DataFacts } from "../data/facts.ts";
import type { Candidate } from "./candidate.ts";
import { type NoValue, noValuesIn } from "./noValue.ts";

/** Fewer items than this share do no harm together. */
const SHARE_MIN = 0.05;
const FILLED_MAX = 3;
const ID: PathPart = { kind: "path", steps: ["id"] };

export function filledKeys(
  candidates: readonly Candidate[],
  facts: DataFacts,
): readonly Candidate[] {
  const byId = new Map<string, Candidate>();
  for (const { levels, origin } of candidates) {
    const [level] = levels;
    const isPlain = level?.kind === "path" || level?.kind === "concat";
    if (levels.length !== 1 || level === undefined || !isPlain) continue;
    const filled = [filledIn(level, facts)];
    const id = printKeyLevels(filled);
    if (id === printKeyLevels(levels) || byId.size >= FILLED_MAX) continue;
    byId.set(id, {
      id,
      levels: filled,
      origin: origin === "named" ? "path" : origin,
      stated: undefined,
    });
  }
  return [...byId.values()];
}

/** The same with something in place of what stands for nothing. */
function filledIn(level: KeyExpression, facts: DataFacts): KeyExpression {
  if (level.kind === "concat") {
    return { ...level, parts: level.parts.map((part) => filledIn(part, facts)) };
  }
  if (level.kind !== "path" || pathText(level) === pathText(ID)) return level;
  const found = noValuesAt(level, facts);
  const texts = found.flatMap(({ kind, value }) => (kind === "default" ? [String(value)] : []));
  const isMissing = found.some(({ kind }) => kind !== "default");
  const chosen: KeyExpression =
    texts.length === 0
      ? level
      : { kind: "choose", of: level, values: texts, chosen: dashed(level), otherwise: level };
  return isMissing ? filledPath(chosen) : chosen;
}

/** `coalesce(/a, concat('none-', /id))`. */
export function filledPath(level: KeyExpression): KeyExpression {
  const text = { kind: "text", text: "none-" } as const;
  return { kind: "coalesce", parts: [level, { kind: "concat", parts: [text, ID] }] };
}

function dashed(path: PathPart): KeyExpression {
  return { kind: "concat", parts: [path, { kind: "text", text: "-" }, ID] };
}

function noValuesAt(path: PathPart, facts: DataFacts): readonly NoValue[] {
  const text = pathText(path);
  if (facts.properties.get(text)?.time !== undefined) return [];
  return noValuesIn(facts.populationOf([text])).filter(({ itemShare }) => itemShare >= SHARE_MIN);
}
