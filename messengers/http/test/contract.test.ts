import { describeChannel } from "gangway-messenger/kit/contract";
import { describeProof, type Seen, type Stage } from "gangway-messenger/kit/proof";
import { FILES } from "gangway-messenger/kit/sending";
import type { App } from "../emulator/emulator.ts";
import { samples } from "../samples/samples.ts";
import http from "../src/index.ts";
import { ownId } from "../src/message-id.ts";
import { besideApp, CHAT, messageId, signedRequest } from "./support.ts";

const { settings, open } = besideApp();
const hello = { type: "message.created", data: { chat: CHAT, id: "m-1", text: "hello" } };
const OTHER = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;

describeChannel({
  adapter: http,
  settings,
  chat: CHAT,
  makeContext: open,
  genuine:
    async (_, { doorUrl }) =>
    () =>
      signedRequest(doorUrl, hello),
  forged({ doorUrl, clock }) {
    const long = clock.now() - 301_000;
    const changed = signedRequest(doorUrl, hello);
    return [
      signedRequest(doorUrl, hello, { secret: OTHER }),
      signedRequest(doorUrl, hello, { now: long }),
      signedRequest(doorUrl, hello, { now: clock.now() + 301_000 }),
      new Request(doorUrl, { method: "POST", headers: changed.headers, body: JSON.stringify({ ...hello, more: 1 }) }),
      new Request(doorUrl, { method: "POST", body: JSON.stringify(hello) }),
      new Request(`${doorUrl}/uploads`, { method: "POST", body: "{}" }),
      new Request(doorUrl),
      new Request(doorUrl, { method: "DELETE" }),
    ];
  },
  broken: async (_, { doorUrl }) => [
    ...["", "no json", "[]", "null", "{}", '{"type":"message.created"}', '{"type":"tomorrow","data":{}}'].map((body) =>
      signedRequest(doorUrl, body),
    ),
    signedRequest(doorUrl, { ...hello, data: { chat: CHAT, id: "m-1", text: "  " } }),
    signedRequest(doorUrl, { ...hello, data: { chat: CHAT, id: "m-1", files: [{ upload: "unknown" }] } }),
    signedRequest(`${doorUrl}/nowhere`, hello),
    signedRequest(`${doorUrl}/uploads/x/y`, hello),
    signedRequest(`${doorUrl}/uploads/forged.ticket`, hello),
    new Request(`${doorUrl}/files/unknown`),
  ],
  samples: Object.fromEntries(
    Object.entries(samples).map(([name, { body, event }]) => [
      name,
      { request: async (_, { doorUrl }) => signedRequest(doorUrl, body), event },
    ]),
  ),
});

const seenAs = ({
  id,
  text,
  files,
  buttons,
  quote,
  edited,
  deleted,
  reaction,
  status,
}: App["messages"][number]): Seen => ({
  ...{ id: messageId(id), text, buttons, reaction, status },
  files: files.map(({ name }) => name),
  ...{ quotes: quote !== undefined, edited: edited === true, deleted: deleted === true },
});

async function stage(): Promise<Stage> {
  const { session, atGateway, emulator, after } = await open();
  const tells = (type: string, data: object) => after(() => emulator.tells(type, { chat: CHAT, ...data }));
  return {
    ...{ session, atGateway, chat: CHAT },
    seen: async () => emulator.messages.map(seenAs),
    customer: {
      says: (kind, quoted) => {
        const quote = quoted && { id: ownId(CHAT, quoted) };
        if (kind === "text" || kind === "product" || kind === "order")
          return after(() => emulator.says({ text: "hello", quote }));
        const url = emulator.serves(FILES[kind].name, FILES[kind]);
        return after(() => emulator.says({ files: [{ url, mediaType: FILES[kind].mediaType }], quote }));
      },
      edits: (_, id) => tells("message.edited", { id: ownId(CHAT, id), text: "mended" }),
      deletes: (id) => tells("message.deleted", { id: ownId(CHAT, id) }),
      reacts: (id) => tells("reaction.changed", { id: ownId(CHAT, id), reaction: "👍" }),
      reads: (id) => tells("message.read", { id: ownId(CHAT, id) }),
    },
  };
}

describeProof({ adapter: http, settings, shown: new URL("../src/shown.ts", import.meta.url), emoji: "👍", stage });
