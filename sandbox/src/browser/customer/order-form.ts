import { button, el, iconButton } from "gangway-messenger/kit/emulator/browser/dom";
import type { Api } from "../api.ts";
import { openBox } from "../box.ts";
import { money } from "../content.ts";
import { icons } from "../icons.ts";
import { wordsOfError } from "../notice.ts";
import { searching } from "../search.ts";
import { nameOfCustomer } from "./references.ts";
import type { Customer } from "./wire.ts";

interface Offer {
  id: number;
  name?: string;
  article?: string;
  price?: number;
  quantity?: number;
  unit?: { code: string; sym?: string };
}
interface Product {
  name: string;
  article?: string;
  offers?: Offer[];
}
interface Line {
  offer: Offer;
  quantity: number;
}
export interface OrderFormParts {
  api: Api;
  customer: Customer;
  currency: string;
  /** Takes the new order. */
  create(order: object): Promise<unknown>;
}

/** Makes an order of offers that are searched in the catalogue. */
export function openOrderForm({ api, customer, currency, create }: OrderFormParts): void {
  const lines = new Map<number, Line>();
  const basket = el("ul", { class: "basket", "aria-label": "Items of the order" });
  const total = el("p", { class: "price", role: "status" });
  const comment = el("textarea", { rows: 2, dir: "auto" });
  const submit = el("button", { class: "primary" }, "Create order");
  const drawTotal = () => {
    const sum = [...lines.values()].reduce((all, { offer, quantity }) => all + (offer.price ?? 0) * quantity, 0);
    total.textContent = lines.size > 0 ? `Total: ${money({ value: sum, currency })}` : "Choose what is ordered.";
    submit.disabled = lines.size === 0;
  };
  const draw = () => {
    basket.replaceChildren(
      ...[...lines.values()].map((line) => lineOf(line, currency, { changed: drawTotal, remove })),
    );
    drawTotal();
  };
  const remove = ({ offer }: Line) => {
    lines.delete(offer.id);
    draw();
    search.input.focus();
  };
  const add = (offer: Offer) => {
    const line = lines.get(offer.id);
    lines.set(offer.id, { offer, quantity: (line?.quantity ?? 0) + 1 });
    draw();
  };
  const search = searching({
    label: "Search products",
    find: (text) => offersNamed(api, text),
    choice: (offer) => choiceOf(offer, currency, () => add(offer)),
    problem: (error) => box.problem(wordsOfError(error)),
  });
  search.list.classList.add("short");
  const form = el("form", { class: "stack" });
  form.append(basket, total, el("label", { class: "field" }, "Comment for the shop", comment), submit);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const items = [...lines.values()].map(({ offer, quantity }) => ({ offer: { id: offer.id }, quantity }));
    const managerComment = comment.value.trim();
    const order = { items, ...(managerComment && { managerComment }) };
    create(order).then(box.close, (error: unknown) => box.problem(wordsOfError(error)));
  });
  const box = openBox(`New order for ${nameOfCustomer(customer)}`, search.input, search.list, form);
  draw();
  search.input.focus();
  search.run();
}

async function offersNamed({ crm }: Api, text: string): Promise<Offer[]> {
  const query = `filter[name]=${encodeURIComponent(text)}&filter[active]=1&limit=20`;
  const { products } = await crm<{ products: Product[] }>("GET", `/store/products?${query}`);
  return products.flatMap(({ name, article, offers = [] }) => offers.map((offer) => ({ name, article, ...offer })));
}

function choiceOf(offer: Offer, currency: string, add: () => void): HTMLElement {
  const { name = "", article, quantity } = offer;
  const words = [article, quantity !== undefined && `${quantity} in stock`].filter(Boolean).join(" · ");
  return button(
    { class: "choice" },
    add,
    el("span", { class: "card-words" }, el("strong", {}, name), el("small", {}, words)),
    el("span", { class: "price" }, priceOf(offer, currency)),
  );
}

const priceOf = ({ price, unit }: Offer, currency: string): string =>
  [money({ value: price, currency }), unit && `/ ${unit.sym ?? unit.code}`].filter(Boolean).join(" ");

interface LineActs {
  changed(): void;
  remove(line: Line): void;
}

function lineOf(line: Line, currency: string, { changed, remove }: LineActs): HTMLElement {
  const { name = "" } = line.offer;
  const quantity = el("input", { type: "number", min: 0.001, step: "any", required: true, value: line.quantity });
  quantity.setAttribute("aria-label", `Quantity of ${name}`);
  quantity.addEventListener("input", () => {
    line.quantity = Number(quantity.value);
    changed();
  });
  return el(
    "li",
    {},
    el("span", {}, name),
    quantity,
    el("span", { class: "quantity" }, `× ${priceOf(line.offer, currency)}`),
    iconButton(icons.close, `Remove ${name}`, () => remove(line)),
  );
}
