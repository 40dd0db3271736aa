import { DeliveryError } from "gangway-messenger/errors";
import type { OpenFile } from "gangway-messenger/message";
import type { TemplateDraft } from "gangway-messenger/template";
import { openMedia } from "gangway-meta/media";
import { type Example, uploadResumable } from "gangway-meta/resumable-upload";
import { debugToken } from "gangway-meta/token";
import { GraphError } from "gangway-meta/verdict";
import { type CloudApi, graphOptions, MANAGEMENT, tokenOf, typeOf } from "../api.ts";
import { type Context, isOperatorsApp } from "../server.ts";
import { isOfRights } from "../verdict.ts";
import { FILE_BYTES, IMAGE_BYTES, VIDEO_BYTES } from "../wire.ts";

export type FileHeader = "image" | "video" | "document";

/** What Meta takes as an example, and the largest file, bytes (docs/graph-api/guides/upload; cloud-api/reference/media). */
const TAKEN: Record<FileHeader, { types: readonly string[]; most: number; words: string }> = {
  image: { types: ["image/jpeg", "image/png"], most: IMAGE_BYTES, words: "JPEG, PNG" },
  video: { types: ["video/mp4"], most: VIDEO_BYTES, words: "MP4" },
  document: { types: ["application/pdf"], most: FILE_BYTES, words: "PDF" },
};

const refused = (message: string) => new DeliveryError({ type: "reject", code: "general" }, message);

export const fileHeaderOf = ({ header }: TemplateDraft): FileHeader | undefined =>
  header && header.type !== "text" ? header.type : undefined;

interface Wanted {
  type: FileHeader;
  draft: TemplateDraft;
  before?: string;
}

/**
 * The file above a template's text, which its reviewers see, as a component. `before`: the address of the example that the
 * template has, which stays if the draft names no file. Throws DeliveryError.
 */
export async function exampleHeader(
  context: Context,
  api: CloudApi,
  { type, draft, before }: Wanted,
  signal: AbortSignal,
): Promise<object> {
  const { settings, server } = context;
  if (settings.via !== "meta")
    throw refused("360dialog takes no example file: make a template with a file above its text in its hub");
  const { token } = settings;
  const own = isOperatorsApp(settings, server) ? server.META_APP_ID : undefined;
  const appId = (await debugToken(tokenOf(context), signal))?.appId ?? own;
  if (!appId) throw refused("Meta does not say which app the token is of: make the template in WhatsApp Manager");
  const example = checked(type, await exampleOf(context, { type, draft, before }, signal));
  const handle = await uploadResumable(api, { appId, token, needs: MANAGEMENT }, example, signal).catch(explained);
  return { type: "HEADER", format: type.toUpperCase(), example: { header_handle: [handle] } };
}

async function exampleOf(context: Context, { type, draft, before }: Wanted, signal: AbortSignal): Promise<OpenFile> {
  const file = draft.examples?.files?.[0]?.file;
  if (file?.at === "gateway") {
    const found = await context.gatewayFile(file.id, signal);
    const opened = await found.open(signal);
    return { ...opened, name: opened.name ?? found.name, size: opened.size ?? found.size };
  }
  if (!before) throw refused("the template needs a file above its text, which Meta's reviewers see: attach one");
  const opening = { ...graphOptions(context), headers: undefined, maxBytes: TAKEN[type].most };
  return openMedia(opening, before, {}, signal);
}

/** Refuses what Meta would refuse, or take for another file. */
function checked(type: FileHeader, file: OpenFile): Example {
  const { types, most, words } = TAKEN[type];
  const mediaType = typeOf(file);
  const problem = !types.includes(mediaType)
    ? `the file above a template's text has to be one of these: ${words}`
    : (file.size ?? 0) > most
      ? "the file is too large"
      : !file.size && "the file's size is not known";
  if (!problem) return { ...file, name: file.name ?? "example", mediaType, size: file.size ?? 0 };
  void file.body.cancel().catch(() => {});
  throw refused(problem);
}

/** The app is unknown to the token, or closed to it. */
function explained(error: unknown): never {
  const isOfApp =
    error instanceof GraphError &&
    error.verdict.type !== "reconnect" &&
    (isOfRights(error.refusal) || (error.refusal.code === 100 && error.refusal.subcode === 33));
  if (isOfApp)
    throw refused(
      `Meta does not let this token hand in an example file: make the template in WhatsApp Manager. ${error.message}`,
    );
  throw error;
}
