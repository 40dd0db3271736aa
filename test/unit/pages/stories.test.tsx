import { describe, expect, it } from "vitest";
import { strings } from "../../../src/pages/i18n/strings.ts";
import type { StoryProps } from "../../../src/pages/props.ts";
import { StoryPage } from "../../../src/pages/stories.tsx";

const base: StoryProps = {
  ...{
    id: 7,
    channelName: "Shop",
    direction: "outbound",
    state: "done",
    at: 1,
    endedAt: 3,
    nextAt: 3,
    isMessage: true,
  },
  ...{ parts: 1, attempts: 1, tries: [], later: [], acts: [] },
};
function pageOf(story: Partial<StoryProps>, language: "en" | "es" | "ru" = "en"): string {
  const frame = { t: strings[language], moduleName: "Gangway", path: "/account", home: "/account", formToken: "t" };
  return String(<StoryPage {...frame} timeZone="Europe/Madrid" story={{ ...base, ...story } as StoryProps} />);
}

/** The page's lines of the story, without their times. */
function linesOf(story: Partial<StoryProps>, language: "en" | "ru" = "en"): string[] {
  const page = pageOf(story, language);
  const list = /<ol class="timeline">(.*?)<\/ol>/s.exec(page)?.[1] ?? "";
  const text = (html: string) =>
    html
      .replaceAll(/<time.*?<\/time>/gs, "")
      .replaceAll(/<[^>]+>/g, " ")
      .trim();
  return list
    .split(/<li\b[^>]*>/)
    .slice(1)
    .map(text);
}
const ACCEPTED = "It came from the CRM and was stored.";
const tries = (count: number) => Array.from({ length: count }, (_, n) => ({ at: n + 1, error: `no ${n}` }));

describe("the lines of a message's story", () => {
  it.each<[string, Partial<StoryProps>, string[]]>([
    ["sent", {}, ["It reached the messenger."]],
    ["sent as several", { parts: 3 }, ["It reached the messenger. The messenger received it as 3 messages."]],
    ["told", { ack: { state: "given", tries: [] } }, ["It reached the messenger.", "The agent has been notified."]],
    [
      "told after failures, and read meanwhile",
      {
        ack: { state: "given", at: 9, tries: tries(2) },
        later: [{ at: 5, kind: "read", direction: "inbound", state: "done" }],
      },
      [
        "It reached the messenger.",
        "The agent could not be notified: no 0",
        "The agent could not be notified: no 1",
        "The customer read it.",
        "The agent has been notified.",
      ],
    ],
    [
      "never told",
      { ack: { state: "refused", at: 3, error: "no 1", tries: tries(2) } },
      [
        "It reached the messenger.",
        "The agent could not be notified: no 0",
        "The CRM did not accept the delivery report: no 1.",
      ],
    ],
    [
      "still to be told, and edited",
      {
        ack: { state: "due", tries: tries(1) },
        later: [{ at: 6, kind: "edited", direction: "outbound", state: "done" }],
      },
      [
        "It reached the messenger.",
        "The agent could not be notified: no 0",
        "The agent edited it.",
        "The agent has not been notified yet.",
      ],
    ],
    ["on its way", { state: "ready", tries: tries(1) }, ["It could not be delivered: no 0.", "Next attempt"]],
    ["waiting", { state: "waiting" }, ["Waiting for the channel"]],
    [
      "ended by its last attempt",
      { state: "dead", tries: tries(2), error: "no 1" },
      ["It could not be delivered: no 0.", "It was not delivered: no 1."],
    ],
    ["discarded", { state: "dropped" }, ["It was discarded."]],
    [
      "given up by the messenger after it was told as delivered",
      {
        ...{ state: "dead", attempts: 2, error: "no 1", lateAt: 60, endedAt: 3 },
        tries: [tries(1)[0] ?? expect.fail(), { at: 60, error: "no 1" }],
        ack: { state: "given", at: 70, tries: [] },
      },
      [
        "It could not be delivered: no 0.",
        "It reached the messenger.",
        "The messenger accepted it but could not deliver it: no 1.",
        "The agent has been notified.",
      ],
    ],
    [
      "given up, and discarded",
      { state: "dropped", error: "no 0", lateAt: 60, tries: tries(1) },
      ["It reached the messenger.", "The messenger accepted it but could not deliver it: no 0.", "It was discarded."],
    ],
    [
      "read, edited in vain",
      {
        later: [
          { at: 5, kind: "read", direction: "inbound", state: "done" },
          { at: 6, kind: "edited", direction: "outbound", state: "dead" },
          { at: 7, kind: "deleted", direction: "outbound", state: "ready" },
        ],
      },
      [
        "It reached the messenger.",
        "The customer read it.",
        "The agent edited it. This could not be delivered.",
        "The agent deleted it. This is still on its way.",
      ],
    ],
  ])("%s", (_, story, lines) => {
    expect(linesOf(story)).toEqual([ACCEPTED, ...lines]);
  });

  it("say how many attempts are not listed", () => {
    const all = linesOf({ tries: tries(10), attempts: 15 });
    expect(all.slice(0, 4)).toEqual([
      ACCEPTED,
      "It could not be delivered: no 0.",
      "4 more attempts failed.",
      "It could not be delivered: no 1.",
    ]);
    expect(linesOf({ tries: tries(10), attempts: 15 }, "ru")[2]).toBe("Не удались ещё 4 попытки.");
  });
});

describe("the chat's window", () => {
  const until = Date.UTC(2026, 4, 1, 11);

  it.each([
    ["en", /Agents can answer in this chat until 1 May 2026, 13:00\./, /ended on 1 May 2026/],
    ["es", /pueden responder en este chat hasta el 1 may 2026, 13:00\./, /venció el 1 may 2026/],
    ["ru", /могут отвечать в этом чате до 1 мая 2026 г\., 13:00\./, /истёк 1 мая 2026/],
  ] as const)("is told in %s, whether it is open or closed, and not without one", (language, open, closed) => {
    expect(pageOf({ window: { until, isOpen: true } }, language)).toMatch(open);
    expect(pageOf({ window: { until, isOpen: false } }, language)).toMatch(closed);
    expect(pageOf({}, language)).not.toMatch(/answer in this chat|en este chat|в этом чате/);
  });
});

describe("the decisions on a message", () => {
  it("are offered of what was not delivered, but not of a reaction or a read mark", () => {
    expect(pageOf({ state: "dead", error: "no luck" })).toContain('action="/account/jobs/7/again"');
    expect(pageOf({ state: "dead", error: "no luck", isMessage: false })).not.toContain("/jobs/");
  });

  it("have no part in what happened to it later: that a reaction failed is said with its reason", () => {
    const later = [
      { at: 5, kind: "reaction", direction: "inbound" as const, state: "dead" as const, error: "no luck" },
    ];
    expect(linesOf({ later })).toContain(
      "The customer changed a reaction to it. This could not be delivered: no luck.",
    );
  });
});

it("a message whose contents are not kept any more says so, in its reader's language", () => {
  for (const [language, text] of [
    ["en", "What was in it is no longer kept on this server."],
    ["es", "Su contenido ya no se guarda en este servidor."],
    ["ru", "Содержимое на этом сервере больше не хранится."],
  ] as const) {
    expect(pageOf({ isEmptied: true }, language)).toContain(text);
    expect(pageOf({ words: "Hello" }, language)).not.toContain(text);
  }
});
