import { foreignAnswer } from "gangway-messenger/answers";
import { type Call, withBufferedBody } from "gangway-messenger/call";
import { DeliveryError } from "gangway-messenger/errors";
import { fetchedFile } from "gangway-messenger/files";
import type { OpenFile } from "gangway-messenger/message";
import * as z from "zod";
import type { MaxApi } from "./api.ts";
import type { Attachment } from "./update.ts";
import { rejected } from "./verdict.ts";
import { FILE_BYTES } from "./wire.ts";

const FILE_MS = 120_000;
/** Here these statuses mean that the file is gone. */
const GONE = [403, 404, 410];

const VIDEO = "video:";

/** How to find a file again: by its URL, or a video by its token. Undefined: MAX gives neither. */
export function refOf(kind: string, payload: Attachment["payload"]): string | undefined {
  if (kind === "video" && payload?.token && /^[\w-]+$/.test(payload.token)) return `${VIDEO}${payload.token}`;
  return payload?.url || undefined;
}

const url = z.string().nullish();
/** Best first, as far as the CRM can be expected to accept them. */
const QUALITIES = ["mp4_1080", "mp4_720", "mp4_480", "mp4_360", "mp4_240", "mp4_144"] as const;
const video = z.object({
  urls: z
    .object(Object.fromEntries(QUALITIES.map((quality) => [quality, url])) as Record<string, typeof url>)
    .nullish(),
});

/** Streams a customer's file from the URL given by MAX. Throws DeliveryError, without the URL. */
export async function openFile(call: Call, api: MaxApi, ref: string, signal: AbortSignal): Promise<OpenFile> {
  if (!ref.startsWith(VIDEO)) return opened(await fetched(call, ref, signal));
  const path = `videos/${encodeURIComponent(ref.slice(VIDEO.length))}`;
  const { urls } = await api.ask({ method: "GET", path, result: video, what: "a video" }, signal);
  // For a video that MAX is still processing.
  if (!urls) throw new DeliveryError({ type: "retry" }, "MAX has no address for the video yet");
  const addresses = QUALITIES.flatMap((quality) => urls[quality] || []);
  for (const address of addresses) {
    const answer = await fetched(call, address, signal);
    const isTooLarge = Number(answer.headers["content-length"]) > FILE_BYTES;
    if (!isTooLarge || address === addresses.at(-1)) return opened(answer);
    // A smaller copy may fit.
    await answer.stream?.cancel();
  }
  throw rejected("MAX gave no address for the video");
}

async function fetched(call: Call, address: string, signal: AbortSignal) {
  const answer = await call({
    method: "GET",
    url: address,
    timeoutMs: FILE_MS,
    maxBytes: FILE_BYTES,
    stream: true,
    signal,
  });
  if (answer.type === "failure" && answer.reason === "too-large") throw rejected("the file is too large");
  if (answer.type === "failure" && answer.reason === "blocked")
    throw rejected("MAX gave no usable address for the file");
  if (answer.type === "failure") throw new DeliveryError({ type: "retry" }, `MAX: ${answer.reason} (a file)`);
  return answer;
}

type Fetched = Awaited<ReturnType<typeof fetched>>;

async function opened(answer: Fetched): Promise<OpenFile> {
  if (answer.status === 200 && answer.stream) {
    if (Number(answer.headers["content-length"]) > FILE_BYTES) {
      await answer.stream.cancel();
      throw rejected("the file is too large");
    }
    const file = await fetchedFile({ ...answer, stream: answer.stream }, {});
    if (file) return file;
    throw foreignAnswer("MAX", 200, "a file", true);
  }
  await withBufferedBody(answer);
  if (GONE.includes(answer.status)) throw rejected("MAX no longer has the file");
  throw foreignAnswer("MAX", answer.status, "a file", true);
}
