/** What `orrery lifecycle archive` and `orrery lifecycle restore` say of themselves. */
import { ACCOUNT_KEY_HELP } from "../connect/serverOptions.ts";

export const ARCHIVE_HELP: string = `usage: orrery lifecycle archive <db>/<container> [options]
       orrery lifecycle archive --list [<db>/<container>]
       orrery lifecycle archive --show <folder>
       orrery lifecycle archive --verify <path>

Puts whole old logical partitions of a container into compressed files on the server's machine,
reads every file back, and only then deletes the items. An item that changed meanwhile stays. A
logical partition is archived when all of its items are old: one item that is young, or has no
date, keeps it.

  orrery lifecycle archive shop/feeds --older-than 2y --age-property /publishedDate --dry-run
  orrery lifecycle archive shop/feeds --before 2024-01-01 --age-property /publishedDate --yes
  orrery lifecycle archive shop/feeds --key '"2023-11"' --key '"2023-12"' --to winter --keep

Which
  --before <date>          all items are before it: 2024-01-01, 2024-01-01T12:00Z, or since 1970
  --older-than <age>       the same, counted back from now: 90d, 18mo, 2y (s, m, h, d, w, mo, y)
  --age-property <path>    the property that says how old an item is: ISO 8601, or seconds or
                           milliseconds since 1970; /_ts is when it was last written
  --key <json>             this logical partition; may be repeated, and goes with an age or
                           without. A key of several levels is an array: --key '["ada",2023]'

How
  --to <folder>            the name of the archive (default: container and time): a new folder
                           among the archives of the server (\`orrery start --archives\`)
  --keep                   delete nothing
  --dry-run                say what would be archived, what it costs, and what is left out and why
  --share <percent>        the most that it may spend of the RU/s (default 50)
  --detach                 do not look on; the server goes on
  --yes                    do not ask before items are deleted
  --json                   what the server says as JSON

Looking at archives
  --list                   the archives that the server knows of
  --show <folder>          one of them, with its keys and files
  --verify <path>          reads an archive on this machine whole and compares it with its
                           manifest; needs no server

${ACCOUNT_KEY_HELP}\
Ctrl-C ends the looking on, not the job. \`orrery jobs\` shows, pauses, resumes and cancels it.
Ends with 0 when it is done, or under way with --detach or after Ctrl-C; with 1 when it failed, was
refused or stopped, or when --verify found damage; with 2 when an option makes no sense.
`;

export const RESTORE_HELP: string = `\
usage: orrery lifecycle restore <db>/<container> --from <folder> [options]

Writes items of an archive into a container: the same one or another with the same partition key.
Every file that is needed is read whole and compared with the manifest before the first write. It
may be repeated: an item that is there already, and equal, is only counted.

  orrery lifecycle restore shop/feeds --from feeds-20240101-000000
  orrery lifecycle restore shop/feeds --from winter --key '"2023-11"'
  orrery lifecycle restore shop/feeds-2023 --from winter --create

  --from <folder>          the archive, by its name among the archives of the server
  --key <json>             this logical partition only; may be repeated
  --create                 make the container as the archived one was: key, indexing policy, unique
                           keys; with --ttl keep its time to live, too
  --overwrite              replace items that are there and differ; without it they stay, are
                           listed, and the command ends with 1
  --keep-timestamps        items have the _ts and _etag of their archived version; else those of
                           now
  --ttl keep|drop          what becomes of the property ttl of items (default drop: what was
                           archived is history, and would soon expire)
  --share <percent>        the most that it may spend of the RU/s (default 50)
  --detach                 do not look on; the server goes on
  --yes                    do not ask before --overwrite
  --json                   what the server says as JSON

${ACCOUNT_KEY_HELP}\
Ctrl-C ends the looking on, not the job. \`orrery jobs\` shows, pauses, resumes and cancels it.
Ends with 0 when it is done, or under way with --detach or after Ctrl-C; with 1 when it failed, was
refused or stopped, or left items alone that differ; with 2 when an option makes no sense.
`;
