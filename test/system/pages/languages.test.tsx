import { isHosted } from "gangway-messenger/hosted";
import { type Catalog, LANGUAGES } from "gangway-messenger/language";
import { IntlMessageFormat } from "intl-messageformat";
import { describe, expect, it } from "vitest";
import { adapters } from "../../../src/messengers.ts";
import { AddChannelPage } from "../../../src/pages/add-channel.tsx";
import { en } from "../../../src/pages/i18n/en.ts";
import { es } from "../../../src/pages/i18n/es.ts";
import { ru } from "../../../src/pages/i18n/ru.ts";
import { strings } from "../../../src/pages/i18n/strings.ts";
import { UndeliveredPage } from "../../../src/pages/undelivered.tsx";

const frame = { moduleName: "Gangway", path: "/", home: "/account", formToken: "t" };

/** Every text by its path. */
const textsOf = (catalog: Catalog, path = ""): [string, string][] =>
  Object.entries(catalog).flatMap(([key, text]) =>
    typeof text === "string" ? [[`${path}${key}`, text] as [string, string]] : textsOf(text, `${path}${key}.`),
  );

type Element = ReturnType<IntlMessageFormat["getAst"]>[number];
const LITERAL = 0;
const within = (element: Element): Element[] =>
  "options" in element
    ? Object.values(element.options).flatMap(({ value }) => value.flatMap((each) => [each, ...within(each)]))
    : [];
const elementsOf = (text: string) =>
  new IntlMessageFormat(text, "en", undefined, { ignoreTag: true }).getAst().flatMap((each) => [each, ...within(each)]);
const placeholdersOf = (text: string) => [
  ...new Set(elementsOf(text).flatMap((each) => ("value" in each && each.type !== LITERAL ? [each.value] : []))),
];

/** The same word in both languages. */
const SAME = ["account.crm", "templates.categories.marketing"];

describe.each([
  ["es", es],
  ["ru", ru],
] as const)("the texts in %s", (language, catalog) => {
  const english = new Map(textsOf(en));

  it("have the placeholders of the English ones", () => {
    for (const [path, text] of textsOf(catalog))
      expect(placeholdersOf(text).sort(), path).toEqual(placeholdersOf(english.get(path) ?? "").sort());
  });

  it("are translated", () => {
    const left = textsOf(catalog).filter(([path, text]) => text !== "" && text === english.get(path));
    expect(left.map(([path]) => path).filter((path) => !SAME.includes(path))).toEqual([]);
  });

  it("have each plural form of the language", () => {
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
    for (const [path, text] of textsOf(catalog))
      for (const element of elementsOf(text))
        if ("options" in element) expect(Object.keys(element.options), path).toEqual(expect.arrayContaining(forms));
  });
});

describe("the texts of the pages", () => {
  it("count as each language does", () => {
    const { steps } = strings.ru.preview;
    expect([1, 3, 5, 21].map((count) => steps({ count }))).toEqual([
      "1 сообщение:",
      "3 сообщения:",
      "5 сообщений:",
      "21 сообщение:",
    ]);
    expect(strings.es.account.lost({ events: 12_345 })).toContain("12.345");
    expect(strings.en.account.lost({ events: 12_345 })).toContain("12,345");
  });

  it("name what is added by a phrase of the messenger's own, where a title does not fit in", () => {
    const headings = (kind: string) =>
      LANGUAGES.map((language) => {
        const adapter = adapters.find((each) => each.kind === kind) ?? expect.fail(kind);
        const view = { ...adapter, title: adapter.titles ?? adapter.title, schema: adapter.settings, abilities: [] };
        const page = <AddChannelPage {...frame} t={strings[language]} view={view as never} />;
        return /<h1>(.*?)<\/h1>/.exec(String(page))?.[1];
      });
    expect(headings("webchat")).toEqual(["Add a web chat", "Añadir chat web", "Добавить чат на сайте"]);
    expect(headings("demo")).toEqual(["Add a demo customer", "Añadir cliente de prueba", "Добавить пробного клиента"]);
    expect(headings("telegram")).toEqual(["Add Telegram", "Añadir Telegram", "Добавить Telegram"]);
  });

  it("warn, and do not confirm, where nothing was selected", () => {
    const view = { filter: { state: "dead" as const }, rows: [], fitting: 0, readAt: 1 };
    const done = { what: "unselected" as const, count: 0 };
    const page = <UndeliveredPage {...frame} t={strings.en} view={{ ...view, groups: [] }} done={done} />;
    expect(String(page)).toMatch(/class="alert notice" role="alert">.*?Select a message first\./);
  });

  it("take values as they are: neither markup nor messages", () => {
    const detail = "<b>{x}</b> ' '{' #";
    expect(strings.en.faults["refused-because"]({ detail })).toBe(`Your CRM refused the connection: ${detail}`);
  });
});

describe.each(adapters.map((adapter) => [adapter.kind, adapter] as const))("the words of %s", (_, adapter) => {
  it("name the same fields, hints and choices in every language", () => {
    const shape = (words: (typeof adapter.words)["en"]) =>
      Object.entries(words).map(([field, { label, hint, choices = {} }]) => {
        expect(label).not.toBe("");
        return [field, hint !== undefined, Object.keys(choices)];
      });
    for (const language of LANGUAGES) expect(shape(adapter.words[language])).toEqual(shape(adapter.words.en));
    const { snippet } = isHosted(adapter) ? adapter : {};
    if (snippet)
      expect(new Set(LANGUAGES.map((language) => snippet.words[language].label)).size).toBe(LANGUAGES.length);
  });
});
