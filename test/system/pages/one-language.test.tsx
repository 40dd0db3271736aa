import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { dateFormat, LANGUAGES, type Language } from "gangway-messenger/language";
import webchat from "gangway-webchat";
import { describe, expect, it } from "vitest";
import { AccountPage } from "../../../src/pages/account.tsx";
import { AddChannelPage } from "../../../src/pages/add-channel.tsx";
import { AllPage, RemovePage } from "../../../src/pages/asking.tsx";
import { ChannelPage } from "../../../src/pages/channel.tsx";
import { ConnectPage } from "../../../src/pages/connect.tsx";
import { CustomersPage, ErasePage, ReceiptPage } from "../../../src/pages/customers.tsx";
import { DisconnectPage } from "../../../src/pages/disconnect.tsx";
import { EntryPage } from "../../../src/pages/entry.tsx";
import { ErasedPage } from "../../../src/pages/erased.tsx";
import { GalleryPage } from "../../../src/pages/gallery.tsx";
import { HistoryPage } from "../../../src/pages/history.tsx";
import { LANGUAGE_NAMES, type Strings, strings } from "../../../src/pages/i18n/strings.ts";
import { LoginChoicesPage } from "../../../src/pages/login-choices.tsx";
import { MessagePage } from "../../../src/pages/message.tsx";
import { PreviewPage } from "../../../src/pages/preview.tsx";
import type {
  AccountProps,
  ChannelProps,
  HealthProps,
  StageProps,
  StoryProps,
  UndeliveredProps,
} from "../../../src/pages/props.ts";
import { RehearsalPage } from "../../../src/pages/rehearsal.tsx";
import { KeyPage, SettingsPage } from "../../../src/pages/settings.tsx";
import { SearchPage, StoryPage } from "../../../src/pages/stories.tsx";
import { SupportPage } from "../../../src/pages/support.tsx";
import { TestPage } from "../../../src/pages/testing.tsx";
import { TryPage } from "../../../src/pages/try-out.tsx";
import { UndeliveredPage } from "../../../src/pages/undelivered.tsx";

// Each text of the catalog stands between marks, and whatever users and other systems say is a number. What has
// letters and no marks was written into a page, in one language for all.

const DAY = new Date("2026-09-08T12:00:00Z");

type Text = string | ((values: never) => string);
const marked = <Texts extends object>(texts: Texts): Texts =>
  Object.fromEntries(
    Object.entries(texts).map(([key, text]: [string, Text | object]) => {
      if (text === "") return [key, text];
      if (typeof text === "string") return key === "language" ? [key, text] : [key, `⟦${text}⟧`];
      return [key, typeof text === "function" ? (values: never) => `⟦${text(values)}⟧` : marked(text)];
    }),
  ) as Texts;

