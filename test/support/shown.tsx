import type { Language } from "gangway-messenger/language";
import webchat from "gangway-webchat";
import type { Right } from "../../src/domain/account.ts";
import { adapters } from "../../src/messengers.ts";
import { AccountPage } from "../../src/pages/account.tsx";
import { AddChannelPage } from "../../src/pages/add-channel.tsx";
import { AllPage, RemovePage } from "../../src/pages/asking.tsx";
import { ChannelPage } from "../../src/pages/channel.tsx";
import { ConnectPage } from "../../src/pages/connect.tsx";
import { CustomersPage, ErasePage, ReceiptPage } from "../../src/pages/customers.tsx";
import { DisconnectPage } from "../../src/pages/disconnect.tsx";
import { EntryPage } from "../../src/pages/entry.tsx";
import { GalleryPage } from "../../src/pages/gallery.tsx";
import { HistoryPage } from "../../src/pages/history.tsx";
import { strings } from "../../src/pages/i18n/strings.ts";
import { LoginChoicesPage } from "../../src/pages/login-choices.tsx";
import { MessagePage } from "../../src/pages/message.tsx";
import { PreviewPage } from "../../src/pages/preview.tsx";
import type {
  AccountProps,
  ChannelProps,
  FoundProps,
  HealthProps,
  HistoryProps,
  LiveTestProps,
  OfferedProps,
  ReceiptProps,
  RehearsalProps,
  StageProps,
  StoryProps,
  TemplatesProps,
  TestedProps,
  UndeliveredProps,
} from "../../src/pages/props.ts";
import { RehearsalPage } from "../../src/pages/rehearsal.tsx";
import { KeyPage, SettingsPage } from "../../src/pages/settings.tsx";
import { SearchPage, StoryPage } from "../../src/pages/stories.tsx";
import { TestPage } from "../../src/pages/testing.tsx";
import { TryPage } from "../../src/pages/try-out.tsx";
import { UndeliveredPage } from "../../src/pages/undelivered.tsx";

// Every page, with every element that it can have.

const health: HealthProps = {
  ...{ word: "stopped", lastInboundAt: 1_790_000_000_000, lastOutboundAt: 1_790_000_100_000 },
  days: Array.from({ length: 14 }, (_, n) => ({
    day: `2026-09-${String(n + 8).padStart(2, "0")}`,
    ...{ delivered: (n * 37) % 60, failed: n % 5 === 0 ? n : 0 },
  })),
};

/** An account page with every possible element. */
const eventful: AccountProps = {
  now: 1_790_000_200_000,
  crmUrl: "https://a-rather-long-shop-name-for-a-phone.retailcrm.ru",
  keyEnd: "x7Qp",
  state: "frozen",
  trouble: "the gateway refused the token",
  channels: [
    {
      channel: { id: "one", kind: "webchat", name: "Shop chat", state: "active", settings: {} },
      title: webchat.titles ?? webchat.title,
      health: { ...health, word: "slow", waitsSince: 1_790_000_000_000 },
      counts: { waiting: 3, done: 12_840, dead: 2, held: 1 },
      hole: 0,
      snippet: webchat.snippet && {
        line: webchat.snippet.html("https://gangway.example", "k".repeat(43)),
        words: webchat.snippet.words,
      },
      standing: {
        at: 1_790_000_000_000,
        facts: [
          { name: "Verified name", value: "A-rather-long-name-of-a-shop-for-a-phone-of-320-pixels" },
          { name: "Quality", value: "low: customers block or report its messages", isBad: true },
        ],
      },
      link: "https://t.me/a_rather_long_bot_name_bot",
      sites: [
        { origin: "https://copy.example", at: 1_790_000_000_000, refused: true },
        { origin: "https://a-rather-long-shop-name-for-a-phone.example", at: 1_790_000_000_000, refused: false },
      ],
      schema: webchat.settings,
      words: webchat.words,
    },
    {
      channel: {
        id: "two",
        kind: "webchat",
        name: "Second",
        state: "stopped",
        trouble: "the token was refused",
        settings: {},
      },
      title: webchat.titles ?? webchat.title,
      health,
      counts: { waiting: 0, done: 0, dead: 0, held: 0 },
      hole: 0,
      schema: webchat.settings,
      words: webchat.words,
    },
  ],
  kinds: [
    {
      kind: "webchat",
      title: "Web chat",
      schema: webchat.settings,
      words: webchat.words,
      abilities: ["text", "image"],
    },
  ],
};

