import { PageHead } from "gangway-ui/page-head";
import { State } from "gangway-ui/state";
import { ended, sentence } from "../domain/explanations.ts";
import { isSetUp } from "./channel.tsx";
import { connectFaultText } from "./fault-text.ts";
import { Layout } from "./layout.tsx";
import type { ChannelProps, Frame, LiveTestProps, Strings, TestedProps } from "./props.ts";
import { SmallForm } from "./small-form.tsx";
import { clockText } from "./time-text.ts";
import { Silence, Stages } from "./trace.tsx";
import { WaysToWrite } from "./try-out.tsx";

interface Props extends Frame {
  view: Pick<ChannelProps, "channel" | "snippet" | "afterwards" | "sites" | "link" | "tryOut" | "standIn">;
  test: LiveTestProps;
  crmUrl: string;
  formToken: string;
}

/** Which hops of a channel's connection work, and how far a message gets. */
export function TestPage({ view, test, crmUrl, formToken, ...frame }: Props) {
  const { t, home, timeZone, moduleName: vendor } = frame;
  const { channel, snippet, standIn = false } = view;
  const { tested, stages, silence, since } = test;
  const at = `${home}/channels/${encodeURIComponent(channel.id)}`;
  const common = { t, home, channel, vendor, timeZone };
  const messenger = tested?.find(({ hop }) => hop === "messenger")?.fault;
  // Already said above, among the hops; do not repeat it.
  const isSaid = messenger !== undefined && messenger.detail === silence?.detail;
  const isOver = stages.every(({ state }) => state === "done");
  return (
    <Layout {...frame} title={t.testing.title} times>
      <PageHead
        label={t.looks.crumbs}
        crumbs={[
          { text: t.looks.sections.channels, href: home },
          { text: channel.name, href: at },
        ]}
        title={t.testing.title}
      />
      <section class="card">
        {tested && <Parts t={t} setUp={isSetUp(view) ? `${at}#setup` : undefined} tested={tested} />}
        <SmallForm action={`${at}/test`} formToken={formToken} label={t.testing.again} />
      </section>
      <section class="card">
        <h2>{t.trace.title}</h2>
        <p>{t.trace.lead({ at: clockText(t, since, timeZone) })}</p>
        <WaysToWrite t={t} home={home} {...view} aside />
        <div data-fresh="way" data-soon={isOver ? undefined : ""}>
          {silence && !isSaid && (
            <Silence {...common} {...{ silence, since }} isHosted={snippet !== undefined || standIn} />
          )}
          <Stages {...common} {...{ stages, crmUrl }} />
        </div>
      </section>
    </Layout>
  );
}

/** The result of each hop. */
function Parts({ t, setUp, tested }: { t: Strings; setUp?: string; tested: TestedProps }) {
  const words = t.testing;
  const isWell = tested.every(({ fault }) => !fault);
  const isUnfinished = (fault: TestedProps[number]["fault"]) => fault?.code === "unfinished";
  const isLeft = !isWell && tested.every(({ fault }) => !fault || isUnfinished(fault));
  const texts = tested.map(({ fault }) => fault && hopFaultText(t, fault));
  return (
    <>
      <p class={isWell ? "done" : isLeft ? "notice" : "problem"} role={isWell ? "status" : "alert"}>
        {isWell ? words.well : isLeft ? words.left : words.broken}
      </p>
      <ol class="rows stages">
        {tested.map(({ hop, fault }, n) => (
          <li data-hop={hop}>
            <span>
              <strong>{words.hops[hop]}</strong>
              {texts.lastIndexOf(texts[n]) === n && fault && <span class="detail">{texts[n]}</span>}
              {setUp && isUnfinished(fault) && <a href={setUp}>{t.looks.tabs.setup}</a>}
            </span>
            {isUnfinished(fault) ? (
              <State tone="warning">{words.unfinished}</State>
            ) : (
              <State tone={fault ? "danger" : "success"}>{fault ? words.failed : words.ok}</State>
            )}
          </li>
        ))}
      </ol>
    </>
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
    case "unfinished":
      return sentence(detail);
    case "messenger":
      return t.account.troubled({ text: ended(detail) });
    default:
      return connectFaultText(t, { code, detail });
  }
}
