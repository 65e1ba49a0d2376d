/**
 * The types of generated TypeScript: what is needed of an item, nested as its paths are, and what a
 * reader knows. Only what is used is written out.
 */
import type { CodeInput, CodePlan } from "./codePlan.ts";

const SCALAR = "export type Scalar = string | number | boolean | null;";
const TIME = `/** ISO 8601 (UTC if it does not say), seconds or millis since 1970, or a Date. */
type Time = string | number | Date;`;
const SPAN = `/** Both ends belong to it. */
interface Span {
  readonly from: Time;
  readonly to: Time;
}`;

export function typescriptTypes({ inputs }: CodePlan, name: string): readonly string[] {
  if (inputs.length === 0) return [];
  const types = inputs.map(knownType);
  const known = inputs.map((input, index) => {
    const isOptional = input.isRequired ? "" : "?";
    return `  readonly ${input.name}${isOptional}: ${types[index]};`;
  });
  const item = itemTypeOf(inputs);
  const needsTime = types.includes("Span") || types.includes("Time");
  return [
    ...(item.includes(": Scalar") || types.includes("Scalar") ? [SCALAR] : []),
    ...(needsTime ? [TIME] : []),
    ...(types.includes("Span") ? [SPAN] : []),
    `/** What is needed of an item. */\nexport interface ${name}KeyItem ${item}`,
    `/** What a reader knows. */\nexport interface Known${name} {\n${known.join("\n")}\n}`,
  ];
}

function knownType(input: CodeInput): "Span" | "Scalar" | "Time" {
  if (input.isSpan) return "Span";
  return input.isTexted ? "Scalar" : "Time";
}

interface Place {
  input: CodeInput | undefined;
  readonly inside: Map<string, Place>;
}

function itemTypeOf(inputs: readonly CodeInput[]): string {
  const root: Place = { input: undefined, inside: new Map() };
  for (const input of inputs) placeAt(root, input.path.steps).input = input;
  return typeOf(root, "");
}

function placeAt(root: Place, steps: readonly string[]): Place {
  let place = root;
  for (const step of steps) {
    let next = place.inside.get(step);
    if (next === undefined) {
      next = { input: undefined, inside: new Map() };
      place.inside.set(step, next);
    }
    place = next;
  }
  return place;
}

function typeOf({ input, inside }: Place, indent: string): string {
  // A property that is looked at, and into, has no simple type.
  if (input !== undefined && inside.size > 0) return "unknown";
  if (input !== undefined) return input.isTimed ? "Scalar | Date" : "Scalar";
  if (inside.size === 0) return "{}";
  const lines = [...inside].map(([step, place]) => {
    const name = /^[A-Za-z_$][\w$]*$/.test(step) ? step : JSON.stringify(step);
    return `${indent}  readonly ${name}?: ${typeOf(place, `${indent}  `)};`;
  });
  return `{\n${lines.join("\n")}\n${indent}}`;
}
