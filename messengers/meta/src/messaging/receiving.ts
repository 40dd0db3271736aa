import type { Receipt } from "gangway-messenger/port";
import { cutText } from "gangway-messenger/text";
import { handshake, readBatch } from "../door.ts";
import { byLogin, type Entry, type Envelope, forwarded, type LoginsOf } from "../envelope.ts";
import type { Login } from "./network.ts";
import { askingPeople } from "./people.ts";
import { type Reading, readEntries } from "./reading.ts";

interface Door {
  /** The secret of the app whose webhooks come here. */
  secret: string;
  verifyToken: string;
  /** Reads what only one network has, such as comments. */
  more?(entries: Entry[]): Promise<Reading>;
}

/** The button "Test" in the console sends an entry without an account. */
const TEST_ID = "0";

/** Each entry belongs to the page or account with its id. */
export const loginsOf =
  (kind: string): LoginsOf =>
  ({ id }) =>
    id === TEST_ID ? [] : [`${kind}:${id}`];

/** Handles requests at a channel's own door. Its app may serve other pages: their parts go to their channels. */
export function receiving(login: Login, { secret, verifyToken, more }: Door): (request: Request) => Promise<Receipt> {
  const { network, ownId } = login;
  const own = `${network.kind}:${ownId}`;
  const ask = askingPeople(login);
  return async (request) => {
    const checked = handshake(request, verifyToken);
    if (checked) return { events: [], reply: checked };
    const read = await readBatch(request, secret);
    if ("refusal" in read) return read.refusal;
    if (read.batch.object !== network.object)
      return { events: [], unknown: `a batch of ${cutText(read.batch.object, 40)}`, reply: new Response(null) };
    const parts = byLogin(read.batch, loginsOf(network.kind));
    const mine: Envelope | undefined = parts.get(own);
    const entries = mine?.entry ?? [];
    const readings = [await readEntries(entries, login, ask), ...(more ? [await more(entries)] : [])];
    const unknown = [read, ...readings].flatMap((each) => each.unknown ?? []).join(", ");
    const others = [...parts].filter(([each]) => each !== own).map(([each, part]) => forwarded(each, part, secret));
    return {
      events: readings.flatMap(({ events }) => events),
      notes: readings.flatMap(({ notes }) => notes),
      ...(unknown && { unknown }),
      ...(others.length > 0 && { others, ...(mine && { kept: forwarded(own, mine, secret).request }) }),
      reply: new Response(null),
    };
  };
}
