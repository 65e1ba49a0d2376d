/**
 * Whether somebody is in: opens a session of the page, by itself where that is free, and otherwise
 * with an account key that is shown once and not kept. When a session ends, it says so.
 */
import type { PageSessionAnswer } from "../../protocol/admin.ts";
import type { Answers } from "./answers.ts";
import { Observable } from "./observable.ts";
import type { AskFailure, Server } from "./server.ts";

export type EntranceStanding =
  | { readonly kind: "opening" }
  | { readonly kind: "in"; readonly session: PageSessionAnswer }
  | { readonly kind: "failed"; readonly failure: AskFailure }
  /** Somebody has signed out, or a key is needed. */
  | { readonly kind: "out"; readonly isKeyNeeded: boolean };

export class Entrance {
  readonly #server: Pick<Server, "openSession" | "closeSession" | "onSignedOut">;
  readonly #answers: Pick<Answers, "clear">;
  readonly #forget: () => void;
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
    server.onSignedOut = () => this.#lose();
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
    return undefined;
  }

  async signOut(): Promise<void> {
    const isKeyNeeded = this.session?.isFree !== true;
    await this.#server.closeSession();
    this.#answers.clear();
    this.#forget();
    this.standing.set({ kind: "out", isKeyNeeded });
  }

  /** Several requests may be told at once that the session has ended; the first counts. */
  #lose(): void {
    const { session } = this;
    if (session === undefined) return;
    this.#answers.clear();
    if (session.isFree) {
      // The server may have started again: where a session is free, a new one is opened.
      this.standing.set({ kind: "opening" });
      void this.open();
    } else this.standing.set({ kind: "out", isKeyNeeded: true });
  }
}
