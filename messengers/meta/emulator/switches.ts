import { z } from "zod";

/** Settings of an emulator: what Meta does at random or does not publish. */
const chance = z.number().min(0).max(1);
const ms = z
  .int()
  .min(0)
  .max(7 * 86_400_000);

/** What the courier of every network has. */
export const courierSwitches = z.strictObject({
  signature: z
    .enum(["raw", "escaped"])
    .optional()
    .describe(
      "What the webhook's signature covers: the bytes, or their \\uXXXX form; absent: as the sandbox's unknown",
    ),
  body: z
    .enum(["utf8", "escaped"])
    .default("utf8")
    .describe("Other characters than ASCII in a body: as UTF-8, or as \\uXXXX"),
  callsPerHour: z.int().min(0).default(0).describe("Calls an hour with one token; 0: no limit"),
  batchMs: ms.default(0).describe("How long events are gathered for one webhook, ms; 0: each goes alone"),
  batchEntries: z.int().min(1).max(1_000).default(1_000).describe("Most entries of one webhook"),
  duplicates: chance.default(0).describe("How often a delivered webhook comes again"),
  disorder: chance.default(0).describe("How often a webhook is held back while later ones pass"),
  disorderMs: ms.default(2_000).describe("… for up to this long, ms"),
  withheld: chance.default(0).describe("How often an event never comes by webhook, although the network has it"),
  retryForMs: ms.default(7 * 86_400_000).describe("How long a webhook that was not answered 200 is repeated, ms"),
});
export type CourierSwitches = z.infer<typeof courierSwitches>;