const words = marked({ ...webchat.words });
const settings = webchat.settings.parse({ title: "1", greeting: "2", visitorKey: "3".repeat(43) });
const title = { en: "⟦⟧", es: "⟦⟧", ru: "⟦⟧" };
const health = (word: HealthProps["word"]): HealthProps => ({
  ...{
    word,
    failing: { failed: 1, ended: 2, since: 7 },
    waitsSince: 1,
    quietSince: 2,
    lastInboundAt: 3,
    lastOutboundAt: 4,
  },
  days: [{ day: DAY.toISOString().slice(0, 10), delivered: 1, failed: 2 }],
});
const channel = (state: string, word: HealthProps["word"], more: Partial<ChannelProps> = {}): ChannelProps => ({
  channel: { id: "1", kind: "2", name: "3", state, trouble: "4", settings },
  ...{ title, unsure: "hold", counts: { waiting: 1, done: 2, dead: 3, held: 4 }, health: health(word), hole: 5 },
  snippet: { line: "6", words: marked(webchat.snippet?.words ?? title) as never },
  ...{ link: "https://7", sites: [true, false].map((refused) => ({ origin: "8", at: 9, refused })) },
  standing: { at: 1, facts: [{ name: "1", value: "2", isBad: true }] },
  ...{ login: true, schema: webchat.settings, words, templates, ...more },
});
const { states, qualities, rejections, categories } = strings.en.templates;
const template = { name: "1", language: "2", category: "3" };
const templates = {
  rows: [
    ...(Object.keys(states) as (keyof typeof states)[]).map((status) => ({ ...template, status })),
    ...(Object.keys(qualities) as (keyof typeof qualities)[]).map((quality) => ({
      ...template,
      status: "approved" as const,
      quality,
    })),
    ...(Object.keys(rejections) as (keyof typeof rejections)[]).map((rejection) => ({
      ...template,
      status: "rejected" as const,
      rejection,
    })),
    { ...template, status: "approved" as const, unusable: "5" },
    ...Object.keys(categories).map((category) => ({ ...template, status: "approved" as const, category })),
  ],
  ...{ more: 1, at: 2, failed: { at: 3, error: "4" } },
};
const WORDS = Object.keys(strings.en.health.words) as HealthProps["word"][];
const account = (state: AccountProps["state"]): AccountProps => ({
  ...{ now: 1, crmUrl: "https://1", keyEnd: "2", state, trouble: "3" },
  channels: [
    ...WORDS.flatMap((word) => ["active", "paused", "stopped"].map((channelState) => channel(channelState, word))),
    channel("active", "working", { hole: -1, unreadable: true, sites: [] }),
    ...[{}, { at: 1 }].map((at) => channel("active", "new", { templates: { rows: [], more: 0, ...at } })),
  ],
  kinds: [kind],
});
const kind = {
  ...{ kind: "1", title, schema: webchat.settings, words },
  abilities: Object.keys(strings.en.abilities) as (keyof Strings["abilities"])[],
};
const undelivered = (state: "dead" | "held"): UndeliveredProps => ({
  filter: { state },
  rows: Object.keys(strings.en.undelivered.codes).flatMap((code) =>
    Object.keys(strings.en.undelivered.ways).map((direction) => ({
      ...{ id: 1, direction, state, code, error: "2", at: 3, channelName: "", chat: "4" },
    })),
  ),
  ...{ next: 1, fitting: 4, readAt: 1 },
  groups: Object.keys(strings.en.undelivered.codes).map((code) => ({
    code,
    channelId: "1",
    channelName: "2",
    count: 1,
  })),
});
const story = (state: StoryProps["state"], lateAt?: number): StoryProps => ({
  ...{ isMessage: true, lateAt, window: { until: 1, isOpen: lateAt === undefined } },
  ...{ id: 1, channelName: "2", customer: "3", direction: "outbound", state, words: "4", at: 5 },
  ...{ gatewayMessageId: "6", messengerMessageId: "7", parts: 2, attempts: 20, nextAt: 8, endedAt: 9, error: "10" },
  tries: Array.from({ length: 10 }, (_, at) => ({ at, error: "11" })),
  ack: { state: "refused", error: "12", tries: [{ at: 1, error: "12" }] },
  later: Object.keys(strings.en.stories.later).map((each) => ({
    at: 1,
    kind: each,
    direction: "inbound",
    state: "dead",
  })),
  acts: [{ at: 1, actor: "operator", action: "message sent again" }],
});

const STATES = ["working", "off", "frozen"] as const;

