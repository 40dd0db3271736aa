import { listText } from "gangway-messenger/language";
import { Ask } from "gangway-ui/dialog";
import { Layout } from "./layout.tsx";
import type { AccountProps, Frame } from "./props.ts";

interface Props extends Frame {
  view: Pick<AccountProps, "crmUrl" | "channels" | "pauseReason">;
  /** Retention of stored data after disconnecting, in days. */
  retainDays: { settled: number; dead: number; journal: number; audit: number };
  formToken: string;
}

/** Says what disconnecting stops and what stays, and asks for confirmation. */
export function DisconnectPage({ view, retainDays, formToken, ...frame }: Props) {
  const { t, home, moduleName } = frame;
  const { disconnect } = t;
  const names = view.channels.map(({ channel }) => channel.name);
  const waiting = view.channels.reduce((sum, { counts }) => sum + counts.waiting + counts.held, 0);
  return (
    <Layout {...frame} title={disconnect.title}>
      <Ask
        title={disconnect.title}
        action={`${home}/disconnect`}
        fields={{ formToken }}
        cancel={{ text: disconnect.cancel, href: `${home}/settings` }}
        answers={
          <button type="submit" class="button danger">
            <span class="unless-ticked">{disconnect.confirm}</span>
            <span class="if-ticked">{disconnect.confirmErasing}</span>
          </button>
        }
      >
        <p>{disconnect.lead({ module: moduleName, account: view.crmUrl.replace(/^https?:\/\//, "") })}</p>
        <h2>{disconnect.stops}</h2>
        <ul>
          {names.length > 0 && (
            <li>{disconnect.messengers({ names: listText(t.language, names).replace(/\.$/, "") })}</li>
          )}
          <li>{disconnect.module}</li>
          {waiting > 0 && <li>{disconnect.waiting({ count: waiting })}</li>}
        </ul>
        <h2>{disconnect.stays}</h2>
        <ul>
          <li>{disconnect.inCrm}</li>
          <li>{disconnect.here(retainDays)}</li>
        </ul>
        {view.pauseReason === undefined ? (
          <p class="check">
            <input type="checkbox" id="erase" name="erase" value="yes" />{" "}
            <label for="erase">{t.customers.withAccount}</label>
          </p>
        ) : (
          <p>{disconnect.pausedKeeps({ vendor: moduleName })}</p>
        )}
      </Ask>
    </Layout>
  );
}
