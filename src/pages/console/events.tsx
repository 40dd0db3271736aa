import { Empty } from "gangway-ui/empty";
import { PageHead } from "gangway-ui/page-head";
import { State, type Tone } from "gangway-ui/state";
import { Console, type ConsoleFrame, Head, Time } from "./frame.tsx";

interface EventsProps extends ConsoleFrame {
  /** Newest first. */
  events: {
    uid: string;
    type: string;
    accountId?: string;
    createdAt: number;
    attempts: number;
    error?: string;
    state: "due" | "delivered" | "given up";
  }[];
}

const TONES: Record<EventsProps["events"][number]["state"], Tone> = {
  due: "info",
  delivered: "success",
  "given up": "danger",
};

export const EventsPage = ({ events, ...frame }: EventsProps) => (
  <Console {...frame} title="Events">
    <PageHead
      label="Where you are"
      title="Events"
      lead="What EVENTS_URL is told of accounts, channels and messages: in order, each until it has answered. The newest first, for a week."
    />
    <section class="card">
      {events.length === 0 && (
        <Empty icon="activity" title="No events yet. They are written while EVENTS_URL is set." />
      )}
      {events.length > 0 && (
        <table>
          <Head names={["When", "What", "State", "Attempts", "Last error", "Id"]} />
          <tbody>
            {events.map(({ uid, type, accountId, createdAt, attempts, error, state }) => (
              <tr>
                <td>
                  <Time at={createdAt} />
                </td>
                <td>{accountId ? <a href={`/accounts/${accountId}`}>{type}</a> : type}</td>
                <td>
                  <State tone={TONES[state]}>{state}</State>
                </td>
                <td>{attempts}</td>
                <td>{error}</td>
                <td>
                  <code>{uid}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  </Console>
);
