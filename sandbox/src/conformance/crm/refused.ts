import type { CallData } from "./area.ts";
import type { Sent } from "./caller.ts";
import {
  missing,
  NO_KEY,
  NO_RIGHT,
  recorded,
  TOO_MANY,
  together,
  UNKNOWN_FILTER,
  unknown,
  WRONG_KEY,
  wrong,
} from "./expected.ts";
import type { Drive } from "./one.ts";
import type { CrmOperation, Recorded } from "./operations.ts";
import { bareName, invalid } from "./values.ts";

/** Knows of no entity. */
const NOBODY = "999999999";
const RIGHTLESS = "rightless";

interface Attempt {
  name: string;
  data: CallData;
  key?: string;
  /** What the answer must hold. */
  status: number[];
  says?: string;
}

/** Every documented refusal of the operation. */
export async function driveRefused(drive: Drive): Promise<void> {
  const { stage, caller, ledger, operation, scenario } = drive;
  await stage.control("POST", "/keys", { key: RIGHTLESS, scopes: [] });
  const { path, query, form, bytes, file, refused = [] } = scenario;
  const model: CallData = { path, query, form, bytes, file };
  for (const { name, data, key, status, says } of attempts(operation, model)) {
    const sent = await caller.send(operation, data, key);
    if (status.includes(sent.status) && isRefusal(sent) && (!says || JSON.stringify(sent.body).includes(says)))
      ledger.meet(operation, "error", name);
    else ledger.miss(operation, "error", name, `${sent.status} ${JSON.stringify(sent.body).slice(0, 200)}`);
    noteRecorded(drive, sent);
  }
  for (const { before, after, ...data } of refused) {
    await caller.steps([...(scenario.before ?? []), ...(before ?? [])]);
    const sent = await caller.send(operation, { ...model, ...data });
    await caller.steps(after);
    if (isRefusal(sent)) ledger.meet(operation, "error", String(sent.status));
    noteRecorded(drive, sent);
  }
}

const isRefusal = ({ body }: Sent): boolean => body.success === false && typeof body.errorMsg === "string";

function attempts(operation: CrmOperation, model: CallData): Attempt[] {
  const { inPath, inQuery, form } = operation;
  const asking = (query: Record<string, string>): CallData => ({ ...model, query: { ...model.query, ...query } });
  const at = (name: string, value: string): CallData => ({ ...model, path: { ...model.path, [name]: value } });
  return [
    { name: NO_KEY, data: model, key: "", status: [403], says: NO_KEY.slice(-11) },
    { name: WRONG_KEY, data: model, key: "wrong", status: [403] },
    { name: NO_RIGHT, data: model, key: RIGHTLESS, status: [403], says: "Access denied." },
    ...((form?.required ?? []) as string[]).map((field) => ({
      name: missing(field),
      data: without(model, field),
      status: [400],
      says: `Parameter '${field}' is missing`,
    })),
    ...inPath.map(({ name, schema }) => {
      const data = at(name, NOBODY);
      return schema.enum
        ? { name: wrong(`{${name}}`), data, status: [400, 404] }
        : { name: unknown(name), data, status: [404] };
    }),
    ...inQuery.flatMap((parameter) => {
      const value = invalid(parameter);
      if (value === undefined) return [];
      const says = bareName(parameter.name);
      return [{ name: wrong(`?${parameter.name}`), data: asking({ [parameter.name]: value }), status: [400], says }];
    }),
    ...inQuery.flatMap(({ name, notWith }) =>
      notWith ? [{ name: together(name, notWith), data: asking({ [name]: "1", [notWith]: "1" }), status: [400] }] : [],
    ),
    { name: UNKNOWN_FILTER, data: asking({ "filter[noSuchFilter]": "1" }), status: [400] },
  ];
}

function without(model: CallData, field: string): CallData {
  const { [field]: _, ...form } = model.form ?? {};
  return { ...model, form };
}

/** Notes which recorded refusal an answer repeats: its status, its words, and the fields that it names. */
function noteRecorded({ ledger, operation }: Drive, { status, body }: Sent): void {
  const errors = JSON.stringify(body.errors ?? {});
  const isLike = (known: Recorded): boolean => {
    const fields = Array.isArray(known.errors) ? [] : Object.keys(known.errors ?? {});
    return (
      known.status === status &&
      known.errorMsg === body.errorMsg &&
      fields.every((each) => errors.includes(`"${each}"`))
    );
  };
  for (const known of operation.recorded.filter(isLike)) ledger.meet(operation, "error", recorded(known));
}

/** Beyond the rate every operation is refused. */
export async function driveRate(
  { stage, caller, ledger }: Pick<Drive, "stage" | "caller" | "ledger">,
  operations: CrmOperation[],
): Promise<void> {
  for (const status of TOO_MANY) {
    await stage.control("PUT", "/settings", { crmPerSecond: 1, crmTooMany: Number(status) });
    await stage.inOneInstant(async () => {
      await stage.crm("GET", "/api/credentials");
      for (const operation of operations) {
        const sent = await caller.send(operation, {});
        if (sent.status === Number(status) && isRefusal(sent)) ledger.meet(operation, "error", status);
      }
    });
  }
  await stage.control("PUT", "/settings", { crmPerSecond: 0, crmTooMany: 503 });
}
