/** A route of the admin API, and what comes in and goes out by it. */
import type { MaybePromise, Result } from "../../base/result.ts";
import type { JsonObject } from "../../json/value.ts";
import type { RouteEntry } from "../../protocol/admin.ts";
import type { AdminProblem } from "./problem.ts";
import type { AdminSurface } from "./surface.ts";

export interface AdminRequest {
  readonly method: string;
  /** Path and query, as they came. */
  readonly url: string;
  readonly body: Buffer;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface AdminReply {
  readonly status: number;
  readonly body: object;
}

/** A request whose route is known and whose parameters or members have known names. */
export interface AdminQuestion {
  readonly surface: AdminSurface;
  readonly now: number;
  /** The names in the path; empty where the route has none. */
  readonly database: string;
  readonly container: string;
  /** What the path says after its first word, whatever it stands for. */
  readonly names: readonly string[];
  readonly parameters: ReadonlyMap<string, string>;
  readonly members: JsonObject;
}

export interface Route extends RouteEntry {
  answer(asked: AdminQuestion): MaybePromise<Result<AdminReply, AdminProblem>>;
}
