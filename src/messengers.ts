import { demo } from "gangway-demo";
import { facebook } from "gangway-facebook";
import { instagram } from "gangway-instagram";
import type { ChannelAdapter } from "gangway-messenger/port";
import { telegram } from "gangway-telegram";
import { webchat } from "gangway-webchat";
import { whatsapp } from "gangway-whatsapp";

/** All messengers. Only this file imports their folders. */
export const adapters: ChannelAdapter[] = [webchat, telegram, whatsapp, facebook, instagram, demo];
