import { type Context, Hono } from "hono";
import type { z } from "zod";
import { costOf, createBook, type Delivery, isEditable } from "./book.ts";
import { type CrmOptions, createCrm } from "./crm.ts";
import * as shapes from "./shapes.ts";

/** What the CRM is told instead of a result. */
class Refused extends Error {
  readonly status: 400 | 404;
  constructor(status: 400 | 404, words: string) {
    super(words);
    this.status = status;
  }
}

/** A delivery module for one account: it registers, takes the CRM's calls and tells where parcels are. */
export function createDeliveryModule(options: CrmOptions & { log(words: string): void }) {
  const book = createBook();
  const crm = createCrm(options);
  let working = true;
  /** After the answer: the CRM waits for it, and a lost update of a status comes with the next. */
  const track = (deliveries: Delivery[]) => {
    if (!working || deliveries.length === 0) return;
    crm.track(deliveries).catch((error: Error) => options.log(`tracking failed: ${error.message}`));
  };
  const site = new Hono();
  site.onError((error, c) => {
    const status = error instanceof Refused ? error.status : 500;
    return c.json({ success: false, errorMsg: error.message }, status);
  });
  /** A call of the CRM: `clientId`, and the action's own field as JSON. */
  const action = <T>(name: string, shape: z.ZodType<T>, run: (told: T) => object | undefined) =>
    site.post(`/${name}`, async (c) => {
      const form = new URLSearchParams(await c.req.text());
      if (form.get("clientId") !== options.clientId) throw new Refused(400, "Unknown clientId");
      const told = shape.safeParse(parsed(form.get(name)));
      if (!told.success) throw new Refused(400, `Parameter "${name}" must be JSON of its form`);
      options.log(name);
      const result = run(told.data);
      return c.json({ success: true, ...(result && { result }) });
    });

  const find = (id: string): Delivery => {
    const delivery = book.find(id);
    if (!delivery) throw new Refused(404, `Delivery ${id} not found`);
    return delivery;
  };
  const mustBeNew = (id: string) => {
    if (!isEditable(find(id))) throw new Refused(400, `Delivery ${id} is under way`);
  };

  action("activity", shapes.activity, ({ active, freeze }) => {
    working = active && !freeze;
    return undefined;
  });
  action("save", shapes.save, (told) => {
    if (told.deliveryId) mustBeNew(told.deliveryId);
    const { id, trackNumber, cost, status } = book.save(told);
    return { deliveryId: id, trackNumber, cost, status };
  });
  action("delete", shapes.deletion, ({ deliveryId }) => {
    mustBeNew(deliveryId);
    book.cancel(deliveryId);
    return undefined;
  });
  action("calculate", shapes.calculate, ({ packages }) => [
    { code: "bicycle", name: "By bicycle", type: "courier", cost: costOf(packages), minTerm: 0, maxTerm: 1 },
  ]);
  action("shipmentSave", shapes.shipmentSave, (told) => {
    const { shipment, moved } = book.take(told);
    track(moved);
    return { shipmentId: shipment };
  });
  action("shipmentDelete", shapes.shipmentDelete, ({ shipmentId }) => {
    track(book.release(shipmentId));
    return undefined;
  });
  site.get("/", (c) => c.json({ working, deliveries: book.deliveries() }));
  // A courier hands a parcel over.
  site.post("/deliveries/:id/delivered", (c: Context) => {
    const delivery = find(c.req.param("id") ?? "");
    track([book.deliver(delivery)]);
    return c.json(delivery);
  });
  return { fetch: site.fetch, register: crm.register };
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}