/** Every page, in each of its states. */
function pagesIn(t: Strings) {
  const frame = {
    ...{ t, moduleName: "0", path: "/", home: "/account", formToken: "0", timeZone: "Europe/Madrid" },
    crm: "https://1",
    visit: { ended: { dead: 1, held: 2 }, formToken: "0" },
  };
  const [first = channel("active", "new")] = account("working").channels;
  const faults = [...Object.keys(t.faults), "rights"].map((code) => ({ code, detail: "1", missing: ["2"] }));
  const scopes = Object.keys(t.checking.uses) as (keyof Strings["checking"]["uses"])[];
  const rights = scopes.flatMap((scope) =>
    [true, false].map((given) => ({ scope, given, required: scope.startsWith("integration") })),
  );
  const channelFaults = [
    ...Object.keys(t.channelFaults).map((code) => ({ code, detail: "1" })),
    ...Object.keys(t.settingFaults).map((rule) => ({ code: "setting", field: "title", rule, limit: 2 })),
  ];
  const typed = new URLSearchParams({ name: "1" });
  const messages = [
    ...(["noVisit", "loginOver", "loginFramed", "foreign"] as const),
    ...(["notFound", "tooMany", "tooLarge", "broken"] as const),
  ];
  const states = Object.keys(t.stories.states) as StoryProps["state"][];
  const person = { channelId: "1", chat: "2" };
  const found = { ...person, channelName: "", count: 1, lastAt: 2, words: "3" };
  const receipt = { messages: 1, files: 2, webhooks: 3, notes: 4, at: 5, backups: [6, 7] };
  const acts = Object.keys(t.history.actions).flatMap((action) =>
    (["account user", "operator", "crm"] as const).map((actor) => ({
      at: 1,
      actor,
      action,
      channelName: "2",
      count: 3,
    })),
  );
  const visits = [true, false].map((isThis) => ({ id: "1", startedAt: 2, usedAt: 3, isThis }));
  const preview = {
    steps: ["text", "image", "file", "audio"].map((each) => ({ kind: each, text: "1", files: ["2"], buttons: ["3"] })),
    losses: ["4"],
  };
  const tests = ["off", "frozen", "gateway", "stopped", "unreadable", "messenger", "wrong-key"];
  const hops = Object.keys(t.testing.hops) as (keyof Strings["testing"]["hops"])[];
  const tested = [
    ...hops.map((hop) => ({ hop })),
    ...tests.map((code) => ({ hop: hops[0] ?? "crm", fault: { code, detail: "1" } })),
  ];
  const [, ...silences] = [
    undefined,
    "unreadable",
    ...Object.keys(t.trace.silence),
  ] as (keyof Strings["trace"]["silence"])[];
  const names = Object.keys(t.trace.stages) as StageProps["stage"][];
  const faulty = ["off", "frozen", "stopped", "paused", "gateway", "messenger", "held", "dead", "refused"];
  const stages = names.flatMap((stage): StageProps[] => [
    ...faulty.map((code): StageProps => ({ stage, state: "failed", fault: { code, detail: "1", nextAt: 2 } })),
    { stage, state: "now" },
    { stage, state: "next" },
  ]);
  const doneStages = names.map((stage): StageProps => ({ stage, state: "done", at: 1 }));
  const offered = [
    { login: "1", name: "2", about: "3" },
    ...["active", "stopped"].map((state) => ({ login: "1", name: "2", channel: { id: "3", name: "4", state } })),
    { login: "1", name: "2", done: true as const, channel: { id: "3", name: "4", state: "active" } },
    ...channelFaults.map((fault) => ({ login: "1", name: "2", fault })),
  ];
  const kept = { settled: 1, dead: 2, journal: 5, audit: 7 };
  return {
    ConnectPage: [
      <ConnectPage {...frame} entered="" />,
      ...faults.map((fault) => <ConnectPage {...frame} entered="" crmUrl="https://1" fault={{ ...fault, rights }} />),
    ],
    AccountPage: [
      ...STATES.map((state) => <AccountPage {...frame} view={account(state)} />),
      <AccountPage {...frame} view={{ ...account("working"), channels: [] }} />,
    ],
    AddChannelPage: [
      <AddChannelPage {...frame} view={kind} />,
      <AddChannelPage {...frame} view={{ ...kind, login: true }} />,
      ...channelFaults.map((fault) => <AddChannelPage {...frame} view={kind} problem={{ fault, typed }} />),
    ],
    ChannelPage: [
      ...account("working").channels.map((view) => <ChannelPage {...frame} view={view} />),
      ...Object.keys(t.done).map((done) => <ChannelPage {...frame} view={first} done={done as "added"} />),
    ],
    GalleryPage: [<GalleryPage {...frame} view={account("working")} />],
    SettingsPage: [
      ...STATES.map((state) => <SettingsPage {...frame} view={account(state)} />),
      ...Object.keys(t.done).map((done) => (
        <SettingsPage {...frame} view={account("working")} done={done as "added"} />
      )),
    ],
    KeyPage: [<KeyPage {...frame} />, ...faults.map((fault) => <KeyPage {...frame} fault={{ ...fault, rights }} />)],
    UndeliveredPage: (["dead", "held"] as const).flatMap((state) => [
      <UndeliveredPage {...frame} view={undelivered(state)} />,
      <UndeliveredPage
        {...frame}
        view={{ ...undelivered(state), rows: [], fitting: 0, readAt: 1 }}
        done={{ what: "again", count: 0 }}
      />,
      <UndeliveredPage {...frame} view={undelivered(state)} done={{ what: "discard", count: 1, undo: 2 }} />,
    ]),
    CustomersPage: [
      <CustomersPage {...frame} text="1" found={[found]} />,
      <CustomersPage {...frame} text="1" found={[]} />,
    ],
    ErasePage: [<ErasePage {...frame} person={person} who="1" channelName="2" />],
    ReceiptPage: [true, false].flatMap((gone) =>
      [true, false].map((told) => (
        <ReceiptPage {...frame} receipt={{ ...receipt, gone }} told={{ crm: told, messengers: told }} />
      )),
    ),
    DisconnectPage: [<DisconnectPage {...frame} view={account("working")} retainDays={kept} />],
    AllPage: states.flatMap((state) =>
      state === "dead" || state === "held" ? [<AllPage {...frame} view={undelivered(state)} />] : [],
    ),
    RemovePage: [<RemovePage {...frame} channel={{ id: "1", name: "2" }} />],
    EntryPage: [
      <EntryPage
        {...frame}
        open={[{ page: "/1", crmUrl: "https://2" }]}
        requested={{ crmUrl: "https://3", formToken: "4" }}
      />,
    ],
    SupportPage: [<SupportPage {...frame} />],
    ErasedPage: [<ErasedPage {...frame} at={0} />, <ErasedPage {...frame} at={0} doneAt={1} />],
    HistoryPage: [
      <HistoryPage {...frame} view={{ acts, visits }} ended={true} />,
      <HistoryPage {...frame} view={{ acts: [], visits }} ended={false} />,
    ],
    LoginChoicesPage: [
      ...Object.keys(t.logins.faults).map((code) => (
        <LoginChoicesPage {...frame} view={kind} outcome={{ fault: { code, detail: "1" } }} />
      )),
      <LoginChoicesPage {...frame} view={kind} outcome={{ choices: offered }} isUnchosen />,
    ],
    MessagePage: messages.map((message) => <MessagePage {...frame} message={message} />),
    PreviewPage: [
      <PreviewPage
        {...frame}
        channel={first.channel}
        typed={{ text: "1", kind: "image", count: "2", size: "3", buttons: "4" }}
        preview={preview}
      />,
    ],
    SearchPage: [
      <SearchPage {...frame} />,
      <SearchPage {...frame} text="1" found={[]} />,
      <SearchPage {...frame} text="1" found={states.map(story)} />,
    ],
    StoryPage: [
      ...states.map((state) => <StoryPage {...frame} story={story(state)} />),
      <StoryPage {...frame} story={story("dead", 1)} />,
      <StoryPage {...frame} story={{ ...story("dropped"), isRestorable: true }} />,
    ],
    TestPage: [
      ...silences.map((why) => (
        <TestPage
          {...frame}
          crmUrl="https://1"
          view={first}
          test={{ since: 1, tested, stages, silence: { why, detail: "1", at: 2 } }}
        />
      )),
      <TestPage
        {...frame}
        crmUrl="https://1"
        view={first}
        test={{ since: 1, tested: [{ hop: "crm" }], stages: doneStages }}
      />,
    ],
    RehearsalPage: [
      <RehearsalPage {...frame} crmUrl="https://1" channel={first.channel} rehearsal={{ maxLength: 1, chat: [] }} />,
      ...(["empty", "too-long", "overload"] as const).map((code) => (
        <RehearsalPage
          {...frame}
          crmUrl="https://1"
          channel={first.channel}
          rehearsal={{ maxLength: 1, stages, chat: [{ from: "customer", text: "1", at: 2 }] }}
          problem={{ text: "1", code }}
        />
      )),
    ],
    TryPage: [<TryPage {...frame} channel={first.channel} line="" />],
  };
}

