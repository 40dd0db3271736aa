import type { ChannelAdapter } from "./port.ts";
import { telegram } from "./telegram/index.ts";
import { webchat } from "./webchat/index.ts";

/** Every kind of messenger this server speaks; the only file that imports them all. */
export const adapters: ChannelAdapter[] = [webchat, telegram];
