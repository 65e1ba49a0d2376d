/**
 * How programs connect: the endpoint, the connection string, and a few lines for each language. The
 * key is masked, and fetched only when somebody wants to see or copy it.
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { KeysAnswer } from "../../protocol/admin.ts";
import { usePage, useParameter } from "../control/page.ts";
import { Button } from "../parts/button.tsx";
import { CodeRow } from "../parts/codeBox.tsx";
import { CopyButton } from "../parts/copyButton.tsx";
import { Panel } from "../parts/panel.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { connectionString, MASK, snippetsFor } from "./snippets.ts";

export function ConnectionPanel(): VNode {
  const { server, entrance, announcer } = usePage();
  const { session } = entrance;
  const [key, setKey] = useState<string | undefined>(undefined);
  const endpoint = (session?.publicEndpoint ?? location.origin).replace(/\/$/, "");
  const fetchKey = async (): Promise<string | undefined> => {
    const answer = await server.admin<KeysAnswer>("keys");
    if (answer.ok) return answer.value.keys.find(({ name }) => name === "primary")?.key;
    announcer.warn(answer.error.message);
    return undefined;
  };
  const copied = (textOf: (key: string) => string) => async (): Promise<string | undefined> => {
    const fetched = await fetchKey();
    return fetched === undefined ? undefined : textOf(fetched);
  };
  const maySee = session?.isReadOnly !== true;
  const shownKey = key ?? MASK;
  return (
    <Panel title="Connect a program">
      <CodeRow isLabel about="Endpoint" code={endpoint}>
        <CopyButton text={endpoint} what="the endpoint" />
      </CodeRow>
      <CodeRow isLabel about="Connection string" code={connectionString(endpoint, shownKey)}>
        {maySee ? (
          <CopyButton
            text={copied((fetched) => connectionString(endpoint, fetched))}
            what="the connection string"
          />
        ) : null}
      </CodeRow>
      {maySee ? (
        <p>
          <Button
            isPressed={key !== undefined}
            onPress={() => {
              if (key !== undefined) setKey(undefined);
              else void fetchKey().then(setKey);
            }}
          >
            {key === undefined ? "Show the key" : "Hide the key"}
          </Button>
        </p>
      ) : (
        <p class="small">Account keys are shown only to who came with one that may write.</p>
      )}
      <Languages endpoint={endpoint} shownKey={shownKey} copied={maySee ? copied : undefined} />
    </Panel>
  );
}

interface LanguagesProps {
  readonly endpoint: string;
  readonly shownKey: string;
  /** Absent when the session may not see keys. */
  readonly copied:
    | ((textOf: (key: string) => string) => () => Promise<string | undefined>)
    | undefined;
}

function Languages({ endpoint, shownKey, copied }: LanguagesProps): VNode {
  const snippets = snippetsFor(endpoint, shownKey);
  const [language, setLanguage] = useParameter("language", snippets[0]!.language);
  const picked = snippets.find((each) => each.language === language) ?? snippets[0]!;
  const codeWith = (key: string): string =>
    snippetsFor(endpoint, key).find((each) => each.language === picked.language)!.code;
  return (
    <Tabs
      label="Languages"
      tabs={snippets.map(({ language: id }) => ({ id, title: id }))}
      picked={picked.language}
      onPick={setLanguage}
    >
      <CodeRow isLabel about={picked.package} code={picked.code}>
        <CopyButton
          text={copied === undefined ? picked.code : copied(codeWith)}
          what={`the lines for ${picked.language}`}
        />
      </CodeRow>
    </Tabs>
  );
}
