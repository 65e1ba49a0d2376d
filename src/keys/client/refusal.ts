/**
 * What the client throws, as facts: a status if the service answered, and whether the same attempt
 * may be made again.
 *
 * Nothing is thrown here. The client's errors differ by where they come from: answers of the
 * service have a numeric `code`, failures of the connection a text such as `ECONNRESET`, mistakes
 * in the arguments none. Around a bulk the client wraps them once more.
 */
import { HEADER } from "../../protocol/wire/headerNames.ts";
export interface ClientRefusal {
  /** `undefined`: there was no answer of the service. */
  readonly status: number | undefined;
  readonly substatus: number | undefined;
  readonly message: string;
  /** When the service says one may come back. */
  readonly retryAfterMs: number | undefined;
  /** Nobody knows whether the write was done. */
  readonly isUnknown: boolean;
  readonly charge: number;
}

const LOGICAL_PARTITION_FULL: Pick<ClientRefusal, "status" | "substatus"> = {
  status: 403,
  substatus: 1014,
};

/** Timeouts and the like: the service, or what is before it, may have done it or not. */
const UNKNOWN_STATUSES: ReadonlySet<number> = new Set([408, 500, 502, 503, 504]);

export function clientRefusalOf(error: unknown): ClientRefusal {
  const facts = factsOf(error);
  const status = numberOf(facts["code"]) ?? numberOf(facts["statusCode"]);
  const isConnection = status === undefined && typeof facts["code"] === "string";
  return {
    status,
    substatus: numberOf(facts["substatus"]) ?? numberOf(facts["subStatusCode"]),
    message: messageOf(error),
    retryAfterMs: numberOf(facts["retryAfterInMs"]) ?? numberOf(facts["retryAfterMilliseconds"]),
    isUnknown: isConnection || (status !== undefined && UNKNOWN_STATUSES.has(status)),
    charge: numberOf(facts["requestCharge"]) ?? chargeIn(facts["headers"]),
  };
}

export function isFull({ status, substatus }: ClientRefusal): boolean {
  return status === LOGICAL_PARTITION_FULL.status && substatus === LOGICAL_PARTITION_FULL.substatus;
}

/** The same attempt may well succeed a little later. */
export function isPassing(refusal: ClientRefusal): boolean {
  return refusal.isUnknown || refusal.status === 429 || refusal.status === 449;
}

type Facts = Readonly<Record<string, unknown>>;

function factsOf(error: unknown): Facts {
  if (typeof error !== "object" || error === null) return {};
  const facts = error as Facts;
  const { cause } = facts;
  if (facts["code"] === undefined && typeof cause === "object" && cause !== null) {
    return factsOf(cause);
  }
  return facts;
}

function messageOf(error: unknown): string {
  const facts = factsOf(error);
  return typeof facts["message"] === "string" ? facts["message"] : String(error);
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function chargeIn(headers: unknown): number {
  if (typeof headers !== "object" || headers === null) return 0;
  const charge = Number((headers as Facts)[HEADER.requestCharge]);
  return Number.isFinite(charge) ? charge : 0;
}
