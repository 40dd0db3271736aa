import type { ChatId, GatewayFileId } from "gangway-messenger/ids";
import type { Language } from "gangway-messenger/language";
import { lossText } from "gangway-messenger/loss";
import type { Content, Suggestion } from "gangway-messenger/message";
import type { SendStep } from "gangway-messenger/plan";
import { planMessage } from "gangway-messenger/planning";
import type { ChannelAdapter } from "gangway-messenger/port";
import type { Channel } from "../../domain/channel.ts";
import type { GatewayMessageId } from "../../domain/ids.ts";
import type { Markup } from "../../domain/markdown.ts";
import type { OutboundMessage } from "../../domain/message.ts";
import { readContent } from "../../gateway/client.ts";

/** A sketch of a message, typed on the preview page. */
export interface Sketch {
  text: string;
  files?: { kind: "image" | "file" | "audio"; count: number; megabytes: number };
  /** Titles of quick replies; a URL becomes a link. */
  buttons: string[];
}
export interface Preview {
  steps: { kind: SendStep["kind"]; text: string; files: string[]; buttons: string[] }[];
  losses: string[];
}

const MEGABYTE = 1024 * 1024;
const ENDINGS = { image: "jpg", file: "pdf", audio: "ogg" } as const;

/** Plans the sketch as if it were a real message. */
export function preview(
  adapter: ChannelAdapter,
  channel: Pick<Channel, "settings">,
  sketch: Sketch,
  markup: Markup,
  language: Language,
): Preview {
  const capabilities = adapter.capabilities(adapter.settings.parse(channel.settings));
  const message: OutboundMessage = {
    type: "message",
    gatewayMessageId: "0" as GatewayMessageId,
    chat: "" as ChatId,
    content: readContent(contentOf(sketch), capabilities.marks ? markup : "none"),
    suggestions: sketch.buttons.map(toSuggestion),
  };
  const { steps, losses } = planMessage(message, capabilities);
  return {
    steps: steps.flatMap((step) => (step.do === "send" ? [shown(step)] : [])),
    losses: losses.map((loss) => lossText(loss, language)),
  };
}

const shown = ({ kind, text, files, links, suggestions }: SendStep) => ({
  kind,
  text: [text, ...links.map(({ name }) => `${name}: https://…`)].filter(Boolean).join("\n"),
  files: files.map(({ name }) => name ?? ""),
  buttons: suggestions.map(({ title }) => title),
});

function contentOf({ text, files }: Sketch): Content {
  if (!files || files.count === 0) return { type: "text", text };
  const size = Math.round(files.megabytes * MEGABYTE);
  const made = Array.from({ length: files.count }, (_, n) => ({
    file: { at: "gateway" as const, id: `${n}` as GatewayFileId },
    name: `${n + 1}.${ENDINGS[files.kind]}`,
    size,
  }));
  return { type: files.kind, files: made, note: text || undefined };
}

const toSuggestion = (title: string): Suggestion =>
  /^https?:\/\//.test(title) ? { type: "url", title, payload: title } : { type: "text", title };
