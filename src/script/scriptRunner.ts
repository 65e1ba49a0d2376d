/**
 * What the engine asks of the runner of user JavaScript, and what a running script may ask of the
 * engine. Scripts run in a sandbox on a thread of their own; everything that passes between script
 * and engine is data.
 *
 * Not here: how scripts are run (`scriptPool.ts`, `sandbox.ts`), and what their operations do to
 * items (the engine).
 */
import type { JsonValue } from "../json/value.ts";

/**
 * Runs one script and resolves with its outcome, also when the script fails. Rejects with defects
 * only.
 */
export type RunScript = (script: ScriptRun, host: ScriptHost) => Promise<ScriptOutcome>;

export interface ScriptRunner {
  /**
   * Lends a thread to `action`, which may run several scripts on it one after the other. Resolves
   * with `undefined` when the runner is closed before, or the borrower is gone before its turn.
   */
  lend<T>(borrower: Borrower, action: (run: RunScript) => Promise<T>): Promise<T | undefined>;
  /** Calls user-defined functions, all calls of a batch in one go. */
  callFunctions(batch: FunctionBatch): Promise<FunctionOutcome>;
  /** Ends everything that runs; each run under way ends with "stopped". */
  close(): Promise<void>;
}

/** On whose behalf a thread is borrowed, so that no owner and no script gets all threads. */
export interface Borrower {
  readonly owner: string;
  /** Names the script of the owner, so that one that never ends leaves threads for the others. */
  readonly script?: string;
  /** True when the client no longer waits for the outcome. */
  isGone?(): boolean;
}

export interface ScriptRun {
  readonly kind: "procedure" | "preTrigger" | "postTrigger";
  /** The id of the script, for messages. */
  readonly name: string;
  /** The text of a function. */
  readonly body: string;
  /** The arguments of a procedure: a list, or any other value that a function can be applied to. */
  readonly args: JsonValue;
  readonly container: { readonly selfLink: string; readonly altLink: string };
  /** What the container may hold and what it holds, as clients are told. */
  readonly quota?: ScriptQuota | undefined;
  /** The request that a trigger gets from `getRequest()`. */
  readonly request?: ScriptMessage | undefined;
  /** The initial response that a post-trigger gets from `getResponse()`. */
  readonly response?: ScriptMessage | undefined;
  /** Milliseconds that the script has, its operations included. */
  readonly timeMsMax: number;
  /**
   * Milliseconds that the script is told it has, if it may be ended earlier and is then run again.
   */
  readonly timeMsMeant?: number | undefined;
  readonly memoryBytesMax: number;
  /** Request units after which no more operations are accepted; absent if there is no limit. */
  readonly ruMax?: number | undefined;
  /** True when the console output of the script is kept. */
  readonly isLogging: boolean;
}

export interface ScriptQuota {
  readonly max: string;
  readonly used: string;
}

export interface ScriptMessage {
  /** Create, Replace, Upsert or Delete: the operation of the request that a trigger belongs to. */
  readonly operationType: string;
  /** The item as JSON text. */
  readonly body: string | undefined;
  /** Values for `getValue`, by lower-cased name. */
  readonly values: Readonly<Record<string, string>>;
}

/**
 * Performs the operations of a running script one after the other, in the order it asked for them.
 */
export interface ScriptHost {
  perform(operation: ScriptOperation): Promise<ScriptReply>;
}

/** Options as the script gave them; the host reads those that it knows. */
export type ScriptOptions = Readonly<Record<string, JsonValue>>;

/**
 * An operation of a script. The link names the container or an item, by names or rids. Resources
 * are JSON texts.
 */
export type ScriptOperation = { readonly link: string; readonly options: ScriptOptions } & (
  | { readonly kind: "create" | "upsert" | "replace"; readonly resource: string }
  /** The resource is a list of patch operations, or an object with them and a condition. */
  | { readonly kind: "patch"; readonly resource: string }
  | { readonly kind: "read" | "delete" | "readFeed" }
  /**
   * `keepPlace` signs the place at which a script stopped reading; `findPlace` returns the place
   * that was signed. Places are JSON texts. Neither operation reads or writes items or is charged.
   */
  | {
      readonly kind: "keepPlace" | "findPlace";
      readonly resource: string;
      /** The steps that the place belongs to; with other steps the place is refused. */
      readonly about: string;
    }
  | {
      readonly kind: "query";
      readonly text: string;
      readonly parameters: readonly { readonly name: string; readonly value?: JsonValue }[];
    }
);

export type ScriptReply = {
  /**
   * True when the next operations of the script are accepted; the script gets it as their return
   * value.
   */
  readonly isGoingOn: boolean;
  readonly charge: number;
} & (
  | {
      readonly kind: "done";
      /** What the callback gets: an item or a list of rows as JSON text; absent for a delete. */
      readonly resource: string | undefined;
      /** Present when a query or a feed has more, and for a place that was kept. */
      readonly continuation?: string | undefined;
      readonly etag?: string | undefined;
    }
  /** `status` becomes the `number` of the error, `message` its `body`. */
  | { readonly kind: "refused"; readonly status: number; readonly message: string }
);

export type ScriptOutcome = { readonly log: string; readonly cpuMs: number } & (
  | {
      readonly kind: "done";
      /** The body that the script set as the response, as JSON text. */
      readonly responseBody: string | undefined;
      /**
       * The body of the request as a trigger left it, as JSON text; unchanged if the trigger did
       * not set it.
       */
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
      /** The number that the script gave the error it threw. */
      readonly number?: number | undefined;
    }
);

export interface FunctionBatch {
  /** What functions leave behind is visible to later batches of the same page only. */
  readonly page: object;
  /** The texts of the functions, each with the id of the function. */
  readonly functions: readonly { readonly name: string; readonly body: string }[];
  readonly calls: readonly FunctionCall[];
  /** Milliseconds that all calls have together. */
  readonly timeMsMax: number;
  readonly memoryBytesMax: number;
}

export interface FunctionCall {
  /** Index into `functions`. */
  readonly function: number;
  readonly args: readonly (JsonValue | undefined)[];
}

export type FunctionOutcome =
  | {
      readonly kind: "done";
      /** The results in the order of the calls. */
      readonly values: readonly (JsonValue | undefined)[];
      readonly cpuMs: number;
    }
  | {
      readonly kind: "threw" | "notCompiled" | "outOfTime" | "outOfMemory" | "stopped";
      /** The message, which names the function. */
      readonly message: string;
      readonly number?: number | undefined;
    };