const failures: UndeliveredProps = {
  filter: { state: "held" },
  rows: [
    {
      id: 3,
      direction: "outbound",
      state: "held",
      code: "general",
      error: "timeout",
      at: 1_790_000_000_000,
      channelName: "Shop chat",
      chat: "4711",
      customer: "Ann Example",
      words: "Is the blue rope still in stock? I need twelve metres of it by Friday, if that is at all",
    },
    {
      id: 2,
      direction: "outbound",
      state: "dead",
      code: "reply_timed_out",
      error: "messenger answered 403: the window is closed",
      at: 1_790_000_000_000,
      channelName: "Shop chat",
    },
    {
      id: 1,
      direction: "inbound",
      state: "dead",
      code: "general",
      error: "the channel was removed",
      at: 1_789_000_000_000,
      channelName: "",
    },
  ],
  next: 1,
  fitting: 3,
  readAt: 1,
  groups: [
    { code: "general", channelId: "one", channelName: "Shop chat", count: 2 },
    { code: "customer_not_exists", channelId: "one", channelName: "Shop chat", count: 1 },
  ],
};

const found: FoundProps[] = [
  {
    ...{ channelId: "one", channelName: "Shop chat", chat: "4711", customer: "4711", name: "Ann Example" },
    ...{
      count: 12,
      lastAt: 1_790_000_000_000,
      words: "Is the blue rope still in stock? I need twelve metres of it by",
    },
  },
  { channelId: "two", channelName: "", chat: "a-chat-id-that-is-forty-characters-long-", count: 1, lastAt: 0 },
];
const receipt: ReceiptProps = {
  ...{ messages: 21, files: 1, webhooks: 2, notes: 0, gone: false },
  ...{ at: 1_790_000_000_000, backups: [1_789_000_000_000, 1_788_000_000_000] },
};

const past: HistoryProps = {
  acts: [
    { at: 1_790_000_000_000, actor: "account user", action: "message sent again", channelName: "Shop chat", count: 12 },
    { at: 1_789_000_000_000, actor: "crm", action: "account moved", channelName: "", count: 1 },
    { at: 1_788_000_000_000, actor: "operator", action: "something of a later version", channelName: "", count: 1 },
  ],
  visits: [
    { id: "a", startedAt: 1_790_000_000_000, usedAt: 1_790_000_000_000, browser: "Firefox, Windows", isThis: true },
    { id: "b", startedAt: 0, usedAt: 1_790_000_000_000, isThis: false },
    { id: "c", startedAt: 1, usedAt: 1_790_000_000_000, browser: "Safari, iPhone", isThis: false },
  ],
};

const story: StoryProps = {
  window: { until: Date.UTC(2026, 0, 2), isOpen: true },
  ...{ id: 7, channelName: "Shop chat", chat: "4711", customer: "Ann Example", direction: "outbound", state: "dead" },
  ...{ words: "Is the blue rope still in stock? I need twelve metres of it by", at: 1_790_000_000_000 },
  ...{
    isMessage: true,
    gatewayMessageId: "511523111",
    messengerMessageId: "a-message-id-that-is-forty-characters-lo",
    parts: 2,
  },
  attempts: 14,
  tries: Array.from({ length: 10 }, (_, n) => ({
    at: 1_790_000_000_000 + n * 60_000,
    error: "messenger answered 502",
  })),
  ...{ endedAt: 1_790_000_900_000, error: "messenger answered 502" },
  ack: { state: "refused", error: "gateway answered 400: Message not found", tries: [] },
  later: [{ at: 1_790_001_000_000, kind: "edited", direction: "outbound", state: "dead" }],
  acts: [],
};

