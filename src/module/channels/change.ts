import { errorText } from "gangway-messenger/errors";
import type { ChannelId } from "gangway-messenger/ids";
import type { ChannelSession } from "gangway-messenger/port";
import type { Account } from "../../domain/account.ts";
import type { Channel } from "../../domain/channel.ts";
import { byUser } from "../../store/care.ts";
import { type ChannelForm, readForm } from "./form.ts";
import { type ChannelLink, type ChannelResult, type LinkParts, patience, refuse } from "./link.ts";

/** Changes a channel's settings. If the messenger or the gateway refuses them, restores the old ones. */
export type ChangeChannel = (
  account: Account,
  before: Channel,
  form: ChannelForm,
  browser?: string,
) => Promise<ChannelResult>;

export function createChannelChange(
  { store: { channels }, sessions, clock, log }: LinkParts,
  link: ChannelLink,
): ChangeChannel {
  /** After a change of login, disconnects the old one, unless both logins share one subscription. */
  const disconnectOld = async (id: ChannelId, old: ChannelSession | undefined, identity: string | undefined) => {
    const now = await channels.ofJob(id);
    if (!identity || identity === now?.identity) return;
    const signal = patience(clock);
    try {
      const shared = await old?.sharing?.(signal);
      const own = shared && now && (await link.sessionOf(now)?.sharing?.(signal));
      if (!shared || shared.group !== own?.group) await old?.disconnect(signal);
    } catch (error) {
      log.warn("channel.not-disconnected", { channel: id, error: errorText(error) });
    }
  };
  /** Disconnects the refused new login and restores the old subscription. */
  const resubscribe = async (account: Account, before: Channel, refused: Channel) => {
    const tried = link.sessionOf(refused);
    const signal = patience(clock);
    if (tried && refused.identity !== before.identity) await tried.disconnect(signal).catch(() => {});
    const again = await channels.byId(account.id, before.id);
    const fault = again && again.state === "active" ? await link.subscribe(again, signal) : undefined;
    if (fault) log.warn("channel.not-restored", { channel: before.id, error: fault.code });
  };
  const rollBack = async (account: Account, before: Channel, browser?: string) => {
    const { id, name, settings, unsure, gatewayChannelId } = before;
    const refused = await channels.byId(account.id, id);
    await channels.change(id, { name, settings, unsure }, byUser("channel edit taken back: it was refused", browser));
    // The gateway may have applied the change: clear the digest, so that the next announcement resends the old data.
    if (gatewayChannelId) await channels.setGateway(id, { id: gatewayChannelId, announced: "" });
    if (refused) await resubscribe(account, before, refused);
  };
  return async (account, before, form, browser) => {
    const { id } = before;
    const adapter = sessions.adapter(before.kind);
    if (!adapter) return refuse({ code: "kind" });
    const draft = readForm(adapter, form, before.settings as Record<string, unknown>);
    if ("fault" in draft) return refuse(draft.fault);
    const old = link.sessionOf(before);
    await channels.change(id, draft, byUser("channel edited", browser));
    let opened = false;
    try {
      const changed = await channels.byId(account.id, id);
      if (!changed) return refuse({ code: "gone" });
      const result = await link.open(account, changed);
      opened = result.ok;
      if (opened) await disconnectOld(id, old, before.identity);
      return result;
    } finally {
      if (!opened) await rollBack(account, before, browser);
    }
  };
}
