import { nameOf } from "./reading-context.ts";
import type { Lines, MessageContent } from "./update.ts";

/** Describes in one line what a person did deliberately, such as a payment. Undefined for other service messages. */
export function serviceLine(message: MessageContent, lines: Lines): string | undefined {
  return (
    giftLine(message, lines) ??
    sharedLine(message, lines) ??
    paymentLine(message, lines) ??
    listLine(message, lines) ??
    postLine(message, lines)
  );
}

const withText = (line: string, text: string | undefined) => [line, text].filter(Boolean).join("\n");

function giftLine(message: MessageContent, lines: Lines): string | undefined {
  const { gift, unique_gift: unique, gift_upgrade_sent: upgrade, paid_media: paid, boost_added: boost } = message;
  const giveaway = message.giveaway ?? message.giveaway_winners;
  if (unique) {
    const { base_name: name = "", number } = unique.gift ?? {};
    return withText(lines.uniqueGift({ name: [name, number && `#${number}`].filter(Boolean).join(" ") }), unique.text);
  }
  if (gift) return withText(lines.gift({ stars: gift.gift?.star_count ?? 0 }), gift.text);
  if (upgrade) return withText(lines.giftUpgrade, upgrade.text);
  if (giveaway) return withText(lines.giveaway, giveaway.prize_description);
  if (message.keys.includes("giveaway_created")) return lines.giveaway;
  if (paid) return lines.paidMedia({ stars: paid.star_count ?? 0 });
  return boost && lines.boost({ times: boost.boost_count ?? 1 });
}

function sharedLine(message: MessageContent, lines: Lines): string | undefined {
  const { users_shared: people, chat_shared: chat, connected_website: site } = message;
  const tag = (username: string | undefined) => username && `@${username}`;
  if (people) {
    const names = (people.users ?? []).flatMap((each) => {
      if (!each) return [];
      return [
        ...new Set([
          nameOf({ ...each, id: each.user_id, is_bot: false, language_code: undefined }),
          tag(each.username),
        ]),
      ]
        .filter(Boolean)
        .join(" ");
    });
    return lines.shared({ what: names.join(", ") });
  }
  if (chat) {
    // The title is present only if the request for the chat asked for it.
    const name = [chat.title, tag(chat.username)].filter(Boolean).join(" ");
    return lines.shared({ what: name || (chat.chat_id ?? "…") });
  }
  if (site) return lines.loggedIn({ site });
  return message.keys.includes("write_access_allowed") ? lines.writeAccess : undefined;
}

function paymentLine(
  { successful_payment: paid, refunded_payment: refunded }: MessageContent,
  lines: Lines,
): string | undefined {
  if (paid) return lines.paid({ amount: amount(paid) });
  return refunded && lines.refunded({ amount: amount(refunded) });
}

/** XTR (stars) has no minor unit; other currencies are given in theirs (Bot API, SuccessfulPayment). */
function amount({ currency, total_amount: units }: NonNullable<MessageContent["successful_payment"]>): string {
  if (currency === "XTR") return `${units} ⭐`;
  if (!/^[A-Z]{3}$/.test(currency)) return `${units} ${currency}`;
  const { maximumFractionDigits: digits = 2 } = new Intl.NumberFormat("en", {
    style: "currency",
    currency,
  }).resolvedOptions();
  return `${(units / 10 ** digits).toFixed(digits)} ${currency}`;
}

/** Of a suggested post; TON is given in billionths (Bot API, SuggestedPostPrice). */
export function priceOf(price: { currency?: string; amount?: number } | undefined): string {
  const { currency, amount: units } = price ?? {};
  if (!currency || units === undefined) return "0";
  return currency === "TON" ? `${units / 1e9} TON` : amount({ currency, total_amount: units });
}

function postLine(message: MessageContent, lines: Lines): string | undefined {
  const { suggested_post_approved: approved, suggested_post_declined: declined } = message;
  const { suggested_post_approval_failed: failed, suggested_post_paid: paid, suggested_post_refunded: back } = message;
  if (approved) return lines.postApproved({ price: priceOf(approved.price) });
  if (failed) return lines.postUnpaid;
  if (declined) return withText(lines.postDeclined, declined.comment);
  if (paid) return lines.postPaid({ price: priceOf(paid) });
  return back && lines.postRefunded;
}

function listLine(message: MessageContent, lines: Lines): string | undefined {
  const { checklist_tasks_done: done, checklist_tasks_added: added, poll_option_added: option } = message;
  const items = (marks: string, texts: (string | undefined)[]) => texts.map((text) => `${marks} ${text ?? "…"}`);
  if (done) {
    const tasks = done.checklist_message?.checklist?.tasks ?? [];
    const texts = (ids: number[] = []) => ids.map((id) => tasks.find((task) => task.id === id)?.text);
    const { marked_as_done_task_ids: yes, marked_as_not_done_task_ids: no } = done;
    return [lines.checklist, ...items("☑", texts(yes)), ...items("☐", texts(no))].join("\n");
  }
  if (added)
    return [
      lines.checklist,
      ...items(
        "+",
        (added.tasks ?? []).map((task) => task?.text),
      ),
    ].join("\n");
  if (option) return `[📊 + ${option.option_text ?? "…"}]`;
  return message.poll_option_deleted && `[📊 − ${message.poll_option_deleted.option_text ?? "…"}]`;
}
