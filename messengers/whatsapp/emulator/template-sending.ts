import type { GraphRefusal } from "gangway-meta/emulator/graph-error";
import { waRefusal } from "./codes.ts";
import type { SentComponent, SentTemplate } from "./send-shape.ts";
import { componentOf, type Template, variablesOf } from "./template.ts";
import { checkButtons, checkCards, checkOffer } from "./template-extras.ts";
import type { Account } from "./world.ts";

/** The template that a message names, ready to send. Throws GraphRefusal. */
export function templateFor({ templates }: Account, { name, language, components = [] }: SentTemplate): Template {
  const found = [...templates.values()].find((each) => each.name === name && each.language === language.code);
  if (!found || !["APPROVED", "PAUSED", "DISABLED"].includes(found.status))
    throw waRefusal(132001, `template name (${name}) does not exist in ${language.code}`);
  if (found.status === "PAUSED") throw waRefusal(132015);
  if (found.status === "DISABLED") throw waRefusal(132016);
  checkValues(found, components);
  return found;
}

function checkValues(template: Template, sent: SentComponent[]): void {
  for (const { type } of sent)
    if (!["header", "body", "button", "carousel", "limited_time_offer"].includes(type.toLowerCase()))
      throw waRefusal(132012, `Unexpected component type ${type}`);
  for (const part of ["HEADER", "BODY"] as const) checkPart(template, part, sent);
  checkButtons(componentOf(template, "BUTTONS")?.buttons ?? [], sent);
  checkOffer(template, sent);
  checkCards(template, sent);
}

function checkPart(template: Template, part: "HEADER" | "BODY", sent: SentComponent[]): void {
  const own = componentOf(template, part);
  const name = part.toLowerCase();
  const given = sent.find(({ type }) => type.toLowerCase() === name)?.parameters ?? [];
  const format = own?.format ?? "TEXT";
  if (format !== "TEXT") {
    const got = given[0]?.type.toUpperCase() ?? "UNKNOWN";
    if (got !== format) throw waRefusal(132012, `${name}: Format mismatch, expected ${format}, received ${got}`);
    return;
  }
  const wanted = variablesOf(own?.text ?? "");
  if (given.length !== wanted.length) throw mismatch(name, given.length, wanted.length);
  const names = new Set(given.map(({ parameter_name }) => parameter_name));
  if (template.parameterFormat === "NAMED" && !wanted.every((each) => names.has(each)))
    throw waRefusal(100, "Parameter name is missing or empty");
  for (const { text, type } of given) {
    if (type === "text" && !text)
      throw waRefusal(100, "Parameter 'text' is mandatory for component parameter type 'text'");
    if (/[\n\t]| {5,}/.test(text ?? ""))
      throw waRefusal(132018, "Param text cannot have new-line/tab characters or more than 4 consecutive spaces");
  }
}

const mismatch = (part: string, given: number, wanted: number): GraphRefusal =>
  waRefusal(
    132000,
    `${part}: number of localizable_params (${given}) does not match the expected number of params (${wanted})`,
  );

/** What the customer reads. */
export function rendered(template: Template, sent: SentComponent[] = []): string {
  const lines = ["HEADER", "BODY", "FOOTER"].flatMap((part) => {
    const own = componentOf(template, part);
    if (!own?.text) return [];
    const values = sent.find(({ type }) => type.toUpperCase() === part)?.parameters ?? [];
    return [filled(own.text, values)];
  });
  return lines.join("\n");
}

function filled(text: string, values: { text?: string; parameter_name?: string }[]): string {
  return text.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (whole, name: string) => {
    const named = values.find(({ parameter_name }) => parameter_name === name);
    return (named ?? values[Number(name) - 1])?.text ?? whole;
  });
}
