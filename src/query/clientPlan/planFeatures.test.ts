/** What a client says it can do, as it writes it. */
import { expect, test } from "vitest";

import { parseFeatures } from "./planFeatures.ts";

test.each([
  ["", []],
  ["Top", ["Top"]],
  ["OrderBy,Top", ["OrderBy", "Top"]],
  ["OrderBy, Top ,  ,Distinct", ["OrderBy", "Top", "Distinct"]],
])("%j lists %j", (header, names) => {
  expect([...parseFeatures(header)]).toEqual(names);
});
