import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createExplain } from "gangway-messenger/explanations";
import { LANGUAGES } from "gangway-messenger/language";
import { describe, expect, it } from "vitest";
import { COMMON_EXPLANATIONS, isExplained } from "../../../src/domain/explanations.ts";
import { adapters } from "../../../src/messengers.ts";

const ROOT = join(import.meta.dirname, "../../..");
const explain = createExplain([...adapters.flatMap(({ explanations = [] }) => explanations), ...COMMON_EXPLANATIONS]);

/** Texts of errors and of refused settings, as the code writes them. A value in a text becomes "x". */
function textsOfErrors(): string[] {
  const files = globSync("{src/{gateway,relay,module},packages/*/src,messengers/*/src}/**/*.ts", { cwd: ROOT });
  const sources = files.filter((file) => !file.includes("/kit/")).map((file) => readFileSync(join(ROOT, file), "utf8"));
  const verdict = String.raw`(?:\{[^}]*\}|\w+)`;
  const thrown = new RegExp(
    String.raw`(?:DeliveryError\(\s*${verdict},\s*|refused\(|refuse\(\d+, "\w+", |recordFailure\(parts, job, ${verdict}, )(["\x60])(.{6,}?)\1`,
    "g",
  );
  const ruled = /"((?:should|each line should|give) [^"]+)"/g;
  const texts = sources.flatMap((source) => [
    ...[...source.matchAll(thrown)].map(([, , text]) => text ?? ""),
    ...[...source.matchAll(ruled)].map(([, text]) => text ?? ""),
  ]);
  return [...new Set(texts.map((text) => text.replace(/\$\{[^}]*\}/g, "x")))];
}

/** Of an API for programs, of the operator's settings, or of something that cannot happen to an account's user. */
const FOR_PROGRAMMERS = [
  // The possible reasons have explanations of their own.
  "Telegram: x (a file)",
  "MAX: x (a file)",
  "VK: x (a file)",
  "VK: x (the long poll)",
  "x: x (x)",
  "x: x (a file)",
  // Of the operator's settings.
  "should be a version such as v26.0",
  "should be an address such as https://api.vk.com",
  "should be pairs such as 1=❤️,2=🔥",
  "should be the app's id, in digits",
  "should be the app's secret, as Meta shows it",
  "should have at least 8 characters",
  "x: x",
  "should be well-formed Unicode",
  "should be a UUID",
  "should not be empty",
  "should be a position",
  "should be a cursor",
  "should be a time such as 2026-11-29T12:00:00Z",
  "should be a web address",
  "should be at most 500 marks",
  "should have either url or upload",
  "should have no control characters",
  "should not be empty in a message without files",
  "another process has the account",
  "the gateway's token was renewed",
  'there is no messenger "x"',
  'there is no messenger of the kind "x"',
];

describe("what went wrong", () => {
  it("is known to be in the reader's words, or another system's alone", () => {
    const blocked = "the customer has blocked the bot. Telegram: Forbidden: bot was blocked by the user (sendMessage)";
    expect(
      [blocked, "Telegram: Bad Request: unheard of (sendMessage)"].map((text) => isExplained(text, explain)),
    ).toEqual([true, false]);
  });

  it("is said in each language, whatever the code can say", () => {
    const texts = textsOfErrors();
    expect(texts.length).toBeGreaterThan(30);
    for (const language of ["es", "ru"] as const) {
      const untold = texts.filter((text) => explain(text, language) === text);
      expect(untold.filter((text) => !FOR_PROGRAMMERS.includes(text)).sort()).toEqual([]);
    }
  });

  it("keeps what differs, and explains a reason within a text", () => {
    expect(explain("the file is larger than 500 bytes", "es")).toBe("el archivo ocupa más de 500 bytes");
    expect(explain("The message could not be delivered in time (Telegram: timeout (sendMessage))", "es")).toBe(
      "El mensaje no se pudo entregar a tiempo (Telegram: sin respuesta a tiempo (sendMessage))",
    );
    expect(explain("Part 2 of 3 was not delivered: the file is larger than 500 bytes", "ru")).toBe(
      "Часть 2 из 3 не доставлена: файл больше 500 байт",
    );
    expect(explain("Telegram cannot deliver messages: no reason given", "ru")).toBe(
      "Telegram не может доставить сообщения: причина не указана",
    );
  });

  it("counts as the reader's language does", () => {
    const most = (count: number) => `should be at most ${count} files`;
    expect(explain(most(1), "en")).toBe("send at most 1 file at once");
    expect([1, 5].map((count) => explain(most(count), "ru"))).toEqual([
      "отправляйте не больше 1 файла за один раз",
      "отправляйте не больше 5 файлов за один раз",
    ]);
    expect(explain("gateway answered 404: 007", "es")).toBe("los chats del CRM respondieron 404: 007");
  });

  it("stays as it is in English, and where another system has said it", () => {
    for (const text of [
      "nothing could be sent",
      "$& {x} $1",
      "Telegram: Bad Request: chat not found (sendMessage)",
      "",
    ]) {
      expect(explain(text, "en")).toBe(text);
      if (text !== "nothing could be sent") expect(explain(text, "ru")).toBe(text);
    }
    expect(explain("gateway answered 400: $& {reason} $1", "es")).toBe(
      "los chats del CRM respondieron 400: $& {reason} $1",
    );
  });

  it.each(adapters.map((adapter) => [adapter.kind, adapter.explanations ?? []] as const))(
    "has the same values in every language: %s",
    (_, explanations) => {
      const namesIn = (text: string) => [...text.matchAll(/\{(\w+)(?:\}|, plural)/g)].map(([, name]) => name).sort();
      for (const each of explanations)
        for (const language of LANGUAGES) expect(namesIn(each[language]), each.en).toEqual(namesIn(each.en));
    },
  );
});
