import { button } from "gangway-messenger/kit/emulator/browser/dom";
import { type Api, queryOf } from "./api.ts";
import { openBox } from "./box.ts";
import { orderCard, productCard } from "./content.ts";
import { type Channel, may, type Order, type Product } from "./model.ts";
import { wordsOfError } from "./notice.ts";
import { searching } from "./search.ts";

interface Choice {
  card: HTMLElement;
  body: object;
}

/** Products of the catalogue and orders, to be sent as cards. */
export function openGoods(api: Api, channel: Channel | undefined, send: (body: object) => Promise<void>): void {
  const named = <T>(kind: "product" | "order", text: string): Promise<T[]> | [] =>
    may(channel, kind, "creating") ? api.agent<T[]>("GET", `/${kind}s${queryOf({ search: text })}`) : [];
  const find = async (text: string): Promise<Choice[]> => {
    const [products, orders] = await Promise.all([named<Product>("product", text), named<Order>("order", text)]);
    return [
      ...products.map((product) => ({ card: productCard(product, true), body: { type: "product", product } })),
      ...orders.map((order) => ({ card: orderCard(order, true), body: { type: "order", order } })),
    ];
  };
  const choose = (body: object) => {
    box.problem("");
    send(body).then(box.close, (error: unknown) => box.problem(wordsOfError(error)));
  };
  const { input, list, run } = searching({
    label: "Search products and orders",
    find,
    choice: ({ card, body }) => button({ class: "choice" }, () => choose(body), card),
    problem: (error) => box.problem(wordsOfError(error)),
  });
  const box = openBox("Send a product or an order", input, list);
  input.focus();
  run();
}
