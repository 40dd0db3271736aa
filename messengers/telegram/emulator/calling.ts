import { isServed } from "./catalogue.ts";
import { isUpload } from "./dictionary.ts";
import type { Upload } from "./files.ts";
import type { Floods } from "./floods.ts";
import { chatMethods } from "./methods/chats.ts";
import { commandMethods } from "./methods/commands.ts";
import { editingMethods } from "./methods/editing.ts";
import { erasingMethods } from "./methods/erasing.ts";
import { fetchingMethods } from "./methods/fetching.ts";
import { forwardingMethods } from "./methods/forwarding.ts";
import { ownMethods } from "./methods/own.ts";
import { pinMethods } from "./methods/pins.ts";
import { profileMethods } from "./methods/profile.ts";
import { reactionMethods } from "./methods/reactions.ts";
import type { Method } from "./methods/request.ts";
import { sendingMethods } from "./methods/sending.ts";
import { updateMethods } from "./methods/updates.ts";
import type { Judged, RawCall } from "./parameters.ts";
import { BotRefusal } from "./refusal.ts";
import type { Bot, World } from "./world.ts";

const METHODS: Record<string, Method> = {
  ...ownMethods,
  ...commandMethods,
  ...profileMethods,
  ...updateMethods,
  ...sendingMethods,
  ...forwardingMethods,
  ...editingMethods,
  ...erasingMethods,
  ...reactionMethods,
  ...pinMethods,
  ...chatMethods,
  ...fetchingMethods,
};
/** For the test that every listed method exists. */
export const METHOD_NAMES: readonly string[] = Object.keys(METHODS);

export interface Call {
  world: World;
  floods: Floods;
  bot: Bot;
  method: string;
  args: Judged["args"];
  raw: RawCall;
  signal: AbortSignal;
}
export interface CallResult {
  result: unknown;
  description?: string;
}

/** Throws before reading the parameters of an unserved call. */
export function checkServed(method: string): void {
  // 404, as an older Bot API server answers an unknown method.
  if (!isServed(method)) throw new BotRefusal(404, `Not Found: method not found: the sandbox does not serve ${method}`);
}

export async function carryOut({ world, floods, bot, method, args, raw, signal }: Call): Promise<CallResult> {
  const uploads = new Map<string, Upload>();
  for (const [name, value] of raw.values) if (isUpload(value)) uploads.set(name, value);
  let description: string | undefined;
  const describe = (text: string) => {
    description = text;
  };
  const result = await METHODS[method]?.({ world, floods, bot, args, raw: raw.values, uploads, signal, describe });
  return { result, ...(description !== undefined && { description }) };
}
