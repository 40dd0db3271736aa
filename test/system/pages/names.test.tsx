import { textOf } from "gangway-sandbox/demo/page-text";
import { describe, expect, it } from "vitest";
import { CustomersPage, ErasePage } from "../../../src/pages/customers.tsx";
import { DisconnectPage } from "../../../src/pages/disconnect.tsx";
import { EntryPage } from "../../../src/pages/entry.tsx";
import { HistoryPage } from "../../../src/pages/history.tsx";
import { strings } from "../../../src/pages/i18n/strings.ts";
import { PreviewPage } from "../../../src/pages/preview.tsx";
import type { AccountProps, StoryProps } from "../../../src/pages/props.ts";
import { RehearsalPage } from "../../../src/pages/rehearsal.tsx";
import { SearchPage, StoryPage } from "../../../src/pages/stories.tsx";
import { TestPage } from "../../../src/pages/testing.tsx";
import { TryPage } from "../../../src/pages/try-out.tsx";
import { anatomy } from "./anatomy.ts";
import { ODD_NAMES, PAYLOADS } from "./payloads.ts";

const retainDays = { settled: 7, dead: 90, journal: 365, audit: 730 };

/** The pages that name people, chats, messengers or errors, with this name for each. */
function pagesWith(name: string): Record<string, string> {
  const frame = { t: strings.en, moduleName: name, path: "/account", home: "/account", formToken: "t" };
  const channel = { id: "one", kind: "webchat", state: "active", settings: {}, name };
  const story: StoryProps = {
    ...{ id: 7, channelName: name, chat: name, customer: name, words: name, direction: "outbound", state: "dead" },
    ...{ isMessage: true, at: 1, endedAt: 3, parts: 1, attempts: 1, gatewayMessageId: name, messengerMessageId: name },
    ...{ error: name, tries: [{ at: 1, error: name }], acts: [{ at: 2, actor: "operator", action: name }] },
    ack: { state: "refused", error: name, tries: [{ at: 1, error: name }] },
    later: [{ at: 5, kind: name, direction: "inbound", state: "done" }],
  };
  const found = {
    channelId: name,
    channelName: name,
    chat: name,
    customer: name,
    name,
    count: 1,
    lastAt: 0,
    words: name,
  };
  const act = { at: 1, actor: "operator" as const, action: name, channelName: name, count: 1 };
  const visit = { id: name, startedAt: 1, usedAt: 1, browser: name, isThis: false };
  const view = { crmUrl: `https://${name}`, channels: [{ channel, counts: { waiting: 1, held: 0 } }] };
  const steps = [{ kind: "text" as const, text: name, files: [name], buttons: [name] }];
  const typed = { text: name, kind: "image", count: "1", size: "1", buttons: name };
  const pages = {
    customers: <CustomersPage {...frame} text={name} found={[found]} />,
    nobody: <CustomersPage {...frame} text={name} found={[]} />,
    erase: (
      <ErasePage {...frame} person={{ channelId: name, chat: name, customer: name }} who={name} channelName={name} />
    ),
    search: <SearchPage {...frame} text={name} found={[story]} />,
    story: <StoryPage {...frame} story={story} />,
    history: <HistoryPage {...frame} view={{ acts: [act], visits: [visit] }} ended={false} />,
    disconnect: <DisconnectPage {...frame} view={view as unknown as AccountProps} retainDays={retainDays} />,
    entry: (
      <EntryPage
        {...frame}
        open={[{ page: "/account/one", crmUrl: name }]}
        requested={{ crmUrl: name, formToken: "t" }}
      />
    ),
    preview: <PreviewPage {...frame} channel={channel} typed={typed} preview={{ steps, losses: [name] }} />,
    tested: (
      <TestPage
        {...frame}
        view={{ channel }}
        test={{ since: 0, stages: [], tested: [{ hop: "crm", fault: { code: "refused-because", detail: name } }] }}
        crmUrl="https://one"
      />
    ),
    rehearsal: (
      <RehearsalPage
        {...frame}
        channel={channel}
        rehearsal={{ chat: [{ from: "agent", text: name, author: name, at: 1 }], maxLength: 9 }}
        problem={{ text: name, code: "empty" }}
        crmUrl="https://one"
      />
    ),
    tryOut: <TryPage {...frame} channel={channel} line="" />,
  };
  return Object.fromEntries(Object.entries(pages).map(([page, body]) => [page, String(body)]));
}

describe("a name of people, chats, messengers or the module", () => {
  it.each([...PAYLOADS, ...ODD_NAMES])("changes nothing but the text of a page: %j", (name) => {
    const plain = pagesWith("x".repeat(name.length));
    for (const [page, body] of Object.entries(pagesWith(name))) {
      expect(anatomy(body), page).toBe(anatomy(plain[page] ?? ""));
      expect(body).not.toMatch(/(href|src|action)="\s*(javascript|data):/i);
      expect(textOf(body), page).toContain(name);
    }
  });
});
