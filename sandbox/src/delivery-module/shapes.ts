import { z } from "zod";

// What the CRM tells this module: only the fields that it uses.

const parcel = z.object({
  items: z
    .array(
      z.object({
        name: z.string().default("Goods"),
        quantity: z.number().default(1),
        unit: z.object({ sym: z.string().optional(), name: z.string().optional() }).optional(),
      }),
    )
    .default([]),
});
const address = z.object({ city: z.string().optional(), text: z.string().optional() });

export const activity = z.object({ active: z.boolean(), freeze: z.boolean() });
export const save = z.object({
  deliveryId: z.string().optional(),
  order: z.string(),
  packages: z.array(parcel).default([]),
  delivery: z.object({ deliveryAddress: address.optional() }),
});
export const deletion = z.object({ deliveryId: z.string() });
export const calculate = z.object({ packages: z.array(parcel).default([]) });
export const shipmentSave = z.object({
  shipmentId: z.string().optional(),
  orders: z.array(z.object({ deliveryId: z.string().optional() })).default([]),
});
export const shipmentDelete = z.object({ shipmentId: z.string() });

export type Parcel = z.infer<typeof parcel>;
export type Save = z.infer<typeof save>;
export type ShipmentSave = z.infer<typeof shipmentSave>;
