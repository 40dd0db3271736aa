import { FERRY_APP, ferry, ferryLine } from "../system/contract/toy/ferry.ts";
import { OWN, runningSite } from "./site.ts";

export const ticketOf = (id: string) => `ticket-of-${id}-${"t".repeat(24)}`;
export const berth = (id: string, about?: string) => ({ id, name: `Quay ${id}`, about, ticket: ticketOf(id) });

/** A server with an app at the ferry line, and one account's browser. */
export async function harbour(changes: Parameters<typeof runningSite>[0] = {}) {
  const { line, call } = ferryLine();
  line.berths = [berth("north", "+1 555 0100"), berth("south")];
  const messengers = { ferry: FERRY_APP };
  const given = { adapters: [ferry], call, messengers, ...changes };
  const site = await runningSite(given);
  const cookie = await site.connect();
  const look = (path: string, more: Record<string, string> = {}) => site.ask(path, { headers: { cookie, ...more } });
  const text = async (path: string, more?: Record<string, string>) => (await look(path, more)).text();
  /** Goes to the messenger; resolves with the state it is given. */
  const goes = async () => {
    const to = new URL((await look("/account/add/ferry/login")).headers.get("location") ?? "");
    return { to, state: to.searchParams.get("state") ?? "" };
  };
  let codes = 0;
  const comesBack = (query: Record<string, string>, headers: Record<string, string> = { cookie }) =>
    site.ask(`/apps/ferry/login?${new URLSearchParams(query)}`, { headers });
  const logsIn = async () => {
    codes += 1;
    const code = `code-from-the-line-${codes}-${"c".repeat(20)}`;
    return comesBack({ state: (await goes()).state, code });
  };
  const tokenOf = (page: string) => /name="formToken" value="([^"]+)"/.exec(page)?.[1] ?? "";
  const chooses = async (...chosen: string[]) => {
    const formToken = tokenOf(await text("/account/add/ferry/choose"));
    const body = new URLSearchParams([
      ["formToken", formToken],
      ...chosen.map((each): [string, string] => ["login", each]),
    ]);
    return site.ask("/account/add/ferry/choose", { method: "POST", body, headers: { cookie, origin: OWN } });
  };
  const names = async () =>
    [...(await text("/account")).matchAll(/<h2><a [^>]*>([^<]*)<\/a>/g)].map(([, name]) => name);
  return { ...site, changes: given, line, cookie, look, text, goes, comesBack, logsIn, chooses, names, tokenOf };
}

export const CHOOSE = "/account/add/ferry/choose";
