/**
 * The language of the text that an expression reads. The policy of the container names it by path;
 * where a parameter names a step of the path, the language is looked up when the query runs.
 */
import type { Language } from "../../text/language.ts";
import { DEFAULT_LANGUAGE } from "../../text/language.ts";
import type { BuiltIn } from "../functions/builtIn.ts";
import { isString } from "../functions/define.ts";
import type { Binding } from "./binding.ts";
import type { Bound } from "./bound.ts";

/** Returns the language that a container's policy has for the texts at a path, or its default. */
export type LanguageAt = (segments: readonly string[]) => Language;

/** Returns an expression for the language of a text; its value is the same for every row. */
export function languageOfText(text: Bound, { itemSlots, setting }: Binding): Bound {
  const languageAt = setting.languageAt ?? (() => DEFAULT_LANGUAGE);
  const steps = stepsOf(text, itemSlots);
  if (steps === undefined) return constant(languageAt([]));
  const names = steps.map((step) => (step.kind === "constant" ? step.value : undefined));
  if (names.every(isString)) return constant(languageAt(names));
  return { kind: "call", builtIn: lookupOf(languageAt), args: steps };
}

function constant(value: Language): Bound {
  return { kind: "constant", value };
}

/** Returns the steps from the item to the text; undefined when the text is no path of names. */
function stepsOf(text: Bound, itemSlots: ReadonlySet<number>): readonly Bound[] | undefined {
  const steps: Bound[] = [];
  for (let object = text; ; object = object.object) {
    if (object.kind === "slot") return itemSlots.has(object.slot) ? steps : undefined;
    if (object.kind === "member") steps.unshift({ kind: "constant", value: object.name });
    else if (object.kind !== "index") return undefined;
    else if (object.index.kind !== "constant" && object.index.kind !== "parameter") {
      return undefined;
    } else steps.unshift(object.index);
  }
}

function lookupOf(languageAt: LanguageAt): BuiltIn {
  return {
    name: "_FULLTEXTLANGUAGE",
    argMin: 1,
    argMax: Infinity,
    isPure: true,
    call: (names) => languageAt(names.every(isString) ? names : []),
  };
}
