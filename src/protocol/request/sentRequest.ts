/** A request as it arrived, and what of the account decides whether it makes sense. */
import type { Consistency } from "../../model/consistency.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { RateRules } from "../../model/throughput.ts";
import type { WireHeaders } from "../wire/wire.ts";
import type { ResourcePath } from "./resourcePath.ts";

export interface SentRequest {
  readonly method: string;
  readonly path: ResourcePath;
  readonly headers: WireHeaders;
  readonly body: Buffer;
}

export interface AccountTerms extends RateRules {
  /** What reads are promised unless they ask for less. */
  readonly consistency: Consistency;
}

/** What every decoded request has, whatever it is about. */
export interface RequestHead {
  readonly verb: string;
  readonly body: Buffer;
}

export function verbRefusal(verb: string, kind: ResourcePath["kind"]): Refusal {
  return { kind: "methodNotAllowed", message: `The verb ${verb} is not allowed on ${kind}.` };
}
