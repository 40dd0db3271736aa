import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ChannelAdapter, type ChannelContext, defineChannel } from "gangway-messenger/port";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { readConfig } from "../../src/config.ts";
import { ConfigError } from "../../src/domain/errors.ts";
import { adapters } from "../../src/messengers.ts";
import { handClock } from "../support/clock.ts";
import { runningSite } from "../support/site.ts";
import { inAll } from "../support/words.ts";
import { bottles } from "./contract/toy/bottles.ts";

const DAY = 86_400_000;

describe("two kinds whose fields, notes and choices have the same names", () => {
  const contexts: Record<string, ChannelContext<unknown>> = {};
  const toy = (kind: string, more: Pick<ChannelAdapter, "title" | "words" | "notes" | "serverSettings">) =>
    defineChannel({
      ...bottles,
      ...more,
      kind,
      settings: z.object({ token: z.string(), mode: z.enum(["fast", "slow"]).default("fast") }),
      proof: undefined,
      open(context) {
        contexts[kind] = context;
        return bottles.open({ ...context, settings: bottles.settings.parse({}) });
      },
    });
  const pager = toy("pager", {
    title: "Pager",
    words: inAll({
      token: { label: "Number of the pager", hint: "It stands on the back." },
      mode: { label: "How it beeps", choices: { fast: "Like a cricket", slow: "Like a ship" } },
    }),
    notes: { expires: ["said:"], stays: ["seen:"] },
    serverSettings: z.object({ PAGER_URL: z.url("should be the address of an exchange").optional() }),
  });
  const pigeon = toy("pigeon", {
    title: "Pigeon",
    words: inAll({
      token: { label: "Ring of the pigeon" },
      mode: { label: "How it flies", choices: { fast: "Straight", slow: "By way of the park" } },
    }),
    notes: { expires: ["seen:"], stays: ["said:"] },
    serverSettings: z.object({ PIGEON_LOFT: z.string().default("roof") }),
  });
  const toys = [pager, pigeon];

  it("have a form each in their own words, and keep their settings apart", async () => {
    const { connect, ask, formToken, submit } = await runningSite({ adapters: toys });
    const cookie = await connect();
    const pages = toys.map(async ({ kind }) => (await ask(`/account/add/${kind}`, { headers: { cookie } })).text());
    const form = (await Promise.all(pages)).join("");
    expect(labelOf(form, "add-pager-token")).toBe("Number of the pager");
    expect(labelOf(form, "add-pigeon-token")).toBe("Ring of the pigeon");
    expect(choicesOf(form, "add-pager-mode")).toEqual(["Like a cricket", "Like a ship"]);
    expect(choicesOf(form, "add-pigeon-mode")).toEqual(["Straight", "By way of the park"]);
    expect(form).toContain('id="add-pager-token-hint"');
    expect(form).not.toContain('id="add-pigeon-token-hint"');
    for (const { kind } of toys) {
      const fields = { formToken: await formToken(cookie), kind, name: kind, "setting.token": `of ${kind}` };
      expect((await submit("/account/channels", { ...fields, "setting.mode": "slow" }, { cookie })).status).toBe(303);
      expect(contexts[kind]?.settings).toEqual({ token: `of ${kind}`, mode: "slow" });
    }
  });

  it("are given each the server settings it has declared", async () => {
    const env = { SANDBOX: "1", PAGER_URL: "https://pager.example", PIGEON_LOFT: "tower" };
    const { messengers } = readConfig(env, toys);
    expect(messengers).toEqual({ pager: { PAGER_URL: "https://pager.example" }, pigeon: { PIGEON_LOFT: "tower" } });
    expect(() => readConfig({ ...env, PAGER_URL: "loud" }, toys)).toThrow(ConfigError);
    expect(readConfig({ ...env, PAGER_URL: "loud" }, [pigeon]).messengers).toEqual({
      pigeon: { PIGEON_LOFT: "tower" },
    });
    const { connect, formToken, submit } = await runningSite({ adapters: toys, messengers });
    const cookie = await connect();
    for (const { kind } of toys) {
      const fields = { formToken: await formToken(cookie), kind, name: kind, "setting.token": "t" };
      await submit("/account/channels", { ...fields, "setting.mode": "fast" }, { cookie });
      expect(contexts[kind]?.server).toEqual({ updates: "webhook", ...messengers[kind] });
    }
  });

  it("lose each the notes that it lets expire, and no others", async () => {
    const clock = handClock();
    const { connect, formToken, submit } = await runningSite({ adapters: toys, clock });
    const cookie = await connect();
    for (const { kind } of toys) {
      const fields = { formToken: await formToken(cookie), kind, name: kind, "setting.token": "t" };
      await submit("/account/channels", { ...fields, "setting.mode": "fast" }, { cookie });
      await contexts[kind]?.notes.set(["said:1", "seen:1", "avatar:1"].map((key) => ({ key, value: "v" })));
    }
    clock.leap(91 * DAY);
    await clock.forward(1_000);
    const left = (kind: string) =>
      Promise.all(["said:1", "seen:1", "avatar:1"].map((key) => contexts[kind]?.notes.get(key)));
    expect(await left("pager")).toEqual([undefined, "v", undefined]);
    expect(await left("pigeon")).toEqual(["v", undefined, undefined]);
  });
});

