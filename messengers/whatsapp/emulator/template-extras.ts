import { waRefusal } from "./codes.ts";
import type { SentComponent } from "./send-shape.ts";
import { componentOf, type Template, type TemplateComponent, variablesOf } from "./template.ts";

// What a message by template gives for parts beside its texts. All throw GraphRefusal.

type Button = NonNullable<TemplateComponent["buttons"]>[number];

/** How a kind of button is named at sending, and in refusals. */
const SENT_AS: Record<string, { type: string; words: string }> = {
  QUICK_REPLY: { type: "quick_reply", words: "QuickReply" },
  URL: { type: "url", words: "Url" },
  COPY_CODE: { type: "copy_code", words: "copy_code" },
  FLOW: { type: "flow", words: "Flow" },
  CATALOG: { type: "catalog", words: "Catalog" },
  MPM: { type: "mpm", words: "Mpm" },
  ORDER_DETAILS: { type: "order_details", words: "OrderDetails" },
  VOICE_CALL: { type: "voice_call", words: "VoiceCall" },
};

export function checkButtons(buttons: Button[], sent: SentComponent[]): void {
  const given = sent.filter(({ type }) => type.toLowerCase() === "button");
  for (const { sub_type, index } of given) {
    const own = buttons[Number(index)];
    if (!own) throw waRefusal(132012, `buttons: There is no button at index ${index}`);
    const { type, words } = SENT_AS[own.type] ?? {};
    if (type && sub_type?.toLowerCase() !== type)
      throw waRefusal(132018, `buttons: Button at index ${index} must be of type ${words}`);
  }
  for (const [index, button] of buttons.entries())
    checkButton(
      button,
      index,
      given.find((each) => Number(each.index) === index),
    );
}

function checkButton({ type, url = "" }: Button, index: number, given: SentComponent | undefined): void {
  if (type === "FLOW" && !given) throw waRefusal(131009);
  const field = variablesOf(url).length > 0 ? "text" : VALUES[type];
  if (!field || given?.parameters?.[0]?.[field]) return;
  const wanted = field === "coupon_code" ? "non-empty parameter coupon_code" : "parameter";
  throw waRefusal(131008, `buttons: Button at index ${index} of type ${SENT_AS[type]?.words} requires a ${wanted}`);
}

/** What kinds of buttons cannot do without. */
const VALUES: Record<string, string> = {
  COPY_CODE: "coupon_code",
  CATALOG: "action",
  MPM: "action",
  ORDER_DETAILS: "action",
};

const partsOf = (sent: SentComponent[], name: string) => sent.find(({ type }) => type.toLowerCase() === name);

/** When a limited offer ends. */
export function checkOffer(template: Template, sent: SentComponent[]): void {
  const own = componentOf(template, "LIMITED_TIME_OFFER")?.limited_time_offer as
    | { has_expiration?: boolean }
    | undefined;
  if (own?.has_expiration && !partsOf(sent, "limited_time_offer")?.parameters?.[0]?.limited_time_offer)
    throw waRefusal(132012);
}

/** As many cards as the carousel has. */
export function checkCards(template: Template, sent: SentComponent[]): void {
  const own = componentOf(template, "CAROUSEL")?.cards as unknown[] | undefined;
  if ((own?.length ?? 0) !== (partsOf(sent, "carousel")?.cards?.length ?? 0)) throw waRefusal(132012);
}
