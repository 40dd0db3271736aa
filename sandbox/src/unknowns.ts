import { z } from "zod";
import { shapeFaults } from "./shape.ts";

// Behaviour of the real CRM and gateway that no published source describes. Each setting has a default; set it
// otherwise to test a module against both.

const ms = (max: number) => z.number().int().min(0).max(max);
const HOUR = 3_600_000;

const shape = {
  webhookRetryForMs: ms(HOUR).describe("How long a webhook that was not taken is repeated, ms; 0: never"),
  webhookTimeoutMs: ms(HOUR).min(1).describe("How long the module may take to answer a webhook, ms"),
  ackDeadlineMs: ms(HOUR).min(1).describe("How long an asynchronously accepted message waits for its ack, ms"),
  rateWindow: z.enum(["sliding", "fixed"]).describe("How the second of the rate limit is counted"),
  refusedCount: z.boolean().describe("A refused request counts against the rate limit, too"),
  endpointPath: z.boolean().describe("The gateway's address as given at registration ends with the API's path"),
  endpointSlash: z.boolean().describe("… and with a slash"),
  duplicateText: z
    .enum(["Message with passed external_id already exists", "message with passed external_id already exists"])
    .describe("The gateway's words for an external_id that it has seen"),
  channelStatus: z.literal([200, 201]).describe("The status for a new channel"),
  templateStatus: z.literal([200, 201]).describe("The status for a new template"),
  emptySuccess: z
    .enum(["object", "nothing"])
    .describe("The Transport API's body of a success that tells nothing: {} or no bytes"),
  moduleStatus: z.literal([200, 201]).describe("The status for a registered module"),
  repeatedAck: z.enum(["overwrite", "ignore", "refuse"]).describe("What a second ack of a message does"),
  normalize: z.enum(["none", "trim", "trim+escape"]).describe("What is done to the strings that a module sends"),
  unannounced: z
    .enum(["refuse", "accept"])
    .describe(
      "What happens to a module's message, edit or mark of a kind, length or size that its channel did not announce",
    ),
  markup: z
    .enum(["none", "markdown"])
    .describe("The notation of formatting in the texts of channels that announce markup_formats"),
  readWebhooks: z
    .enum(["each", "last"])
    .describe("What an agent's reading of a chat sends: message_read for each message, or for the last"),
  deleteAnswer: z
    .enum(["deleted", "previous"])
    .describe("Which message the answer to a deletion shows: the deleted one, or the chat's previous one"),
  accountPage: z
    .enum(["tab", "iframe"])
    .describe("How the CRM opens a module's account page: in a tab, or in a frame as well"),
  activityOnShutdown: z.boolean().describe("Switching the gateway or chats off calls the modules' activity action"),
  disabledModule: z.enum(["accept", "refuse"]).describe("What the Transport API does with a disabled or frozen module"),
  endpointInModule: z.boolean().describe("Reading a module gives the gateway's address, too"),
  crmPerSecond: z.number().int().min(0).max(1000).describe("Requests a second that an API key has; 0: no limit"),
  crmTooMany: z.literal([503, 429]).describe("The CRM's status beyond that limit"),
  waitingWarningMs: ms(24 * HOUR).describe("When an unanswered chat becomes a warning, ms"),
  waitingDangerMs: ms(24 * HOUR).describe("… and when it is in danger, ms"),
};
const schema = z.strictObject(shape);
export type Unknowns = z.infer<typeof schema>;

export const DEFAULT_UNKNOWNS: Unknowns = {
  webhookRetryForMs: 120_000,
  webhookTimeoutMs: 10_000,
  ackDeadlineMs: 600_000,
  rateWindow: "sliding",
  refusedCount: false,
  endpointPath: true,
  endpointSlash: true,
  duplicateText: "Message with passed external_id already exists",
  channelStatus: 201,
  templateStatus: 200,
  emptySuccess: "object",
  moduleStatus: 200,
  repeatedAck: "overwrite",
  normalize: "trim",
  unannounced: "refuse",
  markup: "none",
  readWebhooks: "each",
  deleteAnswer: "deleted",
  accountPage: "tab",
  activityOnShutdown: false,
  disabledModule: "accept",
  endpointInModule: false,
  crmPerSecond: 0,
  crmTooMany: 503,
  waitingWarningMs: 300_000,
  waitingDangerMs: 900_000,
};

/** Merges settings. Throws an Error that names each bad one. */
export function setUnknowns(before: Unknowns, change: unknown): Unknowns {
  const parsed = z.strictObject(shape).partial().safeParse(change);
  if (!parsed.success) throw new Error(shapeFaults(parsed.error));
  return { ...before, ...parsed.data } as Unknowns;
}

export interface UnknownField {
  name: keyof Unknowns;
  description: string;
  /** Absent for numbers. */
  options?: readonly (string | number | boolean)[];
}

/** For the settings page. */
export const UNKNOWN_FIELDS: readonly UnknownField[] = Object.entries(shape).map(([name, type]) => {
  const options = "options" in type ? type.options : "values" in type ? [...type.values] : undefined;
  return {
    name: name as keyof Unknowns,
    description: type.description ?? "",
    ...(type.type === "boolean" ? { options: [true, false] } : options && { options }),
  } as UnknownField;
});

/** Each unknown set otherwise, one at a time: a module must cope with all of them. */
export const VARIANTS: readonly Partial<Unknowns>[] = [
  ...UNKNOWN_FIELDS.flatMap(({ name, options = [] }) =>
    options.filter((option) => option !== DEFAULT_UNKNOWNS[name]).map((option) => ({ [name]: option })),
  ),
  { webhookRetryForMs: 0 },
  { webhookTimeoutMs: 2_000 },
  { ackDeadlineMs: 1_000 },
  { crmPerSecond: 10 },
  { waitingWarningMs: 200 },
  { waitingDangerMs: 400 },
];
