import type { Args } from "../dictionary.ts";
import type { Upload } from "../files.ts";
import type { Floods } from "../floods.ts";
import type { Bot, World } from "../world.ts";

/** A call of a bot, ready to be carried out. */
export interface BotRequest {
  world: World;
  floods: Floods;
  bot: Bot;
  args: Args;
  /** Its parameters as they came, for those whose parts Telegram judges one by one. */
  raw: ReadonlyMap<string, unknown>;
  /** The files of its form, for `attach://<name>`. */
  uploads: ReadonlyMap<string, Upload>;
  /** Ends when the caller is gone or the emulator stops. */
  signal: AbortSignal;
  /** Said beside `result`, as Telegram does for webhooks. */
  describe(text: string): void;
}
/** What its `result` is; a refusal is thrown. */
export type Method = (request: BotRequest) => unknown;
