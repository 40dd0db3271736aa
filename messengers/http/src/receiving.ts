import type { HostedContext, HostedReceipt } from "gangway-messenger/hosted";
import { inboundEvent, uploadRequest } from "./events.ts";
import { offerUpload, sendFile, takeUpload } from "./files.ts";
import { pageAfter, waitForEvents } from "./log.ts";
import { readEvent } from "./reading.ts";
import { Refusal, readJson, receipt, refuse, wrongField } from "./reply.ts";
import { faultIn, ID, SIGNATURE } from "./signature.ts";
import { type Settings, secretsOf } from "./wire.ts";

type Context = HostedContext<Settings>;

/** Serves an app at the door: openapi.ts lists what it may ask for. */
export function receiving(context: Context): (request: Request, address?: string) => Promise<HostedReceipt> {
  return async (request, address = "unknown") => {
    try {
      return await answer(context, request, address);
    } catch (error) {
      if (error instanceof Refusal) return refuse(error);
      throw error;
    }
  };
}

async function answer(context: Context, request: Request, address: string): Promise<HostedReceipt> {
  const [first = "", second, ...rest] = new URL(request.url).pathname.split("/").slice(3);
  const route = `${request.method} ${first}`;
  if (rest.length > 0) throw new Refusal(404, "there is nothing here");
  if (second && route === "POST uploads") return takeUpload(context, request, second);
  if (second && route === "GET files") return sendFile(context, second);
  if (second || !["POST ", "GET ", "POST uploads"].includes(route)) throw unknown(context, request, first);
  // An unsigned request is refused unread.
  const body = request.headers.get(SIGNATURE) ? new Uint8Array(await request.arrayBuffer()) : new Uint8Array();
  checkSignature(context, request, body);
  if (route === "GET ") return listEvents(context, request, address);
  if (first === "uploads") return offerUpload(context, readJson(body, uploadRequest));
  const id = request.headers.get(ID) ?? "";
  return receipt({ id }, await readEvent(context, id, readJson(body, inboundEvent)));
}

/** For unknown paths. */
function unknown(context: Context, { method, headers }: Request, first: string): Refusal {
  if (first !== "") return new Refusal(404, "there is nothing here");
  const fault = faultIn(headers, "", secretsOf(context.settings), context.clock.now());
  return fault ? new Refusal(401, fault) : new Refusal(405, `${method} is not possible here: use POST or GET`);
}

function checkSignature({ settings, clock }: Context, { headers }: Request, body: Uint8Array): void {
  const fault = faultIn(headers, body, secretsOf(settings), clock.now());
  if (fault) throw new Refusal(401, fault);
}

/** Events per page, and maximum wait of a poll, s. */
const [USUAL_PAGE, MAX_PAGE, MAX_WAIT] = [50, 100, 25];

async function listEvents(context: Context, request: Request, address: string): Promise<HostedReceipt> {
  const query = new URL(request.url).searchParams;
  const number = (name: string, usual: number, [least, most]: [number, number]) => {
    const given = query.get(name);
    if (given === null || given === "") return usual;
    const value = /^\d{1,15}$/.test(given) ? Number(given) : -1;
    if (value >= least && value <= most) return value;
    throw wrongField(name, name === "after" ? "should be a cursor" : `should be from ${least} to ${most}`);
  };
  const after = number("after", 0, [0, Number.MAX_SAFE_INTEGER]);
  const limit = number("limit", USUAL_PAGE, [1, MAX_PAGE]);
  const wait = number("wait", 0, [0, MAX_WAIT]);
  if (wait === 0) return receipt(await pageAfter(context, after, limit));
  const free = context.streams.take(address);
  if (!free) throw new Refusal(429, "too many requests wait already");
  // Before the first read, so that no event is missed in between.
  const news = waitForEvents(context, wait * 1000, request.signal);
  try {
    const page = await pageAfter(context, after, limit);
    if (page.events.length > 0) return receipt(page);
    await news.over;
    return receipt(await pageAfter(context, after, limit));
  } finally {
    news.end();
    free();
  }
}
