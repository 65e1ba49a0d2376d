/** What `orrery copy --help` says. */
import { ACCOUNT_KEY_HELP } from "../connect/serverOptions.ts";

export const COPY_HELP: string = `usage: orrery copy <db>/<container> <db>/<container> [options]
       orrery copy cut-over <id> [--deadline <ms>] [--force]
       orrery copy complete <id> [--keep-old]
       orrery copy revert|verify|set-aside <id>
       orrery copy mirror <id> <percent>
       orrery copy <db>/<container> <db>/<container> --from <url> --to <url> [options]
       orrery copy --from <place> --to <place>

Copies a container into another one: under another partition key, another indexing policy or
throughput, a part of it, or all as it is. The server does it as a job, which survives restarts;
the source is untouched. docs/use/copy.md walks through it.

What is copied
  --key <levels>           the new partition key: /tenantId,/userId, or expressions such as
                           "concat(/tenantId,'-',hash(/id) % 10)" (see docs/use/keys.md)
  --key-property <path>    where a level that is made up of others is written in the copies; once
                           for each such level
  --where <condition>      only items for which it is true, such as "c.type = 'order'"
  --select <list>          only these properties, as after SELECT; id and key among them
  --sample <percent>       so much of the items, always the same ones
  --ttl keep|restart       items live as long as they had left (the default), or begin anew

How
  --offline                ends by itself with what is there (the default)
  --online                 goes on with every change until cut-over; writes go on meanwhile
  --share <percent>        the most that it spends of the RU/s of each physical partition
  --throughput <n>         RU/s of the new container (default: as the source has)
  --autoscale <n>          or their ceiling
  --shared                 or those of its database
  --index-policy <file>    its indexing policy, as JSON
  --default-ttl <seconds>  its default time to live; off for none, -1 for only what items say
  --cut-over <when>        automatic: as soon as it has caught up and is verified; or manual, when
                           \`orrery copy cut-over\` is called (the default)
  --swap                   at the cut-over the two containers swap their names, so that clients of
                           the old name get the new one

What cannot be copied
  --on-clash <do>          two items with the same new key and id: stop (the default), or set-aside
  --on-missing-key <do>    items without the new key: stop, set-aside, or none to copy them so
  --on-refused <do>        what the target does not take, such as a full key: stop, or set-aside
  --set-aside <file>       write those items there, as NDJSON with reasons, when the job
                           ends or stops
  --set-aside-max <n>      stop when there are more

  --dry-run                look at all items and tell what would happen; write nothing
  --verify                 when everything is copied, compare source and copy, item by item
  --detach                 start the job and return at once
  --watch                  look on until the job is over, through cut-over and pauses
  --token <name>           the same name again is answered with the job that there is
  --yes                    do not ask before what cannot be taken back
  --json                   what the server says as JSON

Steps of a job that was started
  cut-over                 leads clients to the copy: writes are held for a moment, and go on there;
                           it gives up by itself after --deadline. --force goes without a fresh
                           verification and with items set aside
  revert                   leads them back; nothing is lost
  complete                 ends the way back and deletes the old container, or leaves it: --keep-old
  verify                   compares source and copy, item by item; of an offline copy also later
  mirror                   runs a share of live reads on the copy too, and compares; 0 ends it
  set-aside                the items that could not be copied, as NDJSON

Between two accounts
  --from <url>             the account of the source, and its key in ORRERY_FROM_KEY or --from-key
  --to <url>               that of the target, and ORRERY_TO_KEY or --to-key; the one that is left
                           out is the server of --endpoint. The official client copies, in this
                           process: @azure/cosmos has to be installed
  --until-lag <n>          with --online: end when at most so many changes are behind
  --resume <file>          note there how far it is, and go on from there next time
  --max-ru <n>             spend at most so many RU each second on the target
  --verify                 compare both in the end: counts, sums, and ids that differ

A whole store, as it is, to another place
  --from <place>           a data directory that no server has open, or a database, like
                           postgres://user@host:5432/orrery
  --to <place>             an empty one of these. Numbers, etags, indexes and feeds stay, and both
                           are compared in the end. The same command goes on with a copy that was
                           ended; no server opens one before it is whole

${ACCOUNT_KEY_HELP}\
Ctrl-C ends the looking on, not the job; between two accounts it ends the copy.
Ends with 0 when what was asked is done, or is under way with --detach or after Ctrl-C; with 1 when
it failed, was refused, stopped before its end, or differs, or when a dry run found something in
the way; with 2 when an option makes no sense; with 130 when a copy between accounts
or of a whole store was interrupted before its end.
`;
