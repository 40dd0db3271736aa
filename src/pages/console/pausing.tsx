import { Ask } from "gangway-ui/dialog";
import { LabelledField } from "../labelled-field.tsx";
import { Console, type ConsoleFrame, hostOf, Time } from "./frame.tsx";

interface Props extends ConsoleFrame {
  act: "pause" | "resume";
  account: { id: string; crmUrl: string };
  channel?: { id: string; name: string };
  /** The current reason of the pause, or the text entered. */
  reason?: string;
  /** Since when it is paused, ms. */
  since?: number;
  problem?: string;
  formToken: string;
}

/** Confirms pausing or resuming an account or channel; merchants read the reason that is entered here. */
export function PausePage({ act, account, channel, reason, since, problem, ...frame }: Props) {
  const home = `/accounts/${encodeURIComponent(account.id)}`;
  const at = channel ? `${home}/channels/${encodeURIComponent(channel.id)}` : home;
  const name = channel ? channel.name : hostOf(account.crmUrl);
  const title = `${act === "pause" ? "Pause" : "Resume"} ${name}?`;
  return (
    <Console {...frame} title={title}>
      <Ask
        title={title}
        action={`${at}/${act}`}
        fields={{ formToken: frame.formToken }}
        cancel={{ text: "Cancel", href: home }}
        answers={
          <button type="submit" class={`button ${act === "pause" ? "danger" : "primary"}`}>
            {act === "pause" ? "Pause" : "Resume"}
          </button>
        }
      >
        {since !== undefined && (
          <p>
            Paused since <Time at={since} /> UTC.
          </p>
        )}
        {act === "pause" ? (
          <>
            <p>
              Nothing is lost: customers' messages are kept and reach the agents when you resume it. Until then agents
              cannot write, and read your reason instead.
            </p>
            <LabelledField
              id="reason"
              label="The reason, as the merchant reads it"
              hint="One line of plain text, 500 characters at most."
              problem={problem}
            >
              {(aria) => <input id="reason" name="reason" required maxlength={1_000} value={reason} {...aria} />}
            </LabelledField>
          </>
        ) : (
          <>
            {reason && <p>It is paused for this reason: {reason}</p>}
            <p>What has waited is delivered, in order.</p>
          </>
        )}
      </Ask>
    </Console>
  );
}
