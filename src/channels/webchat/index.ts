import { defineChannel } from "../port.ts";
import { receiving } from "./inbound.ts";
import { sending } from "./outbound.ts";
import { FILE_BYTES, IMAGE_BYTES, JSON_BYTES, MOST_FILES, settings, TEXT_LENGTH } from "./wire.ts";

/** A chat window on the shop's own site. Its network is this server, so a message is sent once it is in the journal. */
export const webchat = defineChannel({
  kind: "webchat",
  title: "Web chat",
  settings,
  features: () => {
    const deeds = { creating: "both", editing: "outbound", quoting: "both", deleting: "outbound" } as const;
    const files = { ...deeds, maxCount: MOST_FILES, maxNote: 1024 };
    return {
      type: "consultant",
      text: { ...deeds, maxLength: TEXT_LENGTH },
      image: { ...files, maxSize: IMAGE_BYTES },
      file: { ...files, maxSize: FILE_BYTES },
      delivered: "both",
      read: "both",
      suggestions: { text: "outbound", phone: "outbound", email: "outbound", url: "outbound" },
      firstContact: "no",
      afterReplyTimeout: "no",
    };
  },
  pace: { perSecond: 1000, perChat: 1000 },
  sendIdempotency: "native",
  bodyLimit: (path) => (path === "files" ? FILE_BYTES + 1 : JSON_BYTES),
  assets: {
    "widget.js": { file: new URL("./widget.js", import.meta.url), mediaType: "text/javascript; charset=utf-8" },
  },
  snippet: (publicUrl, door) =>
    `<script src="${publicUrl}/channels/webchat/widget.js" data-channel="${door}" async></script>`,
  open: (context) => ({
    connect: async () => ({ name: context.name }),
    disconnect: async () => {},
    receive: receiving(context),
    ...sending(context),
  }),
});
