/**
 * The keys that a command line names, beside those of the workload: each once, whatever it is
 * called and however it is written. The key in use is judged like any other, to be compared.
 */
import type { KeyLevels } from "../../keys/expression.ts";
import { printKeyExpression, printKeyLevels } from "../../keys/expressionText.ts";
import { candidateOf } from "../../lab/lab.ts";
import type { NamedCandidate, Workload } from "../../lab/workload/workload.ts";
import { keyLevelsOf } from "./options.ts";

interface NamedKeys {
  /** Those that the workload does not have. */
  readonly candidates: readonly NamedCandidate[];
  /** The expression of the key in use, as it is printed. */
  readonly current: string | undefined;
}

export function namedKeys(
  texts: readonly string[],
  currentText: string | undefined,
  workload: Workload,
): NamedKeys {
  const known = new Map(
    workload.candidates.flatMap((candidate): readonly [string, string][] => {
      const read = candidateOf(candidate);
      return read.ok ? [[printKeyLevels(read.value.levels), candidate.id]] : [];
    }),
  );
  const candidates: NamedCandidate[] = [];
  const add = (levels: KeyLevels, place: string): void => {
    const named = namedKey(levels, place);
    if (known.has(named.id)) return;
    known.set(named.id, named.id);
    candidates.push(named);
  };
  texts.forEach((text, at) => {
    add(keyLevelsOf("--candidate", text), `--candidate ${at + 1}`);
  });
  if (currentText === undefined) return { candidates, current: undefined };
  const byName = [...known].find(([, id]) => id === currentText)?.[0];
  if (byName !== undefined) return { candidates, current: byName };
  const levels = keyLevelsOf("--current", currentText);
  add(levels, "--current");
  return { candidates, current: printKeyLevels(levels) };
}

/** Levels as texts, as a workload file has them. */
function namedKey(levels: KeyLevels, place: string): NamedCandidate {
  return {
    id: printKeyLevels(levels),
    levels: levels.map(printKeyExpression),
    facts: undefined,
    place,
  };
}
