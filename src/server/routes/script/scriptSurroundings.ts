/**
 * What a script can learn of the request that it runs in, and of the container: headers of the
 * service's own kind, and quotas.
 *
 * Always: nothing by which a client proves who it is.
 */
import type { Account } from "../../../engine/account.ts";
import type { Container } from "../../../engine/partition/container.ts";
import type { Surroundings } from "../../../engine/script/scriptRuns.ts";
import { SERVICE_HEADER_START } from "../../../protocol/wire/headerNames.ts";
import type { WireHeaders } from "../../../protocol/wire/wire.ts";
import { containerQuotaHeaders } from "../metadata/quotaHeaders.ts";

export function surroundingsOf(
  account: Account,
  container: Container,
  headers: WireHeaders,
): Surroundings {
  const [, max = "", , used = ""] = containerQuotaHeaders(account, container);
  const requestValues: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const isShown = name.startsWith(SERVICE_HEADER_START) && !name.includes("authorization");
    if (isShown && typeof value === "string") requestValues[name] = value;
  }
  return { quota: { max, used }, requestValues };
}
