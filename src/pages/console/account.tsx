import { Alert } from "gangway-ui/alert";
import { DialogLink } from "gangway-ui/dialog";
import { Empty } from "gangway-ui/empty";
import { PageHead } from "gangway-ui/page-head";
import { Toast } from "gangway-ui/toast";
import { LIMITS, type LimitName } from "../../domain/pausing.ts";
import { LabelledField } from "../labelled-field.tsx";
import { Console, type ConsoleFrame, Head, hostOf, StandingNow, SUMS, SumCells, type Sums } from "./frame.tsx";
import { type ActProps, Acts } from "./lists.tsx";
import { ReplayForm } from "./replaying.tsx";
import { SupportForm } from "./support.tsx";

interface ChannelProps extends Sums {
  id: string;
  kind: string;
  name: string;
  standing: string;
  trouble?: string;
  /** Why the vendor has paused it. */
  pauseReason?: string;
}

interface Props extends ConsoleFrame {
  account: {
    id: string;
    crmUrl: string;
    standing: string;
    pauseReason?: string;
    limits?: Partial<Record<LimitName, number>>;
  };
  /** Why the gateway refuses the account's token. */
  trouble?: string;
  channels: ChannelProps[];
  acts: ActProps[];
  ranges: Record<LimitName, { min: number; max: number; usual: number }>;
  now: number;
  /** What has just been done. */
  done?: string;
  /** Fault in the limits form. */
  refused?: { name: string; fault: string };
  limitsTyped?: Partial<Record<LimitName, string>>;
  formToken: string;
}

const DONE: Record<string, string> = { paused: "Paused.", resumed: "Resumed.", limits: "The limits are set." };

export function OneAccountPage({ account, trouble, channels, acts, now, done = "", ...props }: Props) {
  const { ranges, refused, limitsTyped, ...frame } = props;
  const title = hostOf(account.crmUrl);
  const at = `/accounts/${encodeURIComponent(account.id)}`;
  const isPaused = account.pauseReason !== undefined;
  return (
    <Console {...frame} title={title}>
      {Object.hasOwn(DONE, done) && <Toast>{DONE[done]}</Toast>}
      <PageHead
        crumbs={[{ text: "Accounts", href: "/accounts" }]}
        label="Where you are"
        title={title}
        lead={
          <>
            <StandingNow of={account} now={now} /> Account <code>{account.id}</code>
          </>
        }
        actions={
          isPaused ? (
            <DialogLink href={`${at}/resume`}>Resume the account</DialogLink>
          ) : (
            <DialogLink href={`${at}/pause`}>Pause the account</DialogLink>
          )
        }
      />
      {isPaused && (
        <Alert tone="warning" title={`Paused by us: ${account.pauseReason}`}>
          <a href={`${at}/pause`}>Change the reason</a>
        </Alert>
      )}
      {trouble && (
        <Alert tone="danger" title="The CRM refuses its token">
          {trouble}
        </Alert>
      )}
      <section class="card">
        <h2>Channels</h2>
        {channels.length === 0 && <Empty icon="list" title="It has no channels" />}
        {channels.length > 0 && <Channels {...{ channels, now, at }} />}
      </section>
      <Limits {...{ at, ranges, refused }} typed={limitsTyped} limits={account.limits} formToken={frame.formToken} />
      <SupportForm account={account} formToken={frame.formToken} />
      <ReplayForm account={account} />
      <section class="card">
        <h2>Audit</h2>
        {acts.length === 0 ? <Empty icon="activity" title="Nothing has happened yet" /> : <Acts acts={acts} />}
      </section>
    </Console>
  );
}

const Channels = ({ channels, now, at }: Pick<Props, "channels" | "now"> & { at: string }) => (
  <table>
    <Head names={["Channel", "State", ...SUMS, "Why", "Act"]} />
    <tbody>
      {channels.map((channel) => (
        <tr>
          <th scope="row">
            {channel.name}
            <span class="hint detail">
              {channel.kind} <code>{channel.id}</code>
            </span>
          </th>
          <td>
            <StandingNow of={channel} now={now} />
          </td>
          <SumCells of={channel} now={now} />
          <td data-head="Why">
            {channel.pauseReason && <span class="detail">Paused by us: {channel.pauseReason}</span>}
            {channel.trouble ?? ""}
          </td>
          <td data-head="Act">{channel.standing !== "removed" && <PauseLink {...channel} at={at} />}</td>
        </tr>
      ))}
    </tbody>
  </table>
);

function PauseLink({ id, name, pauseReason, at }: ChannelProps & { at: string }) {
  const [act, word] = pauseReason === undefined ? ["pause", "Pause"] : ["resume", "Resume"];
  return (
    <DialogLink href={`${at}/channels/${encodeURIComponent(id)}/${act}`} style="slim" label={`${word}: ${name}`}>
      {word}
    </DialogLink>
  );
}

const LIMIT_WORDS: Record<LimitName, { label: string; what: string }> = {
  calls: { label: "Calls at the same time", what: "CALLS_PER_ACCOUNT" },
  jobs: { label: "Messages that may wait", what: "JOBS_PER_ACCOUNT" },
};

type LimitsProps = Pick<Props, "ranges" | "refused" | "formToken"> & {
  at: string;
  limits?: Partial<Record<LimitName, number>>;
  typed?: Partial<Record<LimitName, string>>;
};

const Limits = ({ at, ranges, refused, formToken, limits = {}, typed }: LimitsProps) => (
  <section class="card form">
    <h2>Limits</h2>
    <p class="hint">They hold from now on, in every process. An empty field is the server's limit.</p>
    <form method="post" action={`${at}/limits`}>
      <input type="hidden" name="formToken" value={formToken} />
      {LIMITS.map((name) => {
        const { min, max, usual } = ranges[name];
        const { label, what } = LIMIT_WORDS[name];
        return (
          <LabelledField
            id={name}
            label={label}
            hint={`From ${min} to ${max}. The server's (${what}): ${usual}.`}
            problem={refused?.name === name ? refused.fault : undefined}
          >
            {(aria) => (
              <input
                id={name}
                name={name}
                inputmode="numeric"
                maxlength={9}
                value={typed?.[name] ?? limits[name]?.toString() ?? ""}
                placeholder={String(usual)}
                {...aria}
              />
            )}
          </LabelledField>
        );
      })}
      <button type="submit" class="button primary">
        Set the limits
      </button>
    </form>
  </section>
);
