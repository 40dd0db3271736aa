import { listAll } from "gangway-meta/list";
import { GraphError } from "gangway-meta/verdict";
import * as z from "zod";
import type { CloudApi } from "../api.ts";
import type { Settings } from "../wire.ts";

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? undefined);
const number = z.object({
  id: z.string(),
  display_phone_number: text,
  verified_name: text,
  quality_rating: text,
  status: text,
  messaging_limit_tier: text,
});
export type PhoneNumber = z.infer<typeof number>;

const FIELDS = "id,display_phone_number,verified_name,quality_rating,status";
/** Meta has deprecated it (docs/whatsapp/messaging-limits), so nothing else may depend on it. */
const LIMIT = "messaging_limit_tier";

/** What Meta says of the channel's number. */
export const askNumber = (
  api: CloudApi,
  { phoneNumberId: id }: Settings,
  signal: AbortSignal,
  fields = FIELDS,
): Promise<PhoneNumber> =>
  api.call({ method: "GET", path: id, query: { fields }, result: number, what: "a question about the number" }, signal);

/** With its messaging limit, as long as Meta reports that. */
export async function askNumberAndLimit(api: CloudApi, settings: Settings, signal: AbortSignal): Promise<PhoneNumber> {
  try {
    return await askNumber(api, settings, signal, `${FIELDS},${LIMIT}`);
  } catch (error) {
    if (!(error instanceof GraphError) || error.refusal.code !== 100) throw error;
    return askNumber(api, settings, signal);
  }
}

const known = z.object({ id: z.string() });

/** Ids of all numbers of the account. */
export async function askNumbers(api: CloudApi, { wabaId }: Settings, signal: AbortSignal): Promise<string[]> {
  const what = "a question about the account";
  const asked = { path: `${wabaId}/phone_numbers`, query: { fields: "id" }, entry: known, what };
  return (await listAll(api, asked, signal)).map(({ id }) => id);
}

export const nameOf = ({ verified_name: name, display_phone_number: shown, id }: PhoneNumber): string =>
  name || shown || id;

/** Customers write to it there. */
export const linkOf = ({ display_phone_number: shown = "" }: Pick<PhoneNumber, "display_phone_number">) => {
  const digits = shown.replace(/\D/g, "");
  return digits ? `https://wa.me/${digits}` : undefined;
};
