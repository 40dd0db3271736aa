import { googleMap } from "gangway-messenger/maps";
import type { Content, FilePart } from "gangway-messenger/message";
import type { Lines } from "./lines.ts";
import type { Body, WireError, WireMessage } from "./update.ts";

type MediaKind = "image" | "sticker" | "video" | "audio" | "voice" | "document";
type Media = NonNullable<Body["image"]>;

/** How a kind of media is passed to the CRM. */
const AS: Record<MediaKind, "image" | "file" | "audio"> = {
  image: "image",
  sticker: "image",
  video: "file",
  audio: "audio",
  voice: "audio",
  document: "file",
};
const KINDS = Object.keys(AS) as MediaKind[];

/** The content of a message; what this version cannot read becomes a line, so nothing is dropped. */
export function contentOf(body: Body, lines: Lines, errors: WireError[] = []): Content {
  for (const kind of KINDS) {
    const media = body[kind];
    if (body.type === kind && media) return fileContent(kind, media, lines);
  }
  return { type: "text", text: textOf(body, lines) ?? unsupported(body.type, errors, lines) };
}

function fileContent(kind: MediaKind, media: Media, lines: Lines): Content {
  const mediaType = media.mime_type;
  const title = lines.names[media.voice ? "voice" : kind];
  const name = media.filename || `${title}${extensionOf(mediaType)}`;
  const file: FilePart = { file: { at: "messenger", ref: media.id }, name, mediaType };
  return { type: AS[kind], files: [file], ...(media.caption && { note: media.caption }) };
}

/** For files that WhatsApp sends without a name. */
const EXTENSIONS = new Map(
  Object.entries({
    "image/jpeg": ".jpg",
    "image/png": ".png",
    "image/webp": ".webp",
    "video/mp4": ".mp4",
    "video/3gpp": ".3gp",
    "audio/aac": ".aac",
    "audio/amr": ".amr",
    "audio/mpeg": ".mp3",
    "audio/mp4": ".m4a",
    "audio/ogg": ".ogg",
    "application/pdf": ".pdf",
  }),
);
const extensionOf = (mediaType = "") => EXTENSIONS.get(mediaType.split(";")[0]?.trim().toLowerCase() ?? "") ?? "";

/** Undefined for kinds without words, and for unknown shapes. */
function textOf(body: Body, lines: Lines): string | undefined {
  switch (body.type) {
    case "text":
      return body.text?.body;
    case "button":
      return body.button?.text ?? body.button?.payload;
    // In the phone's history.
    case "media_placeholder":
      return lines.onPhone;
    case "interactive":
      return interactiveText(body.interactive, lines);
    case "location":
      return body.location && placeText(body.location, lines);
    case "contacts":
      return body.contacts?.map((card) => lines.contact({ who: cardText(card) })).join("\n\n");
    case "order":
      return body.order && orderText(body.order, lines);
    default:
      return undefined;
  }
}

function interactiveText(interactive: Body["interactive"], lines: Lines): string {
  const { button_reply: button, list_reply: row, nfm_reply: form, call_permission_reply: calls } = interactive ?? {};
  if (calls) return calls.response === "accept" ? lines.callAllowed : lines.callDenied;
  const chosen = button ?? row;
  if (chosen) return fullTitle(chosen.id) ?? chosen.title ?? chosen.id ?? lines.answer;
  if (form) return formText(form, lines);
  return lines.answer;
}

/** Ids that we give to buttons and rows: their position, and their full title. */
export const titledId = (place: number, title: string): string => `${place}:${title}`;
const fullTitle = (id: string | undefined) => /^\d{1,2}:(.+)$/s.exec(id ?? "")?.[1];

function formText(form: NonNullable<NonNullable<Body["interactive"]>["nfm_reply"]>, lines: Lines): string {
  const head = lines.form({ what: form.name ?? form.body ?? "…" });
  return [head, ...answersOf(form.response_json)].join("\n");
}

function answersOf(json = ""): string[] {
  try {
    const answers = Object.entries(Object(JSON.parse(json)) as Record<string, unknown>);
    return answers
      .filter(([name]) => name !== "flow_token")
      .map(([name, value]) => `– ${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`);
  } catch {
    return [];
  }
}

function placeText({ latitude, longitude, name, address }: NonNullable<Body["location"]>, lines: Lines): string {
  return [`📍 ${name || lines.location}`, address, googleMap(latitude, longitude)].filter(Boolean).join("\n");
}

function cardText({ name, org, phones, emails }: NonNullable<Body["contacts"]>[number]): string {
  const who = name?.formatted_name ?? [name?.first_name, name?.last_name].filter(Boolean).join(" ");
  const numbers = phones.map(({ phone, wa_id: id }) => phone ?? (id && `+${id}`));
  return [who, org?.company, ...numbers, ...emails.map(({ email }) => email)].filter(Boolean).join("\n");
}

function orderText({ text, product_items: items }: NonNullable<Body["order"]>, lines: Lines): string {
  const amount = (value: number, currency = "") => `${value.toFixed(2)} ${currency}`.trim();
  const rows = items.map(({ product_retailer_id: code, quantity = 1, item_price: price = 0, currency }) =>
    lines.item({ code, quantity, price: amount(price, currency), sum: amount(quantity * price, currency) }),
  );
  const total = items.reduce((sum, { quantity = 1, item_price: price = 0 }) => sum + quantity * price, 0);
  const sum = lines.total({ amount: amount(total, items[0]?.currency) });
  return [lines.order, ...rows, sum, text].filter(Boolean).join("\n");
}

function unsupported(type: string, errors: WireError[], lines: Lines): string {
  const [error] = errors;
  const why = error?.error_data?.details ?? error?.title ?? error?.message;
  const known = type === "unsupported" || type === "unknown" ? undefined : type;
  return lines.unsupported({ what: known ?? why ?? lines.hidden });
}

/** Lines above a message: forwarded, about a product, or from an ad. */
export function headOf({ context, referral }: Pick<WireMessage, "context" | "referral">, lines: Lines): string {
  const heads: string[] = [];
  if (context?.frequently_forwarded) heads.push(lines.forwardedOften);
  else if (context?.forwarded) heads.push(lines.forwarded);
  const code = context?.referred_product?.product_retailer_id;
  if (code) heads.push(lines.product({ code }));
  if (referral) {
    const what = [referral.headline, referral.source_url].filter(Boolean).join(", ") || (referral.source_id ?? "…");
    heads.push((referral.source_type === "post" ? lines.post : lines.ad)({ what }));
  }
  return heads.map((head) => `${head}\n`).join("");
}
