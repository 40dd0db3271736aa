import type { Entry } from "../crm/records.ts";
import type { Actor } from "../crm/resource/change.ts";
import { crmTime } from "../crm/times.ts";
import { BY_API } from "./customers.ts";
import type { Draw } from "./draw.ts";

/** What happens to an order at a time, ms. */
export interface Step {
  at: number;
  by: Actor;
  change(order: Entry): Entry;
}

const HOUR_MS = 3_600_000;

/** From an order's first hour until it is completed or cancelled, in order of time. */
export function stepsOf(draw: Draw, order: Entry, since: number, managers: readonly number[]): Step[] {
  const manager = draw.one(managers);
  const by: Actor = { source: "user", user: manager };
  const [{ type } = {}] = order.payments as Entry[];
  const isPrepaid = type !== "cash";
  const cancelled = draw.chance(0.12);
  let at = since;
  const later = (least: number, most: number) => {
    at += (least + (most - least) * draw.share()) * HOUR_MS;
    return at;
  };
  const steps: Step[] = [];
  const next = (status: string, more: (order: Entry) => Entry = () => ({}), atThen = at) => {
    const when = crmTime(atThen);
    steps.push({ at: atThen, by, change: (before) => ({ ...moved(before, status, when), ...more(before) }) });
  };
  later(0.5, 8);
  next("approval", () => ({ managerId: manager }));
  if (cancelled) {
    later(2, 72);
    const statusComment = draw.one(WHY);
    next("cancel", () => ({ statusComment }));
    return steps;
  }
  if (isPrepaid) steps.push(paymentAt(later(0.2, 12), BY_API));
  later(4, 30);
  next("assembling", itemsIn("reserved"));
  later(10, 48);
  const [store, track, sent] = [draw.one(STORES), `TR${draw.digits(9)}`, at];
  const arrival = dayOf(later(20, 96));
  const leaving = ({ delivery }: Entry) => ({
    shipped: true,
    shipmentDate: dayOf(sent),
    shipmentStore: store,
    delivery: onItsWay(delivery as Entry, arrival, track),
  });
  next("delivery", leaving, sent);
  if (!isPrepaid) steps.push(paymentAt(at, by));
  at += HOUR_MS / 4;
  next("complete", itemsIn("sold"));
  return steps;
}

const WHY = ["Changed his mind", "No answer", "Нет в наличии", "Pedido duplicado"];
const STORES = ["quay", "depot", "salon"];

/** Of no answer: the statuses that an order has had. */
const moved = ({ statuses }: Entry, status: string, at: string): Entry => ({
  status,
  statusUpdatedAt: at,
  statuses: [...(statuses as string[]), status],
});

const itemsIn =
  (status: string) =>
  ({ items }: Entry): Entry => ({ items: (items as Entry[]).map((item) => ({ ...item, status })) });

const paymentAt = (at: number, by: Actor): Step => ({
  at,
  by,
  change: ({ payments }) => ({
    payments: (payments as Entry[]).map((payment) => ({ ...payment, status: "paid", paidAt: crmTime(at) })),
  }),
});

const dayOf = (at: number) => crmTime(at).slice(0, 10);

/** It comes on the day that is known from now on. Parcels have a number by which they are followed. */
const onItsWay = (delivery: Entry, date: string, trackNumber: string): Entry => ({
  ...delivery,
  ...(delivery.date !== undefined && { date }),
  ...(delivery.code === "parcel" && { data: { trackNumber } }),
});
