/** What a cursor is good for, by what the request that it belongs to is confined to. */
import type { ItemScope } from "../../model/request/itemScope.ts";
import type { CursorScope } from "./cursorKey.ts";

/** `undefined` if the request does not say where. */
export function cursorScopeOf(scope: ItemScope): CursorScope | undefined {
  switch (scope.kind) {
    case "container":
      return undefined;
    case "range":
    case "bounds":
      return { by: "range", range: scope.range };
    case "key":
      return { by: "key", range: scope.range };
    case "nowhere":
      return { by: "key", range: "nowhere" };
  }
}
