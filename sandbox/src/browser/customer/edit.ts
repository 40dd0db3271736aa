import { type Child, el } from "gangway-messenger/kit/emulator/browser/dom";
import { openBox } from "../box.ts";
import { wordsOfError } from "../notice.ts";
import { ownField } from "./fields.ts";
import { isFirm } from "./firm.ts";
import { accountFields, type References } from "./references.ts";
import type { Address, Customer } from "./wire.ts";

type Texts = Record<string, string>;

const FIRM: Texts = { nickName: "Name" };
const NAMES: Texts = { firstName: "First name", lastName: "Last name", patronymic: "Middle name" };
const CONTACT: Texts = { email: "E-mail", birthday: "Birthday" };
const ADDRESS: Texts = {
  index: "Postal code",
  countryIso: "Country code",
  region: "Region",
  city: "City",
  street: "Street",
  building: "Building",
  flat: "Flat",
  text: "Address in one line",
};
const INPUTS: Record<string, Record<string, string | number>> = {
  email: { type: "email" },
  birthday: { type: "date" },
  countryIso: { maxlength: 2, pattern: "[A-Z]{2}", title: "Two capital letters, such as MT" },
};

/** Edits the basics of a customer; a corporate one has its name and its fields. `save` takes what differs. */
export function openEdit(customer: Customer, references: References, save: (change: object) => Promise<unknown>): void {
  const { address = {}, phones = [], tags = [], customFields = {} } = customer;
  const plain = fieldsOf(isFirm(customer) ? FIRM : { ...NAMES, ...CONTACT }, customer as unknown as Texts);
  const place = fieldsOf(ADDRESS, address as Texts);
  const numbers = linesField("Phones, one per line", phones.map(({ number }) => number ?? "").filter(Boolean));
  const labels = linesField(
    "Tags, one per line",
    tags.map(({ name }) => name),
  );
  const own = accountFields(references, customer).map((field) => ownField(field, customFields[field.code], references));
  const form = el("form", { class: "stack" });
  form.append(
    grid(plain.elements),
    ...(isFirm(customer) ? [] : [grid([numbers.element, labels.element]), part("Address", grid(place.elements))]),
    own.length > 0 ? part("Fields of this account", grid(own.map(({ element }) => element))) : "",
    el("button", { class: "primary" }, "Save"),
  );
  const box = openBox("Edit customer", form);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const given = Object.fromEntries(own.map(({ code, value }) => [code, value()]));
    const change = {
      ...plain.changed(),
      ...(numbers.changed() && { phones: numbers.lines().map((number) => ({ number })) }),
      ...(labels.changed() && { tags: labels.lines() }),
      ...nested("address", place.changed()),
      ...nested("customFields", changedOf(given, customFields)),
    };
    if (Object.keys(change).length === 0) return box.close();
    save(change).then(box.close, (error: unknown) => box.problem(wordsOfError(error)));
  });
  form.querySelector("input")?.focus();
}

const grid = (elements: HTMLElement[]) => el("div", { class: "grid" }, ...elements);
const part = (title: string, ...content: Child[]) => el("fieldset", {}, el("legend", {}, title), ...content);

const nested = (name: string, change: object) => (Object.keys(change).length > 0 ? { [name]: change } : {});

function fieldsOf(labels: Texts, before: Texts | (Address & Texts)) {
  const inputs = Object.entries(labels).map(([name, label]) => {
    const id = `crm-field-${name}`;
    const input = el("input", { id, value: before[name] ?? "", autocomplete: "off", ...INPUTS[name] });
    return { name, input, element: el("div", { class: "field" }, el("label", { for: id }, label), input) };
  });
  return {
    elements: inputs.map(({ element }) => element),
    changed: () =>
      Object.fromEntries(
        inputs.flatMap(({ name, input }) => {
          const value = input.value.trim();
          return value === (before[name] ?? "") ? [] : [[name, value]];
        }),
      ),
  };
}

function linesField(label: string, before: string[]) {
  const area = el("textarea", { rows: 2 });
  area.value = before.join("\n");
  const lines = () =>
    area.value
      .split("\n")
      .map((line) => line.trim())
      .filter(Boolean);
  return {
    element: el("label", { class: "field" }, label, area),
    lines,
    changed: () => lines().join("\n") !== before.join("\n"),
  };
}

/** An empty text or list is the same as no value. */
function changedOf(given: Record<string, unknown>, before: Record<string, unknown>): Record<string, unknown> {
  const key = (value: unknown) =>
    JSON.stringify(value === undefined || value === null ? "" : value).replace("[]", '""');
  return Object.fromEntries(Object.entries(given).filter(([code, value]) => key(value) !== key(before[code])));
}
