/**
 * What the engine asks of whoever runs user JavaScript, and what a running script may ask of the
 * engine. Scripts run elsewhere, in a sandbox on a thread of their own; everything that passes
 * between the two is data.
 *
 * Not here: how they are run (`scriptPool.ts`, `sandbox.ts`), and what their operations do to items
 * (the engine).
 */
import type { JsonValue } from "../json/value.ts";

/** Runs one script to its end, whatever that is. Rejects with defects of ours only. */
export type RunScript = (script: ScriptRun, host: ScriptHost) => Promise<ScriptOutcome>;

export interface ScriptRunner {
  /**
   * Lends what a script runs on, for some of them one after the other. `undefined` when everything
   * ends first, or whom it was for is gone before it began.
   */
  lend<T>(borrower: Borrower, action: (run: RunScript) => Promise<T>): Promise<T | undefined>;
  /** Calls user-defined functions, all of them in one go. */
  callFunctions(batch: FunctionBatch): Promise<FunctionOutcome>;
  /** Ends everything that runs. Whatever was under way ends with "stopped". */
  close(): Promise<void>;
}

/** Who is many at once is not lent all there is. */
export interface Borrower {
  readonly owner: string;
  /** Which of the owner's: one that never ends leaves room for the others. */
  readonly script?: string;
  /** Nobody waits for it any more. */
  isGone?(): boolean;
}

export interface ScriptRun {
  readonly kind: "procedure" | "preTrigger" | "postTrigger";
  /** The id by which its owner knows it, for messages. */
  readonly name: string;
  /** The text of a function. */
  readonly body: string;
  /** Of a procedure: a list, or whatever else a function can be applied to. */
  readonly args: JsonValue;
  readonly container: { readonly selfLink: string; readonly altLink: string };
  /** What the container may hold and what it holds, as clients are told. */
  readonly quota?: ScriptQuota | undefined;
  /** What `getRequest()` gives to triggers. */
  readonly request?: ScriptMessage | undefined;
  /** What `getResponse()` starts with in a post-trigger. */
  readonly response?: ScriptMessage | undefined;
  /** All the time it has, its operations included. */
  readonly timeMsMax: number;
  /** What the script is made to believe, if it may be ended before: then it is run once more. */
  readonly timeMsMeant?: number | undefined;
  readonly memoryBytesMax: number;
  /** After so many request units no more operations are accepted; absent if nothing is counted. */
  readonly ruMax?: number | undefined;
  /** Is what it writes to the console kept? */
  readonly isLogging: boolean;
}

export interface ScriptQuota {
  readonly max: string;
  readonly used: string;
}

export interface ScriptMessage {
  /** Create, Replace, Upsert, Delete: of the request that a trigger belongs to. */
  readonly operationType: string;
  /** An item, as JSON text. */
  readonly body: string | undefined;
  /** What `getValue` finds, by lower-cased name. */
  readonly values: Readonly<Record<string, string>>;
}

/** Performs what a running script asks for, one after the other, in the order it asked. */
export interface ScriptHost {
  perform(operation: ScriptOperation): Promise<ScriptReply>;
}

/** Options as the script gave them; the host reads what it knows. */
export type ScriptOptions = Readonly<Record<string, JsonValue>>;

/** A link names the container or an item, by names or rids. Resources are JSON texts. */
export type ScriptOperation = { readonly link: string; readonly options: ScriptOptions } & (
  | { readonly kind: "create" | "upsert" | "replace"; readonly resource: string }
  /** The operations of a patch, or an object with them and a condition, as JSON text. */
  | { readonly kind: "patch"; readonly resource: string }
  | { readonly kind: "read" | "delete" | "readFeed" }
  /**
   * Signs the place at which a script stopped reading, and gives back what was signed; both are
   * JSON texts. Nothing is read or written, and nothing is charged.
   */
  | {
      readonly kind: "keepPlace" | "findPlace";
      readonly resource: string;
      /** What the place belongs to: one of other steps is none. */
      readonly about: string;
    }
  | {
      readonly kind: "query";
      readonly text: string;
      readonly parameters: readonly { readonly name: string; readonly value?: JsonValue }[];
    }
);

export type ScriptReply = {
  /** Whether the script's next operations are accepted; it is told by their return value. */
  readonly isGoingOn: boolean;
  readonly charge: number;
} & (
  | {
      readonly kind: "done";
      /** What the callback gets: an item, or a list of rows, as JSON text; absent for a delete. */
      readonly resource: string | undefined;
      /** Of a query or a feed that has more, and of a place that was kept. */
      readonly continuation?: string | undefined;
      readonly etag?: string | undefined;
    }
  /** `status` becomes the `number` of the error, `message` its `body`. */
  | { readonly kind: "refused"; readonly status: number; readonly message: string }
);

export type ScriptOutcome = { readonly log: string; readonly cpuMs: number } & (
  | {
      readonly kind: "done";
      /** What the response's body was set to, as JSON text. */
      readonly responseBody: string | undefined;
      /** What a trigger made of the request's body, as JSON text; as it came if untouched. */
      readonly requestBody: string | undefined;
    }
  | {
      readonly kind:
        | "threw"
        /** The text is no function. */
        | "notCompiled"
        | "outOfTime"
        | "outOfMemory"
        | "stopped";
      readonly message: string;
      /** Of an error that the script threw and gave one. */
      readonly number?: number | undefined;
    }
);

export interface FunctionBatch {
  /** What functions leave behind is seen by later batches of the same page, and by no others. */
  readonly page: object;
  /** Texts of functions, each with the name its owner knows it by. */
  readonly functions: readonly { readonly name: string; readonly body: string }[];
  readonly calls: readonly FunctionCall[];
  /** All the time that the calls have together. */
  readonly timeMsMax: number;
  readonly memoryBytesMax: number;
}

export interface FunctionCall {
  /** Into `functions`. */
  readonly function: number;
  readonly args: readonly (JsonValue | undefined)[];
}

export type FunctionOutcome =
  | {
      readonly kind: "done";
      /** In the order of the calls. */
      readonly values: readonly (JsonValue | undefined)[];
      readonly cpuMs: number;
    }
  | {
      readonly kind: "threw" | "notCompiled" | "outOfTime" | "outOfMemory" | "stopped";
      /** Names the function. */
      readonly message: string;
      readonly number?: number | undefined;
    };
