import type { AppReceipt, Authenticity } from "gangway-messenger/apps";
import type { CustomerId } from "gangway-messenger/ids";
import { handshake, readBatch } from "./door.ts";
import { byLogin, type LoginsOf, signedPart } from "./envelope.ts";
import { SIGNATURE_HEADER } from "./signature.ts";
import { readSignedRequest, type SignedRequest } from "./signed-request.ts";

interface AppDoor {
  secret: string;
  verifyToken: string;
  /** The operator's setting that holds the secret. */
  secretName: string;
  loginsOf: LoginsOf;
  /** Groups to which a change without a login belongs. */
  groupsOf?: LoginsOf;
  /** Logins that the person of a deauthorization call had connected. */
  ofPerson(request: SignedRequest): { logins?: string[]; groups?: string[] };
}

/** Path segments below `/apps/<kind>/`: the addresses that Meta's console asks for. */
const DEAUTHORIZE = "deauthorize";
const DELETE_DATA = "delete-data";
export const WITHDRAWN = "the owner has removed this app from the account at Meta. Connect it again";
export const FORGOTTEN =
  "the owner has removed this app from the account at Meta and had their access data erased. Connect it again";
/** Takes the place of a token; Meta refuses it like any other that has expired. */
const NO_TOKEN = "erased at the owner's request";

export const withoutToken = <Settings extends { token: string }>(settings: Settings): Settings => ({
  ...settings,
  token: NO_TOKEN,
});

/**
 * The door of a vendor's app: the verification request, batches of many logins, and the two callbacks of Meta's
 * platform terms.
 */
export async function receiveForApp(request: Request, door: AppDoor): Promise<AppReceipt> {
  const checked = handshake(request, door.verifyToken);
  if (checked)
    return { parts: [], reply: checked, ...(checked.status === 403 && { authenticity: ofHandshake(request) }) };
  const { pathname } = new URL(request.url);
  if (pathname.endsWith(`/${DEAUTHORIZE}`) || pathname.endsWith(`/${DELETE_DATA}`))
    return personal(request, door, pathname.endsWith(`/${DELETE_DATA}`));
  const read = await readBatch(request, door.secret);
  if ("refusal" in read) {
    const { reply, unknown } = read.refusal;
    const isProven = reply.status !== 401;
    return {
      parts: [],
      reply,
      unknown,
      authenticity: isProven ? PROVEN : unproven(request.headers.has(SIGNATURE_HEADER), door),
    };
  }
  const parts = [...byLogin(read.batch, door.loginsOf)];
  const shared = door.groupsOf ? [...byLogin(read.batch, door.groupsOf)] : [];
  const isNobodys = parts.length + shared.length === 0;
  const unknown = read.unknown ?? (isNobodys ? "a batch that names no login" : undefined);
  return {
    parts: parts.map(([login, part]) => ({ login, request: signedPart(part, door.secret) })),
    shared: shared.map(([group, part]) => ({ group, request: signedPart(part, door.secret) })),
    ...(unknown && { unknown }),
    authenticity: PROVEN,
    reply: new Response(null),
  };
}

const PROVEN: Authenticity = { result: "proven" };

const ofHandshake = ({ url }: Request): Authenticity =>
  new URL(url).searchParams.has("hub.verify_token")
    ? {
        result: "other-verify-token",
        todo: "if you are setting the webhook at Meta now, META_VERIFY_TOKEN differs from the verify token there. A stranger may ask, too",
      }
    : { result: "unsigned" };

const unproven = (isSigned: boolean, { secretName }: AppDoor): Authenticity =>
  isSigned
    ? {
        result: "other-secret",
        todo: `if none is proven meanwhile, ${secretName} is not this app's secret: copy it again from the app's settings at Meta, and restart the server. A stranger may send such requests, too`,
      }
    : { result: "unsigned" };

async function personal(request: Request, door: AppDoor, isDeletion: boolean): Promise<AppReceipt> {
  const given = request.method === "POST" ? new URLSearchParams(await request.text()).get("signed_request") : null;
  const signed = readSignedRequest(given ?? "", door.secret);
  if (!signed)
    return { parts: [], reply: new Response(null, { status: 401 }), authenticity: unproven(Boolean(given), door) };
  const theirs = { logins: [], ...door.ofPerson(signed) };
  const reply = new Response(null);
  if (!isDeletion) return { parts: [], withdrawn: { ...theirs, trouble: WITHDRAWN }, authenticity: PROVEN, reply };
  // It comes from somebody who has removed the app: their token is dead, and belongs to them.
  return {
    parts: [],
    withdrawn: { ...theirs, trouble: FORGOTTEN, forget: true },
    erase: {
      customer: signed.user_id as CustomerId,
      proof: signed.proof,
      reply: (url, code) => Response.json({ url, confirmation_code: code }),
    },
    authenticity: PROVEN,
    reply,
  };
}
