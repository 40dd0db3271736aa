import { DeliveryError } from "gangway-messenger/errors";
import type { TemplateButton, TemplateDraft } from "gangway-messenger/template";
import { cutText } from "gangway-messenger/text";
import type { Shape } from "./shapes.ts";
import { enoughNames, named } from "./variables.ts";

const refused = (message: string) => new DeliveryError({ type: "reject", code: "general" }, message);

/** Longest parts, characters. */
const HEADER_LENGTH = 60;
const BODY_LENGTH = 1_024;
const FOOTER_LENGTH = 60;
const BUTTON_LENGTH = 25;
const MAX_BUTTONS = 10;
const NAME_LENGTH = 512;

/** Meta's form of a name: small letters, digits and `_`. Throws DeliveryError. */
export function nameOf(given: string): string {
  const plain = given
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}+/gu, "")
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");
  const name = cutText(plain, NAME_LENGTH);
  if (!name) throw refused("the template's name needs letters a to z or digits");
  return name;
}

/** Names of the template's variables at Meta; absent: they have numbers. */
type Names = Pick<Shape, "header" | "body">;

/** The parts of a draft for Meta's review, except a file above its text. Throws a `reject` that says what to change. */
export function componentsOf(
  { header, body, footer, buttons, examples = {} }: TemplateDraft,
  names: Names = {},
): object[] {
  check(body.trim() !== "", "the template needs a text");
  check((footer?.length ?? 0) <= FOOTER_LENGTH, `the template's footer has more than ${FOOTER_LENGTH} characters`);
  check(variablesIn(footer).length === 0, "the template's footer cannot have variables");
  check(buttons.length <= MAX_BUTTONS, `the template has more than ${MAX_BUTTONS} buttons`);
  const { text, example } = reviewed(body, examples.body, names.body);
  check(text.length <= BODY_LENGTH, `the template's text has more than ${BODY_LENGTH} characters`);
  const shown =
    example && ("named" in example ? { body_text_named_params: example.named } : { body_text: [example.all] });
  return [
    ...(header?.type === "text" ? [headerComponent(header.text, examples.header, names.header)] : []),
    { type: "BODY", text, ...(shown && { example: shown }) },
    ...(footer ? [{ type: "FOOTER", text: footer }] : []),
    ...(buttons.length > 0
      ? [{ type: "BUTTONS", buttons: buttons.map((each, n) => buttonComponent(each, examples.buttons?.[n])) }]
      : []),
  ];
}

function check(holds: boolean, otherwise: string): void {
  if (!holds) throw refused(otherwise);
}

function headerComponent(words = "", values?: string[], names?: string[]): object {
  check(variablesIn(words).length <= 1, "the template's header can have one variable only");
  const { text, example } = reviewed(words, values, names);
  check(text.length <= HEADER_LENGTH, `the template's header has more than ${HEADER_LENGTH} characters`);
  const shown =
    example && ("named" in example ? { header_text_named_params: example.named } : { header_text: example.all });
  return { type: "HEADER", format: "TEXT", text, ...(shown && { example: shown }) };
}

type Example = { all: string[] } | { named: { param_name: string; example: string }[] };

/** A text with its variables as the template has them, and an example of each. */
function reviewed(words: string, values?: string[], known?: string[]): { text: string; example?: Example } {
  const all = valuesFor(words, values);
  if (all.length === 0) return { text: words };
  if (!known) return { text: words, example: { all } };
  const names = enoughNames(all.length, known);
  const examples = all.map((example, n) => ({ param_name: names[n] ?? "", example }));
  return { text: named(words, names), example: { named: examples } };
}

function buttonComponent({ type, title, url = "", phone = "" }: TemplateButton, values?: string[]): object {
  check(title.length > 0 && title.length <= BUTTON_LENGTH, `a button's title has 1 to ${BUTTON_LENGTH} characters`);
  if (type === "plain") return { type: "QUICK_REPLY", text: title };
  if (type === "phone") return { type: "PHONE_NUMBER", text: title, phone_number: phone };
  check(/^https?:\/\//.test(url), "the address of a button begins with https://");
  const example = valuesFor(url, values).map((value) => url.replace(VARIABLE, () => value));
  check(/^[^{}]*(\{\{\s*1\s*\}\})?$/.test(url), "the address of a button can have one variable, at its end");
  return { type: "URL", text: title, url, ...(example.length > 0 && { example }) };
}

const VARIABLE = /\{\{\s*(\d+)\s*\}\}/g;
const variablesIn = (words = ""): number[] => [...words.matchAll(VARIABLE)].map(([, number]) => Number(number));

/** An example for each variable: the reviewers see them. Variables count from 1 without a gap. */
function valuesFor(words: string, values: string[] = []): string[] {
  const numbers = [...new Set(variablesIn(words))].sort((a, b) => a - b);
  check(
    numbers.every((number, n) => number === n + 1),
    "the template's variables are numbered from 1, without a gap",
  );
  check(!/\{\{(?!\s*\d+\s*\}\})/.test(words), "a variable of a template is a number in double braces");
  return numbers.map((number) => values[number - 1] || `example ${number}`);
}
