import { z } from "zod";

const chance = z.number().min(0).max(1);

/** What MAX does by chance, or does not publish. */
export const maxSwitches = z.strictObject({
  paced: z.boolean().default(true).describe("Whether 30 calls a second and 2 messages a second and chat are held"),
  notReady: z.int().min(0).max(20).default(1).describe("How often a file that was uploaded is not ready"),
  textUnit: z.enum(["bytes", "characters"]).default("bytes").describe("What the limit of a text counts (u)"),
  callbackChatId: z.enum(["dialog", "zero"]).default("dialog").describe("A callback's chat_id: the dialog's, or 0"),
  editHours: z.number().min(0).max(1_000).default(24).describe("How long a bot may change its message, h (u)"),
  history: z.enum(["open", "denied"]).default("open").describe("Whether a bot may read a dialog (GET /messages)"),
  duplicates: chance.default(0).describe("How often a delivered webhook comes again"),
  withheld: chance.default(0).describe("How often an event never comes by webhook"),
});
export type SwitchValues = z.infer<typeof maxSwitches>;
