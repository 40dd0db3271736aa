import { z } from "zod";

const chance = z.number().min(0).max(1);
const DAY_MS = 86_400_000;
const ms = z.int().min(0).max(DAY_MS);

/** What Avito does at random or does not publish. */
export const avitoSwitches = z.strictObject({
  callsPerMinute: z.int().min(0).default(600).describe("Calls a minute of one account; 0: no limit"),
  refusedToken: z.enum(["403", "401"]).default("403").describe("How a token that has ended is refused"),
  tokens: z.enum(["many", "one"]).default("many").describe("Whether a new token ends those before it"),
  tokenLifeMs: z.int().min(1_000).max(DAY_MS).default(DAY_MS).describe("How long a token lives, ms"),
  messages: z.enum(["array", "object"]).default("array").describe("Shape of the list of messages"),
  order: z.enum(["newest", "oldest"]).default("newest").describe("Which messages are listed first"),
  listedAfterMs: ms.default(0).describe("How late a message is listed, ms"),
  links: z.enum(["text", "link"]).default("text").describe("Type of a text with an address in it"),
  quotes: z
    .enum(["list", "webhook"])
    .default("list")
    .describe("Where quotes are told: in lists alone, or in webhooks, too"),
  deletions: z.enum(["webhook", "silent"]).default("webhook").describe("Whether a webhook tells of a deletion"),
  probe: z.boolean().default(true).describe("Whether an address is tried with {} before it is subscribed"),
  ownAfterMs: ms
    .default(20)
    .describe("When the webhook of a message of the account leaves, ms; 0: before its call is answered"),
  duplicates: chance.default(0).describe("How often a webhook that was taken comes again"),
  withheld: chance.default(0).describe("How often a message never comes by webhook, although the lists have it"),
  tries: z.int().min(1).max(20).default(5).describe("How often a webhook is tried that is not answered 200 in time"),
  voiceLifeMs: ms.default(3_600_000).describe("How long an address of a voice message lives, ms"),
  clockMs: z.int().min(-DAY_MS).max(DAY_MS).default(0).describe("How far Avito's clock is ahead, ms"),
});
export type Switches = z.infer<typeof avitoSwitches>;
