import type { Context, Hono } from "hono";
import { bodyOf, type Env } from "../../exchange.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import type { Judge } from "../../judge.ts";
import { Refusal } from "../../refusal.ts";
import { worded } from "../errors.ts";
import type { Entry } from "../records.ts";
import { create, type Resource, type Writing } from "./resource.ts";
import { writingOf } from "./routes.ts";

type Form = Record<string, unknown>;

export interface Upload {
  /** The form's field. */
  many: string;
  uploaded: string;
  failed: string;
  /** The words for an upload with failures. */
  words: string;
  /** Orders' errors are a list. */
  errors: "map" | "list";
  /** Adds to the answer. */
  answer?(entries: Entry[], writing: Writing): Entry;
}

/** Creates records, each on its own: those that are refused leave the others be. */
export function uploadRoute(
  site: Hono<Env>,
  gateway: Gateway,
  judge: Judge,
  resource: Resource,
  { many, uploaded, failed, words, errors, answer }: Upload,
): void {
  site.post(`/api/v5/${resource.path}/upload`, (c) => {
    const writing = writingOf(c, gateway);
    const entries: Entry[] = [];
    const refused: Entry[] = [];
    const faults: Fault[] = [];
    for (const [n, given] of (bodyOf<Form>(c)[many] as Entry[]).entries())
      try {
        checkFormat(c, judge, resource, many, n);
        entries.push(create(resource, writing, given));
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        refused.push(typeof given.externalId === "string" ? { externalId: given.externalId } : {});
        faults.push(...faultsOf(resource, error));
      }
    const rows = entries.map(({ id, externalId }) => ({ id, ...(externalId !== undefined && { externalId }) }));
    const body = { [uploaded]: rows, [failed]: refused, ...answer?.(entries, writing) };
    if (refused.length === 0) return c.json({ success: true, ...body });
    const told = errors === "map" ? Object.fromEntries(faults) : faults.map(inWords);
    return c.json({ success: false, errorMsg: words, errors: told, ...body }, 460 as 400);
  });
}

type Fault = [field: string, words: string];

const inWords = ([field, words]: Fault) => `${field}: ${words}`;

/** Errors without a field are the record's. */
function faultsOf({ one }: Resource, { message, more }: Refusal): Fault[] {
  const { errors, errorMsg } = { ...worded(message), ...more };
  if (Array.isArray(errors)) return errors.map((words) => [one, words]);
  return errors ? Object.entries(errors) : [[one, errorMsg]];
}

/** By operation: the field with the records. */
const RECORDS: Record<string, string> = {
  customersUpload: "customers",
  customersCorporateUpload: "customersCorporate",
  ordersUpload: "orders",
};

/** Judges of an upload only the whole: what is wrong within one of its records is that record's own. */
export const judgeOfWholes = (judge: Judge): Judge => ({
  ...judge,
  request(operation, body) {
    const many = RECORDS[operation.id] ?? "";
    const records = (body as Form | undefined)?.[many];
    const blank = (record: unknown) => (typeof record === "object" && !Array.isArray(record) ? {} : record);
    return judge.request(operation, Array.isArray(records) ? { ...(body as Form), [many]: records.map(blank) } : body);
  },
});

/** Throws a Refusal for what the contract forbids within a record, which the call log then shows. */
function checkFormat(c: Context<Env>, judge: Judge, { one }: Resource, many: string, n: number): void {
  const operation = judge.operation("crm", c.req.method, c.req.path);
  const record = (bodyOf<Form>(c)[many] as Entry[])[n];
  const [fault, ...more] = operation ? judge.request(operation, { [many]: [record] }) : [];
  if (fault === undefined) return;
  c.get("faults").push(...[fault, ...more].map((each) => each.replace(`/${many}/0`, `/${many}/${n}`)));
  throw new Refusal(400, fault.replace(`/${many}/0`, `/${one}`), "contract");
}
