import { Empty } from "gangway-ui/empty";
import { PageHead } from "gangway-ui/page-head";
import { State } from "gangway-ui/state";
import { SmallForm } from "../small-form.tsx";
import { Console, type ConsoleFrame, Head, hostOf } from "./frame.tsx";

interface Props extends ConsoleFrame {
  kinds: {
    kind: string;
    channels: number;
    announced: number;
    waiting: { accountId: string; crmUrl: string; name: string }[];
  }[];
  /** Progress of announcing features, in accounts. */
  running?: { done: number; all: number };
}

/** Which gateways know the features of this version's messengers. */
export function RollOutPage({ kinds, running, ...frame }: Props) {
  const waits = kinds.some(({ channels, announced }) => announced < channels);
  return (
    <Console {...frame} title="Features">
      <PageHead
        label="Where you are"
        title="Features"
        lead="What this version's messengers can do is announced to each CRM's gateway when a server starts. Working channels, by messenger."
      />
      <section class="card" data-fresh="features">
        {running && (
          <p role="status">
            Announcing: {running.done} of {running.all} accounts
          </p>
        )}
        {kinds.length === 0 && <Empty icon="list" title="No channel works yet" />}
        {kinds.length > 0 && (
          <table>
            <Head names={["Messenger", "Channels", "Announced", "Waiting"]} />
            <tbody>
              {kinds.map(({ kind, channels, announced, waiting }) => (
                <tr>
                  <th scope="row">{kind}</th>
                  <td data-head="Channels">{channels}</td>
                  <td data-head="Announced">
                    <State tone={announced === channels ? "success" : "warning"}>{announced}</State>
                  </td>
                  <td data-head="Waiting">
                    {waiting.map(({ accountId, crmUrl, name }) => (
                      <span class="hint detail">
                        <a href={`/accounts/${accountId}`}>{hostOf(crmUrl)}</a> {name}
                      </span>
                    ))}
                    {channels - announced > waiting.length && (
                      <span class="hint detail">and {channels - announced - waiting.length} more</span>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </section>
      {waits && !running && (
        <section class="card">
          <p>A gateway that did not take it is asked again at the next start, or now.</p>
          <SmallForm action="/features" formToken={frame.formToken ?? ""} label="Announce now" style="primary" />
        </section>
      )}
    </Console>
  );
}
