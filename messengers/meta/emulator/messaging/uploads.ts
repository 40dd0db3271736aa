import type { Part } from "gangway-messenger/kit/emulator/multipart";
import { sniff, UNKNOWN_TYPE } from "gangway-messenger/kit/emulator/sniff";
import type { Medium } from "../media.ts";
import type { FileRule, Platform } from "./network.ts";
import { words } from "./refusals.ts";
import type { SentFile } from "./send-shape.ts";
import type { Account, Attachment, Upload } from "./world.ts";

const FETCH_WITHIN_MS = 30_000;
/** Uploads that may be used again live this long. */
const REUSABLE_MS = 90 * 86_400_000;

type FileType = SentFile["type"];

/** A file that a message sends: uploaded before, with the call, or fetched from its address. Throws GraphRefusal. */
export async function uploadOf(
  platform: Platform,
  account: Account,
  { type, payload }: SentFile,
  filedata: Part | undefined,
): Promise<{ id: string; upload: Upload }> {
  const { attachment_id, url } = payload;
  if (attachment_id !== undefined) {
    const upload = platform.world.uploads.get(attachment_id);
    const isLive = upload && platform.core.media.find(upload.medium.id) !== undefined;
    if (!isLive || upload.account !== account.id || upload.type !== type) throw words(100, 2018074);
    return { id: attachment_id, upload };
  }
  if (url === undefined && !filedata) throw words(100, 2018034);
  const file = filedata ?? (await fetched(platform, url ?? "", platform.network.files[type]));
  checkFile(type, file, platform.network.files[type]);
  return keep(platform, account, type, file);
}

function keep(platform: Platform, account: Account, type: FileType, file: Part): { id: string; upload: Upload } {
  const { bytes, mediaType, fileName = "file" } = file;
  const owner = account.id;
  const medium: Medium = platform.core.media.add({ owner, name: fileName, mediaType, bytes, lifeMs: REUSABLE_MS });
  const upload: Upload = { account: owner, type, medium };
  platform.world.uploads.set(medium.id, upload);
  return { id: medium.id, upload };
}

async function fetched({ core }: Platform, url: string, { maxBytes }: FileRule): Promise<Part> {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw words(100, 2018008);
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), FETCH_WITHIN_MS);
  try {
    const answer = await core.deliver(new Request(url, { signal: abort.signal }));
    if (answer.status !== 200) throw words(100, 2018008);
    if (Number(answer.headers.get("content-length") ?? 0) > maxBytes) throw words(100, 2018109);
    const bytes = new Uint8Array(await answer.arrayBuffer());
    const mediaType = (answer.headers.get("content-type") ?? UNKNOWN_TYPE).split(";")[0] ?? UNKNOWN_TYPE;
    return {
      name: "filedata",
      fileName: decodeURIComponent(url.split(/[?#]/)[0]?.split("/").at(-1) ?? ""),
      mediaType,
      bytes,
    };
  } catch (error) {
    if (error instanceof Error && error.name === "GraphRefusal") throw error;
    throw words(100, 2018008);
  } finally {
    clearTimeout(timer);
  }
}

/** Bytes decide, not the declared type; what no bytes tell is taken as declared. */
function checkFile(type: FileType, { bytes, mediaType }: Part, { maxBytes, types }: FileRule): void {
  if (bytes.byteLength > maxBytes) throw words(100, 2018109);
  if (bytes.byteLength === 0) throw words(100, 2018047);
  const found = sniff(bytes);
  const isVague = found === UNKNOWN_TYPE || /^text\/plain/.test(found);
  const real = isVague && !/^image\//.test(mediaType) ? mediaType : found;
  const isKind = type === "file" || kindOf(real).includes(type);
  if (!isKind || (types && !types.includes(real))) throw words(100, 2018047);
}

/** MP4, OGG and WebM hold either. */
const kindOf = (mediaType: string): string[] =>
  /^(?:audio|video)\/(?:mp4|ogg|webm)/.test(mediaType) ? ["audio", "video"] : [mediaType.split("/")[0] ?? ""];

/** As it stands in the chat and in an echo. */
export function sentAttachment({ core, values }: Platform, { type, medium }: Upload): Attachment {
  const link = core.media.link(medium, values().fileLifeMs, false);
  return { type, payload: { url: `${core.origin()}${link}` } };
}
