/**
 * Stands in for a server with copy jobs: answers the admin API as a test has written it down, and
 * keeps what it was asked. Each look at the job takes it one state further.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { SIMULATED_COPY, SIMULATED_SPLIT } from "../../src/cli/jobs/simulatedJobs.fake.ts";
import type { CopyJobEntry, SetAsideItem } from "../../src/model/copyJob.ts";

interface FakeJobs extends AsyncDisposable {
  readonly place: readonly string[];
  readonly endpoint: string;
  /** Method, route and body of what changes something. */
  readonly asked: (readonly [string, unknown])[];
  readonly lookCount: () => number;
}

interface FakeScript {
  /** What the job is at each look, in turn; the last one stays. */
  readonly looks: readonly Partial<CopyJobEntry>[];
  readonly setAside?: readonly SetAsideItem[];
  /** Answers a POST with this refusal. */
  readonly refusal?: { readonly status: number; readonly message: string };
}

export async function openFakeJobs({
  looks,
  setAside = [],
  refusal,
}: FakeScript): Promise<FakeJobs> {
  const asked: (readonly [string, unknown])[] = [];
  let lookCount = 0;
  const jobNow = (): CopyJobEntry => ({
    ...SIMULATED_COPY,
    ...looks[Math.min(lookCount, looks.length - 1)],
  });
  const answerTo = (method: string, route: string): readonly [number, unknown] => {
    if (method === "POST") {
      if (refusal !== undefined) return [refusal.status, { message: refusal.message }];
      return [202, { job: jobNow() }];
    }
    if (route === "jobs")
      return [200, { jobs: [SIMULATED_SPLIT], copies: [jobNow()], lifecycles: [], archives: [] }];
    if (route === "jobs/c7/setAside") return [200, { items: setAside }];
    if (route === "jobs/s3") return [200, { job: SIMULATED_SPLIT }];
    if (route !== "jobs/c7") return [404, { message: "There is no such job." }];
    const job = jobNow();
    lookCount++;
    return [200, { job }];
  };
  const server = createServer((request, response) => {
    const { method = "", url = "" } = request;
    const route = url.replace("/_orrery/v1/", "");
    void text(request).then((body) => {
      if (method === "POST") asked.push([route, JSON.parse(body)]);
      const [status, answer] = answerTo(method, route);
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    endpoint,
    place: ["--endpoint", endpoint],
    asked,
    lookCount: () => lookCount,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
