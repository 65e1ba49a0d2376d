/**
 * From the text of a function to the function, and from troubles to sentences.
 *
 * Always: any expression whose value is a function will do (named, nameless, arrow, async), with
 * comments around it and semicolons after it; further declarations after the first are seen by it.
 * Lines keep their numbers.
 */
import type { QuickJSHandle } from "quickjs-emscripten-core";
import type { Realm, Trouble } from "./sandbox.ts";

export interface NotCompiled {
  readonly kind: "notCompiled";
  readonly message: string;
}

export type Compiled =
  | { readonly ok: true; readonly value: QuickJSHandle }
  | { readonly ok: false; readonly error: Trouble | NotCompiled };

export function compile(realm: Realm, name: string, body: string): Compiled {
  // Behind a comma an expression is expected, so `function` does not begin a declaration, and
  // what follows a semicolon is a statement of its own. Brackets around it would allow neither.
  const evaluated = realm.evaluate(`0,${body}`, name);
  if (!evaluated.ok) {
    const { error } = evaluated;
    if (error.kind !== "threw") return { ok: false, error };
    return { ok: false, error: { kind: "notCompiled", message: error.message } };
  }
  if (evaluated.value !== undefined) return { ok: true, value: evaluated.value };
  const message = "The text is not a function. It must be like: function (x) { ... }";
  return { ok: false, error: { kind: "notCompiled", message } };
}

/** What becomes of it is told with the limit it met. */
export function messageOf(
  run: { readonly name: string; readonly timeMsMax: number; readonly memoryBytesMax: number },
  trouble: Trouble | NotCompiled | { readonly kind: "stopped" },
): string {
  switch (trouble.kind) {
    case "threw":
    case "notCompiled":
      return trouble.message;
    case "outOfTime":
      return `'${run.name}' did not end within ${run.timeMsMax} ms. Let it do less in one call.`;
    case "outOfMemory": {
      const megabytes = Math.round(run.memoryBytesMax / (1024 * 1024));
      return `'${run.name}' needed more than ${megabytes} MB. Let it hold less at a time.`;
    }
    case "stopped":
      return `'${run.name}' was stopped, because the server is closing.`;
  }
}
