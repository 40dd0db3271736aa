import type { Gateway } from "../../gateway/gateway.ts";
import type { World } from "../../world.ts";
import type { Entry } from "../records.ts";
import { currencyOf } from "../reference/defaults.ts";
import { offerBy } from "../store/product.ts";
import { absolute } from "../store/shown.ts";

/** An order as agents send it into chats. */
export function orderCard(gateway: Gateway, order: Entry) {
  const { world } = gateway;
  const named = (dictionary: string, code: unknown) => String(entryOf(world, dictionary, code).name ?? "");
  const currency = String(currencyOf(world, order.site) ?? "");
  const cost = (value: unknown) => ({ value: Number(value ?? 0), currency });
  const { address, ...delivery } = (order.delivery ?? {}) as Entry;
  const { text = "", notes = "" } = (address ?? {}) as Entry;
  const items = (order.items ?? []) as Entry[];
  return {
    external_id: Number(order.id),
    number: String(order.number),
    date: `${String(order.createdAt).replace(" ", "T")}Z`,
    url: `${gateway.origin()}/orders/${order.id}`,
    status: { code: cardStatus(world, order.status), name: named("statuses", order.status) },
    cost: cost(order.totalSumm),
    discount: cost(discountOf(items)),
    items: items.map((item) => itemCard(gateway, item, cost)),
    delivery: {
      name: named("delivery-types", delivery.code),
      price: cost(delivery.cost),
      address: String(text),
      comment: String(notes),
    },
    payments: ((order.payments ?? []) as Entry[]).map(({ type, status, amount }) => ({
      name: named("payment-types", type),
      amount: cost(amount),
      status: statusCard(entryOf(world, "payment-statuses", status)),
    })),
  };
}

const entryOf = ({ dictionaries }: World, dictionary: string, code: unknown): Entry =>
  dictionaries.get(dictionary)?.get(String(code)) ?? {};

/** The dictionary says which statuses mean that a payment is made. */
const statusCard = ({ name = "", paymentComplete }: Entry) => ({
  name: String(name),
  payed: paymentComplete === true,
});

/** The gateway knows the groups of statuses. */
const cardStatus = (world: World, status: unknown) => String(entryOf(world, "statuses", status).group ?? "new");

const discountOf = (items: Entry[]) =>
  items.reduce((sum, { discountTotal, quantity }) => sum + Number(discountTotal ?? 0) * Number(quantity), 0);

function itemCard({ world, origin }: Gateway, item: Entry, cost: (value: unknown) => object) {
  const { id } = (item.offer ?? {}) as Entry;
  const { product, offer } = (id !== undefined && offerBy(world.tables.products, { id }, "")) || {};
  const [image] = offer?.images ?? [];
  return {
    external_id: Number(id ?? item.id),
    name: String(offer?.name ?? item.productName ?? ""),
    ...(product?.url !== undefined && { url: absolute(origin(), product.url) }),
    ...(image && { img: absolute(origin(), image) }),
    price: cost(Number(item.initialPrice) - Number(item.discountTotal ?? 0)),
    quantity: { value: Number(item.quantity), unit: offer?.unit?.code ?? "pc" },
  };
}
