import { numberFormat } from "gangway-messenger/language";
import { Ask } from "gangway-ui/dialog";
import { Layout } from "./layout.tsx";
import type { Frame, UndeliveredProps } from "./props.ts";
import { addressOf, ON_MANY, reasonOf } from "./undelivered.tsx";

// Confirmation pages for actions on many messages, or that cannot be undone.

interface RemoveProps extends Frame {
  channel: { id: string; name: string };
  formToken: string;
}

export function RemovePage({ channel, formToken, ...frame }: RemoveProps) {
  const { account, settings } = frame.t;
  const at = `${frame.home}/channels/${encodeURIComponent(channel.id)}`;
  const title = account.removeTitle({ name: channel.name });
  return (
    <Layout {...frame} title={title}>
      <Ask
        title={title}
        action={`${at}/remove`}
        fields={{ formToken }}
        cancel={{ text: settings.cancel, href: `${at}#danger` }}
        answers={
          <button type="submit" class="button danger">
            {account.removeConfirm}
          </button>
        }
      >
        <p>{account.removeAsk}</p>
      </Ask>
    </Layout>
  );
}

interface AllProps extends Frame {
  view: UndeliveredProps;
  formToken: string;
}

/** Asks what to do with all messages that match a filter. */
export function AllPage({ view, formToken, ...frame }: AllProps) {
  const { t, home } = frame;
  const words = t.undelivered;
  const { filter, fitting: count, groups } = view;
  const { state, channelId = "", code = "" } = filter;
  const title = words.all({ count });
  const own = groups.filter(
    (each) => each.channelId === (channelId || each.channelId) && each.code === (code || each.code),
  );
  return (
    <Layout {...frame} title={title}>
      <Ask
        title={title}
        action={`${home}/undelivered`}
        fields={{ formToken, state, channel: channelId, reason: code, until: String(view.readAt) }}
        cancel={{ text: t.settings.cancel, href: addressOf(`${home}/undelivered`, filter) }}
        answers={ON_MANY[state].map((each) => (
          <button
            type="submit"
            name="what"
            value={`${each} all`}
            class={`button ${each === "again" ? "" : "danger"}`.trimEnd()}
          >
            {words.onAll[each]({ count })}
          </button>
        ))}
      >
        <ul>
          {own.map((group) => (
            <li>
              <strong>{numberFormat(t.language).format(group.count)} ×</strong> {reasonOf(t, view, group)}{" "}
              <span class="hint">{group.channelName || words.gone}</span>
            </li>
          ))}
        </ul>
        <p class="hint">{words[state === "dead" ? "allHint" : "hint"]}</p>
      </Ask>
    </Layout>
  );
}
