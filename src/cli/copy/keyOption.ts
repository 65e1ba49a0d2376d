/** `--key` and `--key-property`: the levels of the new key, checked before anybody is asked. */
import type { KeyExpression, KeyLevels } from "../../keys/expression.ts";
import {
  parseKeyExpression,
  parseKeyLevels,
  printKeyExpression,
} from "../../keys/expressionText.ts";
import { pathText } from "../../keys/paths.ts";
import { BadOption } from "../../server/surroundings/options.ts";

/** Levels are separated by commas; brackets around all of them may be left out. */
export function keyLevelsOf(text: string): KeyLevels {
  const isBracketed = text.trimStart().startsWith("[");
  const levels = parseKeyLevels(isBracketed ? text : `[${text}]`);
  if (!levels.ok) {
    const { message, at } = levels.error;
    // The bracket that was put in front is not counted; a missing one is not what was written.
    const place = isBracketed ? at : Math.max(0, at - 1);
    const said = isBracketed
      ? message
      : message.replace("] is expected after", "an end or a comma is expected after");
    throw new BadOption(`--key '${text}', at character ${place + 1}: ${said}.`);
  }
  const constant = levels.value.find(({ kind }) => kind === "text");
  if (constant !== undefined) {
    throw new BadOption(
      `--key has the level ${printKeyExpression(constant)}, which is the same for every item. ` +
        "Take a property, such as /tenantId.",
    );
  }
  return levels.value;
}

function isMadeUp(level: KeyExpression): boolean {
  return level.kind !== "path";
}

/** Undefined when none is named. */
export function keyPropertiesOf(
  texts: readonly string[] | undefined,
  levels: KeyLevels | undefined,
): readonly string[] | undefined {
  if (texts === undefined) return undefined;
  const madeUp = (levels ?? []).filter(isMadeUp);
  if (texts.length !== madeUp.length) {
    throw new BadOption(
      `--key-property is given ${texts.length} times, and ${madeUp.length} levels of --key are ` +
        "made up of others. Name one property for each of those.",
    );
  }
  const paths = texts.map((text) => {
    const path = parseKeyExpression(text);
    if (path.ok && path.value.kind === "path") return pathText(path.value);
    throw new BadOption(`--key-property is '${text}'; it must be a path such as /partitionKey.`);
  });
  const twice = paths.find((path, at) => paths.indexOf(path) !== at);
  if (twice !== undefined) throw new BadOption(`--key-property names ${twice} twice.`);
  return paths;
}
