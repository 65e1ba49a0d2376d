/**
 * The admin API on one page: what there is under `/_orrery/v1/`, in words and as functions. The
 * index and the answer to unknown paths are made from the same table, so neither can be behind.
 */
import type { MaybePromise, Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { Refusal } from "../../model/refusal.ts";
import { parseQueryBody } from "../../model/request/queryText.ts";
import type {
  AlertsAnswer,
  BucketsQuestion,
  ContainersAnswer,
  EndpointsAnswer,
  IndexAnswer,
  JobAnswer,
  JobEntry,
  JobsAnswer,
  LimitsAnswer,
  MergeSuggestionsAnswer,
  OverviewAnswer,
  RequestEntry,
  RequestsAnswer,
  RouteEntry,
  TopKeysAnswer,
} from "../../protocol/admin.ts";
import { ADMIN_API, METRICS_PATH } from "../../protocol/admin.ts";
import { BACKUP_PATH } from "./backup.ts";
import { ARCHIVE_ROUTES } from "./jobs/archiveRoutes.ts";
import { COPY_ROUTES } from "./jobs/copyRoutes.ts";
import { LAB_ROUTES } from "./jobs/labRoutes.ts";
import { LIFECYCLE_ROUTES } from "./jobs/lifecycleRoutes.ts";
import { KEY_ROUTES } from "./keys.ts";
import { NODE_ROUTES } from "./nodeDoor.ts";
import type { AdminProblem } from "./problem.ts";
import { problem, refusedBy } from "./problem.ts";
import { pageSizeOf } from "./queryHelp.ts";
import {
  alertsWanted,
  bucketsOf,
  heatQuestionOf,
  historyQuestionOf,
  keyIn,
  membersOf,
  mergeQuestionOf,
  moveQuestionOf,
  parametersOf,
  reading,
  requestsQuestionOf,
  splitQuestionOf,
  topKeysQuestionOf,
} from "./questions.ts";
import { recordingPartOf, recordingStartOf } from "./recordingQuestions.ts";
import type { AdminQuestion, AdminReply, AdminRequest, Route } from "./route.ts";
import { SEED_ROUTES } from "./seedDesk.ts";
import type { AdminSurface } from "./surface.ts";

type Replied = Result<AdminReply, AdminProblem>;

const OF_CONTAINER = "containers/{database}/{container}/";
const SPAN: readonly string[] = ["from", "to"];

const ROUTES: readonly Route[] = [
  get("", "this list", [], () => done<IndexAnswer>({ routes: ROUTE_ENTRIES })),
  get("overview", "one row for each container: size, load, health", [], async ({ surface, now }) =>
    done<OverviewAnswer>({ at: now, containers: await surface.overview() }),
  ),
  get("containers", "the containers there are", [], ({ surface }) =>
    done<ContainersAnswer>({ containers: surface.containers() }),
  ),
  get(`${OF_CONTAINER}report`, "all statistics of a container, as of now", [], (asked) =>
    from(asked, asked.surface.report(asked.database, asked.container), (report) => report),
  ),
  get(
    `${OF_CONTAINER}heat`,
    "load over keys and time",
    [...SPAN, "metric", "rows", "columns"],
    (asked) =>
      reply(
        asked,
        () => heatQuestionOf(asked.parameters, asked.now),
        (question) => asked.surface.heat(asked.database, asked.container, question),
        (heat) => heat,
      ),
  ),
  get(
    `${OF_CONTAINER}history`,
    "load and size over time, by physical partition and in total",
    [...SPAN, "slotSeconds"],
    (asked) =>
      reply(
        asked,
        () => historyQuestionOf(asked.parameters, asked.now),
        (question) => asked.surface.history(asked.database, asked.container, question),
        (history) => history,
      ),
  ),
  get(
    `${OF_CONTAINER}topKeys`,
    "the logical partitions with most bytes or most load",
    ["by", "count"],
    (asked) =>
      reply(
        asked,
        () => topKeysQuestionOf(asked.parameters),
        async (question) => {
          const top = await asked.surface.topKeys(asked.database, asked.container, question);
          return top.ok ? ok({ by: question.by, keys: top.value }) : top;
        },
        (top: TopKeysAnswer) => top,
      ),
  ),
  get(
    `${OF_CONTAINER}locate`,
    "where a partition key is, and how full its logical partition",
    ["key"],
    (asked) =>
      reply(
        asked,
        () => keyIn(asked.parameters),
        (key) => asked.surface.locate(asked.database, asked.container, key),
        (place) => place,
      ),
  ),
  get(
    `${OF_CONTAINER}queryWords`,
    "functions of the query language, and paths of sampled items",
    [],
    (asked) =>
      from(asked, asked.surface.queryWords(asked.database, asked.container), (words) => words),
  ),
  get(`${OF_CONTAINER}deletePrice`, "what deleting an item costs, of a sample", [], (asked) =>
    from(asked, asked.surface.deletePrice(asked.database, asked.container), (price) => price),
  ),
  post(
    `${OF_CONTAINER}estimate`,
    "where a query would go and about what it would cost; it is not run",
    ["query", "parameters", "pageSize"],
    (asked) => {
      const query = parseQueryBody(asked.members);
      if (!query.ok) return no(refusedBy(query.error, asked.database, asked.container));
      return reply(
        asked,
        () => ({ ...query.value, ...pageSizeOf(asked.members) }),
        (question) => asked.surface.estimate(asked.database, asked.container, question),
        (estimated) => estimated,
      );
    },
  ),
  get(`${OF_CONTAINER}mergeSuggestions`, "which merges would be worth it", [], (asked) =>
    from(
      asked,
      asked.surface.suggestMerges(asked.database, asked.container),
      (suggestions): MergeSuggestionsAnswer => ({ suggestions }),
    ),
  ),
  post(
    `${OF_CONTAINER}split`,
    "starts to split a physical partition",
    ["partitionId", "at"],
    (asked) =>
      reply(
        asked,
        () => splitQuestionOf(asked.members),
        (question) => asked.surface.split(asked.database, asked.container, question),
        jobAnswer,
        202,
      ),
  ),
  post(`${OF_CONTAINER}merge`, "starts to merge two neighbours", ["partitionIds"], (asked) =>
    reply(
      asked,
      () => mergeQuestionOf(asked.members),
      (question) => asked.surface.merge(asked.database, asked.container, question),
      jobAnswer,
      202,
    ),
  ),
  post(
    `${OF_CONTAINER}move`,
    "starts to move a physical partition to another database of the server",
    ["partitionId", "to"],
    (asked) =>
      reply(
        asked,
        () => moveQuestionOf(asked.members),
        (question) => asked.surface.move(asked.database, asked.container, question),
        jobAnswer,
        202,
      ),
  ),
  get("placement", "which database has which physical partitions", [], ({ surface }) =>
    done<EndpointsAnswer>({ endpoints: surface.placement() }),
  ),
  post(
    `${OF_CONTAINER}buckets`,
    "sets the throughput buckets, in place of all there were",
    ["buckets"],
    (asked) =>
      reply(
        asked,
        () => bucketsOf(asked.members),
        (buckets) => asked.surface.setBuckets(asked.database, asked.container, buckets),
        (buckets): BucketsQuestion => ({ buckets }),
      ),
  ),
  get(
    `${OF_CONTAINER}recordings`,
    "what was recorded of a container's requests, or how far it is",
    ["part"],
    (asked) => {
      const { surface, database, container } = asked;
      const part = reading(() => recordingPartOf(asked.parameters));
      if (!part.ok) return no(problem(400, part.error));
      const { recordings, lab } = surface;
      if (part.value === "workload") {
        const recording = recordings.recording(database, container);
        return recording.ok
          ? ok({ status: 200, body: { workload: lab.recordedWorkload(recording.value) } })
          : recording;
      }
      return told(
        part.value === "progress"
          ? recordings.progress(database, container)
          : recordings.recording(database, container),
      );
    },
  ),
  post(
    `${OF_CONTAINER}recordings`,
    "starts to record the requests to a container",
    ["seconds", "secretPaths"],
    (asked) => {
      const question = reading(() => recordingStartOf(asked.members));
      if (!question.ok) return no(problem(400, question.error));
      const { surface, database, container } = asked;
      return told(surface.recordings.start(database, container, question.value), 201);
    },
  ),
  {
    method: "DELETE",
    path: `${ADMIN_API}${OF_CONTAINER}recordings`,
    about: "ends and forgets a recording, and says what it came to",
    parameters: [],
    answer: ({ surface, database, container }) =>
      told(surface.recordings.discard(database, container)),
  },
  get(
    "jobs",
    "long work of the server: under way, waiting, ended lately",
    [],
    async ({ surface }) =>
      done<JobsAnswer>({
        jobs: surface.jobs(),
        copies: surface.copies.entries(),
        lifecycles: await surface.lifecycles.entries(),
        archives: surface.archives.entries,
      }),
  ),
  ...COPY_ROUTES,
  ...LAB_ROUTES,
  ...LIFECYCLE_ROUTES,
  ...ARCHIVE_ROUTES,
  get("alerts", "alerts: states, history and rules", ["only"], (asked) =>
    reply(
      asked,
      () => alertsWanted(asked.parameters),
      (wanted) => ok(wanted === "active" ? activeAlerts(asked.surface) : asked.surface.alerts()),
      (alerts): AlertsAnswer => ({ alerts }),
    ),
  ),
  get("requests", "the last requests of clients, newest first", ["only", "count"], (asked) =>
    reply(
      asked,
      () => requestsQuestionOf(asked.parameters),
      ({ only, count }) => ok(lastRequests(asked.surface, only, count)),
      (requests): RequestsAnswer => ({ requests }),
    ),
  ),
  get("limits", "the limits this server keeps to, and those of the service", [], ({ surface }) =>
    done(limitsAnswer(surface)),
  ),
];

const ROUTE_ENTRIES: readonly RouteEntry[] = [
  ...ROUTES.map(({ method, path, about, parameters }) => ({ method, path, about, parameters })),
  { method: "GET", path: METRICS_PATH, about: "the same for Prometheus", parameters: [] },
  { method: "POST", path: BACKUP_PATH, about: "a backup, as a stream of bytes", parameters: [] },
  ...KEY_ROUTES,
  ...NODE_ROUTES,
  ...SEED_ROUTES,
];

function get(
  path: string,
  about: string,
  parameters: readonly string[],
  answer: Route["answer"],
): Route {
  return { method: "GET", path: ADMIN_API + path, about, parameters, answer };
}

function post(
  path: string,
  about: string,
  parameters: readonly string[],
  answer: Route["answer"],
): Route {
  return { method: "POST", path: ADMIN_API + path, about, parameters, answer };
}

export async function answerAdmin(surface: AdminSurface, request: AdminRequest): Promise<Replied> {
  const [path = "", query = ""] = splitOnce(request.url, "?");
  const segments = segmentsOf(path);
  if (segments === undefined) return no(problem(400, "The path is not valid."));
  const there = ROUTES.filter((route) => matches(route, segments));
  if (there.length === 0) return no(nothingThere(path));
  const route = there.find(({ method }) => method === request.method);
  if (route === undefined) return no(wrongMethod(request.method, there));
  const names = reading(() => ({
    parameters: parametersOf(query, route.method === "POST" ? [] : route.parameters),
    members: route.method === "POST" ? membersOf(request.body, route.parameters) : {},
  }));
  if (!names.ok) return no(problem(400, names.error));
  const [, , , ...named] = segments;
  const [database = "", container = ""] = named;
  const asked = { surface, now: request.now, database, container, names: named };
  return route.answer({ ...asked, ...names.value });
}

/** The decoded segments of a path; a slash at the end is not looked at. */
function segmentsOf(path: string): readonly string[] | undefined {
  try {
    return path.slice(1).replace(/\/$/, "").split("/").map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function matches({ path }: Route, segments: readonly string[]): boolean {
  const expected = segmentsOf(path)!;
  return (
    expected.length === segments.length &&
    expected.every((name, at) => name.startsWith("{") || name === segments[at])
  );
}

function nothingThere(path: string): AdminProblem {
  const { status, error } = problem(404, `There is nothing at ${path}.`);
  return { status, error: { ...error, routes: ROUTE_ENTRIES } };
}

function wrongMethod(method: string, there: readonly Route[]): AdminProblem {
  const allowed = there.map((route) => route.method).join(", ");
  return problem(405, `The verb ${method} is not allowed here; ${allowed} is.`, ["allow", allowed]);
}

function done<T extends object>(body: T): Replied {
  return ok({ status: 200, body });
}

/** What recordings answer, or why they do not. */
function told<T extends object>(answer: Result<T, AdminProblem>, status = 200): Replied {
  return answer.ok ? ok({ status, body: { recording: answer.value } }) : answer;
}

/** Reads the question, asks, and makes the answer. */
async function reply<Q, T>(
  asked: AdminQuestion,
  read: () => Q,
  ask: (question: Q) => MaybePromise<Result<T, Refusal>>,
  bodyOf: (value: T) => object,
  status = 200,
): Promise<Replied> {
  const question = reading(read);
  if (!question.ok) return no(problem(400, question.error));
  return from(asked, ask(question.value), bodyOf, status);
}

async function from<T>(
  { database, container }: AdminQuestion,
  answer: MaybePromise<Result<T, Refusal>>,
  bodyOf: (value: T) => object,
  status = 200,
): Promise<Replied> {
  const outcome = await answer;
  if (!outcome.ok) return no(refusedBy(outcome.error, database, container));
  return ok({ status, body: bodyOf(outcome.value) });
}

function jobAnswer(job: JobEntry): JobAnswer {
  return { job };
}

function limitsAnswer({ limits }: AdminSurface): LimitsAnswer {
  const isChanged = (name: string): boolean => {
    const key = name as keyof typeof limits;
    return JSON.stringify(limits[key]) !== JSON.stringify(SERVICE_LIMITS[key]);
  };
  return { limits, service: SERVICE_LIMITS, changed: Object.keys(limits).filter(isChanged) };
}

function lastRequests(
  { requests }: AdminSurface,
  only: "all" | "refused",
  count: number,
): readonly RequestEntry[] {
  const wanted = requests().filter(({ status }) => only === "all" || status >= 400);
  return wanted.slice(0, count);
}

/** What fires or is about to, with the rules of that: what one looks at again and again. */
function activeAlerts({ alerts }: AdminSurface): AlertsAnswer["alerts"] {
  const all = alerts();
  const active = all.alerts.filter(({ state }) => state === "firing" || state === "pending");
  const isOfOne = (id: string): boolean => active.some(({ rule }) => rule === id);
  return {
    alerts: active,
    history: [],
    rules: all.rules.filter(({ id }) => isOfOne(id)),
    settings: Object.fromEntries(Object.entries(all.settings).filter(([id]) => isOfOne(id))),
  };
}

function splitOnce(text: string, mark: string): readonly string[] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
