/**
 * Jobs: what is being changed, how far is it, can I stop it? `/jobs` is the list, `/jobs/<id>` one
 * of them, `/jobs/new` the form that starts a copy.
 */
import type { VNode } from "preact";
import { usePlace } from "../control/page.ts";
import { JobDetail } from "./jobDetail.tsx";
import { JobList } from "./jobList.tsx";
import { NewCopy } from "./newCopy.tsx";
import { NEW } from "./places.ts";

export function JobsPage(): VNode {
  const [id] = usePlace().segments;
  if (id === undefined) return <JobList />;
  return id === NEW ? <NewCopy /> : <JobDetail key={id} id={id} />;
}
