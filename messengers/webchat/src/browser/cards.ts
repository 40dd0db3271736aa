import { type Child, el } from "./dom.ts";
import type { Format } from "./format.ts";
import type { MessageEntry, Order, Product } from "./protocol.ts";
import { fill, strings } from "./strings/strings.ts";
import { webAddress } from "./web-address.ts";

type Item = NonNullable<MessageEntry["item"]>;

/** A product or an order. Everything that the shop says about it is text. */
export const cardOf = (item: Item, format: Format): HTMLElement =>
  "product" in item ? productCard(item.product, format) : orderCard(item.order, format);

function link(url: string | undefined, about: string): Child {
  const href = webAddress(url);
  // Several cards may have this link: its name says which card.
  const attributes = { class: "card-link", href, target: "_blank", rel: "noopener noreferrer" };
  return href && el("a", { ...attributes, "aria-label": `${strings.view}: ${about}` }, strings.view);
}

function productCard({ name, article, image, cost, unit, url }: Product, format: Format): HTMLElement {
  const price = cost && `${format.money(cost)}${unit ? ` / ${unit}` : ""}`;
  return el(
    "div",
    { class: "card", "data-part": "product" },
    picture(image, name),
    el(
      "div",
      { class: "card-in" },
      el("strong", { class: "card-name", dir: "auto" }, name),
      article && el("small", { dir: "auto" }, article),
      el("div", { class: "card-foot" }, el("strong", { class: "price" }, el("bdi", {}, price)), link(url, name)),
    ),
  );
}

function picture(address: string | undefined, name: string): Child {
  const src = webAddress(address);
  if (!src) return undefined;
  const image = el("img", { class: "card-picture", src, alt: name, loading: "lazy", referrerpolicy: "no-referrer" });
  // Missing, or blocked by the page's CSP.
  image.onerror = () => image.remove();
  return image;
}

function orderCard(order: Order, format: Format): HTMLElement {
  const { number, date, status, items, delivery, discount, cost, url } = order;
  const head = number ? fill(strings.numbered, { number }) : strings.order;
  const row = (name: string, sum: string | undefined, kind = "") =>
    el("div", { class: `order-row ${kind}` }, el("dt", { dir: "auto" }, name), el("dd", {}, el("bdi", {}, sum)));
  const time = Date.parse(date ?? "");
  return el(
    "div",
    { class: "card order", "data-part": "order" },
    el(
      "div",
      { class: "card-in" },
      el(
        "div",
        { class: "order-head" },
        el("strong", { class: "card-name", dir: "auto" }, head),
        status && el("span", { class: "order-status", dir: "auto" }, status),
      ),
      !Number.isNaN(time) && el("small", {}, format.day(time)),
      el(
        "dl",
        {},
        ...items.map((item) => row(itemName(item, format), sumOf(item, format))),
        delivery?.price &&
          row([strings.delivery, delivery.name].filter(Boolean).join(", "), format.money(delivery.price)),
        !!discount?.value && row(strings.discount, format.money({ ...discount, value: -discount.value })),
        cost && row(strings.total, format.money(cost), "total"),
      ),
      link(url, head),
    ),
  );
}

const itemName = ({ name, quantity = 1, unit }: Order["items"][number], format: Format) =>
  `${name} × ${[format.number(quantity), unit].filter(Boolean).join(" ")}`;

/** The gateway gives the price of one piece. */
const sumOf = ({ price, quantity = 1 }: Order["items"][number], format: Format) =>
  price && format.money({ ...price, value: Math.round(price.value * quantity * 1e6) / 1e6 });
