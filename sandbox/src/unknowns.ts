import { shapeFaults } from "gangway-messenger/kit/emulator/shape";
import { z } from "zod";

// Behaviour of the real CRM and gateway that no published source describes. Each setting has a default; set it
// otherwise to test a module against both.

const ms = (max: number) => z.number().int().min(0).max(max);
const HOUR = 3_600_000;

const shape = {
  webhookRetryForMs: ms(HOUR).describe("How long a failed webhook is retried, ms; 0: never"),
  webhookTimeoutMs: ms(HOUR).min(1).describe("Timeout of a webhook call, ms"),
  webhookData: z.enum(["object", "text"]).describe("The data of a webhook is an object, or its JSON as a text"),
  callbackRetryForMs: ms(HOUR).describe("How long the CRM retries a failed call to a module, ms; 0: never"),
  callbackTimeoutMs: ms(HOUR).min(1).describe("Timeout of the CRM's call to a module, ms"),
  ackDeadlineMs: ms(HOUR).min(1).describe("How long an asynchronously accepted message waits for its ack, ms"),
  rateWindow: z
    .enum(["sliding", "fixed"])
    .describe("The rate limit counts the last second (sliding), or each second of the clock (fixed)"),
  refusedCount: z.boolean().describe("Refused requests count against the rate limit"),
  endpointPath: z.boolean().describe("The endpointUrl of a registration includes the API's path"),
  endpointSlash: z.boolean().describe("The endpointUrl of a registration ends with a slash"),
  duplicateText: z
    .enum(["Message with passed external_id already exists", "message with passed external_id already exists"])
    .describe("What the gateway says to an external_id that it knows already"),
  channelStatus: z.literal([200, 201]).describe("HTTP status for a new channel"),
  templateStatus: z.literal([200, 201]).describe("HTTP status for a new template"),
  emptySuccess: z.enum(["object", "nothing"]).describe("Body of the Transport API's empty success: {} or no bytes"),
  moduleStatus: z.literal([200, 201]).describe("HTTP status for a registered module"),
  repeatedAck: z.enum(["overwrite", "ignore", "refuse"]).describe("What a second ack of a message does"),
  normalize: z
    .enum(["none", "trim", "trim+escape"])
    .describe("What the gateway changes in a module's texts: nothing, spaces around them, or also HTML's signs"),
  unannounced: z
    .enum(["refuse", "accept"])
    .describe("A message, edit or mark that goes beyond what the channel has announced (kind, length, size)"),
  markup: z
    .enum(["none", "markdown"])
    .describe("How agents' texts are formatted where a channel announces markup_formats"),
  readWebhooks: z
    .enum(["each", "last"])
    .describe("When an agent reads a chat: message_read for each message, or only for the last"),
  deleteAnswer: z
    .enum(["deleted", "previous"])
    .describe("Message in the answer to a deletion: the deleted one, or the chat's previous one"),
  accountPage: z
    .enum(["tab", "iframe"])
    .describe("How the CRM opens a module's account page: in a tab, or also in a frame"),
  activityOnShutdown: z.boolean().describe("Switching the gateway or chats off calls the modules' activity action"),
  disabledModule: z.enum(["accept", "refuse"]).describe("How the Transport API treats a disabled or frozen module"),
  endpointInModule: z.boolean().describe("Reading a module returns endpointUrl"),
  webhookSignature: z
    .enum(["raw", "escaped"])
    .describe("What the signature of Meta's webhooks covers: the body's bytes, or their form with \\uXXXX"),
  indivisibleDiscount: z
    .enum(["refuse", "round"])
    .describe("An order's discount that its units cannot share: refused, or rounded to the nearest that they can"),
  orderMainParties: z
    .boolean()
    .describe("A new order of a corporate customer takes its main contact and its main company unasked"),
  orderPayments: z
    .enum(["take", "ignore"])
    .describe("Payments that are given with an order: taken, or ignored, so that each needs a call of its own"),
  deliverySave: z
    .enum(["anyone", "user"])
    .describe("Whose writing of an order calls its delivery module: anyone's, or only a user's in the CRM"),
  crmPerSecond: z.number().int().min(0).max(1000).describe("Requests per second and API key; 0: no limit"),
  crmTooMany: z.literal([503, 429]).describe("Status beyond that limit"),
  crmJson: z.enum(["read", "ignore"]).describe("A form that comes as a JSON object, as some clients send it"),
  removedFields: z
    .enum(["refuse", "ignore"])
    .describe("A written field that version 5 removed: refused with 400, or ignored like an unknown one"),
  filterEntries: z
    .enum(["refuse", "nothing"])
    .describe("A list's filter by an entry that its dictionary lacks: refused with 400, or finds nothing"),
  corporateTags: z
    .enum(["objects", "texts"])
    .describe("A corporate customer's tags in answers: objects, or their names"),
  corporateSwitch: z
    .enum(["at once", "midnight"])
    .describe("When corporate customers, switched on, start: at once, or at the next midnight (UTC)"),
  productOffer: z.boolean().describe("A product that the API creates has an offer from the start"),
  corporateOff: z
    .enum(["accept", "refuse"])
    .describe("Calls of corporate customers while these are off: accepted, or refused with 403"),
  corporateHistory: z
    .enum(["customer", "corporateCustomer"])
    .describe("Field of an entry in corporate customers' history that holds the customer"),
  firstCompanyMain: z.boolean().describe("A corporate customer's first company becomes its main one unasked"),
  waitingWarningMs: ms(24 * HOUR).describe("When an unanswered chat turns to warning, ms"),
  waitingDangerMs: ms(24 * HOUR).describe("When it turns to danger, ms"),
};
const schema = z.strictObject(shape);
export type Unknowns = z.infer<typeof schema>;

export const DEFAULT_UNKNOWNS: Unknowns = {
  webhookRetryForMs: 120_000,
  webhookTimeoutMs: 10_000,
  webhookData: "object",
  callbackRetryForMs: 120_000,
  callbackTimeoutMs: 10_000,
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
  webhookSignature: "raw",
  indivisibleDiscount: "refuse",
  orderMainParties: false,
  orderPayments: "take",
  deliverySave: "anyone",
  crmPerSecond: 10,
  crmTooMany: 503,
  crmJson: "read",
  removedFields: "refuse",
  filterEntries: "refuse",
  corporateTags: "objects",
  corporateSwitch: "at once",
  productOffer: true,
  corporateOff: "accept",
  corporateHistory: "customer",
  firstCompanyMain: false,
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
  { callbackRetryForMs: 0 },
  { callbackTimeoutMs: 2_000 },
  { ackDeadlineMs: 1_000 },
  { crmPerSecond: 0 },
  { waitingWarningMs: 200 },
  { waitingDangerMs: 400 },
];
