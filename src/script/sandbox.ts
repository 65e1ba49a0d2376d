/**
 * QuickJS in WebAssembly, in which user JavaScript runs. A `Sandbox` is one instance of the engine,
 * with a bound on its memory; a `Realm` is a runtime in it, with its own globals and deadline.
 *
 * Always: code in a realm reaches its own globals and the questions of `install`, nothing else;
 * only text goes in and comes out. Code ends within some milliseconds after the deadline, unless it
 * is inside one long built-in, which only the owner of the thread can end (`scriptWorker.ts`).
 * After a realm was interrupted or ran out of memory the engine may be damaged: then `isSpoiled` is
 * true, and the whole instance is thrown away.
 *
 * Not here: the code that is run in a realm (`scriptSession.ts`, `functionCalls.ts`).
 */
import type {
  QuickJSContext,
  QuickJSHandle,
  QuickJSRuntime,
  QuickJSSyncVariant,
  QuickJSWASMModule,
} from "quickjs-emscripten-core";
import { newQuickJSWASMModuleFromVariant, newVariant } from "quickjs-emscripten-core";
import type { Clock } from "../base/world.ts";
import { parseFailure } from "./crossing.ts";
import { PRELUDE_NAME } from "./prelude/programs.ts";

/**
 * With a larger stack, a deep recursion in the sandbox overflows the stack of the thread around it.
 */
const STACK_BYTES_MAX = 128 * 1024;
/**
 * The engine's own limit counts allocations without their lengths where it runs in WebAssembly, so
 * a script is bounded by the memory of the instance. These are the pages that an instance starts
 * with, and the bytes that the engine needs for itself.
 */
const PAGE_BYTES = 65536;
const PAGES_MIN = 256;
const ENGINE_BYTES = PAGES_MIN * PAGE_BYTES;
/** Memory grows by at least a twentieth at a time, so it may be full a little below the bound. */
const FULL_SHARE = 0.9;
/** The memory of an instance never shrinks; an instance that has grown beyond this is not kept. */
const KEPT_BYTES_MAX = 48 * 1024 * 1024;
const LAST_WORD_MS = 50;
/** What the engine reports when it has no memory to make or to describe an error. */
const OUT_OF_MEMORY = /^InternalError: out of memory|^\[unsupported type\]$/;
const WORDLESS = /^(null|something was thrown that has no text)$/;
/** Number of queued jobs that are run between two looks at the clock. */
const JOBS_PER_LOOK = 256;

type InstanceMemory = ReturnType<QuickJSWASMModule["getWasmMemory"]>;

/** Node has this global, but its types do not. */
declare const WebAssembly: {
  readonly Memory: new (pages: { initial: number; maximum: number }) => InstanceMemory;
};

export type MonotonicClock = Pick<Clock, "now">;

/** Why code in a realm did not finish. */
export type RealmTrouble =
  | { readonly kind: "outOfTime" | "outOfMemory" }
  | {
      readonly kind: "threw";
      readonly message: string;
      /** The number that the user's code gave the error; clients are told it. */
      readonly number?: number | undefined;
    };

export type Ran<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: RealmTrouble };

const UNREADABLE: RealmTrouble = {
  kind: "threw",
  message: "What the script was given is too large, or nests too deeply, to be read by it.",
};

export class Sandbox {
  readonly #module: QuickJSWASMModule;
  readonly #clock: MonotonicClock;
  readonly memoryBytesMax: number;
  isSpoiled = false;

  private constructor(module: QuickJSWASMModule, memoryBytesMax: number, clock: MonotonicClock) {
    this.#module = module;
    this.memoryBytesMax = memoryBytesMax;
    this.#clock = clock;
  }

