import type { Lines } from "./lines.ts";
import { nameOf } from "./people.ts";
import type { Said } from "./update.ts";

/** A readable line for what a person did on purpose and Telegram tells as a service message. */
export function actLine(said: Said, lines: Lines): string | undefined {
  return giftLine(said, lines) ?? sharedLine(said, lines) ?? paymentLine(said, lines) ?? listLine(said, lines);
}

const withWords = (line: string, words: string | undefined) => [line, words].filter(Boolean).join("\n");

function giftLine(said: Said, lines: Lines): string | undefined {
  const { gift, unique_gift: unique, gift_upgrade_sent: upgrade, paid_media: paid, boost_added: boost } = said;
  const giveaway = said.giveaway ?? said.giveaway_winners;
  if (unique) {
    const { base_name: name = "", number } = unique.gift ?? {};
    return withWords(lines.uniqueGift([name, number && `#${number}`].filter(Boolean).join(" ")), unique.text);
  }
  if (gift) return withWords(lines.gift(gift.gift?.star_count), gift.text);
  if (upgrade) return withWords(lines.giftUpgrade, upgrade.text);
  if (giveaway) return withWords(lines.giveaway, giveaway.prize_description);
  if (said.keys.includes("giveaway_created")) return lines.giveaway;
  if (paid) return lines.paidMedia(paid.star_count);
  return boost && lines.boost(boost.boost_count ?? 1);
}

function sharedLine(said: Said, lines: Lines): string | undefined {
  const { users_shared: people, chat_shared: chat, connected_website: site } = said;
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
    return lines.shared(names.join(", "));
  }
  if (chat) return lines.shared([chat.title, tag(chat.username)].filter(Boolean).join(" "));
  if (site) return lines.loggedIn(site);
  return said.keys.includes("write_access_allowed") ? lines.writeAccess : undefined;
}

function paymentLine({ successful_payment: paid, refunded_payment: refunded }: Said, lines: Lines): string | undefined {
  if (paid) return lines.paid(amount(paid));
  return refunded && lines.refunded(amount(refunded));
}

/** Telegram's own currency has no smaller unit; the others are told in theirs (Bot API, SuccessfulPayment). */
function amount({ currency, total_amount: units }: NonNullable<Said["successful_payment"]>): string {
  if (currency === "XTR") return `${units} ⭐`;
  if (!/^[A-Z]{3}$/.test(currency)) return `${units} ${currency}`;
  const { maximumFractionDigits: digits = 2 } = new Intl.NumberFormat("en", {
    style: "currency",
    currency,
  }).resolvedOptions();
  return `${(units / 10 ** digits).toFixed(digits)} ${currency}`;
}

function listLine(said: Said, lines: Lines): string | undefined {
  const { checklist_tasks_done: done, checklist_tasks_added: added, poll_option_added: option } = said;
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
  return said.poll_option_deleted && `[📊 − ${said.poll_option_deleted.option_text ?? "…"}]`;
}
