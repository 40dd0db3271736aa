import type { ChannelAdapter } from "gangway-messenger/port";
import { demo } from "./demo/index.ts";
import { facebook } from "./facebook/index.ts";
import { instagram } from "./instagram/index.ts";
import { telegram } from "./telegram/index.ts";
import { webchat } from "./webchat/index.ts";
import { whatsapp } from "./whatsapp/index.ts";

/** All messengers. Only this file imports their folders. */
export const adapters: ChannelAdapter[] = [webchat, telegram, whatsapp, facebook, instagram, demo];
