/** What a script can learn of the request that it runs in, and of the container. */
import type { Account } from "../../../engine/account.ts";
import type { Container } from "../../../engine/partition/container.ts";
import type { Surroundings } from "../../../engine/script/scriptRuns.ts";
import type { ScriptTerms } from "../../../protocol/request/scriptTerms.ts";
import { containerQuota } from "../quotas.ts";

export function surroundingsOf(
  account: Account,
  container: Container,
  { requestValues }: ScriptTerms,
): Surroundings {
  return { quota: containerQuota(account, container), requestValues };
}
