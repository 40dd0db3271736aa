import { z } from "zod";

const DAY_MS = 86_400_000;
const chance = z.number().min(0).max(1);
const ms = z
  .int()
  .min(0)
  .max(400 * DAY_MS);

/** What VK does at random or does not publish. */
export const vkSwitches = z.strictObject({
  callsPerSecond: z.int().min(0).default(20).describe("Calls a second with one token; 0: no limit"),
  perChatPerSecond: z.int().min(0).default(0).describe("Messages a second to one peer (error 9); 0: no limit"),
  memoryMs: ms.default(3_600_000).describe("How long a random_id is known, ms"),
  windowMs: ms
    .default(0)
    .describe("How long after a customer's message they can be answered (error 950), ms; 0: always"),
  changeMs: ms.default(DAY_MS).describe("How long a message can be edited, or deleted for all, ms"),
  echoAfterMs: ms
    .default(20)
    .describe("When a sent message returns as message_reply, ms; 0: before its call is answered"),
  echoNames: z.boolean().default(true).describe("Whether message_reply has its random_id"),
  readNames: z.boolean().default(true).describe("Whether message_read has its conversation_message_id"),
  confirmAfterMs: ms.default(0).describe("When a new callback server is confirmed, ms; 0: before its call is answered"),
  retryForMs: ms.default(DAY_MS).describe("How long an event that was not answered `ok` is repeated, ms"),
  duplicates: chance.default(0).describe("How often a delivered event comes again"),
  disorder: chance.default(0).describe("How often an event is held back while later ones pass"),
  disorderMs: ms.default(2_000).describe("… for up to this long, ms"),
  withheld: chance.default(0).describe("How often an event never comes, although VK has it"),
  docRedirects: z.int().min(0).max(9).default(1).describe("Redirects before a document's bytes"),
  keyLifeMs: ms.default(3_600_000).describe("How long a key of the long poll lives, ms"),
});
export type Switches = z.infer<typeof vkSwitches>;
