/** The manifest of an archive whose files are written: what it is of, and what was asked for. */
import type { ArchiveManifest, PartitionFile } from "../../archive/manifest.ts";
import { manifestOf } from "../../archive/manifest.ts";
import { definitionBody } from "../definition/containerDefinition.ts";
import type { ArchiveRun } from "./archiveRun.ts";
import { isoText } from "./partitionFiles.ts";

export function newManifest(
  { record, container, setting }: ArchiveRun,
  files: readonly PartitionFile[],
): ArchiveManifest {
  const { request, archive, position } = record;
  return manifestOf({
    archive,
    madeAt: isoText(setting.clock.wallNow()),
    database: container.databaseId,
    container: container.definition.id,
    databaseRid: container.databaseRid,
    containerRid: container.rid,
    definition: definitionBody(container.definition),
    position,
    ageProperty: request.ageProperty,
    ...(request.before !== undefined && { before: isoText(request.before) }),
    files,
  });
}
