/**
 * Changing parts of an item: the patch a client sends, and what it makes of an item.
 *
 * A patch is a list of operations, applied in order; one that fails fails all. Nothing is changed
 * in place: the edited item shares every part that stayed the same with the one before.
 *
 * | operation | in an object                | in an array                                   |
 * | --------- | --------------------------- | --------------------------------------------- |
 * | add       | creates or overwrites       | inserts before the index; at its end, appends |
 * | set       | creates or overwrites       | overwrites the element                        |
 * | replace   | overwrites what is there    | overwrites the element                        |
 * | remove    | removes what is there       | removes the element                           |
 * | incr      | adds, or creates the number | adds to the element                           |
 * | move      | is a remove at `from`, then an add at `path`                                |
 *
 * Paths are JSON pointers (RFC 6901): `/a/0/b`, with `~1` for a slash and `~0` for a tilde in a
 * name. A last segment `-` appends to an array, for add, set and move. No operation creates more
 * than the last segment. The id, the partition key and what the system writes cannot be patched.
 *
 * Numbers that are only carried along, be they in the item or in the patch, keep their digits
 * (`json/digits.ts`); `incr` computes with doubles.
 *
 * Refusals are worded as the service words them, where that is known; users search for the words.
 *
 * Not here: whether the patch is to be applied at all (`patchCondition.ts`), and what every written
 * item must satisfy (bytes, nesting, ttl), which is checked when the edited item is written.
 */

import { assert } from "../../base/assert.ts";
import { no, ok, type Result } from "../../base/result.ts";
import { SYSTEM_PROPERTIES } from "../../base/systemProperties.ts";
import {
  type Carried,
  CarriedNumber,
  carriedAt,
  carryDigits,
  type Member,
  noteDigits,
  plainOf,
} from "../../json/digits.ts";
import { invalidInput } from "../../json/reading.ts";
import { isObject, type JsonObject, type JsonValue, property } from "../../json/value.ts";
import type { Limits } from "../../model/limits.ts";
import { badRequest, type Refusal } from "../../model/refusal.ts";
import { compileKeyPaths, parseKeyPath, sameKey } from "../../partition/partitionKeyOf.ts";
import { type PatchCondition, parseCondition } from "./patchCondition.ts";

export interface Patch {
  /** The operations of the patch, at least one. */
  readonly operations: readonly PatchOperation[];
  /** The filter that the stored item must pass for the patch to be applied. */
  readonly condition?: PatchCondition;
}

/**
 * Property names and array indexes that lead from the item down to a place; at least one segment.
 */
type Pointer = readonly string[];

export type PatchOperation =
  | { readonly op: "add" | "set" | "replace"; readonly path: Pointer; readonly value: Carried }
  | { readonly op: "remove"; readonly path: Pointer }
  | { readonly op: "incr"; readonly path: Pointer; readonly value: number }
  | { readonly op: "move"; readonly path: Pointer; readonly from: Pointer };

/** Reads `{operations: […], condition?}` or the bare list of operations. */
export function parsePatch(body: JsonValue, limits: Limits): Result<Patch, Refusal> {
  const list = isObject(body) ? property(body, "operations") : body;
  if (!isArray(list) || list.length === 0) {
    return no(badRequest("Invalid patch request: it must have a list of operations."));
  }
  if (list.length > limits.patchOperationsMax) {
    const limit = limits.patchOperationsMax;
    return no(badRequest(`The number of patch operations cannot exceed ${limit}.`));
  }
  const operations: PatchOperation[] = [];
  for (const entry of list) {
    const operation = parseOperation(entry, limits);
    if (!operation.ok) return no(invalidAt(operations.length, operation.error));
    operations.push(operation.value);
  }
  const condition = isObject(body) ? (property(body, "condition") ?? undefined) : undefined;
  if (condition === undefined) return ok({ operations });
  if (typeof condition !== "string") {
    return no(badRequest("Invalid patch request: the condition must be a string."));
  }
  const parsed = parseCondition(condition);
  return parsed.ok ? ok({ operations, condition: parsed.value }) : parsed;
}

/** Applies a patch to an item of a container with these partition key paths. */
export function applyPatch(
  item: JsonObject,
  patch: Patch,
  protectedPaths: readonly string[],
): Result<JsonObject, Refusal> {
  let edited = item;
  for (const [index, operation] of patch.operations.entries()) {
    const complaint = protectionComplaint(operation, protectedPaths);
    if (complaint !== undefined) return no(failedAt(index, complaint));
    const result = applyOperation(edited, operation);
    if (!result.ok) return no(failedAt(index, result.error));
    assert(isObject(result.value), "no pointer is empty, so the item itself is never replaced");
    edited = result.value;
  }
  // An operation on a path above a partition key path may have changed the key within.
  const keyOf = compileKeyPaths({ paths: protectedPaths, kind: "MultiHash", version: 2 });
  const before = keyOf(item);
  const after = keyOf(edited);
  const isKeyKept = before.ok && after.ok && sameKey(before.value, after.value);
  return isKeyKept ? ok(edited) : no(badRequest("A patch cannot change the partition key."));
}

