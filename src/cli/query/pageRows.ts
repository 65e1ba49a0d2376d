/** The rows of a page that a server answered with, each number as the server wrote it. */
import { type Carried, carriedAt } from "../../json/digits.ts";
import { isObject, type JsonValue, property } from "../../json/value.ts";
import { jsonOrText } from "./queryOptions.ts";

/** Undefined when the answer is no page. */
export function rowsOfPage(body: string): readonly Carried[] | undefined {
  const page = jsonOrText(body);
  const rows = isObject(page) ? property(page, "Documents") : undefined;
  if (!Array.isArray(rows)) return undefined;
  const list = rows as readonly JsonValue[];
  return list.map((row, index) => carriedAt(list, index, row));
}
