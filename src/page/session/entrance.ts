/**
 * Whether somebody is in: opens a session of the page, by itself where that is free, and otherwise
 * with an account key that is shown once and not kept.
 *
 * When a session ends by itself, nobody loses what he was typing: where a session is free a new one
 * is opened unseen, elsewhere the page stays as it is, out of sight, until a key is shown again.
 * Requests that met with the end wait for that.
 */
import type { PageSessionAnswer } from "../../protocol/admin.ts";
import type { Answers } from "./answers.ts";
import { Observable } from "./observable.ts";
import type { AskFailure, Server } from "./server.ts";

export type EntranceStanding =
  | { readonly kind: "opening" }
  | { readonly kind: "in"; readonly session: PageSessionAnswer }
  /** The session has ended by itself; what was on the page is kept, and not shown. */
  | { readonly kind: "ended" }
  | { readonly kind: "failed"; readonly failure: AskFailure }
  /** Somebody has signed out, or a key is needed. */
  | { readonly kind: "out"; readonly isKeyNeeded: boolean };

export class Entrance {
  readonly #server: Pick<Server, "openSession" | "closeSession" | "onSignedOut">;
  readonly #answers: Pick<Answers, "clear">;
  readonly #forget: () => void;
  /** Set while a new session is being opened unseen. */
  #renewal: Promise<boolean> | undefined;
  /** Requests that wait until somebody is in again, or has left. */
  #waiting: ((isIn: boolean) => void)[] = [];
  readonly standing: Observable<EntranceStanding> = new Observable<EntranceStanding>({
    kind: "opening",
  });

  /** `forget` drops what the tab has kept of data: whoever signs out leaves nothing behind. */
  constructor(
    server: Pick<Server, "openSession" | "closeSession" | "onSignedOut">,
    answers: Pick<Answers, "clear">,
    forget: () => void,
  ) {
    this.#server = server;
    this.#answers = answers;
    this.#forget = forget;
    server.onSignedOut = () => this.#comeBack();
  }

  get session(): PageSessionAnswer | undefined {
    const { value } = this.standing;
    return value.kind === "in" ? value.session : undefined;
  }

  /** Opens a session without a key, or finds the one there is. */
  async open(): Promise<void> {
    const answer = await this.#server.openSession({});
    if (answer.ok) this.standing.set({ kind: "in", session: answer.value });
    else if (answer.error.code === "KeyNeeded")
      this.standing.set({ kind: "out", isKeyNeeded: true });
    else this.standing.set({ kind: "failed", failure: answer.error });
  }

  /** What is wrong with the key, in a sentence; `undefined` when it opened a session. */
  async openWith(key: string): Promise<string | undefined> {
    const answer = await this.#server.openSession({ key });
    if (!answer.ok) return answer.error.message;
    this.standing.set({ kind: "in", session: answer.value });
    this.#tell(true);
    return undefined;
  }

  async signOut(): Promise<void> {
    const isKeyNeeded = this.session?.isFree !== true;
    await this.#server.closeSession();
    this.#answers.clear();
    this.#forget();
    this.standing.set({ kind: "out", isKeyNeeded });
    this.#tell(false);
  }

  /** Several requests may be told at once that the session has ended: all wait for the same. */
  #comeBack(): Promise<boolean> {
    const { value } = this.standing;
    if (value.kind === "in" && value.session.isFree) {
      this.#renewal ??= this.#renew().finally(() => {
        this.#renewal = undefined;
      });
      return this.#renewal;
    }
    if (value.kind === "in") this.standing.set({ kind: "ended" });
    return this.standing.value.kind === "ended" ? this.#wait() : Promise.resolve(false);
  }

  /** The server may have started again: where a session is free, it only has to be asked for. */
  async #renew(): Promise<boolean> {
    const answer = await this.#server.openSession({});
    if (answer.ok) this.standing.set({ kind: "in", session: answer.value });
    else if (answer.error.code === "KeyNeeded") {
      this.standing.set({ kind: "ended" });
      return this.#wait();
    }
    return answer.ok;
  }

  #wait(): Promise<boolean> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #tell(isIn: boolean): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve(isIn);
  }
}
