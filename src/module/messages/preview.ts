import type { ChannelAdapter } from "../../channels/port.ts";
import type { Channel } from "../../domain/channel/channel.ts";
import { lossText } from "../../domain/delivery/loss.ts";
import { planMessage, type SendStep } from "../../domain/delivery/plan.ts";
import type { ChatId, GatewayFileId, GatewayMessageId } from "../../domain/ids.ts";
import type { Language } from "../../domain/language.ts";
import type { Content, OutboundMessage, Suggestion } from "../../domain/message/message.ts";
import type { Markup } from "../../domain/text/text.ts";
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

/** Plans the sketch like a real message. */
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
