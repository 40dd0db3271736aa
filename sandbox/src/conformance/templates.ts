import type { Stage } from "./stage.ts";
import { NORMAL } from "./stage.ts";

const STATES = ["approved", "disabled", "paused", "pending", "rejected"];
const QUALITIES = ["high", "low", "medium", "pending"];
const REASONS = ["abusive_content", "incorrect_category", "invalid_format", "scam"];
const HEADERS = ["document", "image", "text", "video"];
const BUTTONS = ["phone", "plain", "url"].map((type) => ({ type, label: type, phone: "+1", url: "https://a.example" }));
const ITEMS = [
  "Hello ",
  ...["custom", "first_name", "last_name", "name"].map((name) => ({ var: name })),
  ...[0, 1, 2, 3].map((kind) => ({ text: "x", var: kind })),
];

/** Every state, quality, reason, header and button of a template, reported by the module and listed. */
export async function driveTemplates({ transport }: Stage, channel: number): Promise<void> {
  const base = `/channels/${channel}/templates`;
  for (let n = 0; n < 5; n++) {
    const fields = {
      name: `Template ${n}`,
      body: "Hello {{1}}",
      lang: "en",
      quality: QUALITIES[n % 4],
      rejection_reason: REASONS[n % 4],
      header: { content: { type: HEADERS[n % 4], body: "Head" } },
      buttons: { items: BUTTONS },
      verification_status: STATES[n],
      template: ITEMS,
    };
    await transport("POST", base, { code: `code#${n}`, type: n % 2 ? "media" : "text", ...fields });
    await transport("PUT", `${base}/${encodeURIComponent(`code#${n}`)}`, fields);
  }
  await transport("PUT", `${base}/${encodeURIComponent("code#0")}`, { name: "As it was", verification_status: "" });
  await transport("GET", "/templates");
  await transport("DELETE", `${base}/${encodeURIComponent("code#4")}`);
}

/** Agents' templates: the module answers with each state; then they are sent. */
export async function driveAgentTemplates(stage: Stage, channel: number, chat: number): Promise<void> {
  const { agent, reply, hooks, until } = stage;
  const categories = ["authentication", "marketing", "utility"];
  const codes: string[] = [];
  for (const [n, status] of [...STATES, "new"].entries()) {
    const code = `agent-${n}`;
    reply((hook) => (hook.type === "template_create" ? { body: { code, verification_status: status } } : NORMAL(hook)));
    await agent("POST", `/channels/${channel}/templates`, {
      name: code,
      lang: "en",
      category: categories[n % 3],
      body: "Hello {{1}}",
      header: { content: { type: HEADERS[n % 4], body: "Head" } },
      footer: "Foot",
      buttons: { items: BUTTONS },
      example: { body: ["Jo"] },
    });
    codes.push(code);
  }
  for (const [n, code] of codes.entries()) {
    // Meanwhile the messenger approved it.
    const path = `/channels/${channel}/templates/${code}`;
    await stage.transport("PUT", path, { name: code, verification_status: "approved", category: categories[n % 3] });
    const sent = { code, body: ["Jo"], header: ["x"], buttons: [["1"], ["2"], ["3"]] };
    await agent("POST", `/chats/${chat}/template`, sent);
  }
  await agent("PUT", `/channels/${channel}/templates/agent-0`, { body: "Hi {{1}}" });
  await agent("DELETE", `/channels/${channel}/templates/agent-1`);
  await until("template_delete", () => hooks.some((hook) => hook.type === "template_delete"));
  reply(NORMAL);
}
