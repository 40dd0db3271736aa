import type { Customer } from "../../../domain/message.ts";
import type { Referral } from "./wire.ts";

type Utm = NonNullable<Customer["utm"]>;

/** How a customer found the chat: an ad, a link with a `ref`, a page's button. Undefined: not said. */
export function utmOf(referral: Referral | null | undefined, network: string): Utm | undefined {
  if (!referral) return undefined;
  const { ref, source, ad_id, ads_context_data: ad } = referral;
  const utm: Utm = {
    source: network,
    medium: ad_id || ad ? "ad" : (source?.toLowerCase() ?? "link"),
    ...((ref || ad_id) && { campaign: ref || (ad_id ?? "") }),
    ...(ad?.ad_title && { content: ad.ad_title }),
    ...(ref && ad_id && { term: ad_id }),
  };
  return utm;
}
