import { paintPng } from "gangway-messenger/kit/emulator/picture";
import type { Message, Update } from "../../emulator/wire.ts";
import { HARBOUR, opened, ROBIN, WREN } from "./stage.ts";

const KINDS = [
  "message edited_message channel_post message_reaction message_reaction_count business_connection",
  "business_message edited_business_message deleted_business_messages",
].flatMap((line) => line.split(" "));

/** Robin's phone over HTTP, and the bot's updates. */
export async function phoned() {
  const set = await opened();
  await set.updates({ allowed_updates: KINDS });
  const ask = async <T = { ids: number[] }>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await fetch(`${set.origin}/phone/api${path}`, {
      method,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const parsed = (await answer.json()) as T & { error?: string };
    if (!answer.ok) throw new Error(`${answer.status} ${parsed.error}`);
    return parsed;
  };
  const write = async (draft: object, chat = HARBOUR, person = ROBIN) =>
    (await ask("POST", `/${person}/chats/${chat}/messages`, draft)).ids;
  const file = (shade = 90) => {
    const bytes = paintPng(200, 100, [10, shade, 160]);
    return set.world.files.add({ name: "sea.png", mediaType: "image/png", bytes }).key;
  };
  const photo = (more: object = {}) => ({ kind: "photo", file: file(), ...more });
  let seen = (await set.updates()).at(-1)?.update_id ?? 0;
  /** Updates since the last call. */
  const heard = async () => {
    const fresh = await set.updates({ offset: seen + 1 });
    seen = fresh.at(-1)?.update_id ?? seen;
    return fresh;
  };
  const messages = async (kind: keyof Update = "message") => (await heard()).map((each) => each[kind] as Message);
  const business = async (rights?: object) => {
    const answer = await set.control("business", "POST", { bot: HARBOUR, owner: WREN, rights });
    return ((await answer.json()) as { id: string }).id;
  };
  return { ...set, ask, write, file, photo, heard, messages, business };
}
