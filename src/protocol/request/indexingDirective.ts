/** Whether a version is to be indexed, as clients say it: in a header, or with an operation. */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { IndexingDirective } from "../../model/indexingDirective.ts";
import { INDEXING_DIRECTIVES } from "../../model/indexingDirective.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import { HEADER } from "../wire/headerNames.ts";
import type { WireHeaders } from "../wire/wire.ts";
import { headerOf } from "../wire/wire.ts";

/** Python's client sends numbers, by which it means these. */
const NUMBERED: ReadonlyMap<string, string> = new Map([
  ["0", "default"],
  ["1", "exclude"],
  ["2", "include"],
]);

/** Letter case makes no difference: clients differ in it. */
export function parseDirective(
  text: string | undefined,
): Result<IndexingDirective | undefined, string> {
  if (text === undefined) return ok(undefined);
  const word = NUMBERED.get(text) ?? text.toLowerCase();
  if (INDEXING_DIRECTIVES.has(word)) return ok(INDEXING_DIRECTIVES.get(word));
  return no(`the indexing directive must be Default, Include or Exclude; it is '${text}'.`);
}

export function directiveOf(headers: WireHeaders): Result<IndexingDirective | undefined, Refusal> {
  const directive = parseDirective(headerOf(headers, HEADER.indexingDirective));
  return directive.ok
    ? directive
    : no(badRequest(`In ${HEADER.indexingDirective}, ${directive.error}`));
}
