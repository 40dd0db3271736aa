import type { CustomerId } from "../../domain/ids.ts";
import type { AppReceipt } from "../apps.ts";
import { handshake, readBatch } from "./door.ts";
import { byLogin, type LoginsOf, signedPart } from "./envelope.ts";
import { readSignedRequest, type SignedRequest } from "./signed-request.ts";

interface AppDoor {
  secret: string;
  verifyToken: string;
  loginsOf: LoginsOf;
  /** Groups that a change without a login belongs to. */
  groupsOf?: LoginsOf;
  /** What the person of a deauthorising call had connected. */
  ofPerson(request: SignedRequest): { logins?: string[]; groups?: string[] };
}

/** What follows `/apps/<kind>/`: where Meta's console asks for addresses. */
const DEAUTHORIZE = "deauthorize";
const DELETE_DATA = "delete-data";
export const WITHDRAWN = "the owner has removed this app from the account at Meta. Connect it again";
export const FORGOTTEN =
  "the owner has removed this app from the account at Meta and had their access data erased. Connect it again";
/** In place of a token; Meta refuses it like any other that has ended. */
const NO_TOKEN = "erased at the owner's request";

export const withoutToken = <Settings extends { token: string }>(settings: Settings): Settings => ({
  ...settings,
  token: NO_TOKEN,
});

/** The door of a vendor's app: the handshake, batches of many logins, and the two calls of Meta's platform rules. */
export async function receiveForApp(request: Request, door: AppDoor): Promise<AppReceipt> {
  const checked = handshake(request, door.verifyToken);
  if (checked) return { parts: [], reply: checked };
  const { pathname } = new URL(request.url);
  if (pathname.endsWith(`/${DEAUTHORIZE}`) || pathname.endsWith(`/${DELETE_DATA}`))
    return personal(request, door, pathname.endsWith(`/${DELETE_DATA}`));
  const read = await readBatch(request, door.secret);
  if ("refusal" in read) return { parts: [], reply: read.refusal.reply, unknown: read.refusal.unknown };
  const parts = [...byLogin(read.batch, door.loginsOf)];
  const shared = door.groupsOf ? [...byLogin(read.batch, door.groupsOf)] : [];
  const isNobodys = parts.length + shared.length === 0;
  const unknown = read.unknown ?? (isNobodys ? "a batch that names no login" : undefined);
  return {
    parts: parts.map(([login, part]) => ({ login, request: signedPart(part, door.secret) })),
    shared: shared.map(([group, part]) => ({ group, request: signedPart(part, door.secret) })),
    ...(unknown && { unknown }),
    reply: new Response(null),
  };
}

async function personal(request: Request, door: AppDoor, isDeletion: boolean): Promise<AppReceipt> {
  const given = request.method === "POST" ? new URLSearchParams(await request.text()).get("signed_request") : null;
  const signed = readSignedRequest(given ?? "", door.secret);
  if (!signed) return { parts: [], reply: new Response(null, { status: 401 }) };
  const theirs = { logins: [], ...door.ofPerson(signed) };
  const reply = new Response(null);
  if (!isDeletion) return { parts: [], withdrawn: { ...theirs, trouble: WITHDRAWN }, reply };
  // It comes from somebody who has removed the app: their token is dead, and is theirs.
  return {
    parts: [],
    withdrawn: { ...theirs, trouble: FORGOTTEN, forget: true },
    erase: {
      customer: signed.user_id as CustomerId,
      proof: signed.proof,
      reply: (url, code) => Response.json({ url, confirmation_code: code }),
    },
    reply,
  };
}
