/** One request with operations in it. An item that is too large for a list of them goes alone. */

import type { JsonValue } from "../../json/value.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { headerJson } from "../../protocol/wire/headerJson.ts";
import { HEADER } from "../../protocol/wire/headerNames.ts";
import type { Answer, ServerConnection } from "../connect/connection.ts";
import { encodeOperations, type ImportOperation, type Mode } from "./operation.ts";
import { type ImportTarget, messageIn } from "./target.ts";

const BULK: Readonly<Record<string, string>> = {
  "content-type": "application/json",
  prefer: "return=minimal",
  [HEADER.isBatch]: "true",
  [HEADER.isBatchAtomic]: "false",
  [HEADER.continueOnError]: "true",
};

export async function postOperations(
  connection: ServerConnection,
  target: ImportTarget,
  rangeId: string,
  operations: readonly ImportOperation[],
  mode: Mode,
): Promise<Answer> {
  const body = encodeOperations(operations, mode);
  const isTooLarge = body.length > SERVICE_LIMITS.requestBytesMax;
  if (isTooLarge && operations.length === 1)
    return postOne(connection, target, operations[0]!, mode);
  const headers = {
    ...signed(target),
    ...BULK,
    [HEADER.rangeId]: rangeId,
  };
  return connection.attempt({ method: "POST", path: `${target.path}/docs`, headers, body });
}

/** Answered as if it had been a list of one. */
async function postOne(
  connection: ServerConnection,
  target: ImportTarget,
  { keyText, bytes }: ImportOperation,
  mode: Mode,
): Promise<Answer> {
  const headers = {
    ...signed(target),
    "content-type": "application/json",
    prefer: "return=minimal",
    [HEADER.isUpsert]: String(mode === "upsert"),
    [HEADER.partitionKey]: headerJson(JSON.parse(keyText) as JsonValue),
  };
  const answer = await connection.attempt({
    method: "POST",
    path: `${target.path}/docs`,
    headers,
    body: bytes,
  });
  const { status, headers: told } = answer;
  // What is not about the item is told of the whole request.
  const isOfItem = status < 300 || [403, 409, 429].includes(status);
  if (!isOfItem) return answer;
  const fields = {
    statusCode: status,
    requestCharge: Number(told[HEADER.requestCharge] ?? 0),
    retryAfterMilliseconds: Number(told[HEADER.retryAfter] ?? 0),
    ...(status >= 400 && { message: messageIn(answer.body) }),
  };
  return { ...answer, status: 207, body: JSON.stringify([fields]) };
}

function signed({ signer, link }: ImportTarget): ReturnType<typeof signer.headersFor> {
  return signer.headersFor({ method: "POST", resourceType: "docs", link });
}
