import { isOverNested } from "gangway-messenger/call";
import type { HostedReceipt } from "gangway-messenger/hosted";
import type { z } from "zod";

export interface WrongField {
  /** Such as `data.text`. */
  path: string;
  message: string;
}

/** Ends a request with an answer in words. */
export class Refusal extends Error {
  readonly status: number;
  readonly fields: WrongField[];
  constructor(status: number, message: string, fields: WrongField[] = []) {
    super(message);
    this.status = status;
    this.fields = fields;
  }
}

const HEADERS = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

export const receipt = (body: unknown, extra: Partial<HostedReceipt> = {}): HostedReceipt => ({
  events: [],
  reply: Response.json(body, { headers: HEADERS }),
  ...extra,
});

export const refuse = ({ status, message, fields }: Refusal): HostedReceipt => ({
  events: [],
  reply: Response.json(
    { error: { message, ...(fields.length > 0 && { fields }) } },
    { status, headers: { ...HEADERS, ...(status === 429 && { "retry-after": "5" }) } },
  ),
});

const utf8 = new TextDecoder();
const BODY = "(body)";
const wrong = (fields: WrongField[]) =>
  new Refusal(400, fields.map(({ path, message }) => `${path}: ${message}`).join("; "), fields);

/** The parsed body. Throws Refusal, which names each wrong field. */
export function readJson<Schema extends z.ZodType>(bytes: Uint8Array, schema: Schema): z.infer<Schema> {
  const text = utf8.decode(bytes);
  if (isOverNested(text)) throw wrong([{ path: BODY, message: "is nested too deeply or has too many values" }]);
  const read = readShape(text, schema);
  if (read.success) return read.data;
  throw wrong(read.error.issues.map(({ path, message }) => ({ path: path.join(".") || BODY, message })));
}

function readShape<Schema extends z.ZodType>(text: string, schema: Schema) {
  try {
    return schema.safeParse(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) throw wrong([{ path: BODY, message: "is not JSON" }]);
    // zod compares any `length` property; one that is an object makes it throw.
    if (error instanceof TypeError) throw wrong([{ path: BODY, message: "has the wrong shape" }]);
    throw error;
  }
}

export const wrongField = (path: string, message: string): Refusal => wrong([{ path, message }]);
