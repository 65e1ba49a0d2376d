/** The results of a batch or bulk request, in the order of its operations. */
import type { Ru } from "../../base/units.ts";
import type { Refusal } from "../../model/refusal.ts";
import { refusalMessage, WIRE_STATUS } from "./refusal.ts";

export interface OperationResult {
  readonly status: number;
  readonly refusal?: Refusal | undefined;
  readonly charge: Ru;
  readonly etag?: string | undefined;
  readonly body?: Buffer | undefined;
}

/** The results as a list in JSON. Stored bodies are put into it as they are. */
export function bulkBody(results: readonly OperationResult[]): Buffer {
  const parts: Buffer[] = [];
  results.forEach((result, index) => {
    const fields = JSON.stringify(resultFields(result));
    parts.push(Buffer.from(`${index === 0 ? "[" : ","}${fields.slice(0, -1)}`));
    if (result.body !== undefined) parts.push(Buffer.from(',"resourceBody":'), result.body);
    parts.push(Buffer.from("}"));
  });
  if (results.length === 0) parts.push(Buffer.from("["));
  parts.push(Buffer.from("]"));
  return Buffer.concat(parts);
}

/** The fields of a result, all but the item itself. */
interface ResultFields {
  readonly statusCode: number;
  readonly subStatusCode: number;
  readonly requestCharge: number;
  readonly eTag?: string;
  readonly message?: string;
  readonly retryAfterMilliseconds?: number;
}

export function resultFields({ status, refusal, charge, etag }: OperationResult): ResultFields {
  return {
    statusCode: status,
    subStatusCode: refusal === undefined ? 0 : WIRE_STATUS[refusal.kind].substatus,
    requestCharge: charge,
    ...(etag !== undefined && { eTag: etag }),
    ...(refusal !== undefined && { message: refusalMessage(refusal) }),
    ...((refusal?.kind === "throttled" || refusal?.kind === "bucketThrottled") && {
      retryAfterMilliseconds: refusal.retryAfterMs,
    }),
  };
}
