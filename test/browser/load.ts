/** Load on a container, as an application would put it there. */
import type { Stage } from "./stage.ts";

const ROUNDS_MAX = 20;
const AT_ONCE = 40;

/** Writes one item again and again, until its physical partition has refused some writes. */
export async function refuseSome(
  { server, client }: Stage,
  about: { readonly database: string; readonly container: string },
  item: object,
): Promise<void> {
  const { database, container } = about;
  const { items } = client.database(database).container(container);
  const report = `${server.endpoint}/_orrery/v1/containers/${database}/${container}/report`;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    await Promise.all(Array.from({ length: AT_ONCE }, () => items.upsert(item)));
    const answer = await fetch(report);
    const { figures } = (await answer.json()) as { figures: { throttledCount: number } };
    if (figures.throttledCount > 0) return;
  }
  throw new Error("Nothing was throttled.");
}
