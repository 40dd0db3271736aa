import { DeliveryError } from "gangway-messenger/errors";
import { withFiles } from "gangway-messenger/files";
import type { GatewayFile, OpenFile } from "gangway-messenger/message";
import { fileTypes } from "gangway-meta/file-type";
import { type Graph, type GraphOptions, graphClient } from "gangway-meta/graph";
import { openMedia } from "gangway-meta/media";
import { rightsCheck } from "gangway-meta/rights";
import { appTokenOf } from "gangway-meta/server";
import { debugToken, type Inspected, missingScopes, type TokenFacts } from "gangway-meta/token";
import * as z from "zod";
import { type Context, graphUrlOf, isOperatorsApp } from "./server.ts";
import { isOfRights, isOfToken, TABLE } from "./verdict.ts";
import { FILE_BYTES } from "./wire.ts";

/** Client of the Cloud API for one number, at Meta or at 360dialog. Throws DeliveryError. */
export interface CloudApi extends Graph {
  /** Where calls go: 360dialog knows the number and the account by its key. */
  paths: { messages: string; media: string; templates: string };
  /** Gives Meta a file; resolves with its id there. */
  upload(file: GatewayFile, signal: AbortSignal): Promise<string>;
  openFile(mediaId: string, signal: AbortSignal): Promise<OpenFile>;
}

/**
 * Permissions that a token needs when a channel is connected, by Meta's names. Without the second, messages still work.
 */
export const [MESSAGING, MANAGEMENT] = ["whatsapp_business_messaging", "whatsapp_business_management"] as const;
export const RIGHTS = [MESSAGING, MANAGEMENT];
export const NO_MANAGEMENT = `the token has lost the permission ${MANAGEMENT}: messages go on, but templates cannot be read or changed`;

const uploaded = z.object({ id: z.union([z.string(), z.number()]).transform(String) });
const media = z.object({
  url: z.string().min(1),
  mime_type: z.string().nullish(),
  file_size: z.union([z.number(), z.string()]).nullish(),
});

export function cloudApi(context: Context): CloudApi {
  const { settings } = context;
  const isMeta = settings.via === "meta";
  const options = graphOptions(context);
  const graph = graphClient({
    ...options,
    probe: probeOf(context),
    ...refusals(context),
  });
  const at = (id: string, name: string) => (isMeta ? `${id}/${name}` : name);
  const paths = {
    messages: at(settings.phoneNumberId, "messages"),
    media: at(settings.phoneNumberId, "media"),
    templates: isMeta ? `${settings.wabaId}/message_templates` : "v1/configs/templates",
  };
  return {
    ...graph,
    paths,
    upload(file, signal) {
      const fields = { messaging_product: "whatsapp", type: typeOf(file) };
      const request = {
        method: "POST",
        path: paths.media,
        result: uploaded,
        what: "a file",
        repeatable: true,
      } as const;
      const source = { ...file, mediaType: typeOf(file) };
      const act = async (files: Parameters<Parameters<typeof withFiles>[1]>[0]) =>
        (await graph.call({ ...request, form: { fields, files } }, signal)).id;
      return withFiles([{ field: "file", source }], act, signal);
    },
    async openFile(mediaId, signal) {
      const query = isMeta ? { phone_number_id: settings.phoneNumberId } : undefined;
      const request = {
        method: "GET",
        path: encodeURIComponent(mediaId),
        query,
        result: media,
        what: "a file",
      } as const;
      const { url, file_size: size } = await graph.call(request, signal);
      const known = { size: Number(size) > 0 ? Number(size) : undefined };
      const address = isMeta ? url : throughDialog(url, options.baseUrl);
      return openMedia({ ...options, maxBytes: FILE_BYTES }, address, known, signal);
    },
  };
}

export function graphOptions({ call, clock, settings, server }: Context): GraphOptions {
  const { token, appSecret, verifyToken } = settings;
  const isMeta = settings.via === "meta";
  return {
    call,
    clock,
    network: "WhatsApp",
    baseUrl: isMeta ? `${graphUrlOf(server)}/${server.META_API_VERSION}` : server.DIALOG_360_URL,
    headers: isMeta ? { authorization: `Bearer ${token}` } : { "d360-api-key": token },
    secrets: [token, appSecret, verifyToken],
    table: TABLE,
  };
}

/** A client for questions about the token, which 360dialog does not answer. */
export const tokenOf = (context: Context): Inspected => ({
  graph: graphClient(graphOptions(context)),
  token: context.settings.token,
  appToken: isOperatorsApp(context.settings, context.server) ? appTokenOf(context.server) : undefined,
});

const probeOf = ({ settings }: Context) =>
  settings.via === "meta" ? { path: settings.phoneNumberId, query: { fields: "id" } } : { path: "v1/configs/webhook" };

/** What a refusal means for the login although the token works for reading. */
function refusals(context: Context): Pick<GraphOptions, "otherwise" | "spare"> {
  const known = (signal: AbortSignal) => debugToken(tokenOf(context), signal);
  const byRights = rightsCheck({ needed: [MESSAGING], isOfRights, known });
  return {
    async otherwise(error, signal) {
      // Any other refusal is Meta's verdict on the number or the account.
      const isOfLogin = isOfToken(error.refusal) || isOfRights(error.refusal);
      return isOfLogin ? byRights(error, signal) : error;
    },
    async spare(error, needs, signal) {
      const token = isOfRights(error.refusal) ? await known(signal) : undefined;
      return token && isWithout(token, needs)
        ? new DeliveryError({ type: "reject", code: "general" }, NO_MANAGEMENT)
        : error;
    },
  };
}

/** Whether a token that may send lacks this permission. */
export const isWithout = (token: TokenFacts, right: string): boolean =>
  missingScopes(token, [right]).length > 0 && missingScopes(token, [MESSAGING]).length === 0;

/** 360dialog serves Meta's files under its own address. */
function throughDialog(url: string, baseUrl: string): string {
  // The call refuses it in words.
  if (!URL.canParse(url)) return url;
  const { pathname, search } = new URL(url);
  return `${baseUrl}${pathname}${search}`;
}

export const typeOf = fileTypes({ "3gp": "video/3gpp", opus: "audio/ogg", amr: "audio/amr" });
