// An app of your own beside Gangway, in Node.js 22 or newer, without packages.
//
//   SECRET=whsec_… node app.ts                                takes callbacks at PORT, 8080 by default
//   SECRET=whsec_… DOOR=https://…/m/… node app.ts send Hello  sends a customer's message
import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";

const { SECRET = "", DOOR = "", PORT = "8080" } = process.env;
const key = Buffer.from(SECRET.replace("whsec_", ""), "base64");

const sign = (id: string, timestamp: string, body: string | Buffer) =>
  createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64");

function isSigned(headers: IncomingMessage["headers"], body: Buffer): boolean {
  const of = (name: string) => String(headers[name] ?? "");
  const [id, timestamp] = [of("webhook-id"), of("webhook-timestamp")];
  // `not`: a time that is no number is refused, too.
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300)) return false;
  const right = Buffer.from(sign(id, timestamp, body));
  return of("webhook-signature")
    .split(" ")
    .filter((each) => each.startsWith("v1,"))
    .map((each) => Buffer.from(each.slice(3)))
    .some((given) => given.length === right.length && timingSafeEqual(given, right));
}

async function send(text: string): Promise<void> {
  const [id, timestamp] = [`evt_${randomUUID()}`, String(Math.floor(Date.now() / 1000))];
  const data = { chat: "robin", id: randomUUID(), text, customer: { name: "Robin" } };
  const body = JSON.stringify({ type: "message.created", data });
  const answer = await fetch(DOOR, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${sign(id, timestamp, body)}`,
    },
    body,
  });
  process.stdout.write(`${answer.status} ${await answer.text()}\n`);
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Events that were taken already: keep them where a restart does not lose them. */
const known = new Set<string>();

function take(event: { id: string; type: string; data: { text?: string } }): void {
  if (known.has(event.id)) return;
  known.add(event.id);
  // Here you show it to the customer.
  process.stdout.write(`${event.type}: ${event.data.text ?? ""}\n`);
}

const server = createServer(async (request, answer) => {
  const body = await bytesOf(request);
  if (!isSigned(request.headers, body)) {
    answer.writeHead(401).end();
    return;
  }
  take(JSON.parse(body.toString()));
  answer.writeHead(204).end();
});

const [word, text = "Hello"] = process.argv.slice(2);
if (word === "send") await send(text);
else server.listen(Number(PORT), () => process.stdout.write("Listening\n"));
