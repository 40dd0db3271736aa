import type { Language } from "gangway-messenger/language";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { AddChannelPage } from "../../../src/pages/add-channel.tsx";
import { ChannelPage, Ledger } from "../../../src/pages/channel.tsx";
import { strings } from "../../../src/pages/i18n/strings.ts";
import type { ChannelProps, HealthProps, Problem } from "../../../src/pages/props.ts";
import { letters } from "../../system/contract/toy/letters.ts";

const frame = { t: strings.en, moduleName: "Gangway", path: "/", home: "/account", formToken: "t", timeZone: "UTC" };
const view: Omit<ChannelProps, "health"> = {
  channel: { id: "one", kind: "toy", name: "Shop", state: "active", settings: {} },
  ...{ title: letters.title, schema: letters.settings, words: letters.words, hole: 0 },
  counts: { waiting: 0, done: 0, dead: 0, held: 0 },
};

const countsIn = (language: Language, count: number) => {
  const counts = { waiting: count, done: count, dead: count, held: count };
  const items = String(<Ledger t={strings[language]} counts={counts} />).matchAll(/<li[^>]*>(.*?)<\/li>/g);
  return [...items].map(([, item]) => item);
};

describe("the counts of a messenger", () => {
  it("agree with their number", () => {
    expect(countsIn("en", 1)).toContain("<strong>1</strong> on its way");
    expect(countsIn("en", 2)).toContain("<strong>2</strong> on their way");
    expect(countsIn("es", 1).slice(1)).toEqual([
      "<strong>1</strong> entregado en total",
      "<strong>1</strong> no entregado en total",
      "<strong>1</strong> espera su decisión",
    ]);
    expect(countsIn("es", 2)).toContain("<strong>2</strong> no entregados en total");
    expect(countsIn("ru", 21)).toContain("<strong>21</strong> ждёт вашего решения");
    expect(countsIn("ru", 22)).toContain("<strong>22</strong> ждут вашего решения");
  });

  it("are written with the language's separators", () => {
    expect(countsIn("en", 12_840)).toContain("<strong>12,840</strong> delivered in total");
  });
});

