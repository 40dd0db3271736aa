import { sameSecret } from "gangway-messenger/ids";
import type { ChannelSession, Receipt } from "gangway-messenger/port";
import { cutText } from "gangway-messenger/text";
import { emptyReceipt } from "gangway-messenger/webhooks";
import { BODY_BYTES, handshake, readBatch, readProven } from "gangway-meta/door";
import { byLogin, type Change, type Envelope, forwarded, type LoginsOf } from "gangway-meta/envelope";
import { SIGNATURE_HEADER, signatureOf } from "gangway-meta/signature";
import { accountGroup, knownNumbers } from "../connecting/account.ts";
import { type Reading, startReading } from "../connecting/view.ts";
import { type Context, type Server, secretOf } from "../server.ts";
import { loginOf, type Settings } from "../wire.ts";
import { readIdUpdate, readPreference } from "./changes.ts";
import { readHistory, readStateSync } from "./history.ts";
import { readCall, readMessage } from "./reading.ts";
import { readStatus } from "./statuses.ts";
import { metadata, value as valueShape } from "./update.ts";

export { BODY_BYTES };
/** 360dialog does not sign: it sends the secret that we gave it. */
export const TOKEN_HEADER = "authorization";
const bearer = ({ verifyToken }: Settings) => `Bearer ${verifyToken}`;

/** What proves a stored request when it is read again. */
export const proofOf = (settings: Settings, body: string, server: Server): Record<string, string> =>
  settings.via === "360dialog"
    ? { [TOKEN_HEADER]: bearer(settings) }
    : { [SIGNATURE_HEADER]: signatureOf(secretOf(settings, server), body) };

/** Fields about a whole account, and those of them about templates. */
const TEMPLATES = /^(message_template_\w+|template_\w+)$/;
const OF_ACCOUNT = /^(account_\w+|business_\w+|phone_number_\w+|security|flows)$/;

/** A change of a number goes to its channel. */
export const loginsOf: LoginsOf = (_entry, change) => {
  const known = metadata.safeParse(change?.value).data;
  return known ? [loginOf(known.metadata.phone_number_id)] : [];
};

/** A change of the whole account names no number: it goes to all of the account's numbers. */
export const groupsOf: LoginsOf = (entry, change) =>
  change && loginsOf(entry, change).length === 0 ? [accountGroup(entry.id)] : [];

export function receiving(context: Context): ChannelSession["receive"] {
  const { settings, server, notes } = context;
  const own = loginOf(settings.phoneNumberId);
  const secret = secretOf(settings, server);
  const proven = (request: Request) =>
    settings.via === "360dialog"
      ? readProven(request, TOKEN_HEADER, (proof) => sameSecret(proof, bearer(settings)))
      : readBatch(request, secret);
  return async (request) => {
    const checked = handshake(request, settings.verifyToken);
    if (checked) return { ...emptyReceipt(200), reply: checked };
    const read = await proven(request);
    if ("refusal" in read) return read.refusal;
    const siblings = await knownNumbers(notes);
    // A change of the whole account is passed to each of its numbers.
    const logins: LoginsOf = (entry, change) => {
      const named = loginsOf(entry, change);
      if (named.length > 0) return named;
      return entry.id === settings.wabaId ? [own, ...siblings.map(loginOf)] : [];
    };
    const parts = byLogin(read.batch, logins);
    const mine = parts.get(own);
    parts.delete(own);
    const left = read.unknown ? { unknown: read.unknown } : {};
    const receipt = { ...left, ...(mine ? await receiptOf(mine, context) : emptyReceipt(200)) };
    if (settings.via !== "meta" || parts.size === 0) return receipt;
    const others = [...parts].map(([login, part]) => forwarded(login, part, secret));
    return { ...receipt, others, ...(mine && { kept: forwarded(own, mine, secret).request }) };
  };
}

async function receiptOf(part: Envelope, context: Context): Promise<Receipt> {
  const reading = startReading(context);
  for (const { changes } of part.entry) for (const change of changes ?? []) await readChange(change, reading);
  return {
    events: reading.events,
    notes: [...reading.changed].map(([key, value]) => ({ key, value })),
    ...(reading.unknown && { unknown: reading.unknown }),
    ...(reading.templatesChanged && { templatesChanged: true }),
    reply: new Response(null),
  };
}

async function readChange({ field, value }: Change, reading: Reading): Promise<void> {
  if (TEMPLATES.test(field)) {
    reading.templatesChanged = true;
    return;
  }
  if (OF_ACCOUNT.test(field)) return;
  const read = valueShape.safeParse(value).data;
  if (!read) {
    reading.unknown = `a change of ${cutText(field, 40)}`;
    return;
  }
  if (field === "history") return readHistory(read, reading);
  await readStateSync(read.state_sync, reading);
  const { contacts, messages, message_echoes: echoes, statuses, user_preferences: wishes, user_id_update: ids } = read;
  for (const message of messages) await (message ? readMessage(message, contacts, reading) : unreadable(reading));
  for (const message of echoes) await (message ? readMessage(message, contacts, reading, true) : unreadable(reading));
  for (const call of read.calls) await (call ? readCall(call, contacts, reading) : unreadable(reading));
  for (const status of statuses) await (status ? readStatus(status, reading) : unreadable(reading));
  for (const wish of wishes) await (wish ? readPreference(wish, reading) : unreadable(reading));
  for (const id of ids) await (id ? readIdUpdate(id, reading) : unreadable(reading));
  if (read.errors.length > 0 && messages.length + statuses.length === 0)
    reading.unknown = `an error of the number (${read.errors[0]?.code})`;
}

async function unreadable(reading: Reading): Promise<void> {
  reading.unknown = "a part of a batch that this version cannot read";
}
