/**
 * The policy that says which combinations of values may occur only once per logical partition.
 *
 * The policy is fixed when the container is created. A replacement that leaves it out counts as a
 * change, as on the service: a client that replaces a container sends back the body that it read.
 */
import { equalValues } from "../../json/compare.ts";
import { listOf, member, objectOf, refuse, repeated, textOf } from "../../json/reading.ts";
import type { JsonValue } from "../../json/value.ts";
import type { Limits } from "../../model/limits.ts";
import { faultPositionOf } from "./propertyPath.ts";

export type UniqueKeyPolicy = { readonly uniqueKeys: readonly UniqueKey[] };

type UniqueKey = { readonly paths: readonly string[] };

export function readUniqueKeyPolicy(
  value: JsonValue | undefined,
  limits: Limits,
): UniqueKeyPolicy | undefined {
  if (value === undefined) return undefined;
  const policy = objectOf(value, "The unique key policy");
  const keys = listOf(member(policy, "uniqueKeys") ?? [], "The member 'uniqueKeys'");
  if (keys.length > limits.uniqueKeysMax) {
    refuse(`A container has at most ${limits.uniqueKeysMax} unique keys.`);
  }
  const uniqueKeys = keys.map((key) => readUniqueKey(key, limits));
  // The same paths in another order are the same constraint, and would be paid for twice.
  const constraints = uniqueKeys.map(({ paths }) => paths.toSorted().join(", "));
  const twice = repeated(constraints);
  if (twice !== undefined) refuse(`The unique key on ${twice} is given twice.`);
  return { uniqueKeys };
}

export function checkUniqueKeysKept(
  previous: UniqueKeyPolicy | undefined,
  next: UniqueKeyPolicy | undefined,
): void {
  if (equalValues(previous?.uniqueKeys ?? [], next?.uniqueKeys ?? [])) return;
  refuse(
    "The unique index cannot be modified: send the unique key policy as it was, " +
      "or create a new container.",
  );
}

function readUniqueKey(value: JsonValue, limits: Limits): UniqueKey {
  const paths = listOf(
    member(objectOf(value, "A unique key"), "paths"),
    "The member 'paths' of a unique key",
  ).map((path) => textOf(path, "A path of a unique key"));
  if (paths.length === 0 || paths.length > limits.uniqueKeyPathsMax) {
    refuse(`A unique key has one to ${limits.uniqueKeyPathsMax} paths.`);
  }
  for (const path of paths) {
    const position = faultPositionOf(path);
    if (position !== undefined) {
      refuse(
        `The unique key path '${path}' could not be accepted, failed near position ` +
          `'${position}'. It must start with '/' and name one property, without wildcards.`,
      );
    }
  }
  const twice = repeated(paths);
  if (twice !== undefined) refuse(`The path '${twice}' occurs twice in one unique key.`);
  return { paths };
}
