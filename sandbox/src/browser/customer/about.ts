import { type Child, el, row } from "gangway-messenger/kit/emulator/browser/dom";
import { money } from "../content.ts";
import { channelName } from "../names.ts";
import { accountFields, nameOfCustomer, nameOfUser, type References, valueWords } from "./references.ts";
import type { Address, Customer, CustomerChat } from "./wire.ts";

/** A customer's record in words; a corporate one's with its contacts. */
export function aboutCustomer(customer: Customer, contacts: Customer[], references: References): Child[] {
  const { phones = [], email, address, birthday, tags = [], segments = [], managerId, vip, bad } = customer;
  const numbers = phones.flatMap(({ number }) => (number ? [el("a", { href: `tel:${number}` }, number)] : []));
  return [
    (vip || bad) &&
      el(
        "p",
        { class: "badges" },
        vip && el("span", { class: "badge" }, "VIP"),
        bad && el("span", { class: "badge bad" }, "Bad customer"),
      ),
    el(
      "dl",
      {},
      ...row("Name", nameOfCustomer(customer)),
      ...row(numbers.length > 1 ? "Phones" : "Phone", numbers.length > 0 && el("span", { class: "lines" }, ...numbers)),
      ...row("E-mail", email && el("a", { href: `mailto:${email}` }, email)),
      ...row(contacts.length > 1 ? "Contacts" : "Contact", contacts.length > 0 && people(contacts)),
      ...row("Company", customer.mainCompany?.name),
      ...row("Address", customer.mainAddress?.name ?? addressWords(address)),
      ...row("Birthday", birthday),
      ...row("Manager", nameOfUser(references, managerId)),
      ...sums(customer, references),
      ...ownFields(customer, references),
    ),
    labels(
      "Tags",
      tags.map(({ name }) => name),
    ),
    labels(
      "Segments",
      segments.map(({ name, code }) => name ?? code),
    ),
  ];
}

const people = (contacts: Customer[]): Child =>
  el(
    "span",
    { class: "lines" },
    ...contacts.map((contact) => {
      const { phones = [], email } = contact;
      return el("span", {}, [nameOfCustomer(contact), phones[0]?.number, email].filter(Boolean).join(", "));
    }),
  );

export const addressWords = ({ text, index, countryIso, region, city, street, building, flat }: Address = {}): string =>
  text ||
  [index, [street, building, flat].filter(Boolean).join(" "), city, region, countryIso].filter(Boolean).join(", ");

function sums({ ordersCount, totalSumm, averageSumm }: Customer, { currency }: References): Child[] {
  if (!ordersCount) return [];
  return [
    ...row("Orders", String(ordersCount)),
    ...row("In total", money({ value: totalSumm, currency })),
    ...row("On average", money({ value: averageSumm, currency })),
  ];
}

function ownFields(customer: Customer, references: References): Child[] {
  const fields = accountFields(references, customer);
  return Object.entries(customer.customFields ?? {}).flatMap(([code, value]) => {
    const field = fields.find((each) => each.code === code);
    if (!field || value === null) return [];
    return row(field.name, valueWords(references, field, value));
  });
}

const labels = (title: string, names: string[]): Child =>
  names.length > 0 &&
  el("ul", { class: "chips", "aria-label": title }, ...names.map((name) => el("li", { class: "chip label" }, name)));

export const chatWords = ({ channel, name }: CustomerChat): string =>
  [channelName(channel), channel.name, name].filter(Boolean).join(" · ");