  static async open(clock: MonotonicClock, memoryBytesMax: number): Promise<Sandbox> {
    const { default: loaded } = await import("@jitl/quickjs-wasmfile-release-sync");
    // The types of the package are for the other module system, where the default is one level
    // deeper.
    const variant = loaded as unknown as QuickJSSyncVariant;
    const maximum = Math.ceil((ENGINE_BYTES + memoryBytesMax) / PAGE_BYTES);
    const wasmMemory = new WebAssembly.Memory({ initial: PAGES_MIN, maximum });
    const module = await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmMemory }));
    return new Sandbox(module, memoryBytesMax, clock);
  }

  /**
   * Opens a realm and loads the program that surrounds user code, which is most of the work of a
   * small script.
   */
  openRealm(program: string): Realm {
    const bytesMax = ENGINE_BYTES + this.memoryBytesMax;
    const isFull = (): boolean => this.#memoryBytes() > bytesMax * FULL_SHARE;
    return new Realm(this.#module.newRuntime(), program, isFull, this.#clock);
  }

  /**
   * Frees the memory of a realm, as far as that is safe, and decides whether the instance is
   * spoiled.
   */
  discard(realm: Realm): void {
    const isSound = realm.dispose();
    if (!isSound || this.#memoryBytes() > KEPT_BYTES_MAX) this.isSpoiled = true;
  }

  #memoryBytes(): number {
    return this.#module.getWasmMemory().buffer.byteLength;
  }
}

export class Realm {
  readonly #runtime: QuickJSRuntime;
  readonly #context: QuickJSContext;
  /** The function that makes the entries. */
  readonly #program: QuickJSHandle;
  readonly #isFull: () => boolean;
  readonly #clock: MonotonicClock;
  readonly #entries = new Map<string, QuickJSHandle>();
  #deadline = Number.POSITIVE_INFINITY;
  #isInterrupted = false;
  #isDamaged = false;
  #spentMs = 0;

  constructor(
    runtime: QuickJSRuntime,
    program: string,
    isFull: () => boolean,
    clock: MonotonicClock,
  ) {
    this.#runtime = runtime;
    this.#isFull = isFull;
    this.#clock = clock;
    runtime.setMaxStackSize(STACK_BYTES_MAX);
    runtime.setInterruptHandler(() => {
      this.#isInterrupted ||= this.#clock.now() > this.#deadline;
      return this.#isInterrupted;
    });
    this.#context = runtime.newContext();
    const loaded = this.#context.evalCode(program, PRELUDE_NAME, { type: "global" });
    this.#program = this.#context.unwrapResult(loaded);
  }

  /** Milliseconds spent in this realm in all. */
  get spentMs(): number {
    return this.#spentMs;
  }

  /** The time on this realm's clock at which running code is interrupted. */
  set deadline(at: number) {
    this.#deadline = at;
  }

