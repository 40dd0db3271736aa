import { State } from "gangway-ui/state";
import { ended } from "../domain/explanations.ts";
import type { LiveTestProps, PartFrame, StageProps } from "./props.ts";
import { clockText } from "./time-text.ts";

interface StagesProps extends PartFrame {
  stages: StageProps[];
  channel: { id: string; name: string };
  crmUrl: string;
  vendor: string;
  /** Default: UTC. */
  timeZone?: string;
}

const TONES = { done: "success", now: "info", failed: "danger", next: "neutral" } as const;

/** The stages of a message's way, with advice where it is stuck. */
export function Stages({ timeZone, ...props }: StagesProps) {
  const { t, stages } = props;
  const words = t.trace;
  const isWhole = stages.every(({ state }) => state === "done");
  return (
    <>
      <ol class="rows stages">
        {stages.map(({ stage, state, at, fault }) => (
          <li data-stage={stage} data-state={state}>
            <span>
              <strong>{words.stages[stage]}</strong>
              {at !== undefined && (
                <time class="hint detail" datetime={new Date(at).toISOString()}>
                  {clockText(t, at, timeZone)}
                </time>
              )}
              {state === "now" && <span class="detail">{words.now[stage]}</span>}
              {stage === "answered" && state === "now" && <Unanswered {...props} />}
              {fault && <span class="detail">{ended(faultText(props, fault))}</span>}
              {fault?.nextAt !== undefined && (
                <span class="detail">{words.again({ at: clockText(t, fault.nextAt, timeZone) })}</span>
              )}
              {fault && <Remedy {...props} fault={fault} />}
            </span>
            <State tone={TONES[state]}>{words.states[state]}</State>
          </li>
        ))}
      </ol>
      {isWhole && (
        <p class="done" role="status">
          {words.whole}
        </p>
      )}
    </>
  );
}

function Unanswered({ t, home, crmUrl }: Omit<StagesProps, "timeZone">) {
  return (
    <span class="hint detail">
      <a href={crmUrl}>{t.account.back}</a> · {t.trace.unanswered} <a href={`${home}/key`}>{t.trace.reconnect}</a>
    </span>
  );
}

function faultText(
  { t, vendor }: Pick<StagesProps, "t" | "vendor">,
  { code, detail }: NonNullable<StageProps["fault"]>,
): string {
  switch (code) {
    case "vendor":
      return t.account.pausedBy({ vendor, reason: detail });
    case "off":
    case "frozen":
      return t.account.stateHint[code];
    case "stopped":
      return t.account.stopped({ text: detail });
    case "paused":
      return t.trace.silence.paused;
    case "gateway":
      return t.testing.gateway({ detail });
    case "held":
      return t.stories.ended.held;
    case "dead":
      return t.stories.ended.dead({ error: detail });
    case "refused":
      return t.stories.acks.refused({ error: detail });
    default:
      return t.stories.tried({ error: detail });
  }
}

function Remedy({ t, home, channel, crmUrl, fault }: Omit<StagesProps, "timeZone"> & { fault: { code: string } }) {
  switch (fault.code) {
    case "off":
    case "frozen":
      return <a href={crmUrl}>{t.account.back}</a>;
    case "gateway":
    case "refused":
      return <a href={`${home}/key`}>{t.trace.reconnect}</a>;
    case "held":
    case "dead":
      return (
        <span class="detail">
          {t.trace.over} <a href={`${home}/undelivered?state=${fault.code}`}>{t.undelivered.link}</a>
        </span>
      );
    default:
      return <a href={`${home}/channels/${encodeURIComponent(channel.id)}`}>{channel.name}</a>;
  }
}

type SilenceProps = Omit<StagesProps, "stages" | "crmUrl"> & {
  silence: NonNullable<LiveTestProps["silence"]>;
  since: number;
  /** This server is the network, so saving the settings does not reconnect anything. */
  isHosted: boolean;
};

const RECONNECTED = ["stopped", "troubled", "refused", "nothing"];

/** Why no message has arrived yet. */
export function Silence({ t, home, channel, vendor, silence, since, isHosted, timeZone }: SilenceProps) {
  const { why, at = since } = silence;
  const isWrong = why === "stopped" || why === "troubled" || why === "unreadable" || why === "refused";
  const link = <a href={`${home}/channels/${encodeURIComponent(channel.id)}`}>{channel.name}</a>;
  return (
    <p class={isWrong ? "problem" : "notice"} data-silence={why}>
      {ended(silenceText({ t, vendor }, silence, clockText(t, at, timeZone)))}{" "}
      {RECONNECTED.includes(why) && !isHosted && <span class="detail">{t.trace.remedy}</span>}
      {(isWrong || why === "paused" || why === "vendor" || why === "nothing") && link}
    </p>
  );
}

function silenceText(
  { t: { trace, account }, vendor }: Pick<SilenceProps, "t" | "vendor">,
  { why, detail = "" }: SilenceProps["silence"],
  at: string,
): string {
  switch (why) {
    case "vendor":
      return account.pausedBy({ vendor, reason: detail });
    case "unreadable":
      return account.unreadable;
    case "stopped":
    case "troubled":
      return trace.silence[why]({ detail });
    case "paused":
      return trace.silence.paused;
    default:
      return trace.silence[why]({ at });
  }
}
