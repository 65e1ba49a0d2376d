/** The routes of the admin API that are about one container. */
import type { NamedContainer } from "../../model/copyJob.ts";

/** What comes after `/_orrery/v1/`; ends in a slash. */
export function containerRoute({ database, container }: NamedContainer): string {
  return `containers/${encodeURIComponent(database)}/${encodeURIComponent(container)}/`;
}