  /**
   * Calls the program with the yes-or-no questions that it may ask, followed by the texts. The
   * members of the object that it returns become entries. The program is part of the server: it
   * fails only because of the texts.
   */
  install(questions: readonly (() => boolean)[], texts: readonly string[]): Ran<undefined> {
    return this.#guard((context) => {
      const asking = questions.map((question) =>
        context.newFunction("question", () => (question() ? context.true : context.false)),
      );
      const given = [...asking, ...texts.map((text) => context.newString(text))];
      const made = context.callFunction(this.#program, context.undefined, given);
      for (const handle of given) handle.dispose();
      if (made.error !== undefined) {
        made.dispose();
        return { ok: false, error: UNREADABLE };
      }
      const names = context.unwrapResult(context.getOwnPropertyNames(made.value));
      for (const name of names) {
        const text = context.getString(name);
        this.#entries.set(text, context.getProp(made.value, text));
      }
      names.dispose();
      made.value.dispose();
      return { ok: true, value: undefined };
    });
  }

  /**
   * Calls an entry with a text, or with the function that `evaluate` returned; it answers with text
   * or nothing.
   */
  call(entry: string, argument?: string | QuickJSHandle): Ran<string | boolean | undefined> {
    return this.#guard((context) => {
      const given = typeof argument === "string" ? context.newString(argument) : argument;
      const called = context.callFunction(
        this.#entries.get(entry)!,
        context.undefined,
        given === undefined ? [] : [given],
      );
      if (typeof argument === "string") given?.dispose();
      if (called.error !== undefined) return { ok: false, error: this.#troubleOf(called.error) };
      const answer = called.value.consume((handle) => plainOf(context, handle));
      return { ok: true, value: answer };
    });
  }

  /** Evaluates a user's text; its value is a function that the caller disposes of, or undefined. */
  evaluate(text: string, name: string): Ran<QuickJSHandle | undefined> {
    return this.#guard<QuickJSHandle | undefined>((context) => {
      const evaluated = context.evalCode(text, name, { type: "global" });
      if (evaluated.error !== undefined) {
        return { ok: false, error: this.#troubleOf(evaluated.error) };
      }
      if (context.typeof(evaluated.value) === "function") {
        return { ok: true, value: evaluated.value };
      }
      evaluated.dispose();
      return { ok: true, value: undefined };
    });
  }

  /**
   * Calls an entry once more after the run has ended, even if its time is over; undefined if that
   * fails.
   */
  lastWord(entry: string): string | boolean | undefined {
    const wasInterrupted = this.#isInterrupted;
    this.#isInterrupted = false;
    this.#deadline = this.#clock.now() + LAST_WORD_MS;
    const said = this.call(entry);
    this.#isInterrupted ||= wasInterrupted;
    return said.ok ? said.value : undefined;
  }

  /** Runs the jobs that promises have queued, until none is left or the time is over. */
  runJobs(): Ran<undefined> {
    return this.#guard(() => {
      while (this.#runtime.hasPendingJob()) {
        if (this.#clock.now() > this.#deadline) {
          this.#isInterrupted = true;
          return { ok: false, error: { kind: "outOfTime" } };
        }
        const ran = this.#runtime.executePendingJobs(JOBS_PER_LOOK);
        if (ran.error !== undefined) return { ok: false, error: this.#troubleOf(ran.error) };
        ran.dispose();
      }
      return { ok: true, value: undefined };
    });
  }

  /**
   * Recognises troubles that come from lack of memory. Without memory for an error the engine
   * throws null, but a script may throw null as well. Where the engine fails to make an error at
   * all, it throws something that is no value.
   */
  judged(trouble: RealmTrouble): RealmTrouble {
    const isMemory =
      trouble.kind === "outOfMemory" ||
      (trouble.kind === "threw" && OUT_OF_MEMORY.test(trouble.message)) ||
      (trouble.kind === "threw" && WORDLESS.test(trouble.message) && this.#isFull());
    if (!isMemory) return trouble;
    this.#isDamaged = true;
    return { kind: "outOfMemory" };
  }

  /** Frees the realm; returns false when the instance around it must not be used any more. */
  dispose(): boolean {
    // After an interruption, cleaning up can make the engine abort.
    if (this.#isInterrupted || this.#isDamaged) return false;
    try {
      for (const handle of [this.#program, ...this.#entries.values()]) handle.dispose();
      this.#context.dispose();
      this.#runtime.dispose();
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Runs an action. An exception of the engine itself, not of the code in it, means that the engine
   * is broken.
   */
  #guard<T>(action: (context: QuickJSContext) => Ran<T>): Ran<T> {
    const startedAt = this.#clock.now();
    try {
      const ran = action(this.#context);
      // Some built-ins swallow an interruption, after which the script would go on.
      if (this.#isInterrupted) return { ok: false, error: { kind: "outOfTime" } };
      return ran.ok ? ran : { ok: false, error: this.judged(ran.error) };
    } catch {
      this.#isDamaged = true;
      return { ok: false, error: { kind: this.#isInterrupted ? "outOfTime" : "outOfMemory" } };
    } finally {
      this.#spentMs += this.#clock.now() - startedAt;
    }
  }

  #troubleOf(error: QuickJSHandle): RealmTrouble {
    if (this.#isInterrupted) return { kind: "outOfTime" };
    const context = this.#context;
    const described = context.callFunction(
      this.#entries.get("describeError")!,
      context.undefined,
      error,
    );
    error.dispose();
    if (this.#isInterrupted) return { kind: "outOfTime" };
    // Describing an error takes little memory: if even that fails, there is none left.
    if (described.error !== undefined) return { kind: "outOfMemory" };
    const text = described.value.consume((handle) => plainOf(context, handle));
    return parseFailure(text) ?? { kind: "threw", message: "an error without a text" };
  }
}

function plainOf(context: QuickJSContext, handle: QuickJSHandle): string | boolean | undefined {
  const type = context.typeof(handle);
  if (type === "string") return context.getString(handle);
  return type === "boolean" ? context.dump(handle) === true : undefined;
}
