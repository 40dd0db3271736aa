import type { Api } from "./api.ts";
import { openBox } from "./box.ts";
import { orderCard, productCard } from "./content.ts";
import { button, el } from "./dom.ts";
import { type Channel, may, type Order, type Product } from "./model.ts";
import { wordsOfError } from "./notice.ts";

export async function openGoods(
  api: Api,
  channel: Channel | undefined,
  send: (body: object) => Promise<void>,
): Promise<void> {
  const list = el("div", { class: "choices" }, el("p", { class: "soft" }, "Loading …"));
  const search = el("input", { type: "search", placeholder: "Search", "aria-label": "Search products and orders" });
  const box = openBox("Send a product or an order", search, list);
  search.focus();
  const choose = (body: object) => {
    box.problem("");
    send(body).then(box.close, (error: unknown) => box.problem(wordsOfError(error)));
  };
  try {
    const [products, orders] = await Promise.all([
      may(channel, "product", "creating") ? api.agent<Product[]>("GET", "/products") : [],
      may(channel, "order", "creating") ? api.agent<Order[]>("GET", "/orders") : [],
    ]);
    const choices = [
      ...products.map((product) => choiceOf(productCard(product, true), () => choose({ type: "product", product }))),
      ...orders.map((order) => choiceOf(orderCard(order, true), () => choose({ type: "order", order }))),
    ];
    const none = el("p", { class: "soft" }, "Nothing found.");
    const show = () => {
      const found = choices.filter((choice) => has(choice, search.value));
      list.replaceChildren(...(found.length > 0 ? found : [none]));
    };
    search.addEventListener("input", show);
    show();
  } catch (error) {
    list.replaceChildren();
    box.problem(wordsOfError(error));
  }
}

const choiceOf = (card: HTMLElement, run: () => void) => button({ class: "choice" }, run, card);
const has = (choice: HTMLElement, text: string) =>
  (choice.textContent ?? "").toLowerCase().includes(text.trim().toLowerCase());
