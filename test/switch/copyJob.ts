/** A copy job over the admin API, as far as a switch of names needs one. */

/** Said once more here: scripts import this file, and it cannot import others then. */
const ADMIN_API = "/_orrery/v1/";

interface Job {
  readonly id: string;
  readonly state?: string;
  readonly phase?: string;
}

/** Starts to copy `d/c` to another key, and resolves when the copy has caught up. */
export async function copyOf(endpoint: string, key: readonly string[]): Promise<string> {
  const { id } = await ask(endpoint, "copies", {
    source: { database: "d", container: "c" },
    target: { database: "d", container: "t" },
    key,
    mode: "online",
    switchBy: "names",
    sharePercent: 100,
  });
  for (;;) {
    const job = await ask(endpoint, `jobs/${id}`);
    if (JSON.stringify(job).includes('"ready"')) return id;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The copy takes over the name. */
export async function switchNames(endpoint: string, id: string): Promise<void> {
  await ask(endpoint, `jobs/${id}/cutOver`, { isForced: true });
}

async function ask(endpoint: string, path: string, body?: object): Promise<Job> {
  const headers = { "content-type": "application/json" };
  const post = { method: "POST", headers, body: JSON.stringify(body) };
  const answer = await fetch(`${endpoint}${ADMIN_API}${path}`, body && post);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  return (JSON.parse(text) as { readonly job: Job }).job;
}
