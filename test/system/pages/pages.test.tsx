import { describe, expect, it } from "vitest";
import { z } from "zod";
import { AccountPage } from "../../../src/pages/account.tsx";
import { AddChannelPage } from "../../../src/pages/add-channel.tsx";
import { ChannelPage } from "../../../src/pages/channel.tsx";
import { ConnectPage } from "../../../src/pages/connect.tsx";
import { DisconnectPage } from "../../../src/pages/disconnect.tsx";
import { GalleryPage } from "../../../src/pages/gallery.tsx";
import { strings } from "../../../src/pages/i18n/strings.ts";
import { MessagePage } from "../../../src/pages/message.tsx";
import type {
  AccountProps,
  ChannelProps,
  Fault,
  KindProps,
  Problem,
  UndeliveredProps,
} from "../../../src/pages/props.ts";
import { KeyPage, SettingsPage } from "../../../src/pages/settings.tsx";
import { UndeliveredPage } from "../../../src/pages/undelivered.tsx";
import { inAll } from "../../support/words.ts";
import { anatomy } from "./anatomy.ts";
import { ODD_NAMES, PAYLOADS } from "./payloads.ts";

const schema = z.object({
  line: z.string().max(60),
  text: z.string().max(500).optional(),
  sites: z.array(z.string()).default([]),
  loud: z.boolean().default(false),
  mood: z.enum(["calm", "loud"]).default("calm"),
  accent: z
    .string()
    .regex(/^#[0-9a-f]{6}$/)
    .default("#112233"),
  most: z.number().int().default(3),
  token: z.string().min(5).meta({ secret: true }),
  hiddenKey: z.string().default("k").meta({ hidden: true }),
});
const words = inAll({ token: { label: "Bot token" }, mood: { label: "Mood", choices: { calm: "Calm & quiet" } } });
const frame = { t: strings.en, moduleName: "Gangway", path: "/", home: "/account" };
const SECRET = "a-secret-that-is-stored";

/** An account with `text` in every field that users or other systems control. */
function accountOf(text: string, hole = 0) {
  const settings = { line: text, text, sites: [text, text], mood: text, token: SECRET, hiddenKey: SECRET };
  const channel: ChannelProps = {
    channel: { id: text, kind: "toy", name: text, state: "stopped", trouble: text, settings },
    title: text,
    health: { word: "working", days: [] },
    counts: { waiting: 1, done: 2, dead: 3, held: 4 },
    hole,
    snippet: { line: text, words: inAll({ label: text, hint: text }) },
    link: `https://${text}`,
    schema,
    words,
  };
  const kind: KindProps = { kind: text, title: text, schema, words, abilities: ["text", "image"] };
  const crmUrl = `https://${text}`;
  const view: AccountProps = {
    ...{ now: 1, crmUrl, keyEnd: text.slice(-4), state: "frozen", trouble: text },
    channels: [channel],
    kinds: [kind],
  };
  const common = {
    ...{ t: strings.en, path: "/account", home: "/account", moduleName: text, formToken: "form-token" },
    crm: crmUrl,
    visit: { ended: { dead: 2, held: 1 }, formToken: "form-token" },
  };
  return { view, channel, kind, common };
}

function accountPage(text: string, more: Partial<Parameters<typeof AccountPage>[0]> = {}, hole = 0): string {
  const { view, common } = accountOf(text, hole);
  return String(<AccountPage {...common} view={view} {...more} />);
}

function channelPage(text: string, problem?: Problem): string {
  const { channel, common } = accountOf(text);
  return String(<ChannelPage {...common} view={channel} problem={problem} />);
}

function addingPage(text: string, problem?: Problem): string {
  const { kind, common } = accountOf(text);
  return String(<AddChannelPage {...common} view={kind} problem={problem} />);
}

function galleryPage(text: string): string {
  const { view, common } = accountOf(text);
  return String(<GalleryPage {...common} view={view} />);
}

function settingsPage(text: string): string {
  const { view, common } = accountOf(text);
  return String(<SettingsPage {...common} view={view} />);
}

function keyPage(text: string): string {
  const { common } = accountOf(text);
  return String(<KeyPage {...common} fault={{ code: "rights", missing: [text] }} />);
}

/** A list of undelivered messages, likewise. */
function undeliveredPage(text: string): string {
  const ofBoth = { direction: "outbound", code: text, error: text, at: 0, chat: text, customer: text, words: text };
  const list = (state: "dead" | "held"): UndeliveredProps => ({
    filter: { state, channelId: text, code: text },
    rows: [
      { ...ofBoth, id: 7, state, channelName: text },
      { ...ofBoth, id: 8, state, channelName: "", direction: text, customer: undefined, isPlain: true },
    ],
    next: 7,
    fitting: 2,
    readAt: 1,
    groups: [1, 2].map((count) => ({ code: text, channelId: text, channelName: text, count })),
  });
  const page = (state: "dead" | "held") => (
    <UndeliveredPage
      {...{ ...frame, view: list(state), formToken: "form-token", moduleName: text }}
      visit={{ ended: { dead: 4_000, held: 2 }, formToken: "form-token" }}
    />
  );
  return String(page("held")) + String(page("dead"));
}
const typedAs = (text: string) =>
  new URLSearchParams({
    name: text,
    "setting.line": text,
    "setting.text": text,
    "setting.sites": text,
    "setting.token": text,
  });

describe("no name changes the structure of the page", () => {
  const faults: Fault[] = [
    { code: "refused", detail: "" },
    { code: "rights", missing: [""] },
  ];
  it.each([...PAYLOADS, ...ODD_NAMES])("%j", (text) => {
    const harmless = "x".repeat(text.length);
    const pages = (name: string): string[] => [
      accountPage(name),
      undeliveredPage(name),
      galleryPage(name),
      settingsPage(name),
      keyPage(name),
      accountPage(name, { fault: { code: "gateway", detail: name } }),
      channelPage(name, { fault: { code: "gateway", detail: name }, typed: typedAs(name) }),
      channelPage(name, { fault: { code: "setting", field: "line", message: name }, typed: typedAs(name) }),
      channelPage(name, { fault: { code: "messenger", detail: name }, typed: new URLSearchParams() }),
      addingPage(name),
      addingPage(name, { fault: { code: "setting", field: "line", message: name }, typed: typedAs(name) }),
      ...faults.map(({ code }) =>
        String(
          <ConnectPage
            t={strings.en}
            moduleName={name}
            path="/"
            home="/account"
            entered={name}
            fault={{ code, detail: name, missing: code === "rights" ? [name] : undefined }}
          />,
        ),
      ),
      String(<MessagePage t={strings.en} moduleName={name} path="/" home="/account" message="notFound" />),
    ];
    const plain = pages(harmless);
    for (const [index, page] of pages(text).entries()) {
      expect(anatomy(page)).toBe(anatomy(plain[index] ?? ""));
      expect(page).not.toMatch(/(href|src|action)="\s*(javascript|data):/i);
    }
  });
});

describe("the account page", () => {
  it("shows how to try a messenger out while it works", () => {
    const { channel, common } = accountOf("Quay");
    const page = (state: string) =>
      String(<ChannelPage {...common} view={{ ...channel, channel: { ...channel.channel, state } }} />);
    expect(page("active")).toContain('aria-label="QR code for https://Quay"');
    expect(page("active")).toContain("/try");
    expect(page("stopped")).not.toMatch(/QR code|\/try/);
  });

  it("alerts when the ledger of a messenger does not balance, and only then", () => {
    expect(accountPage("x")).not.toContain("records do not add up");
    expect(accountPage("x", {}, 3)).toContain("Accepted but unaccounted for: 3.");
    expect(accountPage("x", {}, -2)).toContain("Ended but never accepted: 2.");
  });

  it("never shows a stored secret, nor one that was just typed", () => {
    const typed = typedAs("typed-secret");
    typed.set("name", "n");
    for (const field of ["line", "text", "sites"]) typed.set(`setting.${field}`, "");
    const fault = { code: "setting", field: "token", message: "", rule: "too-short", limit: 5 };
    const page = channelPage("toy", { fault, typed }) + addingPage("toy", { fault, typed });
    expect(page).not.toContain(SECRET);
    expect(page).not.toContain("typed-secret");
    expect(page).not.toContain("hiddenKey");
  });

  it("renders each kind of setting as a fitting control", () => {
    const page = addingPage("toy");
    const control = (name: string) => new RegExp(`<(\\w+)[^>]*id="add-toy-${name}"[^>]*>`).exec(page)?.[0];
    expect(control("line")).toMatch(/^<input.*type="text" required="" maxlength="60"/);
    expect(control("text")).toMatch(/^<textarea/);
    expect(control("text")).not.toContain("required");
    expect(control("sites")).toMatch(/^<textarea/);
    expect(control("loud")).toMatch(/type="checkbox"/);
    expect(control("loud")).not.toContain("required");
    expect(control("mood")).toMatch(/^<select/);
    expect(control("accent")).toMatch(/type="color" value="#112233"/);
    expect(control("most")).toMatch(/type="number".*value="3"/);
    expect(control("token")).toMatch(/type="password" required=""/);
    expect(page).toContain(">Bot token</label>");
    expect(page).toContain(">Calm &amp; quiet</option>");
  });

  it("keeps a stored secret when the field stays empty", () => {
    const page = channelPage("toy");
    expect(/<input[^>]*id="toy-token"[^>]*>/.exec(page)?.[0]).not.toContain("required");
    expect(page).toContain("Leave this field empty");
  });

  it("shows a refused form as it was typed, with the fault at its field", () => {
    const typed = new URLSearchParams({ name: "Typed", "setting.line": "typed line" });
    const fault = { code: "setting", field: "line", message: "", rule: "too-long", limit: 60 };
    const page = channelPage("toy", { fault, typed });
    expect(page).toMatch(
      /id="toy-line"[^>]*aria-describedby="toy-line-problem" aria-invalid="true"[^>]*value="typed line"/,
    );
    expect(page).toContain("Too long: at most 60 characters.");
    expect(/<input[^>]*id="toy-loud"[^>]*>/.exec(page)?.[0]).not.toContain("checked");
  });

  it("shows the fault of a messenger that it does not offer", () => {
    expect(accountPage("toy", { fault: { code: "kind" } })).toContain("This messenger is not available.");
  });

  it("leads to each messenger and to each that can be added, with what it can do", () => {
    const page = accountPage("toy");
    expect(page).toContain('<a href="/account/channels/toy">toy</a>');
    expect(page).toContain('href="/account/add"');
    const { view } = accountOf("toy");
    for (const gallery of [galleryPage("toy"), accountPage("toy", { view: { ...view, channels: [] } })]) {
      expect(gallery).toContain('href="/account/add/toy"');
      for (const ability of ["text", "pictures"]) expect(gallery).toContain(`<td data-head="${ability}">✓</td>`);
    }
  });

  it("asks for what is needed, and folds the rest unless it is at fault", () => {
    const folded = (page: string) => /<details[^>]*>(?=<summary>More options)/.exec(page)?.[0];
    const page = addingPage("toy");
    expect(folded(page)).toBe("<details>");
    const [inSight = "", rest = ""] = page.split("More options");
    for (const needed of ["line", "token"]) expect(inSight).toContain(`id="add-toy-${needed}"`);
    for (const optional of ["name", "text", "mood"]) expect(rest).toContain(`id="add-toy-${optional}"`);
    const fault = { code: "setting", field: "text", message: "", rule: "too-long", limit: 500 };
    expect(folded(addingPage("toy", { fault, typed: typedAs("x") }))).toBe('<details open="">');
  });

  it("says how many messages were not delivered, and leads to them", () => {
    const page = accountPage("toy");
    expect(page).toContain("1 message may have been delivered and is waiting for your decision. 2 messages were not");
    expect(page).toContain('href="/account/undelivered"');
    expect(accountPage("toy", { visit: { ended: { dead: 0, held: 0 }, formToken: "form-token" } })).not.toContain(
      "/account/undelivered",
    );
  });

  it("explains what was not delivered, and offers to send it again while its messenger is there", () => {
    const page = undeliveredPage("toy");
    expect(page).toContain("It could not be delivered.");
    expect(page).toContain("It may have been delivered");
    expect(page).toContain("Not delivered: 4,000");
    expect(page).toContain("(removed)");
    const verbs = [...page.matchAll(/formaction="\/account\/jobs\/(\d+\/\w+)"/g)].map(([, verb]) => verb);
    expect(verbs).toEqual(["7/again", "7/arrived", "7/drop", "7/again", "7/discard", "8/discard"]);
  });

  it("carries the form token in every form", () => {
    const page = [
      ...[accountPage("toy"), channelPage("toy"), addingPage("toy"), undeliveredPage("toy")],
      ...[galleryPage("toy"), settingsPage("toy"), keyPage("toy")],
    ].join("");
    const forms = page.match(/<form (?![^>]*action="\/language")(?![^>]*method="get")/g)?.length ?? 0;
    expect(forms).toBeGreaterThan(3);
    expect(page.match(/name="formToken" value="form-token"/g)).toHaveLength(forms);
  });
});

describe("every page", () => {
  const pages: [string, string][] = [
    ["form", String(<ConnectPage {...frame} entered="" />)],
    [
      "refused form",
      String(<ConnectPage {...frame} entered="x" crmUrl="https://x.example" fault={{ code: "wrong-key" }} />),
    ],
    ["account", accountPage("toy")],
    ["messenger", channelPage("toy")],
    ["adding", addingPage("toy")],
    ["gallery", galleryPage("toy")],
    ["settings", settingsPage("toy")],
    ["key", keyPage("toy")],
    ["undelivered", undeliveredPage("toy").replace(/.*(?=<!doctype)/s, "")],
    [
      "disconnect",
      String(
        <DisconnectPage
          {...frame}
          view={{ crmUrl: "https://shop", channels: [] }}
          retainDays={{ settled: 7, dead: 90, journal: 365, audit: 730 }}
          formToken="t"
        />,
      ),
    ],
    ["message", String(<MessagePage {...frame} message="notFound" />)],
  ];
  it.each(pages)("works without script, has no inline style, and is labelled: %s", (_, page) => {
    expect(page).toMatch(/^<!doctype html><html lang="en">/);
    expect(page).not.toMatch(/<script(?! src="\/forms\.js" defer="">)|<style| style=| on[a-z]+="/);
    expect(page.match(/<h1/g)).toHaveLength(1);
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map((found) => found[1]);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [control] of page.matchAll(/<(?:input|textarea|select)(?![^>]*type="hidden")[^>]*>/g)) {
      const id = / id="([^"]+)"/.exec(control)?.[1];
      const isWrapped = /<label(?![^>]* for=)[^>]*>\s*$/.test(page.split(control)[0] ?? "");
      if (!control.includes("aria-label=") && !isWrapped) expect(page, control).toContain(`<label for="${id}">`);
    }
    for (const [, described = ""] of page.matchAll(/aria-describedby="([^"]+)"/g))
      for (const id of described.split(" ")) expect(ids).toContain(id);
  });
});
