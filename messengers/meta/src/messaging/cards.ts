import type { Card, SendStep } from "gangway-messenger/plan";
import { BUTTONS, buttonsOf, isLink, linkButton } from "./buttons.ts";

/**
 * Maximum length of a card's lines, characters (docs/messenger-platform/send-messages/template/generic; the same on
 * Instagram: docs/instagram-platform, Send a generic template).
 */
export const CARD = { title: 80, subtitle: 80 };

/** A generic template with one card. Links are buttons of it, quick replies stay below. */
export function cardMessage(card: Card, step: SendStep) {
  const { title, subtitle, picture, link } = card;
  const links = step.suggestions.filter(isLink).map(linkButton);
  const buttons = [...(link ? [linkButton({ title: link.title, payload: link.url })] : []), ...links];
  const element = {
    title,
    ...(subtitle && { subtitle }),
    image_url: picture,
    // A tap on the card opens the link, too: there may be no room for its button.
    ...(link && { default_action: { type: "web_url", url: link.url } }),
    ...(buttons.length > 0 && { buttons: buttons.slice(-BUTTONS) }),
  };
  const attachment = { type: "template", payload: { template_type: "generic", elements: [element] } };
  return { ...(links.length === 0 && buttonsOf(step)), attachment };
}
