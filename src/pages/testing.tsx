import { ended } from "../domain/explanations.ts";
import { connectFaultText } from "./fault-text.ts";
import { Layout } from "./layout.tsx";
import type { ChannelProps, Frame, Strings, TestedProps } from "./props.ts";
import { SmallForm } from "./small-form.tsx";

interface Props extends Frame {
  channel: ChannelProps["channel"];
  tested: TestedProps;
  formToken: string;
}

/** Which parts of a messenger's connection work, from the CRM to the messenger. */
export function TestPage({ channel, tested, formToken, ...frame }: Props) {
  const { t, home } = frame;
  const words = t.testing;
  const at = `${home}/channels/${encodeURIComponent(channel.id)}`;
  const isWell = tested.every(({ fault }) => !fault);
  return (
    <Layout {...frame} title={words.title}>
      <p>
        <a href={at}>{channel.name}</a>
      </p>
      <section class="card">
        <h1>{words.title}</h1>
        <p class={isWell ? "done" : "problem"} role={isWell ? "status" : "alert"}>
          {isWell ? words.well : words.broken} {isWell && <a href={at}>{channel.name}</a>}
        </p>
        <ol class="rows">
          {tested.map(({ hop, fault }) => (
            <li data-hop={hop}>
              <span>
                <strong>{words.hops[hop]}</strong>
                {fault && <span class="detail">{hopFaultText(t, fault)}</span>}
              </span>
              <span class={`badge ${fault ? "stopped" : "working"}`}>{fault ? words.failed : words.ok}</span>
            </li>
          ))}
        </ol>
        <SmallForm action={`${at}/test`} formToken={formToken} label={words.again} />
      </section>
    </Layout>
  );
}

function hopFaultText(t: Strings, { code, detail }: NonNullable<TestedProps[number]["fault"]>): string {
  switch (code) {
    case "off":
    case "frozen":
      return t.account.stateHint[code];
    case "gateway":
      return t.testing.gateway({ detail });
    case "stopped":
      return t.account.stopped({ text: ended(detail) });
    case "unreadable":
      return t.account.unreadable;
    case "messenger":
      return t.account.troubled({ text: ended(detail) });
    default:
      return connectFaultText(t, { code, detail });
  }
}
