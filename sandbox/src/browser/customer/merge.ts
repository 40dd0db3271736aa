import { button, el } from "gangway-messenger/kit/emulator/browser/dom";
import type { Api } from "../api.ts";
import { type Box, openBox } from "../box.ts";
import { wordsOfError } from "../notice.ts";
import { searching } from "../search.ts";
import { callsOf } from "./firm.ts";
import { nameOfCustomer } from "./references.ts";
import type { Customer } from "./wire.ts";

/** Merges the customer with another one, which is searched for. */
export function openMerge(api: Api, customer: Customer, merged: () => Promise<unknown>): void {
  const { path, many } = callsOf(customer);
  const find = async (text: string) => {
    const query = `filter[name]=${encodeURIComponent(text)}&limit=20`;
    const answer = await api.crm<Partial<Record<typeof many, Customer[]>>>("GET", `/${path}?${query}`);
    return (answer[many] ?? []).filter(({ id }) => id !== customer.id);
  };
  const choose = (other: Customer) => confirmIn(box, customer, other, (into, from) => merge(into, from));
  const merge = async (into: Customer, from: Customer) => {
    await api.crm("POST", `/${path}/combine`, { resultCustomer: { id: into.id }, customers: [{ id: from.id }] });
    await merged();
  };
  const { input, list, run } = searching({
    label: "Search customers",
    find,
    choice: (other) => button({ class: "choice" }, () => choose(other), ...wordsOf(other)),
    problem: (error) => box.problem(wordsOfError(error)),
  });
  const box = openBox(`Merge ${nameOfCustomer(customer)} with …`, input, list);
  input.focus();
  run();
}

function wordsOf(customer: Customer): HTMLElement[] {
  const { phones = [], email, mgCustomers = [] } = customer;
  const about = [
    ...phones.map(({ number }) => number),
    email,
    mgCustomers.length > 0 && `${mgCustomers.length} ${mgCustomers.length === 1 ? "chat" : "chats"}`,
  ];
  return [
    el(
      "span",
      { class: "card-words" },
      el("strong", {}, nameOfCustomer(customer)),
      el("small", {}, about.filter(Boolean).join(" · ")),
    ),
  ];
}

/** Which of the two stays. */
function confirmIn(
  box: Box,
  customer: Customer,
  other: Customer,
  merge: (into: Customer, from: Customer) => Promise<void>,
): void {
  const option = (kept: Customer, checked: boolean) => {
    const radio = el("input", { type: "radio", name: "kept", value: kept.id, checked });
    return el("label", { class: "choice option" }, radio, ...wordsOf(kept));
  };
  const form = el("form", { class: "stack" });
  form.append(
    el("fieldset", {}, el("legend", {}, "Whose data stays"), option(customer, true), option(other, false)),
    el("p", { class: "soft" }, "Chats, orders, notes and tasks of the other move to it. This cannot be undone."),
    el("button", { class: "primary" }, "Merge"),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const keepsOther = new FormData(form).get("kept") === String(other.id);
    const [into, from] = keepsOther ? [other, customer] : [customer, other];
    merge(into, from).then(box.close, (error: unknown) => box.problem(wordsOfError(error)));
  });
  box.problem("");
  box.body.replaceChildren(form);
  form.querySelector("input")?.focus();
}