describe("how a messenger is", () => {
  const pageIn = (health: HealthProps, channel: Partial<ChannelProps["channel"]> = {}) =>
    String(<ChannelPage {...frame} view={{ ...view, channel: { ...view.channel, ...channel }, health }} />);
  const failing = { failed: 200, ended: 210, since: Date.UTC(2026, 0, 5, 14) };

  it("is said with the figures where many messages failed, under the badge of the worst", () => {
    const page = pageIn({ word: "failing", failing, days: [] });
    expect(page).toContain('<span class="badge danger">Failing</span>');
    expect(page).toMatch(/class="alert problem"[^>]*>.*?200 of the last 210 messages were not delivered\./s);
    const stopped = pageIn({ word: "stopped", failing, days: [] }, { state: "stopped", trouble: "the token is dead" });
    expect(stopped).toContain('<span class="badge danger">Stopped');
    expect(stopped).toContain("200 of the last 210 messages");
  });

  it("hides neither a pause nor the trouble of a paused messenger", () => {
    const page = pageIn({ word: "paused", days: [] }, { state: "paused", trouble: "the webhook is gone" });
    expect(page).toContain("There is a problem: the webhook is gone.");
    expect(page).toContain("will reach the agents when you resume");
    expect(page.match(/channels\/one\/resume"/g)).toHaveLength(1);
  });

  it("has a colour that warns only where something is to be warned of", () => {
    const toneOf = (word: HealthProps["word"]) => /class="badge (\w+)"/.exec(pageIn({ word, days: [] }))?.[1];
    for (const word of ["stopped", "failing", "troubled"] as const) expect(toneOf(word)).toBe("danger");
    for (const word of ["slow", "quiet", "off"] as const) expect(toneOf(word)).toBe("warning");
    for (const word of ["new", "working", "paused"] as const) expect(["danger", "warning"]).not.toContain(toneOf(word));
  });

  it("is told with since when, and how many messages wait", () => {
    const troubleAt = Date.UTC(2026, 0, 5, 14, 5);
    const alert = (health: HealthProps, channel: Partial<ChannelProps["channel"]>, waiting: number) => {
      const shown = { ...view, health, channel: { ...view.channel, ...channel }, counts: { ...view.counts, waiting } };
      return String(<ChannelPage {...frame} view={shown} />);
    };
    const stopped = { state: "stopped", trouble: "the token is dead", troubleAt };
    expect(alert({ word: "stopped", days: [] }, stopped, 12)).toContain(
      "Stopped: the token is dead.</p><p>Since 5 Jan 2026, 14:05. 12 messages wait.</p>",
    );
    expect(alert({ word: "failing", failing, days: [] }, {}, 1)).toContain(
      "200 of the last 210 messages were not delivered.</p><p>Since 5 Jan 2026, 14:00. 1 message waits.</p>",
    );
    // Of what an earlier version has recorded.
    expect(alert({ word: "stopped", days: [] }, { ...stopped, troubleAt: undefined }, 0)).not.toContain("<p>Since");
  });
});

describe("what its owner has to do at the messenger", () => {
  const words = { label: "Send the app's messages here", steps: ["Paste the address."] };
  const afterwards = { en: words, es: words, ru: words };
  const pageAt = (times: Partial<HealthProps>) => {
    const health: HealthProps = { word: "stopped", days: [], ...times };
    return String(<ChannelPage {...frame} view={{ ...view, health, afterwards }} />);
  };
  /** The part in sight, as long as the address names none. */
  const openPart = (page: string) => / id="(\w+)" class="panel first"/.exec(page)?.[1];

  it("is in sight until the first message, and a tab away from then on", () => {
    expect(openPart(pageAt({}))).toBe("setup");
    for (const times of [{}, { lastInboundAt: 1 }, { lastOutboundAt: 1 }]) {
      const page = pageAt(times);
      if (Object.keys(times).length > 0) expect(openPart(page)).toBe("overview");
      expect(page).toContain('href="#setup"');
      const part = page.split(' id="setup"')[1] ?? "";
      expect(part).toContain("<h2>Send the app&#39;s messages here</h2>");
      expect(part).toContain("<li>Paste the address.</li>");
    }
  });
});

describe("dead credentials", () => {
  const schema = z.object({
    token: z.string().min(1).meta({ secret: true }),
    office: z.enum(["north", "south"]).default("north"),
    sites: z.array(z.string()).default([]),
    isOpen: z.boolean().default(false),
    isPrivate: z.boolean().default(false),
  });
  const stopped = { ...view.channel, state: "stopped", trouble: "the token was refused" };
  const pageWith = (channel: ChannelProps["channel"]) =>
    String(<ChannelPage {...frame} view={{ ...view, schema, channel, health: { word: "stopped", days: [] } }} />);
  /** What the form in the alert would send, but for what is typed. */
  const sentBy = (page: string) => {
    const [, form = ""] = /<form method="post" action="([^"]*" class="field-row.*?)<\/form>/s.exec(page) ?? [];
    return [...form.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]);
  };

  it("are replaced where their trouble is told, and all else stays as it is", () => {
    const page = pageWith({ ...stopped, settings: { token: "dead", sites: ["a.example", "b.example"], isOpen: true } });
    expect(sentBy(page)).toEqual([
      ["formToken", "t"],
      ["replacing", "1"],
      ["name", "Shop"],
      ["setting.office", "north"],
      ["setting.sites", "a.example\nb.example"],
      ["setting.isOpen", "on"],
    ]);
    expect(page).not.toContain("dead");
  });

  it("that are refused again say so where they were typed, and not in the settings", () => {
    const problem = (typed: Record<string, string>): Problem => ({
      fault: { code: "messenger", detail: "the token is unknown" },
      typed: new URLSearchParams(typed),
    });
    const channel = { ...stopped, settings: {} };
    const shown = { ...view, schema, channel, health: { word: "stopped" as const, days: [] } };
    const page = (typed: Record<string, string>) =>
      String(<ChannelPage {...frame} view={shown} problem={problem(typed)} />);
    const [before = "", settings = ""] = page({ name: "Shop", replacing: "1" }).split('id="settings"');
    expect(before).toMatch(/<input id="one-new-token"[^>]* aria-describedby="one-new-problem" aria-invalid="true"/);
    expect(before).toContain('id="one-new-problem">The messenger refused the connection: the token is unknown.</p>');
    expect(before).toContain("Stopped: the token was refused.");
    expect(settings).not.toContain("refused the connection");
    expect(page({ name: "Shop" }).split('id="settings"')[1]).toContain("refused the connection");
  });

  it("once replaced, are followed by what failed meanwhile: it can be sent again", () => {
    const channel = { ...view.channel, settings: {} };
    const shown = { ...view, channel, health: { word: "working" as const, days: [] } };
    const page = (failedMeanwhile: number, done?: "changed") =>
      String(<ChannelPage {...frame} view={shown} done={done} failedMeanwhile={failedMeanwhile} />);
    const [alert = ""] = /role="status".*?<\/form>/s.exec(page(12, "changed")) ?? [];
    expect(alert).toContain("12 answers were not sent because the channel was stopped.");
    expect(alert).toContain('href="/account/undelivered?state=dead&amp;channel=one&amp;reason=was_stopped"');
    expect(alert).toMatch(
      /action="\/account\/undelivered".*name="reason" value="was_stopped".*value="again all".*Send all 12 again/s,
    );
    for (const other of [page(0, "changed"), page(12)]) expect(other).not.toContain("were not sent");
  });

  it("are asked for only when they are what stopped the channel", () => {
    expect(sentBy(pageWith({ ...stopped, state: "active", settings: {} }))).toEqual([]);
  });
});

