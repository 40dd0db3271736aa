import { foreignAnswer } from "gangway-messenger/answers";
import { type Answer, withBufferedBody } from "gangway-messenger/call";
import { DeliveryError } from "gangway-messenger/errors";
import { fetchedFile } from "gangway-messenger/files";
import type { OpenFile } from "gangway-messenger/message";
import { type Context, DOC_BYTES } from "./wire.ts";

const FILE_MS = 120_000;
/** A document's URL redirects. */
const MAX_REDIRECTS = 4;
const MOVED = [301, 302, 303, 307, 308];
const GONE = [403, 404, 410];

type Streamed = Answer & Required<Pick<Answer, "stream">>;

const refused = (message: string) => new DeliveryError({ type: "reject", code: "general" }, message);

/**
 * Streams a file from a URL given by VK; each redirect is a guarded call of its own. Throws DeliveryError, without the
 * URL.
 */
export async function openMedia(
  { call }: Pick<Context, "call">,
  address: string,
  { maxBytes, timeoutMs = FILE_MS }: { maxBytes: number; timeoutMs?: number },
  signal: AbortSignal,
): Promise<Streamed> {
  let url = address;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const answer = await call({ method: "GET", url, timeoutMs, maxBytes, stream: true, signal });
    if (answer.type === "failure" && answer.reason === "too-large") throw refused("the file is too large");
    if (answer.type === "failure" && answer.reason === "blocked") throw refused("VK gave no usable address");
    if (answer.type === "failure") throw new DeliveryError({ type: "retry" }, `VK: ${answer.reason} (a file)`);
    if (answer.status === 200 && answer.stream) return { ...answer, stream: answer.stream };
    await withBufferedBody(answer);
    if (!MOVED.includes(answer.status)) throw fileRefusal(answer.status);
    const next = URL.parse(answer.headers.location ?? "", url);
    if (!next || !/^https?:$/.test(next.protocol)) throw refused("VK gave no usable address");
    url = next.href;
  }
  throw refused("VK gave no usable address");
}

const fileRefusal = (status: number): DeliveryError =>
  GONE.includes(status) ? refused("VK no longer has the file") : foreignAnswer("VK", status, "a file", true);

/** A customer's file. */
export async function openFile(
  context: Pick<Context, "call">,
  address: string,
  signal: AbortSignal,
): Promise<OpenFile> {
  const file = await fetchedFile(await openMedia(context, address, { maxBytes: DOC_BYTES }, signal), {});
  if (!file) throw foreignAnswer("VK", 200, "a file", true);
  return file;
}
