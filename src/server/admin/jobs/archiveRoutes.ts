/** The part of the admin API that is about archives. */
import type { Result } from "../../../base/result.ts";
import { no, ok } from "../../../base/result.ts";
import type { Archiving } from "../../../engine/archive/archiving.ts";
import type {
  ArchiveAnswer,
  ArchiveEntry,
  ArchiveJobAnswer,
  ArchiveJobEntry,
  ArchivesAnswer,
} from "../../../model/archiveJob.ts";
import type { Refusal } from "../../../model/refusal.ts";
import { ADMIN_API } from "../../../protocol/admin.ts";
import type { AdminProblem } from "../problem.ts";
import { problem, refusedBy } from "../problem.ts";
import { reading } from "../questions.ts";
import type { AdminQuestion, AdminReply, Route } from "../route.ts";
import {
  ARCHIVE_MEMBERS,
  ARCHIVE_STEPS,
  archiveRequestOf,
  archiveStepTerms,
  RESTORE_MEMBERS,
  restoreRequestOf,
} from "./archiveQuestions.ts";

/** What the admin API needs of archives. A refusal `notFound` means that there is no such thing. */
export type ArchiveSurface = Pick<
  Archiving,
  "place" | "entries" | "entry" | "start" | "restore" | "command" | "noted" | "list" | "contents"
>;

type Replied = Result<AdminReply, AdminProblem>;

export const ARCHIVE_ROUTES: readonly Route[] = [
  {
    method: "POST",
    path: `${ADMIN_API}containers/{database}/{container}/archives`,
    about: "starts to archive old logical partitions to files, and to delete what was archived",
    parameters: ARCHIVE_MEMBERS,
    answer: async (asked) => {
      const { surface, members, now, database, container } = asked;
      const request = reading(() => archiveRequestOf({ database, container }, members, now));
      if (!request.ok) return no(problem(400, request.error));
      return jobReply(asked, await surface.archives.start(request.value), 202);
    },
  },
  {
    method: "POST",
    path: `${ADMIN_API}containers/{database}/{container}/restore`,
    about: "starts to restore items from an archive",
    parameters: RESTORE_MEMBERS,
    answer: async (asked) => {
      const { surface, members, database, container } = asked;
      const request = reading(() => restoreRequestOf({ database, container }, members));
      if (!request.ok) return no(problem(400, request.error));
      return jobReply(asked, await surface.archives.restore(request.value), 202);
    },
  },
  {
    method: "GET",
    path: `${ADMIN_API}archives`,
    about: "the archives there are: of which container, with how much in them, in which state",
    parameters: ["database", "container"],
    answer: async ({ surface, parameters }) => {
      const listed = await surface.archives.list();
      if (!listed.ok) return no(refusedBy(listed.error, "", ""));
      const isWanted = (entry: ArchiveEntry): boolean =>
        (["database", "container"] as const).every(
          (name) => (parameters.get(name) ?? entry[name]) === entry[name],
        );
      const directory = surface.archives.place ?? "";
      const body: ArchivesAnswer = { directory, archives: listed.value.filter(isWanted) };
      return ok({ status: 200, body });
    },
  },
  {
    method: "GET",
    path: `${ADMIN_API}archives/{folder}`,
    about: "one archive, with the keys, counts and hashes of its files",
    parameters: [],
    answer: async ({ surface, names: [folder = ""] }) => {
      const found = await surface.archives.contents(folder);
      if (!found.ok) return no(refusedArchive(folder, found.error));
      const { archive, files } = found.value;
      const body: ArchiveAnswer = {
        archive,
        files: files.map(
          ({ name, key, itemCount, rawBytes, storedBytes, sha256, dateMin, dateMax }) => {
            const dates = { ...(dateMin && { dateMin }), ...(dateMax && { dateMax }) };
            return { name, key, itemCount, rawBytes, storedBytes, sha256, ...dates };
          },
        ),
      };
      return ok({ status: 200, body });
    },
  },
];

/** Asks something of a job about archives; undefined if the id is of another kind of job. */
export async function archiveStepReply(asked: AdminQuestion): Promise<Replied | undefined> {
  const { surface, names, members } = asked;
  const [id = "", name = ""] = names;
  if (surface.archives.entry(id) === undefined) return undefined;
  const step = ARCHIVE_STEPS.find((one) => one === name);
  if (step === undefined) {
    const known = ARCHIVE_STEPS.join(", ");
    return no(problem(404, `There is no step '${name}' of such a job; there are ${known}.`));
  }
  const share = reading(() => archiveStepTerms(step, members));
  if (!share.ok) return no(problem(400, share.error));
  const status = step === "cancel" ? 202 : 200;
  return jobReply(asked, await surface.archives.command(id, step, share.value), status);
}

function jobReply(
  { database, container }: AdminQuestion,
  entry: Result<ArchiveJobEntry, Refusal>,
  status: number,
): Replied {
  if (!entry.ok) return no(refusedBy(entry.error, database, container));
  const body: ArchiveJobAnswer = { job: entry.value };
  return ok({ status, body });
}

function refusedArchive(folder: string, refusal: Refusal): AdminProblem {
  if (refusal.kind === "notFound") return problem(404, `There is no archive '${folder}'.`);
  return refusedBy(refusal, "", "");
}