describe("how far a messenger's list is compared", () => {
  const at = Date.UTC(2026, 0, 5, 14, 5);
  const pageWith = (compared: ChannelProps["compared"]) =>
    String(<ChannelPage {...frame} view={{ ...view, health: { word: "new", days: [] }, compared }} timeZone="UTC" />);
  const none = { upTo: at, recovered: 0, isBehind: false };

  it("is told with what it brought, and not of a messenger that cannot be asked", () => {
    expect(pageWith(undefined)).not.toContain("ompared");
    expect(pageWith(none)).toContain("<h2>Compared with Sealed letters</h2><p>We regularly compare");
    expect(pageWith(none)).toContain("Last compared 5 Jan 2026, 14:05. Since the connection, no message was missing.");
    expect(pageWith({ ...none, recovered: 3 })).toContain("Since the connection, 3 messages were recovered.");
    expect(pageWith(none)).not.toContain('class="notice"');
  });

  it("is a warning while it lags, or where the list ended too early", () => {
    expect(pageWith({ ...none, isBehind: true })).toContain(
      "A message sent after 5 Jan 2026, 14:05 that did not arrive",
    );
    const gap = { from: at - 3_600_000, to: at };
    expect(pageWith({ ...none, gap })).toContain("all messages between 5 Jan 2026, 13:05 and 5 Jan 2026, 14:05");
  });
});

describe("the import of earlier messages", () => {
  const day = Date.parse("2027-05-01T12:00:00Z");
  const health: HealthProps = { word: "working", days: [] };
  const pageWith = (past: ChannelProps["past"]) =>
    String(<ChannelPage {...frame} timeZone="UTC" view={{ ...view, health, past }} />);

  it("is told as far as it is, and that the messenger does not list all", () => {
    expect(pageWith({ days: 30, count: 1_200 })).toContain("the 30 days before the connection: 1,200 so far");
    const ended = { days: 30, from: day, count: 3, ended: day };
    expect(pageWith(ended)).toContain("the 30 days before the connection: 3 imported");
    expect(pageWith({ ...ended, completeFrom: day })).not.toContain("does not list");
    expect(pageWith({ ...ended, completeFrom: day + 1 })).toContain("does not list all of them");
  });

  it("is offered where the messenger lists them, and a refused form keeps the choice", () => {
    const kind = { ...view, kind: "toy", abilities: [] };
    const form = (listsPast?: true, problem?: Problem) =>
      String(<AddChannelPage {...frame} formToken="t" view={{ ...kind, listsPast }} problem={problem} />);
    expect(form()).not.toContain('name="past"');
    expect(form(true)).toContain('<option value="0" selected="">Do not import</option>');
    const typed = new URLSearchParams({ past: "30" });
    expect(form(true, { fault: { code: "name" }, typed })).toContain('<option value="30" selected="">');
  });
});

describe("a variant of a messenger", () => {
  const words = { en: "The chats of your own account", es: "", ru: "" };
  const variant = { name: "business", settings: { office: "south" } };
  const kind = {
    ...view,
    kind: "toy",
    abilities: [],
    title: { en: "Toy Business", es: "", ru: "" },
    about: words,
    variant,
  };

  it("opens the form under its own name, with its settings chosen, and a refused form is shown so again", () => {
    const page = String(<AddChannelPage {...frame} formToken="t" view={kind} />);
    expect(page).toContain("<h1>Add Toy Business</h1>");
    expect(page).toContain("The chats of your own account");
    expect(page).toContain('<input type="hidden" name="variant" value="business"/>');
    expect(page).toMatch(/name="setting.office"[^>]*value="south"/);
  });
});
