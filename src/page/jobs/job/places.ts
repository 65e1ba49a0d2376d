/** The places of the page Jobs, and the routes of the admin API that are about a job. */
import type { CopyStep } from "../../../model/copyJob.ts";
import type { PagePlace } from "../../session/place.ts";

/** No job has this id: ids have a digit. */
export const NEW = "new";

export const LIST_PLACE: PagePlace = { page: "jobs", segments: [], parameters: {} };

export function jobPlace(id: string): PagePlace {
  return { page: "jobs", segments: [id], parameters: {} };
}

/** The form that starts a lifecycle, filled in as far as is known. */
export function newLifecyclePlace(parameters: Readonly<Record<string, string>> = {}): PagePlace {
  return { page: "jobs", segments: [NEW, "lifecycle"], parameters };
}

/** No job has this id either. */
export const ARCHIVES = "archives";

export const ARCHIVES_PLACE: PagePlace = { page: "jobs", segments: [ARCHIVES], parameters: {} };

export function archivePlace(folder: string): PagePlace {
  return { page: "jobs", segments: [ARCHIVES, folder], parameters: {} };
}

export function lifecycleRoute(id: string): string {
  return `lifecycles/${encodeURIComponent(id)}`;
}

/** The form that starts a copy, filled in as far as is known. */
export function newCopyPlace(parameters: Readonly<Record<string, string>> = {}): PagePlace {
  return { page: "jobs", segments: [NEW], parameters };
}

/** `what` is a step, or what else there is of a job. */
export function jobRoute(id: string, what?: CopyStep | "setAside"): string {
  const route = `jobs/${encodeURIComponent(id)}`;
  return what === undefined ? route : `${route}/${what}`;
}
