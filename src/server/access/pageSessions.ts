/**
 * Sessions of the web page: what a browser has instead of an account key.
 *
 * A session is opened by showing an account key once; on the server's own
 * machine it is free while the primary key is the one that everybody knows. A browser keeps the
 * session in a cookie that scripts cannot read and that no other site's page can make it send.
 *
 * Invariants
 * - A request counts as one of the page only with the header that no form and no foreign page can
 *   send, and only if it does not come from a page of another site.
 * - A session is good for no more than the key that opened it, and ends when that key does.
 * - Only a digest of the cookie is kept, for a limited time, and of a limited number of sessions.
 * - Wrong keys are tried a few times a minute, and then no key is looked at for a while.
 *
 * Not here: what comes over HTTP (`server/page`), and what an account key may do
 * (`protocol/auth/grants.ts`).
 */
import { createHash } from "node:crypto";
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import { HOUR_MS, HOUR_SECONDS, MINUTE_MS } from "../../base/units.ts";
import type { Clock, Random } from "../../base/world.ts";
import type { AccountKey, KeyRing } from "../../protocol/auth/authorization.ts";
import type { Grant } from "../../protocol/auth/grants.ts";
import { heldKeyOf } from "../../protocol/auth/heldKey.ts";
import { HEADER } from "../../protocol/wire/headerNames.ts";
import type { WireHeaders } from "../../protocol/wire/wire.ts";
import { headerOf } from "../../protocol/wire/wire.ts";
import { isOfThisMachine, pageRelationOf } from "../http/sender.ts";
import { WELL_KNOWN_KEY } from "../surroundings/options.ts";

interface PageSessionsSetting {
  readonly keys: KeyRing;
  readonly clock: Pick<Clock, "now">;
  readonly random: Pick<Random, "bytes">;
  /** Under TLS a cookie never goes out without it. */
  readonly isTls: boolean;
}

interface PageAsker {
  readonly method: string;
  readonly headers: WireHeaders;
}

interface OpenedSession {
  readonly isReadOnly: boolean;
  readonly isFree: boolean;
  readonly secondsLeft: number;
  /** The value of a `Set-Cookie` header; absent when the session was there already. */
  readonly cookie?: string | undefined;
}

export type SessionProblem =
  /** No session can be had without a key, or a session has ended. */
  | { readonly kind: "keyNeeded"; readonly message: string }
  | { readonly kind: "wrongKey"; readonly message: string }
  | { readonly kind: "tooManyTries"; readonly message: string; readonly seconds: number }
  | { readonly kind: "foreign"; readonly message: string };

type PageRefusal = {
  readonly kind: "unauthorized" | "forbidden";
  readonly message: string;
};

interface Session {
  /** The text of the key that the session stands for: the session ends with the key. */
  readonly key: AccountKey;
  readonly isFree: boolean;
  readonly endsAt: number;
}

const LIFE_HOURS = 12;
const SESSION_COUNT_MAX = 256;
const TRY_COUNT_MAX = 10;
const COOKIE_BYTES = 32;

const FOREIGN =
  "The page's session is good for this server's own page only, and this request comes from " +
  "elsewhere.";

export class PageSessions {
  readonly #setting: PageSessionsSetting;
  /** By digest of the cookie, oldest first. */
  readonly #sessions = new Map<string, Session>();
  #tries = { beganAt: 0, count: 0 };

  constructor(setting: PageSessionsSetting) {
    this.#setting = setting;
  }

  /** Whether a request says that the page sent it. */
  isOfPage(headers: WireHeaders): boolean {
    return headerOf(headers, HEADER.page) !== undefined;
  }

  /** What a request of the page may do, by its session. */
  check(asker: PageAsker): Result<Extract<Grant, { kind: "accountKey" }>, PageRefusal> {
    if (!isTrusted(asker)) return no({ kind: "forbidden", message: FOREIGN });
    const session = this.#sessionIn(asker.headers);
    if (session === undefined) {
      const message = "The page has no session, or it has ended. Open the page again.";
      return no({ kind: "unauthorized", message });
    }
    return ok({ kind: "accountKey", isReadOnly: session.key.isReadOnly });
  }