const labelOf = (page: string, id: string) => new RegExp(`<label for="${id}">([^<]*)</label>`).exec(page)?.[1];
const choicesOf = (page: string, id: string) =>
  [...(new RegExp(`<select id="${id}".*?</select>`).exec(page)?.[0] ?? "").matchAll(/<option[^>]*>([^<]*)</g)].map(
    ([, words]) => words,
  );

/**
 * The rule. No file of src, packages and messengers but the messenger's own and src/messengers.ts contains, in code or comments:
 * – the messenger's kind or title, in any case and inside any word,
 * – the name of one of its server settings, or a host from its code,
 * – a string that starts with one of its note prefixes,
 * – the name of one of its settings as a word, unless it is listed below because src uses it for something else.
 * What several networks of one company share, `messengers/meta/`, may have their settings.
 * A messenger whose name is such a word, such as LINE, must be listed too, in lower case: it may
 * not stand beside `kind` then, nor as a folder.
 */
const HOUSE_WORDS: Record<string, string> = {
  token: "the gateway's, a visit's and the metrics'",
  title: "an adapter's, and a page's",
  language: "a member of the capabilities, and the pages'",
  updates: "the server setting UPDATES, which holds for every kind",
  webhookSecret: "an account's",
  takeOver: "what the outbox does with the work of a process that died",
  groups: "the parts of an IPv6 address",
  accountId: "of an account at this server",
  http: "the protocol",
  max: "the most that there may be",
  demo: "a command for developers, and a part of other words",
  whatsapp: "a type of channel at the gateway, and a group of its settings",
  facebook: "the address of a company that has several messengers",
  instagram: "what shares the events and calls of Messenger",
};

/** Of several networks. */
const SHARED = "messengers/meta/";

interface Names {
  folder: string;
  anywhere: string[];
  notes: string[];
  fields: string[];
}

const root = join(import.meta.dirname, "..", "..");
const textOf = (file: string) => readFileSync(join(root, file), "utf8");
const files = globSync("{src,packages/*/src,messengers/*/src}/**/*.{ts,tsx}", { cwd: root });

function namesOf({ kind, title, settings, serverSettings, notes }: ChannelAdapter): Names {
  const folder = `messengers/${kind}/`;
  const own = files.filter((file) => file.startsWith(folder)).map(textOf);
  const hosts = own.flatMap((text) => [...text.matchAll(/https:\/\/([\w.-]*\w)/g)].map(([, host = ""]) => host));
  const { properties = {} } = z.toJSONSchema(settings, { io: "input", unrepresentable: "any" });
  return {
    folder,
    anywhere: [
      ...[kind, title, ...Object.keys(serverSettings?.shape ?? {})],
      ...hosts.filter((host) => !/(^|\.)example(\.com)?$/.test(host)).map((host) => `//${host}`),
    ],
    notes: [...(notes?.expires ?? []), ...(notes?.stays ?? [])],
    fields: Object.keys(properties),
  };
}