/** Written by the system, or the item's identity. */
const SYSTEM_NAMES: ReadonlySet<string> = new Set(["id", ...SYSTEM_PROPERTIES]);

function failedAt(index: number, complaint: string): Refusal {
  return badRequest(`For Operation(${index + 1}): ${complaint}`);
}

/**
 * The service's message is only its first sentence; users search for the words of that sentence.
 */
function invalidAt(index: number, complaint: string): Refusal {
  return badRequest(invalidInput(`For Operation(${index + 1}): ${complaint}`));
}

function parseOperation(entry: JsonValue, limits: Limits): Result<PatchOperation, string> {
  if (!isObject(entry)) return no("an operation must be an object.");
  const path = parsePointer(property(entry, "path"), limits);
  if (path === undefined) return no("'path' must be a JSON pointer such as /a/b.");
  const op = property(entry, "op");
  const value = property(entry, "value");
  switch (op) {
    case "add":
    case "set":
    case "replace":
      return value === undefined
        ? no(`'${op}' needs a value.`)
        : ok({ op, path, value: carriedAt(entry, "value", value) });
    case "remove":
      return ok({ op, path });
    case "incr":
      return typeof value === "number" ? ok({ op, path, value }) : no("'incr' needs a number.");
    case "move": {
      const from = parsePointer(property(entry, "from"), limits);
      if (from === undefined) return no("'from' must be a JSON pointer such as /a/b.");
      return ok({ op, path, from });
    }
    default:
      return no("'op' must be one of add, set, replace, remove, incr, move.");
  }
}

