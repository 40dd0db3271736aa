import type { ChatId } from "gangway-messenger/ids";
import type { AvitoApi } from "./api.ts";

/** Below an account: `/messenger/<version>/accounts/<id>/…`. */
export async function ownPath(api: AvitoApi, version: 1 | 2 | 3, rest: string, signal: AbortSignal): Promise<string> {
  const { id } = await api.self(signal);
  return `/messenger/v${version}/accounts/${encodeURIComponent(id)}/${rest}`;
}

export const chatPath = (api: AvitoApi, version: 1 | 2 | 3, chat: ChatId, rest: string, signal: AbortSignal) =>
  ownPath(api, version, `chats/${encodeURIComponent(chat)}${rest}`, signal);
