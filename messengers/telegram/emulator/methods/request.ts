import type { Args } from "../dictionary.ts";
import type { Upload } from "../files.ts";
import type { Floods } from "../floods.ts";
import type { Bot, World } from "../world.ts";

export interface BotRequest {
  world: World;
  floods: Floods;
  bot: Bot;
  args: Args;
  /** Unvalidated parameters: Telegram judges some of them part by part. */
  raw: ReadonlyMap<string, unknown>;
  /** The form's files, for `attach://<name>`. */
  uploads: ReadonlyMap<string, Upload>;
  /** Aborted when the caller disconnects or the emulator stops. */
  signal: AbortSignal;
  /** Sets `description` beside `result`, as Telegram does for webhooks. */
  describe(text: string): void;
}
/** Returns `result`; throws BotRefusal. */
export type Method = (request: BotRequest) => unknown;
