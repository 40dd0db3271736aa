import { foreignAnswer } from "gangway-messenger/answers";
import { withBufferedBody } from "gangway-messenger/call";
import { DeliveryError } from "gangway-messenger/errors";
import { fetchedFile } from "gangway-messenger/files";
import type { OpenFile } from "gangway-messenger/message";
import type { ChannelSession } from "gangway-messenger/port";
import type { AvitoApi } from "./api.ts";
import { IMAGE_REF, isWeb, VOICE_REF } from "./content.ts";
import { ownPath } from "./paths.ts";
import { AvitoError } from "./verdict.ts";
import { type Context, IMAGE_BYTES, voiceFiles } from "./wire.ts";

const FILE_MS = 120_000;
const GONE = [404, 410];
const refused = (message: string) => new DeliveryError({ type: "reject", code: "general" }, message);

/** Streams customers' files. Throws DeliveryError, without the address. */
export function files(context: Context, api: AvitoApi): NonNullable<ChannelSession["files"]> {
  return {
    async open(ref, signal) {
      signal.throwIfAborted();
      if (ref.startsWith(VOICE_REF)) {
        const file = await fetch(
          context,
          await voiceUrl(api, ref.slice(VOICE_REF.length), signal),
          "voice.mp4",
          signal,
        );
        // Opus in mp4 (getVoiceFiles).
        return { ...file, mediaType: /^audio\//.test(file.mediaType) ? file.mediaType : "audio/mp4" };
      }
      return fetch(context, ref.slice(IMAGE_REF.length), undefined, signal);
    },
  };
}

/** Its URL is valid for an hour: it is used at once. */
async function voiceUrl(api: AvitoApi, id: string, signal: AbortSignal): Promise<string> {
  const path = await ownPath(api, 1, "getVoiceFiles", signal);
  const request = {
    method: "GET",
    path,
    query: { voice_ids: id },
    result: voiceFiles,
    what: "a voice message",
  } as const;
  const { voices_urls: urls } = await api.call(request, signal).catch((error: unknown) => {
    if (error instanceof AvitoError && error.refusal.status === 404) throw refused(NO_FILE);
    throw error;
  });
  const url = Object.hasOwn(urls, id) ? urls[id] : undefined;
  if (!isWeb(url)) throw refused(NO_FILE);
  return url;
}

const NO_FILE = "Avito no longer has the file";

/** URLs of files are public: the token stays here. */
async function fetch({ call }: Context, url: string, name: string | undefined, signal: AbortSignal): Promise<OpenFile> {
  const answer = await call({ method: "GET", url, timeoutMs: FILE_MS, maxBytes: IMAGE_BYTES, stream: true, signal });
  if (answer.type === "failure") {
    if (answer.reason === "too-large") throw refused("the file is too large");
    if (answer.reason === "blocked") throw refused("Avito gave no usable address of the file");
    throw new DeliveryError({ type: "retry" }, `Avito: ${answer.reason} (a file)`);
  }
  if (answer.status !== 200 || !answer.stream) {
    const { status } = await withBufferedBody(answer);
    throw GONE.includes(status) ? refused(NO_FILE) : foreignAnswer("Avito", status, "a file", true);
  }
  const file = await fetchedFile({ ...answer, stream: answer.stream }, { name });
  if (!file) throw foreignAnswer("Avito", 200, "a file", true);
  return file;
}
