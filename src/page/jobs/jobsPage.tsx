/**
 * Jobs: what is being changed, how far is it, can I stop it? `/jobs` is the list, `/jobs/<id>` one
 * of them, `/jobs/new` the form that starts a copy, `/jobs/new/lifecycle` that for a lifecycle,
 * `/jobs/archives` the archives there are.
 */
import type { VNode } from "preact";
import { usePlace } from "../control/page.ts";
import { ArchiveList, ArchiveView } from "./archive/archives.tsx";
import { NewCopy } from "./copy/newCopy.tsx";
import { ARCHIVES, NEW } from "./job/places.ts";
import { JobDetail } from "./jobDetail.tsx";
import { JobList } from "./jobList.tsx";
import { NewLifecycle } from "./lifecycle/newLifecycle.tsx";

export function JobsPage(): VNode {
  const [id, what] = usePlace().segments;
  if (id === undefined) return <JobList />;
  if (id === NEW) return what === "lifecycle" ? <NewLifecycle /> : <NewCopy />;
  if (id !== ARCHIVES) return <JobDetail key={id} id={id} />;
  return what === undefined ? <ArchiveList /> : <ArchiveView key={what} folder={what} />;
}
