// A program: notes each event that is signed on disk, then answers. Arguments: port, file, secret.
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";

const [port, file = "", secret = ""] = process.argv.slice(2);
const webhook = new Webhook(secret);
/** Of so many that are noted, one is not acknowledged. */
const UNSAID = 30;
let count = 0;

createServer(async (request, response) => {
  const body = await text(request);
  try {
    webhook.verify(body, request.headers as Record<string, string>);
  } catch (error) {
    appendFileSync(file, `${JSON.stringify({ refused: String(error) })}\n`, { flush: true });
    return response.writeHead(401).end();
  }
  appendFileSync(file, `${JSON.stringify({ id: request.headers["webhook-id"], body })}\n`, { flush: true });
  response.writeHead(++count % UNSAID === 0 ? 500 : 204).end();
}).listen(Number(port), "127.0.0.1");
