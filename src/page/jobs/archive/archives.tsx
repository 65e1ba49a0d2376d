/** The archives that the server knows of, and one of them with its files and the restore. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { bytesText, counted, countText } from "../../../base/wording.ts";
import type {
  ArchiveAnswer,
  ArchiveEntry,
  ArchiveJobAnswer,
  ArchivesAnswer,
} from "../../../model/archiveJob.ts";
import { useAdmin, usePage } from "../../control/page.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { Link } from "../../parts/link.tsx";
import { AnswerHead, Panel } from "../../parts/panel.tsx";
import { Answered, Empty, Failed } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";
import { useTimes } from "../../parts/times.ts";
import { containerRoute } from "../../session/containerRoute.ts";
import type { AskFailure } from "../../session/server.ts";
import { Figure } from "../job/figure.tsx";
import { nameOf } from "../job/jobWords.ts";
import { ARCHIVES_PLACE, archivePlace, jobPlace, LIST_PLACE } from "../job/places.ts";
import { ARCHIVE_WORDS, whyNoRestore } from "./archiveWords.ts";

const LIST_SECONDS = 10;

export function ArchiveList(): VNode {
  const { answers } = usePage();
  const answer = useAdmin<ArchivesAnswer>("archives", LIST_SECONDS);
  return (
    <>
      <p class="small">
        <Link to={LIST_PLACE}>All jobs</Link>
      </p>
      {answer.value === undefined ? <h1 class="unseen">Archives</h1> : null}
      <Answered
        of={answer}
        loading="Reading the archives."
        onRetry={() => answers.urge("archives")}
      >
        {({ archives, directory }) => (
          <>
            <AnswerHead
              question="Jobs: which archives are there?"
              answer={
                archives.length === 0
                  ? "There is no archive."
                  : `${counted(archives.length, "archive")} with ${counted(
                      archives.reduce((sum, { itemCount }) => sum + itemCount, 0),
                      "item",
                    )}.`
              }
              more={directory === "" ? undefined : `They lie in ${directory}.`}
            />
            <Panel title="Archives" isBare>
              {archives.length === 0 ? (
                <Empty title="No archive yet.">
                  An archive takes whole old logical partitions out of a container, to files that
                  are read back before anything is deleted.
                </Empty>
              ) : (
                <Table archives={archives} />
              )}
            </Panel>
          </>
        )}
      </Answered>
    </>
  );
}

function Table({ archives }: Pick<ArchivesAnswer, "archives">): VNode {
  const range = useRange();
  return (
    <div class="scroll">
      <table>
        <caption class="unseen">Archives</caption>
        <thead>
          <tr>
            <th scope="col">Archive</th>
            <th scope="col">State</th>
            <th scope="col" class="number">
              Items
            </th>
            <th scope="col">Dates</th>
          </tr>
        </thead>
        <tbody>
          {archives.map((archive) => (
            <tr key={archive.folder}>
              <th scope="row">
                <Link to={archivePlace(archive.folder)}>{archive.folder}</Link>
                <br />
                <span class="small">{nameOf(archive)}</span>
              </th>
              <td>
                <Tag {...tagOf(archive)} />
              </td>
              <td class="number">{countText(archive.itemCount)}</td>
              <td>{range(archive)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function tagOf({ state }: ArchiveEntry): Parameters<typeof Tag>[0] {
  const { tone, word } = ARCHIVE_WORDS[state];
  return { tone, word };
}

function useRange(): (archive: Pick<ArchiveEntry, "dateMin" | "dateMax">) => string {
  const { dateText } = useTimes();
  return ({ dateMin, dateMax }) =>
    dateMin === undefined || dateMax === undefined
      ? "no dates"
      : `${dateText(dateMin)} to ${dateText(dateMax)}`;
}

export function ArchiveView({ folder }: { readonly folder: string }): VNode {
  const answer = useAdmin<ArchiveAnswer>(`archives/${encodeURIComponent(folder)}`, LIST_SECONDS);
  return (
    <>
      <p class="small">
        <Link to={LIST_PLACE}>All jobs</Link> · <Link to={ARCHIVES_PLACE}>All archives</Link>
      </p>
      {answer.value === undefined ? <h1 class="unseen">Archive {folder}</h1> : null}
      <Answered of={answer} loading="Reading the archive.">
        {(shown) => <Shown {...shown} />}
      </Answered>
    </>
  );
}

function Shown({ archive, files }: ArchiveAnswer): VNode {
  const range = useRange();
  const { dayText } = useTimes();
  return (
    <>
      <AnswerHead
        question={`Archive ${archive.folder} of ${nameOf(archive)}`}
        answer={ARCHIVE_WORDS[archive.state].says}
        more={`Made ${dayText(archive.madeAt)}.`}
        tools={<Restore archive={archive} />}
      />
      <Panel title="What is in it" beside={<Tag {...tagOf(archive)} />} isBare>
        <div class="panelText">
          <dl class="figures">
            <Figure name="Items">
              {counted(archive.itemCount, "item")} of{" "}
              {counted(archive.partitionCount, "logical partition")}
            </Figure>
            <Figure name="Size">
              {bytesText(archive.storedBytes)} in files, {bytesText(archive.rawBytes)} as lines
            </Figure>
            <Figure name="Dates">{range(archive)}</Figure>
          </dl>
        </div>
        <div class="scroll">
          <table>
            <caption class="unseen">Files of the archive</caption>
            <thead>
              <tr>
                <th scope="col">Key</th>
                <th scope="col">File</th>
                <th scope="col" class="number">
                  Items
                </th>
                <th scope="col">SHA-256</th>
              </tr>
            </thead>
            <tbody>
              {files.map(({ name, key, itemCount, sha256 }) => (
                <tr key={name}>
                  <th scope="row">
                    <code>{JSON.stringify(key)}</code>
                  </th>
                  <td>{name}</td>
                  <td class="number">{countText(itemCount)}</td>
                  <td>
                    <code title={sha256}>{sha256.slice(0, 12)}…</code>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </Panel>
    </>
  );
}

/** Asks once. Items that are there and differ are left alone, unless somebody says otherwise. */
function Restore({ archive }: { readonly archive: ArchiveEntry }): VNode {
  const { server, router, answers, announcer } = usePage();
  const [isAsking, setAsking] = useState(false);
  const [isOverwriting, setOverwriting] = useState(false);
  const [failure, setFailure] = useState<AskFailure | undefined>(undefined);
  const restore = async (): Promise<void> => {
    setAsking(false);
    const route = `${containerRoute(archive)}restore`;
    const body = { folder: archive.folder, overwrite: isOverwriting };
    const answer = await server.change<ArchiveJobAnswer>("POST", route, body);
    if (!answer.ok) {
      setFailure(answer.error);
      return;
    }
    announcer.say(`Job ${answer.value.job.id} restores the items.`);
    answers.urge("jobs");
    router.go(jobPlace(answer.value.job.id));
  };
  return (
    <>
      <Button kind="primary" onPress={() => setAsking(true)} whyNot={whyNoRestore(archive)}>
        Restore…
      </Button>
      {failure === undefined ? null : <Failed failure={failure} />}
      {isAsking ? (
        <Confirm
          title={`Restore ${archive.folder}?`}
          action={`Restore ${counted(archive.itemCount, "item")}`}
          onConfirm={() => void restore()}
          onClose={() => setAsking(false)}
        >
          <p>
            {counted(archive.itemCount, "item")} are written into {nameOf(archive)}. Every file is
            read whole before the first write; the archive stays. Restored items have no ttl of
            their own.
          </p>
          <p>
            <label class="check">
              <input
                type="checkbox"
                checked={isOverwriting}
                onChange={(event) => setOverwriting(event.currentTarget.checked)}
              />{" "}
              Replace items that are there and differ; otherwise they are left alone and listed
            </label>
          </p>
        </Confirm>
      ) : null}
    </>
  );
}
