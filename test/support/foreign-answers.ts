import type { CallResult } from "gangway-messenger/call";

const answer = (status: number, body: string | object, headers: Record<string, string> = {}): CallResult => ({
  type: "answer",
  status,
  headers,
  bytes: new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body)),
});
const page = "<!doctype html><title>Checking your browser</title>";
/** A CRM's answer for a frozen module; a wrong status or a cut makes it invalid. */
const frozen = { success: true, integrationModule: { code: "gangway", active: false, freeze: true } };

/** Answers that are not the CRM's own: from an overloaded CRM, a proxy, a captive portal or a broken connection. */
export const FOREIGN_ANSWERS: [string, CallResult][] = [
  ["503 of the CRM", answer(503, { success: false, errorMsg: "Too many requests" })],
  ["500 of the CRM", answer(500, { success: false, errorMsg: "Internal error" })],
  ["502 of a proxy", answer(502, page)],
  ["429 of a proxy", answer(429, page)],
  ["404 with a page", answer(404, page)],
  ["403 with a page", answer(403, page)],
  ["402 with a page", answer(402, page)],
  ["401 in a proxy's own JSON", answer(401, { message: "Unauthorized" })],
  ["302", answer(302, "", { location: "https://portal.example" })],
  ["302 with a body that looks right", answer(302, frozen)],
  ["200 with a page", answer(200, page)],
  ["200 with nothing", answer(200, "")],
  ["200 with half a JSON", answer(200, JSON.stringify(frozen).slice(0, -10))],
  ["200 with another's JSON", answer(200, { status: "ok" })],
  ["200 with null", answer(200, "null")],
  ["a timeout", { type: "failure", sent: "perhaps", reason: "timeout", detail: "crm" }],
  ["a broken connection", { type: "failure", sent: "perhaps", reason: "reset", detail: "crm" }],
  ["a refused connection", { type: "failure", sent: "no", reason: "refused", detail: "crm" }],
];

/** Answers of the CRM that do not state the module's activity. */
export const EVASIVE_ANSWERS: [string, CallResult][] = [
  ["200 that succeeds and says nothing", answer(200, { success: true, integrationModule: { code: "gangway" } })],
  ["200 of no module", answer(200, { success: true, integrationModule: [] })],
  ["200 that says it failed", answer(200, { success: false })],
  ["404 of the CRM", answer(404, { success: false, errorMsg: "Not found" })],
  ["403 of the CRM", answer(403, { success: false, errorMsg: "Access denied." })],
];
