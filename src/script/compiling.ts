/**
 * Compiles the text of a function, and puts troubles into words.
 *
 * Always: as with the service, a text is anything that could follow `var main =`: an expression
 * whose value is a function (named, nameless, arrow, async), with comments around it and semicolons
 * after it. The function sees functions that the same text declares on lines of their own after it;
 * no other text sees these. Lines and columns in messages are those of the text.
 */
import type { QuickJSHandle } from "quickjs-emscripten-core";
import { TEXT_AFTER, TEXT_BEFORE } from "./prelude/foundation.ts";
import type { Realm, RealmTrouble } from "./sandbox.ts";

export interface NotCompiled {
  readonly kind: "notCompiled";
  readonly message: string;
}

type Compiled =
  | { readonly ok: true; readonly value: QuickJSHandle }
  | { readonly ok: false; readonly error: RealmTrouble | NotCompiled };

const SOURCE_LINE_CHARS_MAX = 200;

export function compile(realm: Realm, name: string, body: string): Compiled {
  const evaluated = realm.evaluate(`${TEXT_BEFORE}${body}${TEXT_AFTER}`, `${name}.js`);
  if (!evaluated.ok) {
    const { error } = evaluated;
    // The text is run in order to get its function, so errors other than syntax errors are
    // possible.
    if (error.kind !== "threw" || !error.message.startsWith("SyntaxError")) {
      return { ok: false, error };
    }
    return { ok: false, error: notCompiled(located(error.message, body)) };
  }
  if (evaluated.value !== undefined) return { ok: true, value: evaluated.value };
  const message =
    "TypeError: the text is not a function. It must begin with the one that is to be called, " +
    "like: function (x) { ... }";
  return { ok: false, error: notCompiled(message) };
}

/** Adds the words of the service, which clients look for. */
function notCompiled(message: string): NotCompiled {
  const words = "Encountered exception while compiling Javascript. Exception = ";
  return { kind: "notCompiled", message: words + message };
}

/** Adds the place of a mistake in the text, in the form of the service. */
function located(message: string, body: string): string {
  const [words = message] = message.split("\r\n");
  const place = /:(\d+):(\d+)\)?$/m.exec(message);
  if (place === null) return words;
  const lines = body.split("\n");
  // An error at the end of the text is located behind it, in the lines that we add to the text.
  const isBeyond = Number(place[1]) > lines.length;
  const source = lines.at(isBeyond ? -1 : Number(place[1]) - 1) ?? "";
  const line = isBeyond ? lines.length : place[1];
  const column = isBeyond ? source.length + 1 : place[2];
  return (
    `${words}\r\nSource information: line: ${line}, column: ${column}, source line:\n` +
    source.trimEnd().slice(0, SOURCE_LINE_CHARS_MAX)
  );
}

/** Returns a message for the user, with the limit that the script exceeded. */
export function messageOf(
  run: { readonly name: string; readonly timeMsMax: number; readonly memoryBytesMax: number },
  trouble: RealmTrouble | NotCompiled | { readonly kind: "stopped" },
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
