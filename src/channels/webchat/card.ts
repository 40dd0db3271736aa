import type { Content, Money, Order, Product } from "../../domain/message.ts";

const price = (money: Money | undefined) => money && `${money.value} ${money.currency}`;
const lines = (...parts: (string | undefined)[]) => parts.filter(Boolean).join("\n");

const productText = (product: Product) =>
  lines(
    product.article ? `${product.name} (${product.article})` : product.name,
    price(product.cost) && `${price(product.cost)}${product.unit ? ` / ${product.unit}` : ""}`,
    product.url,
  );

function orderText(order: Order): string {
  const items = order.items.map((item) => {
    const cost = price(item.price);
    return `${item.name} × ${item.quantity ?? 1}${cost ? ` – ${cost}` : ""}`;
  });
  return lines(order.number && `№ ${order.number}`, ...items, price(order.cost), order.status, order.url);
}

/** Cards are not announced; one that comes all the same is shown as text rather than lost. */
export function textOf(content: Content): string | undefined {
  switch (content.type) {
    case "text":
      return content.text;
    case "product":
      return lines(content.text, productText(content.product));
    case "order":
      return lines(content.text, orderText(content.order));
    default:
      return content.note;
  }
}
