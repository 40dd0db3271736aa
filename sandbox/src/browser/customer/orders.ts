import { el, iconButton } from "gangway-messenger/kit/emulator/browser/dom";
import { money } from "../content.ts";
import { icons } from "../icons.ts";
import { shortTime } from "../names.ts";
import type { References } from "./references.ts";
import type { CustomerOrder } from "./wire.ts";

export interface OrderActs {
  setStatus(order: CustomerOrder, status: string): void;
  /** Sends its card to the chat; undefined where the channel takes none. */
  send?(order: CustomerOrder): void;
}

export function orderItem(order: CustomerOrder, references: References, { setStatus, send }: OrderActs): HTMLElement {
  const { id, card } = order;
  const title = `Order ${card.number ?? id}`;
  const items = (card.items ?? []).map(({ name, quantity }) => `${name} × ${quantity?.value ?? 1}`);
  return el(
    "li",
    { class: "record order-line" },
    el("strong", {}, title),
    el("span", { class: "price" }, money(card.cost)),
    el("small", {}, [card.date && shortTime(Date.parse(card.date)), ...items].filter(Boolean).join(" · ")),
    el("small", {}, ...paymentsOf(order)),
    statusOf(order, title, references, setStatus),
    send &&
      iconButton(icons.send, `Send the card of order ${card.number ?? id}`, () => send(order), {
        "data-action": `send ${id}`,
      }),
  );
}

const paymentsOf = ({ card }: CustomerOrder) => {
  const { payments = [] } = card;
  if (payments.length === 0) return ["No payment"];
  return payments.map(({ name, status }) =>
    el(
      "span",
      { class: "badge", "data-paid": String(status?.payed === true) },
      [name, status?.name].filter(Boolean).join(": "),
    ),
  );
};

function statusOf(
  order: CustomerOrder,
  title: string,
  { statuses }: References,
  set: OrderActs["setStatus"],
): HTMLElement {
  const options = statuses.map(({ code, name }) =>
    el("option", { value: code, selected: code === order.status }, name),
  );
  const select = el("select", { "aria-label": `Status of ${title}`, "data-action": `status ${order.id}` }, ...options);
  select.addEventListener("change", () => set(order, select.value));
  return select;
}