const quoted = (text: string) => text.replace(/[^\w\s]/g, "\\$&");

/** A word of the house as the name of a messenger. */
const asKind = (name: string) => `messengers/${name}\\b|gangway-${name}\\b|\\bkinds?\\b[^;\n]{0,12}["'\`]${name}["'\`]`;

/** Mentions of a messenger in a file that should not know it. */
function tiesIn(text: string, { anywhere, notes, fields }: Names): string[] {
  const has = (pattern: string, flags = "") => new RegExp(pattern, flags).test(text);
  const isHouseWord = (name: string) => Object.hasOwn(HOUSE_WORDS, name);
  return [
    ...anywhere.filter((name) =>
      isHouseWord(name.toLowerCase()) ? has(asKind(quoted(name))) : has(quoted(name), "i"),
    ),
    ...notes.filter((note) => has(`["'\`]${quoted(note)}`)),
    ...fields.filter((field) => !isHouseWord(field) && has(`\\b${field}\\b`)),
  ];
}

describe("a messenger is one package", () => {
  const kinds = adapters.map(namesOf);
  const shared = files.filter((file) => file.startsWith(SHARED)).map(textOf);
  const isSharedSetting = (name: string) => /^[A-Z_]+$/.test(name) && shared.some((text) => text.includes(`${name}:`));
  const ofKind = (file: string) => kinds.some(({ folder }) => file.startsWith(folder));
  const house = files.filter((file) => file !== "src/messengers.ts");

  it.each(kinds)("no file outside $folder knows it", (names) => {
    expect(names.fields.length).toBeGreaterThan(0);
    expect(files.some((file) => file.startsWith(names.folder))).toBe(true);
    const outside = house.filter((file) => !file.startsWith(names.folder));
    expect(outside.length).toBeGreaterThan(100);
    // Two messengers may have settings and notes of the same name.
    const brand = names.anywhere.slice(0, 2);
    const known = (file: string) => {
      if (file.startsWith(SHARED)) return { ...names, anywhere: brand, notes: [], fields: [] };
      if (!ofKind(file)) return names;
      return { ...names, anywhere: names.anywhere.filter((name) => !isSharedSetting(name)), notes: [], fields: [] };
    };
    expect(outside.flatMap((file) => tiesIn(textOf(file), known(file)).map((tie) => `${file}: ${tie}`))).toEqual([]);
  });

  it("excuses a name only as long as the house has a thing of that name, too", () => {
    const others = house.filter((file) => !ofKind(file)).map(textOf);
    for (const word of Object.keys(HOUSE_WORDS)) {
      expect(
        kinds.some(({ fields, anywhere }) =>
          [...fields, ...anywhere].some((name) => [name, name.toLowerCase()].includes(word)),
        ),
      ).toBe(true);
      expect(others.some((text) => new RegExp(`\\b${word}\\b`, "i").test(text))).toBe(true);
    }
  });

  it.each([
    ['fields: { greeting: "Greeting" }', "greeting"],
    ['const hidden = settings["visitorKey"];', "visitorKey"],
    ["if (channel.settings.businessOwners) {}", "businessOwners"],
    ["const apiUrls = { telegram: env.API_URL };", "telegram"],
    ["  TELEGRAM_API_URL: apiUrl.optional(),", "TELEGRAM_API_URL"],
    ["// as the web chat does", "Web chat"],
    ['const webchatJournal = "";', "webchat"],
    ['if (kind === "demo") {}', "demo"],
    ['import { standIn } from "../messengers/demo/src/customer.ts";', "demo"],
    ['import demo from "gangway-demo";', "demo"],
    ["// A Demo customer is one.", "Demo customer"],
    ["WHERE key GLOB 'said:*'", "said:"],
    ["get('keyboard:' + chat)", "keyboard:"],
    ['example: "https://api.telegram.org"', "//api.telegram.org"],
    ['profile = "https://t.me/" + name', "//t.me"],
  ])("notices %s", (line, tie) => {
    expect(kinds.flatMap((names) => tiesIn(line, names))).toContain(tie);
  });
});