const tested: TestedProps = [
  { hop: "crm" },
  { hop: "gateway", fault: { code: "gateway", detail: "gateway: refused (203.0.113.7:443)" } },
  { hop: "messenger", fault: { code: "wrong-key", detail: "" } },
];

/** Every state of a stage, and every reason that has a remedy. */
const stages: StageProps[] = [
  { stage: "stored", state: "done", at: 1_790_000_000_000 },
  {
    ...{ stage: "handed", state: "failed" },
    fault: { code: "gateway", detail: "gateway: refused (203.0.113.7:443)", nextAt: 1_790_000_060_000 },
  },
  { stage: "answered", state: "now" },
  { stage: "sent", state: "failed", fault: { code: "dead", detail: "the customer has blocked the bot" } },
  { stage: "told", state: "next" },
];
const isDone = (stage: StageProps): StageProps => ({ stage: stage.stage, state: "done", at: 1_790_000_000_000 });
const silent: LiveTestProps = {
  ...{ since: 1_790_000_000_000, tested },
  silence: { why: "troubled", detail: "somebody has removed the webhook" },
  stages: stages.map(({ stage }, n) => ({ stage, state: n === 0 ? "now" : "next" })),
};
const rehearsal: RehearsalProps = {
  maxLength: 4096,
  stages,
  chat: [
    { from: "customer", text: "Hello! Is the blue rope still in stock?", at: 1_790_000_000_000 },
    { from: "agent", text: "It is.\nThat is twelve metres.", author: "Ann Example", at: 1_790_000_060_000 },
  ],
};

const rows: TemplatesProps["rows"] = [
  { name: "order_ready", language: "es_MX", category: "UTILITY", status: "approved", quality: "high" },
  { name: "a_template_with_a_name_as_long_as_the_messenger_allows", language: "en", category: "x", status: "pending" },
  { name: "spring", language: "xx_unknown", category: "marketing", status: "rejected", rejection: "invalid_format" },
  {
    ...{ name: "summer", language: "en_GB", category: "marketing", status: "approved" },
    unusable: "the CRM's chats cannot fill in the code that its button copies",
  },
  { name: "autumn", language: "pt_BR", category: "marketing", status: "paused", quality: "low" },
  { name: "winter", language: "ru", category: "authentication", status: "disabled", quality: "pending" },
];

/** One messenger in each state, and many of them. */
const [one, two] = eventful.channels as [ChannelProps, ChannelProps];
const well: ChannelProps = { ...one, health: { ...health, word: "working" } };
const long = Array.from({ length: 14 }, (_, n) => {
  const like = n === 11 ? one : n === 12 ? two : well;
  return { ...like, channel: { ...like.channel, id: `channel-${n}`, name: `Shop chat ${n}` } };
});
const failing: ChannelProps = {
  ...one,
  health: { ...health, word: "failing", failing: { failed: 200, ended: 210, since: 1_790_000_000_000 } },
};
const inState = (state: "paused" | "stopped", more: Partial<ChannelProps> = {}): ChannelProps => ({
  ...one,
  channel: { ...one.channel, state, trouble: state === "stopped" ? "the token was refused" : undefined },
  health: { ...health, word: state },
  ...more,
});
const telegram = adapters.find(({ kind }) => kind === "telegram") ?? webchat;
const adding = { kind: telegram.kind, title: telegram.title, schema: telegram.settings, words: telegram.words };
const typed = new URLSearchParams({ name: "Shop bot", "setting.token": "" });
const tokenRefused = { code: "setting", field: "token", message: "Telegram does not recognise this token" };

