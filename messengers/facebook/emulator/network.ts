import { randomText } from "gangway-messenger/kit/emulator/random";
import { refusal } from "gangway-meta/emulator/graph-error";
import { BUSINESS_SUITE } from "gangway-meta/emulator/messaging/events";
import type { Network } from "gangway-meta/emulator/messaging/network";
import { profilePicture } from "gangway-meta/emulator/messaging/pictures";
import { words } from "gangway-meta/emulator/messaging/refusals";
import { type SendBody, sendShape } from "gangway-meta/emulator/messaging/send-shape";
import { nameOf } from "gangway-meta/emulator/messaging/world";
import { pageToken } from "./pages.ts";

const MEGABYTE = 1024 * 1024;
const ANY = { maxBytes: 25 * MEGABYTE };

const FIELDS = [
  "messages",
  "message_deliveries",
  "message_echoes",
  "message_edits",
  "message_mention",
  "message_reactions",
  "message_reads",
  "messaging_account_linking",
  "messaging_feedback",
  "messaging_handovers",
  "messaging_integrity",
  "messaging_optins",
  "messaging_optouts",
  "messaging_policy_enforcement",
  "messaging_postbacks",
  "messaging_referrals",
  "standby",
  "response_feedback",
  "send_cart",
  "message_template_status_update",
];

/** Messenger of Facebook pages. */
export const network: Network = {
  title: "Messenger",
  object: "page",
  nodeType: "Page",
  events: {
    message: "messages",
    echo: "message_echoes",
    edit: "message_edits",
    reaction: "message_reactions",
    postback: "messaging_postbacks",
    referral: "messaging_referrals",
    read: "message_reads",
    delivery: "message_deliveries",
    handover: "messaging_handovers",
    policy: "messaging_policy_enforcement",
  },
  knownFields: FIELDS,
  rights: { message: ["pages_messaging"], subscribe: ["pages_manage_metadata"], humanAgent: "human_agent" },
  shape: sendShape({ maxText: 2000, isPage: true }),
  files: { image: ANY, video: ANY, audio: ANY, file: ANY },
  fault,
  windowClosed: () => words(10, 2018278),
  unknownRecipient: () => words(100, 2018001),
  newMid: (random) => `m_${randomText(86, random)}`,
  // Seventeen digits: more than a double holds exactly.
  newScopedId: (random) => `${Math.floor(23 + random() * 7)}${`${Math.floor(1e14 + random() * 9e14)}`.slice(0, 15)}`,
  echo: ({ metadata }, app) => ({ app_id: app?.id ?? BUSINESS_SUITE, ...(metadata !== undefined && { metadata }) }),
  readsName: "watermark",
  accountView: ({ id, name, username }, token, platform) => ({
    id,
    name,
    access_token: token.type === "PAGE" ? token.value : pageToken(platform, token, id).value,
    username: username ?? name.toLowerCase().replaceAll(/[^a-z0-9]/g, ""),
    category: "Shopping & retail",
    link: `https://www.facebook.com/${id}`,
    picture: { data: { height: 50, width: 50, is_silhouette: false, url: profilePicture(platform, id, name) } },
  }),
  profileView: ({ scopedId, person }, platform) => ({
    id: scopedId,
    first_name: person.firstName,
    last_name: person.lastName,
    name: nameOf(person),
    profile_pic: profilePicture(platform, scopedId, nameOf(person)),
    locale: "en_US",
    timezone: -5,
    gender: undefined,
  }),
};

function fault({ message }: SendBody) {
  const isGrid = message?.attachments?.every(({ type }) => type === "image") ?? true;
  return isGrid ? undefined : refusal(100, "Param message[attachments] must contain only images.");
}
