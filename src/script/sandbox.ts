/**
 * QuickJS in WebAssembly: where user JavaScript runs. A `Sandbox` is one instance of the engine,
 * with a bound on its memory, a `Realm` a runtime in it with its own globals and deadline.
 *
 * Always: code in a realm reaches its own globals and the questions of `install`, nothing else;
 * text goes in, text comes out. Whatever it does ends within some milliseconds after the deadline,
 * unless it is inside one long built-in, which only the thread's owner can end (`scriptWorker.ts`).
 * After a realm was interrupted or ran out of memory the engine may be damaged: `isSpoiled` says
 * so, and the whole instance is thrown away.
 *
 * Not here: what is run in it (`scriptSession.ts`, `functionCalls.ts`).
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

/** With more, a deep recursion in the sandbox overflows the stack of the thread around it. */
const STACK_BYTES_MAX = 128 * 1024;
/**
 * The engine's own limit counts allocations without their lengths where it runs in WebAssembly, so
 * what bounds a script is the memory that the instance may have. These are the least it starts
 * with, and what the engine takes of it for itself.
 */
const PAGE_BYTES = 65536;
const PAGES_MIN = 256;
const ENGINE_BYTES = PAGES_MIN * PAGE_BYTES;
/** It grows by a twentieth at a time or more, so it may be full a little before the bound. */
const FULL_SHARE = 0.9;
/** Memory of an instance never shrinks; one that has grown beyond this is not kept. */
const KEPT_BYTES_MAX = 48 * 1024 * 1024;
const LAST_WORD_MS = 50;
/** What is left of an error that there was no memory to make or to describe. */
const OUT_OF_MEMORY = /^InternalError: out of memory|^\[unsupported type\]$/;
const WORDLESS = /^(null|something was thrown that has no text)$/;
/** So many queued jobs are run before the time is looked at. */
const JOBS_PER_LOOK = 256;

type InstanceMemory = ReturnType<QuickJSWASMModule["getWasmMemory"]>;

/** Node has it; its types do not. */
declare const WebAssembly: {
  readonly Memory: new (pages: { initial: number; maximum: number }) => InstanceMemory;
};

export type MonotonicClock = Pick<Clock, "now">;

/** Why code in a realm did not come to its end. */
export type Trouble =
  | { readonly kind: "outOfTime" | "outOfMemory" }
  | {
      readonly kind: "threw";
      readonly message: string;
      /** What the user's code gave the error: clients are told it. */
      readonly number?: number | undefined;
    };

export type Ran<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: Trouble };

const UNREADABLE: Trouble = {
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
    // Its types are those of the other module system, where the default is one level deeper.
    const variant = loaded as unknown as QuickJSSyncVariant;
    const maximum = Math.ceil((ENGINE_BYTES + memoryBytesMax) / PAGE_BYTES);
    const wasmMemory = new WebAssembly.Memory({ initial: PAGES_MIN, maximum });
    const module = await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmMemory }));
    return new Sandbox(module, memoryBytesMax, clock);
  }

  /** With the program loaded that is to surround user code; most of the work of a small script. */
  openRealm(program: string): Realm {
    const bytesMax = ENGINE_BYTES + this.memoryBytesMax;
    const isFull = (): boolean => this.#memoryBytes() > bytesMax * FULL_SHARE;
    return new Realm(this.#module.newRuntime(), program, isFull, this.#clock);
  }

  /** Frees what the realm held, as far as that is safe, and judges the instance by it. */
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
  /** A function that makes the entries. */
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

  /** Time spent inside, in all. */
  get spentMs(): number {
    return this.#spentMs;
  }

  /** On this realm's clock. */
  set deadline(at: number) {
    this.#deadline = at;
  }

  /**
   * Calls the program with the texts, after the yes-or-no questions that it may ask. The members of
   * what it returns become entries. The program is ours: if it fails, it is because of the texts.
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

  /** Calls an entry with text, or with what `evaluate` gave; its answer is text or nothing. */
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

  /** The function that a user's text is, if it is one. Whoever gets it disposes of it. */
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

  /** Calls an entry once more after all is over, even if the time is; undefined if that fails. */
  lastWord(entry: string): string | boolean | undefined {
    const wasInterrupted = this.#isInterrupted;
    this.#isInterrupted = false;
    this.#deadline = this.#clock.now() + LAST_WORD_MS;
    const said = this.call(entry);
    this.#isInterrupted ||= wasInterrupted;
    return said.ok ? said.value : undefined;
  }

  /** Runs what promises have queued, until nothing is left or the time is over. */
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
   * Without memory for an error, the engine throws null; what a script throws may say the same.
   * Where it forgets to make one, it throws something that is no value at all.
   */
  judged(trouble: Trouble): Trouble {
    const isMemory =
      trouble.kind === "outOfMemory" ||
      (trouble.kind === "threw" && OUT_OF_MEMORY.test(trouble.message)) ||
      (trouble.kind === "threw" && WORDLESS.test(trouble.message) && this.#isFull());
    if (!isMemory) return trouble;
    this.#isDamaged = true;
    return { kind: "outOfMemory" };
  }

  /** False when the instance around it must not be used any more. */
  dispose(): boolean {
    // What an interruption left half-done can make the engine abort while it cleans up.
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

  /** An exception of the engine itself, not of the code in it, means that the engine is broken. */
  #guard<T>(action: (context: QuickJSContext) => Ran<T>): Ran<T> {
    const startedAt = this.#clock.now();
    try {
      const ran = action(this.#context);
      // Some built-ins swallow an interruption, and then the script could, too.
      if (this.#isInterrupted) return { ok: false, error: { kind: "outOfTime" } };
      return ran.ok ? ran : { ok: false, error: this.judged(ran.error) };
    } catch {
      this.#isDamaged = true;
      return { ok: false, error: { kind: this.#isInterrupted ? "outOfTime" : "outOfMemory" } };
    } finally {
      this.#spentMs += this.#clock.now() - startedAt;
    }
  }

  #troubleOf(error: QuickJSHandle): Trouble {
    if (this.#isInterrupted) return { kind: "outOfTime" };
    const context = this.#context;
    const described = context.callFunction(
      this.#entries.get("describeError")!,
      context.undefined,
      error,
    );
    error.dispose();
    if (this.#isInterrupted) return { kind: "outOfTime" };
    // Telling what happened takes little: if even that fails, there is no memory left.
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
