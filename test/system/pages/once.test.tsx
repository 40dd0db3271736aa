import { describe, expect, it } from "vitest";
import { AccountPage } from "../../../src/pages/account.tsx";
import { AddChannelPage } from "../../../src/pages/add-channel.tsx";
import { ChannelPage } from "../../../src/pages/channel.tsx";
import { ConnectPage } from "../../../src/pages/connect.tsx";
import { strings } from "../../../src/pages/i18n/strings.ts";
import type { AccountProps, ChannelProps, LiveTestProps } from "../../../src/pages/props.ts";
import { TestPage } from "../../../src/pages/testing.tsx";
import { letters } from "../contract/toy/letters.ts";

const t = strings.en;
const frame = { t, moduleName: "Gangway", path: "/", home: "/account", formToken: "t" };
const view: ChannelProps = {
  channel: { id: "one", kind: "toy", name: "Shop", state: "active", settings: {} },
  ...{ title: letters.title, schema: letters.settings, words: letters.words, hole: 0 },
  counts: { waiting: 0, done: 0, dead: 0, held: 0 },
  health: { word: "working", days: [] },
};
const REASON = "this token belongs to another bot";
const stopped: ChannelProps["channel"] = { ...view.channel, state: "stopped", trouble: REASON };
const times = (page: unknown, text: string) => String(page).replaceAll("&#39;", "'").split(text).length - 1;

describe("an error stands once on a page", () => {
  it("of the form that connects an account", () => {
    const page = <ConnectPage {...frame} entered="shop" fault={{ code: "address-form" }} />;
    expect(times(page, t.faults["address-form"])).toBe(1);
  });

  it("of a new messenger's form", () => {
    const fault = { code: "setting", field: "secret", message: REASON };
    const typed = new URLSearchParams();
    const page = (
      <AddChannelPage {...frame} view={{ ...view, kind: "toy", abilities: [] }} problem={{ fault, typed }} />
    );
    expect(times(page, "This token belongs to another bot")).toBe(1);
  });

  it("of a messenger that was tried again in vain: the newer one", () => {
    const problem = { fault: { code: "messenger", detail: REASON }, typed: new URLSearchParams() };
    const page = <ChannelPage {...frame} view={{ ...view, channel: stopped }} problem={problem} />;
    expect(times(page, REASON)).toBe(1);
    expect(times(page, "The messenger refused the connection: ")).toBe(1);
    expect(times(page, 'channels/one/resume"')).toBe(1);
  });

  it("of an account that is off, above its messengers", () => {
    const channels = ["one", "two"].map(
      (id): ChannelProps => ({
        ...{ ...view, channel: { ...view.channel, id }, health: { word: "off", days: [] } },
      }),
    );
    const account: AccountProps = { now: 1, crmUrl: "https://1", keyEnd: "2", state: "off", channels, kinds: [] };
    const page = <AccountPage {...frame} view={account} />;
    expect(times(page, t.health.hints.off)).toBe(0);
    expect(times(page, t.account.stateHint.off)).toBe(1);
    expect(times(<ChannelPage {...frame} view={channels[0] ?? view} />, t.health.hints.off)).toBe(1);
  });

  it("of a test, whatever it keeps from working", () => {
    const fault = { code: "messenger" as const, detail: REASON };
    const test: LiveTestProps = {
      ...{ since: 1, stages: [], silence: { why: "troubled", detail: REASON } },
      tested: [
        { hop: "channel", fault },
        { hop: "messenger", fault },
      ],
    };
    const page = <TestPage {...frame} view={view} test={test} crmUrl="https://1" />;
    expect(times(page, REASON)).toBe(1);
    expect(times(page, t.testing.failed)).toBe(2);
    expect(times(<TestPage {...frame} view={view} test={{ ...test, tested: [] }} crmUrl="https://1" />, REASON)).toBe(
      1,
    );
  });
});
