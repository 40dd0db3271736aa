import { PACK } from "../crm/orders/packs.ts";
import type { Entry } from "../crm/records.ts";
import type { Actor } from "../crm/resource/change.ts";
import { TASK } from "../crm/tasks/task.ts";
import { crmMinute, crmTime, msOf } from "../crm/times.ts";
import type { World } from "../world.ts";
import type { Buyers } from "./customers.ts";
import type { Draw } from "./draw.ts";
import type { History, Log } from "./log.ts";
import { COMMENTS, NOTES, TASKS } from "./words.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export interface FollowingUp {
  world: World;
  draw: Draw;
  log: Log;
  managers: readonly number[];
  /** When all is as the account shows it, ms. */
  now: number;
}

/** Notes about a tenth of the customers. */
export function fillNotes({ world, draw, managers, now }: FollowingUp, { all }: Buyers): void {
  const { customerNotes, corporateNotes } = world.tables;
  for (const { at, entry } of all) {
    if (!draw.chance(0.1)) continue;
    (entry.type === "customer" ? customerNotes : corporateNotes).put({
      id: world.nextId(),
      text: draw.one(NOTES),
      managerId: draw.one(managers),
      createdAt: crmTime(at + (now - at) * draw.share()),
      customer: { id: entry.id },
    });
  }
}

/** Tasks about some orders: done, open or overdue; some have a comment. */
export function fillTasks({ world, draw, log, managers, now }: FollowingUp): void {
  const { orders, tasks, taskComments } = world.tables;
  const history = TASK.history as History;
  for (const { id: order, customer, createdAt } of orders.rows.values()) {
    if (!draw.chance(0.08)) continue;
    const performer = draw.one(managers);
    const by: Actor = { source: "user", user: performer };
    const begun = Math.min(msOf(String(createdAt)) + draw.whole(1, 48) * HOUR_MS, now - 1);
    const due = begun + draw.whole(0, 5) * DAY_MS;
    const task: Entry = {
      complete: false,
      performerType: "user",
      creator: performer,
      id: world.nextId(),
      createdAt: crmTime(begun),
      text: draw.one(TASKS),
      datetime: crmMinute(due),
      performer,
      customer,
      order: { id: order },
    };
    log.add(history, begun, by, task);
    const doneAt = begun + (due - begun) * draw.share();
    const done = draw.chance(0.8) && doneAt < now && { ...task, complete: true, completedAt: crmTime(doneAt) };
    if (done) log.add(history, doneAt, by, done, task);
    tasks.put(done || task);
    if (!draw.chance(0.3)) continue;
    const comment = { id: world.nextId(), task: task.id, text: draw.one(COMMENTS), creator: performer };
    taskComments.put({ ...comment, createdAt: done ? done.completedAt : task.createdAt });
  }
}

/** What stores set aside for orders that are being packed. */
export function fillPacks({ world, draw, log }: FollowingUp): void {
  const { orders, packs } = world.tables;
  for (const { id: orderId, status, statusUpdatedAt, managerId, items } of orders.rows.values()) {
    if (status !== "assembling") continue;
    for (const { id: itemId, quantity, purchasePrice } of items as Entry[]) {
      const [id, store] = [world.nextId(), draw.one(["quay", "depot"])];
      const pack = { id, createdAt: statusUpdatedAt, itemId, quantity, purchasePrice, store, orderId };
      log.add(
        PACK.history as History,
        msOf(String(statusUpdatedAt)),
        { source: "user", user: Number(managerId) },
        pack,
      );
      packs.put(pack);
    }
  }
}

/** Requests to fetch parcels: one a day, with those that left on it. */
export function fillShipments({ world, draw, managers }: FollowingUp): void {
  const { orders, shipments } = world.tables;
  const days = new Map<string, Entry[]>();
  for (const { id, externalId, number, status, delivery, shipmentDate, shipmentStore } of orders.rows.values()) {
    if (status !== "delivery" || (delivery as Entry).code !== "parcel") continue;
    const key = `${shipmentDate} ${shipmentStore}`;
    const reference = { id, ...(externalId !== undefined && { externalId }), number };
    days.set(key, [...(days.get(key) ?? []), reference]);
  }
  for (const [key, parcels] of days) {
    const [date, store] = key.split(" ");
    shipments.put({
      id: world.nextId(),
      createdAt: `${date} 09:00:00`,
      site: "shop",
      deliveryType: "parcel",
      status: "shipped",
      store,
      managerId: draw.one(managers),
      date,
      time: { from: "14:00", to: "18:00" },
      orders: parcels,
    });
  }
}