/** A pointer deeper than any item can be is refused here, so that later walks may recurse. */
function parsePointer(text: JsonValue | undefined, limits: Limits): Pointer | undefined {
  if (typeof text !== "string" || !text.startsWith("/")) return undefined;
  if (/~(?![01])/.test(text)) return undefined;
  const segments = text.slice(1).split("/");
  if (segments.length > limits.nestingMax) return undefined;
  return segments.map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function pointerText(pointer: Pointer): string {
  const escaped = pointer.map((name) => name.replaceAll("~", "~0").replaceAll("/", "~1"));
  return `/${escaped.join("/")}`;
}

function protectionComplaint(
  operation: PatchOperation,
  protectedPaths: readonly string[],
): string | undefined {
  const pointers = operation.op === "move" ? [operation.from, operation.path] : [operation.path];
  for (const pointer of pointers) {
    if (SYSTEM_NAMES.has(pointer[0]!)) return `Cannot patch system property '${pointer[0]}'.`;
    for (const path of protectedPaths) {
      const names = parseKeyPath(path);
      assert(names !== undefined, "a definition's paths were parsed when it was accepted");
      if (isSame(names, pointer)) return `cannot patch the partition key path '${path}'.`;
    }
  }
  return undefined;
}

/**
 * Returns the new value of `place` after an edit of its child `last`, or why `last` cannot be
 * edited.
 */
type Edit = (place: JsonValue, last: string) => Result<JsonValue, string>;

function applyOperation(item: JsonObject, operation: PatchOperation): Result<JsonValue, string> {
  const { path } = operation;
  switch (operation.op) {
    case "add":
      return editAt(item, path, adding(operation.value));
    case "set":
      return editAt(item, path, setting(operation.value));
    case "replace":
      return editAt(item, path, replacing(operation.value));
    case "remove":
      return editAt(item, path, remove);
    case "incr":
      return editAt(item, path, incrementing(operation.value));
    case "move":
      return move(item, operation.from, path);
  }
}

function move(item: JsonObject, from: Pointer, path: Pointer): Result<JsonValue, string> {
  const found = from.reduce<Carried | undefined>(
    (place, segment) => (place === undefined ? undefined : carriedChildOf(place, segment)),
    item,
  );
  if (found === undefined) return no(`Node(${pointerText(from)}) to be moved is absent.`);
  if (isSame(from, path)) return ok(item);
  if (isSame(from, path.slice(0, from.length))) {
    return no(`Node(${pointerText(from)}) cannot be moved into itself.`);
  }
  const removed = editAt(item, from, remove);
  return removed.ok ? editAt(removed.value, path, adding(found)) : removed;
}

/**
 * Walks down to the value that holds the last segment, edits it, and rebuilds the values above it.
 */
function editAt(place: JsonValue, path: Pointer, edit: Edit, depth = 0): Result<JsonValue, string> {
  const segment = path[depth]!;
  if (depth === path.length - 1) return edit(place, segment);
  const child = childOf(place, segment);
  if (child === undefined) {
    return no(
      "Given Operation can only create a child object of an existing node(array or object) and " +
        `cannot create path recursively, no path found beyond: '${segment}'.`,
    );
  }
  const edited = editAt(child, path, edit, depth + 1);
  return edited.ok ? ok(withChild(place, segment, edited.value)) : edited;
}

function adding(value: Carried): Edit {
  return (place, last) => {
    if (isObject(place)) return ok(withMember(place, last, value));
    if (!isArray(place)) return no(`Node(${last}) has no object or array to be added to.`);
    const index = last === "-" ? place.length : indexOf(last);
    const isInside = index !== undefined && index <= place.length;
    if (!isInside) return outOfBounds(last);
    const longer = place.toSpliced(index, 0, plainOf(value));
    carryDigits(place, longer, shifted(index, 1));
    noteDigits(longer, index, value);
    return ok(longer);
  };
}

function setting(value: Carried): Edit {
  return (place, last) => {
    const creates = isObject(place) || last === "-";
    return creates ? adding(value)(place, last) : replacing(value)(place, last);
  };
}

function replacing(value: Carried): Edit {
  return (place, last) =>
    childOf(place, last) === undefined
      ? absent(place, last, "replaced")
      : ok(withChild(place, last, value));
}

function remove(place: JsonValue, last: string): Result<JsonValue, string> {
  if (childOf(place, last) === undefined) return absent(place, last, "removed");
  if (isArray(place)) {
    const index = Number(last);
    const shorter = place.toSpliced(index, 1);
    carryDigits(place, shorter, shifted(index + 1, -1, index));
    return ok(shorter);
  }
  assert(isObject(place), "only objects and arrays have children");
  const rest = Object.fromEntries(Object.entries(place).filter(([name]) => name !== last));
  carryDigits(place, rest, without(last));
  return ok(rest);
}

/**
 * Maps the old index of each element to its new one after the elements from `first` on moved by
 * `by`, and to `undefined` for the element that was removed.
 */
function shifted(
  first: number,
  by: 1 | -1,
  removed?: number,
): (member: Member) => Member | undefined {
  return (index) => {
    if (index === removed) return undefined;
    return Number(index) < first ? index : Number(index) + by;
  };
}

function without(name: Member): (member: Member) => Member | undefined {
  return (member) => (member === name ? undefined : member);
}

function incrementing(by: number): Edit {
  return (place, last) => {
    const found = childOf(place, last);
    if (found === undefined && !isObject(place)) return absent(place, last, "incremented");
    const current = found === undefined ? 0 : found;
    if (typeof current !== "number") return no(`Node(${last}) is not a number.`);
    const sum = current + by;
    if (!Number.isFinite(sum)) return no(`Node(${last}) would not be a finite number.`);
    return ok(withChild(place, last, sum));
  };
}

function absent(place: JsonValue, last: string, verb: string): Result<never, string> {
  return isArray(place) ? outOfBounds(last) : no(`Node(${last}) to be ${verb} is absent.`);
}

function outOfBounds(last: string): Result<never, string> {
  return no(`Index(${last}) to operate on is out of array bounds.`);
}

function childOf(place: JsonValue, segment: string): JsonValue | undefined {
  if (isObject(place)) return property(place, segment);
  const index = indexOf(segment);
  return isArray(place) && index !== undefined ? place[index] : undefined;
}

function carriedChildOf(place: Carried, segment: string): Carried | undefined {
  if (place instanceof CarriedNumber) return undefined;
  const child = childOf(place, segment);
  if (isObject(place)) return carriedAt(place, segment, child);
  return isArray(place) ? carriedAt(place, Number(segment), child) : child;
}

function withChild(place: JsonValue, segment: string, child: Carried): JsonValue {
  if (isArray(place)) {
    const index = Number(segment);
    const changed = place.with(index, plainOf(child));
    carryDigits(place, changed, without(index));
    noteDigits(changed, index, child);
    return changed;
  }
  assert(isObject(place), "only objects and arrays have children");
  return withMember(place, segment, child);
}

/**
 * Sets a member by definition, not by assignment: assigning to `__proto__` would set no property.
 */
function withMember(object: JsonObject, name: string, value: Carried): JsonObject {
  const changed: JsonObject = Object.defineProperty({ ...object }, name, {
    value: plainOf(value),
    enumerable: true,
    writable: true,
    configurable: true,
  });
  carryDigits(object, changed, without(name));
  noteDigits(changed, name, value);
  return changed;
}

function indexOf(segment: string): number | undefined {
  return /^(?:0|[1-9][0-9]*)$/.test(segment) ? Number(segment) : undefined;
}

function isSame(a: Pointer, b: Pointer): boolean {
  return a.length === b.length && a.every((segment, depth) => segment === b[depth]);
}

function isArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