/** What a person sees or hears. Times, and what a script reads, are in no catalog. */
function saidOn(page: string): string[] {
  const plain = page.replace(/<(head|script|style|time)\b.*?<\/\1>/gs, (whole, tag) =>
    tag === "head" ? (/<title>.*?<\/title>/s.exec(whole)?.[0] ?? "") : "",
  );
  const attributes = [...plain.matchAll(/(?:aria-label|title|placeholder|alt)="([^"]*)"/g)].map(
    ([, text]) => text ?? "",
  );
  const inOneText = plain.replace(/<\/?strong>/g, "");
  const texts = inOneText.replace(/<(code|pre|textarea|kbd)\b.*?<\/\1>/gs, " ").split(/<[^>]*>/);
  return [...texts, ...attributes].map((text) => text.replaceAll("&#39;", "'"));
}

/** Names of languages, brands and units; the "and" of a list; dates. */
const COMMON = [...Object.values(LANGUAGE_NAMES), "https", "MB"];
const LIST: Record<Language, string> = { en: "and", es: "y|e", ru: "и" };

function unmarked(text: string, language: Language): string {
  let rest = text;
  for (let before = ""; before !== rest; ) {
    before = rest;
    rest = rest.replace(/⟦[^⟦⟧]*⟧/g, "");
  }
  rest = rest.replaceAll(dateFormat(language, { day: "numeric", month: "short" }).format(DAY), "");
  return rest.replace(new RegExp(`(?<!\\p{L})(?:${[...COMMON, LIST[language]].join("|")})(?!\\p{L})`, "gu"), "");
}

describe.each(LANGUAGES)("a page in %s", (language) => {
  it("has every text from that language's catalog, in each of its states", () => {
    for (const [name, pages] of Object.entries(pagesIn(marked(strings[language]))))
      for (const page of pages) {
        const foreign = saidOn(String(page)).map((text) => unmarked(text, language).trim());
        expect([...new Set(foreign.filter((text) => /\p{L}/u.test(text)))], name).toEqual([]);
      }
  });
});

it("no page is left out", () => {
  const folder = join(import.meta.dirname, "../../../src/pages");
  const sources = readdirSync(folder).filter((file) => file.endsWith(".tsx"));
  const pages = sources.flatMap((file) =>
    [...readFileSync(join(folder, file), "utf8").matchAll(/^export (?:function|const) ([A-Z]\w*Page)\b/gm)].map(
      ([, name]) => name,
    ),
  );
  expect(Object.keys(pagesIn(strings.en)).sort()).toEqual(pages.sort());
});
