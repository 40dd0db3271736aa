import type { Asked, Operation } from "gangway-meta/emulator/graph";
import { GraphRefusal } from "gangway-meta/emulator/graph-error";
import { z } from "zod";
import type { DialogKey, Network } from "./network.ts";
import { deleteMedia, getNode, uploadMedia } from "./nodes.ts";
import { sendMessage } from "./sending.ts";
import { createTemplate, deleteTemplate, templateView } from "./templates.ts";

/** The header of 360dialog's key. */
export const DIALOG_HEADER = "d360-api-key";

/** 360dialog's address: the same calls without version and ids, since its key is for one number. */
export function dialogOperations(network: Network): Operation[] {
  const within = (asked: Asked): { key: DialogKey; asked: Asked } => {
    const key = network.dialogKeys.find((each) => each.key === asked.tokenValue);
    const number = key && network.world.numbers.get(key.number);
    if (!key || !number) throw noKey();
    const path = { ...asked.path, phoneNumberId: number.id, wabaId: number.account };
    return { key, asked: { ...asked, path } };
  };
  const as = (run: (network: Network, asked: Asked) => unknown) => (asked: Asked) => run(network, within(asked).asked);
  const templates = "/v1/configs/templates";
  return [
    { id: "sendMessage", method: "POST", path: "/messages", isBare: true, run: as(sendMessage) },
    { id: "uploadMedia", method: "POST", path: "/media", isBare: true, run: as(uploadMedia) },
    { id: "listTemplates", method: "GET", path: templates, isBare: true, run: as(dialogList) },
    { id: "createTemplate", method: "POST", path: templates, isBare: true, run: as(createTemplate) },
    { id: "deleteTemplate", method: "DELETE", path: `${templates}/:name`, isBare: true, run: as(deletion) },
    {
      id: "setWebhook",
      method: "POST",
      path: "/v1/configs/webhook",
      isBare: true,
      run: (asked) => hooked(within(asked)),
    },
    {
      id: "getWebhook",
      method: "GET",
      path: "/v1/configs/webhook",
      isBare: true,
      run: (asked) => ({ url: within(asked).key.webhook?.url ?? "" }),
    },
    {
      id: "getHealth",
      method: "GET",
      path: "/health_status",
      isBare: true,
      run: (asked) => health(network, within(asked).key),
    },
    { id: "getNode", method: "GET", path: "/:nodeId{\\d+}", isBare: true, run: as(getNode) },
    { id: "deleteMedia", method: "DELETE", path: "/:nodeId{\\d+}", isBare: true, run: as(deleteMedia) },
  ];
}

/** All at once, or by `limit` and `offset`. */
function dialogList(network: Network, asked: Asked): object {
  const { limit = "1000", offset = "0" } = asked.query;
  const all = [...(network.world.accounts.get(asked.path.wabaId ?? "")?.templates.values() ?? [])];
  const page = all.slice(Number(offset), Number(offset) + Number(limit));
  const waba_templates = page.map((template) => ({
    ...templateView(template),
    rejected_reason: template.rejectedReason,
  }));
  return { count: page.length, limit: Number(limit), offset: Number(offset), total: all.length, waba_templates };
}

/** Whether the number may send, as docs.360dialog.com describes it. */
function health({ world }: Network, { number: id }: DialogKey): object {
  const { status, account } = world.numbers.get(id) ?? { status: "BANNED", account: "" };
  const isBlocked = status === "RESTRICTED" || status === "BANNED";
  const can_send_message = isBlocked ? "BLOCKED" : status === "FLAGGED" ? "LIMITED" : "AVAILABLE";
  const why = {
    ...(can_send_message === "LIMITED" && { additional_info: ["Customers report the messages of this number."] }),
    ...(isBlocked && {
      errors: [
        {
          error_code: 141010,
          error_description: "The phone number has been restricted.",
          possible_solution: "Check the notifications in WhatsApp Manager.",
        },
      ],
    }),
  };
  const entities = [
    { entity_type: "PHONE_NUMBER", id, can_send_message, ...why },
    { entity_type: "WABA", id: account, can_send_message: "AVAILABLE" },
  ];
  return { health_status: { can_send_message, entities }, id };
}

const deletion = (network: Network, asked: Asked) =>
  deleteTemplate(network, { ...asked, query: { ...asked.query, name: asked.path.name ?? "" } });

const noKey = () => new GraphRefusal(401, { message: "Invalid api_key", type: "OAuthException", code: 401 });

const webhook = z.object({ url: z.url(), headers: z.record(z.string(), z.string()).default({}) });

function hooked({ key, asked }: { key: DialogKey; asked: Asked }): object {
  const parsed = webhook.safeParse(asked.body);
  if (!parsed.success)
    throw new GraphRefusal(400, { message: "Invalid webhook url", type: "OAuthException", code: 400 });
  key.webhook = parsed.data;
  return key.webhook;
}