const offered: OfferedProps[] = [
  { login: "1", name: "Quay & Co.", about: "+34 600 000 000" },
  {
    login: "2",
    name: "A-rather-long-name-of-a-shop-for-a-phone-of-320-pixels",
    about: "@a_rather_long_name",
    fault: { code: "taken" },
  },
  { login: "3", name: "Quay Madrid", channel: { id: "two", name: "Second", state: "stopped" } },
  { login: "4", name: "Quay Lisboa", channel: { id: "one", name: "Shop chat", state: "active" } },
  { login: "5", name: "Quay Porto", done: true, channel: { id: "one", name: "Quay Porto", state: "active" } },
];

const open = { entered: "https://one.retailcrm.ru" };
const rights: Right[] = [
  { scope: "integration_read", given: true, required: true },
  { scope: "integration_write", given: false, required: true },
  { scope: "settings_read", given: true, required: false },
  { scope: "notification_write", given: false, required: false },
];

/** The HTML of a page. */
export const shownPage = (shown: string, language: Language): string => String(pagesIn(language)[shown]);

function pagesIn(language: Language): Record<string, unknown> {
  const frame = {
    ...{ t: strings[language], moduleName: "Gangway", path: "/account", home: "/account", formToken: "t" },
    crm: eventful.crmUrl,
    visit: { ended: { held: 1, dead: 2 }, formToken: "t" },
  };
  /** The frame of a page below the account's. */
  const at = (path: string) => ({ ...frame, path: `/account${path}` });
  /** Of a page that belongs to no open account. */
  const apart = { ...frame, path: "/", crm: undefined, visit: undefined };
  const aside = { crmUrl: eventful.crmUrl, timeZone: "Europe/Madrid" };
  const retainDays = { settled: 7, dead: 90, journal: 365, audit: 730 };
  const asked = { crmUrl: "https://two.retailcrm.ru", formToken: "t" };
  return {
    connect: <ConnectPage {...apart} {...open} />,
    "connect-refused": <ConnectPage {...apart} {...open} fault={{ code: "wrong-key" }} />,
    "connect-rights": (
      <ConnectPage
        {...apart}
        {...open}
        crmUrl={open.entered}
        fault={{ code: "rights", missing: ["integration_write"], rights }}
      />
    ),
    adding: <AddChannelPage {...at("/add/telegram")} view={{ ...adding, unsure: "resend", abilities: [] }} />,
    "adding-refused": (
      <AddChannelPage
        {...at("/add/telegram")}
        view={{ ...adding, unsure: "resend", abilities: [] }}
        problem={{ fault: tokenRefused, typed }}
      />
    ),
    "adding-login": (
      <AddChannelPage {...at("/add/telegram")} view={{ ...adding, unsure: "resend", abilities: [], login: true }} />
    ),
    "login-choices": (
      <LoginChoicesPage
        {...at("/add/telegram")}
        view={{ ...adding, abilities: [], login: true }}
        outcome={{ choices: offered }}
        isUnchosen
      />
    ),
    "login-refused": (
      <LoginChoicesPage
        {...at("/add/telegram")}
        view={{ ...adding, abilities: [], login: true }}
        outcome={{ fault: { code: "refused", detail: "The app is in development mode" } }}
      />
    ),
    "account-new": <AccountPage {...frame} view={{ ...eventful, channels: [] }} />,
    "account-long": <AccountPage {...frame} view={{ ...eventful, channels: long }} />,
    "channel-paused": <ChannelPage {...at("/channels/one")} view={inState("paused")} />,
    "channel-stopped": (
      <ChannelPage {...at("/channels/one")} view={inState("stopped", { hole: 2, unreadable: true })} />
    ),
    "channel-failing": <ChannelPage {...at("/channels/one")} view={failing} />,
    "channel-refused": (
      <ChannelPage
        {...at("/channels/one")}
        view={one}
        problem={{ fault: { code: "name" }, typed: new URLSearchParams({ name: "" }) }}
      />
    ),
    account: <AccountPage {...frame} view={eventful} />,
    templates: (
      <ChannelPage
        {...at("/channels/one")}
        view={{
          ...well,
          templates: {
            ...{ rows, more: 3, at: 1_790_000_000_000 },
            failed: { at: 1_790_000_100_000, error: "gateway answered 502" },
          },
        }}
        done="synchronising"
      />
    ),
    "templates-none": (
      <ChannelPage
        {...at("/channels/one")}
        view={{ ...well, templates: { rows: [], more: 0, at: 1 } }}
        done="synchronised"
      />
    ),
    channel: <ChannelPage {...at("/channels/one")} view={{ ...one, login: true }} done="added" />,
    undelivered: <UndeliveredPage {...at("/undelivered")} view={failures} done={{ what: "again", count: 2 }} />,
    discarded: (
      <UndeliveredPage
        {...at("/undelivered")}
        view={{ ...failures, filter: { state: "dead" } }}
        done={{ what: "discard", count: 2, undo: 1 }}
      />
    ),
    all: <AllPage {...at("/undelivered/all")} view={{ ...failures, filter: { state: "dead" } }} />,
    remove: <RemovePage {...at("/channels/one/remove")} channel={one.channel} />,
    entry: (
      <EntryPage {...apart} open={[{ page: "/account/one", crmUrl: "https://one.retailcrm.ru" }]} requested={asked} />
    ),
    preview: (
      <PreviewPage
        {...at("/channels/one/preview")}
        channel={one.channel}
        typed={{ text: "Hello", kind: "image", count: "2", size: "1", buttons: "Yes" }}
        preview={{ steps: [{ kind: "text", text: "Hello", files: ["a.png"], buttons: ["Yes"] }], losses: ["lost"] }}
      />
    ),
    message: <MessagePage {...apart} message="noVisit" />,
    "message-open": <MessagePage {...at("/no-such-page")} message="notFound" />,
    gallery: <GalleryPage {...at("/add")} view={eventful} />,
    settings: <SettingsPage {...at("/settings")} view={eventful} done="reconnected" />,
    "settings-working": <SettingsPage {...at("/settings")} view={{ ...eventful, state: "working" }} />,
    key: <KeyPage {...at("/key")} />,
    "key-refused": <KeyPage {...at("/key")} fault={{ code: "rights", missing: ["integration_write"], rights }} />,
    disconnect: <DisconnectPage {...at("/disconnect")} view={eventful} retainDays={retainDays} />,
    customers: <CustomersPage {...at("/customers")} text="Ann" found={found} />,
    erase: (
      <ErasePage
        {...at("/customers/erase")}
        person={{ channelId: "one", chat: "4711" }}
        who="Ann Example"
        channelName="Shop chat"
      />
    ),
    history: <HistoryPage {...at("/history")} view={past} ended={true} />,
    search: (
      <SearchPage {...at("/messages")} text="Ann" found={[story, { ...story, state: "done", words: undefined }]} />
    ),
    story: <StoryPage {...at("/messages/7")} story={story} />,
    tested: (
      <TestPage
        {...at("/channels/one/test")}
        {...aside}
        view={one}
        test={{ since: 1_790_000_000_000, tested, stages }}
      />
    ),
    silent: (
      <TestPage
        {...at("/channels/one/test")}
        {...aside}
        view={{ channel: one.channel, link: one.link }}
        test={silent}
      />
    ),
    whole: (
      <TestPage {...at("/channels/one/test")} {...aside} view={one} test={{ since: 0, stages: stages.map(isDone) }} />
    ),
    rehearsal: (
      <RehearsalPage {...at("/channels/one/rehearsal")} {...aside} channel={one.channel} rehearsal={rehearsal} />
    ),
    "rehearsal-first": (
      <RehearsalPage
        {...at("/channels/one/rehearsal")}
        {...aside}
        channel={one.channel}
        rehearsal={{ maxLength: 4096, chat: [] }}
        problem={{ text: "", code: "empty" }}
      />
    ),
    tryOut: <TryPage {...at("/channels/one/try")} channel={one.channel} line="" />,
    receipt: <ReceiptPage {...at("/customers/erase")} receipt={receipt} told={{ crm: false, messengers: false }} />,
  };
}

export const SHOWN = Object.keys(pagesIn("en"));
