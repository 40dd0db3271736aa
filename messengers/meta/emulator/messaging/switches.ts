import { z } from "zod";
import { courierSwitches } from "../switches.ts";

const DAY_MS = 86_400_000;
const ms = z
  .int()
  .min(0)
  .max(400 * DAY_MS);

/** Settings that Messenger and Instagram share. */
export const messagingSwitches = courierSwitches.extend({
  fileLifeMs: ms.default(7 * DAY_MS).describe("How long an address of a customer's file lives, ms"),
  storyLifeMs: ms.default(DAY_MS).describe("How long a story's picture lives, ms"),
  profilePictureMs: ms.default(DAY_MS).describe("How long an address of a profile picture lives, ms"),
  echoAfterMs: ms.default(20).describe("When an app's message returns as an echo, ms; 0: before its call is answered"),
  digits: z.enum(["number", "text"]).default("number").describe("How app ids, times and watermarks are written"),
  stickers: z.enum(["sticker", "image"]).default("sticker").describe("Type of a sticker's attachment"),
  reads: z.enum(["mid", "watermark"]).default("mid").describe("What Instagram's read events name"),
  editOfNew: z.boolean().default(false).describe("Whether an edit with num_edit 0 follows each new text"),
  deliveredMids: z.boolean().default(true).describe("Whether a delivery names its messages beside the watermark"),
  loginAnswer: z.enum(["flat", "data"]).default("flat").describe("Shape of the token that a code of Instagram buys"),
});
export type MessagingSwitches = z.infer<typeof messagingSwitches>;
