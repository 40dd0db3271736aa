import type { CallEntry } from "../calls.ts";
import { Frame } from "./frame.tsx";

interface Props {
  entries: CallEntry[];
  totals: { total: number; faults: number };
  faultsOnly: boolean;
}

export function CallsPage({ entries, totals, faultsOnly }: Props) {
  return (
    <Frame title="Call log">
      <main>
        <section>
          <h1>Call log</h1>
          <p>
            {`${totals.total} calls, ${totals.faults} violate the contract. `}
            <a href={faultsOnly ? "/calls" : "/calls?faults=1"}>{faultsOnly ? "Show all" : "Show only violations"}</a>
            {". Calls of bots to the emulated Telegram are in "}
            <a href="/telegram/control/calls">a log of their own</a>.
          </p>
          <table>
            <thead>
              <tr>
                {["#", "Time", "Side", "Operation", "Status", "ms", "Verdict", "Refused by", "Request and answer"].map(
                  (head) => (
                    <th scope="col">{head}</th>
                  ),
                )}
              </tr>
            </thead>
            <tbody>
              {entries.toReversed().map((entry) => (
                <tr class={entry.faults.length > 0 ? "fault" : ""}>
                  <td>{String(entry.n)}</td>
                  <td>{new Date(entry.at).toISOString().slice(11, 23)}</td>
                  <td>{entry.side}</td>
                  <td>{entry.operation}</td>
                  <td>{String(entry.status)}</td>
                  <td>{String(entry.ms)}</td>
                  <td>{entry.faults.length === 0 ? "ok" : entry.faults.join("; ")}</td>
                  <td>{entry.rule ?? ""}</td>
                  <td>
                    <details>
                      <summary>{`${entry.method} ${entry.path}`}</summary>
                      <pre>{entry.request}</pre>
                      <pre>{entry.answer}</pre>
                    </details>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </main>
    </Frame>
  );
}