  /** Opens a session, with a key if one is sent; without one it tells of the session there is. */
  open(
    asker: PageAsker & { readonly remoteAddress: string | undefined },
    sentKey: string | undefined,
  ): Result<OpenedSession, SessionProblem> {
    if (!this.isOfPage(asker.headers) || !isTrusted(asker)) {
      return no({ kind: "foreign", message: FOREIGN });
    }
    if (sentKey !== undefined) return this.#openWith(asker, sentKey);
    const session = this.#sessionIn(asker.headers);
    if (session !== undefined) return ok(this.#told(session));
    const [primary] = this.#setting.keys.list;
    if (primary?.key === WELL_KNOWN_KEY && isOfThisMachine(asker)) {
      return ok(this.#make(asker, primary, true));
    }
    return no({
      kind: "keyNeeded",
      message:
        "This account has a key of its own. Show it once; the page keeps a session instead of it.",
    });
  }

  /** Ends the session of a request, and returns the value of a `Set-Cookie` header. */
  close(asker: PageAsker): Result<string, SessionProblem> {
    if (!this.isOfPage(asker.headers) || !isTrusted(asker)) {
      return no({ kind: "foreign", message: FOREIGN });
    }
    const cookie = cookieIn(asker.headers, this.#cookieName(asker.headers));
    if (cookie !== undefined) this.#sessions.delete(digestOf(cookie));
    return ok(this.#cookie(asker.headers, "", 0));
  }

  #openWith(asker: PageAsker, sentKey: string): Result<OpenedSession, SessionProblem> {
    const wait = this.#waitSeconds();
    if (wait > 0) {
      const message = `Too many wrong keys were tried. Try again in ${wait} seconds.`;
      return no({ kind: "tooManyTries", message, seconds: wait });
    }
    const held = heldKeyOf(sentKey.trim(), this.#setting.keys.list);
    if (held === undefined) {
      this.#tries.count++;
      return no({ kind: "wrongKey", message: "That is no key of this account." });
    }
    return ok(this.#make(asker, held, false));
  }

  /** Seconds until a key is looked at again; 0 when one may be tried. Begins a new minute. */
  #waitSeconds(): number {
    const now = this.#setting.clock.now();
    if (now - this.#tries.beganAt >= MINUTE_MS) this.#tries = { beganAt: now, count: 0 };
    if (this.#tries.count < TRY_COUNT_MAX) return 0;
    return Math.ceil((this.#tries.beganAt + MINUTE_MS - now) / 1000);
  }

  #make(asker: PageAsker, key: AccountKey, isFree: boolean): OpenedSession {
    const { clock, random } = this.#setting;
    const value = Buffer.from(random.bytes(COOKIE_BYTES)).toString("base64url");
    const session = { key, isFree, endsAt: clock.now() + LIFE_HOURS * HOUR_MS };
    this.#sessions.set(digestOf(value), session);
    for (const digest of this.#sessions.keys()) {
      if (this.#sessions.size <= SESSION_COUNT_MAX) break;
      this.#sessions.delete(digest);
    }
    const cookie = this.#cookie(asker.headers, value, LIFE_HOURS * HOUR_SECONDS);
    return { ...this.#told(session), cookie };
  }

  #told({ key, isFree, endsAt }: Session): OpenedSession {
    const secondsLeft = Math.max(0, Math.floor((endsAt - this.#setting.clock.now()) / 1000));
    return { isReadOnly: key.isReadOnly, isFree, secondsLeft };
  }

  #sessionIn(headers: WireHeaders): Session | undefined {
    const cookie = cookieIn(headers, this.#cookieName(headers));
    if (cookie === undefined) return undefined;
    const digest = digestOf(cookie);
    const session = this.#sessions.get(digest);
    if (session === undefined) return undefined;
    const isOver = this.#setting.clock.now() >= session.endsAt;
    const isKept = this.#setting.keys.list.some(
      ({ key, isReadOnly }) => key === session.key.key && isReadOnly === session.key.isReadOnly,
    );
    if (!isOver && isKept) return session;
    this.#sessions.delete(digest);
    return undefined;
  }

  /**
   * Browsers send a cookie to every port of a host, so the port is in its name: two servers on one
   * machine would end each other's sessions.
   */
  #cookieName(headers: WireHeaders): string {
    const port = /:(\d{1,5})$/.exec(headerOf(headers, "host") ?? "")?.[1] ?? "";
    return `${this.#setting.isTls ? "__Host-" : ""}orrery-page${port}`;
  }

  #cookie(headers: WireHeaders, value: string, seconds: number): string {
    const secure = this.#setting.isTls ? "; Secure" : "";
    const name = this.#cookieName(headers);
    return `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
  }
}

/**
 * A browser that does not say where a request comes from is believed where nothing can change: the
 * header of the page alone cannot be sent by another site's page.
 */
function isTrusted({ method, headers }: PageAsker): boolean {
  const relation = pageRelationOf(headers);
  return relation === "own" || (relation === "unsaid" && (method === "GET" || method === "HEAD"));
}

function cookieIn(headers: WireHeaders, name: string): string | undefined {
  for (const pair of (headerOf(headers, "cookie") ?? "").split(";")) {
    const at = pair.indexOf("=");
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}

function digestOf(cookie: string): string {
  return createHash("sha256").update(cookie).digest("base64");
}
