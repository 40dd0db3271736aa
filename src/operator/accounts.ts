import { type Account, FLOWS, flowOf, type LedgerRow } from "../domain/account.ts";
import { type Channel, shownState } from "../domain/channel.ts";
import { accountOf, noAccount } from "./account.ts";
import { type Answer, type Arguments, type Command, UsageError } from "./command.ts";
import { slowInWords, slowSince } from "./findings.ts";
import { limitsInWords } from "./pausing.ts";
import { ageInWords, table, when } from "./table.ts";

export const accountsList: Command = {
  words: "accounts list",
  summary: "list the connected accounts and their channels, those in trouble first",
  options: { state: { value: "state", help: `only accounts in this state: ${FLOWS.join(", ")}` } },
  async run(context, given) {
    const wanted = stateIn(given);
    return context.withStore(async (store) => {
      const now = context.clock.now();
      const since = slowSince(await store.ledger(), now);
      const listed = (await store.accounts.list()).filter((account) => !wanted || flowOf(account) === wanted);
      const accounts = await Promise.all(
        listed.map(async (account) => ({
          ...{ id: account.id, crmUrl: account.crmUrl, state: flowOf(account), trouble: account.trouble },
          ...{ pauseReason: account.pauseReason, limits: account.limits },
          dueSince: dated(since.get(account.id)),
          channels: (await store.channels.list(account.id)).map((channel) => ({
            ...{ id: channel.id, kind: channel.kind, name: channel.name, state: shownState(channel) },
            ...{ pauseReason: channel.pauseReason, trouble: channel.trouble },
          })),
        })),
      );
      const troubles = ({ trouble, dueSince, channels }: (typeof accounts)[number]) =>
        (trouble === undefined ? 0 : 100) +
        (dueSince === undefined ? 0 : 1) +
        channels.filter((each) => each.trouble ?? each.state === "stopped").length;
      accounts.sort((one, other) => troubles(other) - troubles(one));
      const rows = accounts.map((account) => {
        const dueAt = since.get(account.id);
        return [
          ...[account.id, account.crmUrl, account.state],
          account.channels
            .map(({ id, kind, state }) => `${kind} ${id}${state === "active" ? "" : ` ${state}`}`)
            .join(", "),
          limitsInWords(account.limits),
          inWords(account, dueAt === undefined ? undefined : slowInWords(dueAt, now)),
        ];
      });
      const none = [wanted ? `No account is in the state ${wanted}.` : "No account has connected yet."];
      const text = accounts.length === 0 ? none : table(["id", "crm", "state", "channels", "limits", "trouble"], rows);
      return { ok: true, json: { accounts }, text };
    });
  },
};

/** Throws UsageError: an unknown state must not look like a state without accounts. */
function stateIn(given: Arguments) {
  const text = given.text("state");
  const state = FLOWS.find((each) => each === text);
  if (text !== undefined && !state) throw new UsageError(`--state should be one of ${FLOWS.join(", ")}, not "${text}"`);
  return state;
}

export const accountsShow: Command = {
  words: "accounts show",
  summary: "show an account: its channels, what waits, what was not delivered, and why",
  takes: { name: "account", needed: true },
  options: {},
  run: (context, given) =>
    context.withStore(async (store) => {
      const name = given.word ?? "";
      const account = await accountOf(store, name);
      if (!account) return noAccount(name);
      const [channels, ledger] = [await store.channels.list(account.id), await store.ledger(account.id)];
      return shown(account, channels, ledger, context.clock.now());
    }),
};

const dated = (at: number | undefined) => (at === undefined ? undefined : when(at));

const inWords = ({ pauseReason, trouble }: Pick<Channel, "pauseReason" | "trouble">, more?: string) =>
  [pauseReason && `paused by you: ${pauseReason}`, trouble, more].filter(Boolean).join("; ");

function shown(account: Account, channels: Channel[], ledger: LedgerRow[], now: number): Answer {
  const of = (channel: Channel) => ledger.find(({ channelId }) => channelId === channel.id);
  const views = channels.map((channel) => {
    const { accepted = 0, delivered = 0, waiting = 0, held = 0, undelivered = 0, standing, dueAt } = of(channel) ?? {};
    return {
      ...{ id: channel.id, kind: channel.kind, name: channel.name, state: standing ?? shownState(channel) },
      ...{
        accepted,
        delivered,
        waiting,
        held,
        undelivered,
        trouble: channel.trouble,
        pauseReason: channel.pauseReason,
      },
      dueSince: dated(dueAt !== undefined && dueAt <= now ? dueAt : undefined),
    };
  });
  const rows = views.map((view, n) => {
    const { dueAt } = (channels[n] && of(channels[n])) ?? {};
    return [
      ...[view.id, view.kind, view.name, view.state, ...[view.waiting, view.held, view.undelivered].map(String)],
      ...[view.dueSince && dueAt ? ageInWords(now - dueAt) : "", inWords(view)],
    ];
  });
  const about = {
    ...{ id: account.id, crm: account.crmUrl, state: flowOf(account), trouble: account.trouble },
    ...{ paused: account.pauseReason, limits: limitsInWords(account.limits) || undefined },
    ...{ gateway: account.gatewayUrl, language: account.language },
  };
  const names = ["channel", "kind", "name", "state", "waiting", "held", "undelivered", "overdue", "trouble"];
  return {
    ok: true,
    json: { account: { ...about, channels: views } },
    text: [
      ...Object.entries(about).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`])),
      "",
      ...(views.length === 0 ? ["It has no channels."] : table(names, rows)),
      ...(views.some(({ undelivered }) => undelivered > 0)
        ? ["", `Why: gangway dead list --account ${account.id}`]
        : []),
    ],
  };
}
