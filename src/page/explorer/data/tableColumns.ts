/**
 * The columns of a table of results: the partition key first, then the id, then the others as they
 * first occur, the service's own properties last, if at all. Missing, null and empty differ.
 */
import { SYSTEM_PROPERTIES } from "./dataPlane.ts";

export interface ResultColumn {
  readonly id: string;
  readonly title: string;
  readonly isKey: boolean;
  readonly read: (row: unknown) => unknown;
}

/** Columns beyond these are in the JSON, and the page says so. */
export const COLUMNS_MAX = 24;

export function columnsOf(
  rows: readonly unknown[],
  keyPaths: readonly string[],
  isSystemShown: boolean,
): readonly ResultColumn[] {
  const objects = rows.filter(isObject);
  if (objects.length === 0) {
    return [{ id: "value", title: "value", isKey: false, read: (row) => row }];
  }
  const names = new Set(objects.flatMap((row) => Object.keys(row)));
  const keys = keyPaths
    .map((path) => path.slice(1).split("/"))
    .filter(([first]) => names.has(first!))
    .map(
      (segments): ResultColumn => ({
        id: `key ${segments.join("/")}`,
        title: segments.join("."),
        isKey: true,
        read: (row) => valueAt(row, segments),
      }),
    );
  const shownAsKey = keyPaths.filter((path) => !path.slice(1).includes("/"));
  const rest = [...names].filter(
    (name) =>
      !shownAsKey.includes(`/${name}`) && (isSystemShown || !SYSTEM_PROPERTIES.includes(name)),
  );
  const ordered = rest.includes("id") ? ["id", ...rest.filter((name) => name !== "id")] : rest;
  const others = ordered.map(
    (name): ResultColumn => ({
      id: name,
      title: name,
      isKey: false,
      read: (row) => valueAt(row, [name]),
    }),
  );
  return [...keys, ...others];
}

/** True when whatever there is in the column is a number: numbers are compared by their ends. */
export function isNumeric({ read }: ResultColumn, rows: readonly unknown[]): boolean {
  const values = rows.map(read).filter((value) => value !== undefined && value !== null);
  return values.length > 0 && values.every((value) => typeof value === "number");
}

/** By what the rows of a column are sorted: what is missing or null is less than anything. */
export function sortValueIn(isNumber: boolean, value: unknown): number | string {
  if (isNumber) return typeof value === "number" ? value : Number.NEGATIVE_INFINITY;
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function valueAt(value: unknown, segments: readonly string[]): unknown {
  return segments.reduce<unknown>(
    (inner, name) => (isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
    value,
  );
}

/** What a cell shows: `faint` for what is not a text of the item. */
export function cellOf(value: unknown): { readonly text: string; readonly isFaint: boolean } {
  if (value === undefined) return { text: "missing", isFaint: true };
  if (value === null) return { text: "null", isFaint: true };
  if (value === "") return { text: '""', isFaint: true };
  if (typeof value === "string") return { text: cut(value), isFaint: false };
  return { text: cut(JSON.stringify(value)), isFaint: false };
}

const TEXT_MAX = 80;

function cut(text: string): string {
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The values of the partition key in an item; a missing one is an empty object, as on the wire. */
export function keyValues(item: unknown, keyPaths: readonly string[]): readonly unknown[] {
  return keyPaths.map((path) => valueAt(item, path.slice(1).split("/")) ?? noneOr(item, path));
}

function noneOr(item: unknown, path: string): unknown {
  return valueAt(item, path.slice(1).split("/")) === null ? null : {};
}
