import type { Asked } from "gangway-meta/emulator/graph";
import { unknownField, unknownNode } from "gangway-meta/emulator/graph-error";
import { listed } from "gangway-meta/emulator/listing";
import type { Medium } from "gangway-meta/emulator/media";
import { needRight } from "gangway-meta/emulator/tokens";
import { badParam, waRefusal } from "./codes.ts";
import { checkUpload } from "./media-checks.ts";
import type { Network } from "./network.ts";
import { ownAccount, ownNumber, templateAt } from "./owned.ts";
import { templateView } from "./templates.ts";
import { MEDIA_URL_MS, UPLOAD_MS } from "./values.ts";
import type { Account, BusinessNumber } from "./world.ts";

/** GET /{id}: a number, an account, a template or a medium. */
export function getNode(network: Network, asked: Asked): object {
  const id = asked.path.nodeId ?? "";
  const token = asked.token();
  const { world, core } = network;
  const number = world.numbers.get(id);
  if (number && token.nodes.has(id))
    return chosen(asked, numberView(number), NUMBER_FIELDS, "WhatsAppBusinessPhoneNumber");
  const account = world.accounts.get(id);
  if (account && token.nodes.has(id))
    return chosen(asked, accountView(account), ["id", "name"], "WhatsAppBusinessAccount");
  const template = templateAt(network, id);
  if (template && token.nodes.has(template.account.id)) return templateView(template.template, asked.query.fields);
  const medium = core.media.find(id);
  if (!medium || !token.nodes.has(medium.owner)) throw unknownNode(id);
  needRight(token, "whatsapp_business_messaging");
  checkOwner(asked, medium);
  return mediumView(network, medium);
}

function checkOwner({ query }: Asked, { owner }: Medium): void {
  const { phone_number_id } = query;
  if (phone_number_id !== undefined && phone_number_id !== owner)
    throw badParam("Param phone_number_id does not own this media");
}

const mediumView = ({ core }: Network, medium: Medium) => ({
  url: `${core.origin()}${core.media.link(medium, MEDIA_URL_MS, true)}`,
  mime_type: medium.mediaType,
  sha256: medium.sha256,
  file_size: medium.size,
  id: medium.id,
  messaging_product: "whatsapp",
});

/** Without `fields`. */
const NUMBER_FIELDS = [
  "verified_name",
  "code_verification_status",
  "display_phone_number",
  "quality_rating",
  "platform_type",
  "throughput",
];

export const numberView = ({
  id,
  display,
  verifiedName,
  nameStatus,
  quality,
  tier,
  status,
  isCoexistence,
}: BusinessNumber) => ({
  id,
  display_phone_number: display,
  verified_name: verifiedName,
  quality_rating: quality,
  code_verification_status: "VERIFIED",
  name_status: nameStatus,
  status,
  messaging_limit_tier: tier,
  account_mode: "LIVE",
  platform_type: "CLOUD_API",
  throughput: { level: "STANDARD" },
  is_on_biz_app: isCoexistence,
  is_official_business_account: false,
});
const accountView = ({ id, name }: Account) => ({ id, name, currency: "EUR", timezone_id: "1" });

/** Only the fields asked for. Throws GraphRefusal for one that the node has not. */
export function chosen(asked: Asked, view: object, usual: string[], type: string): object {
  const asFields =
    asked.query.fields
      ?.split(",")
      .map((field) => field.trim())
      .filter(Boolean) ?? usual;
  const all = view as Record<string, unknown>;
  const unknown = asFields.find((field) => !(field in all));
  if (unknown !== undefined) throw unknownField(unknown, type);
  return { ...Object.fromEntries(asFields.map((field) => [field, all[field]])), id: all.id };
}

export function listNumbers(network: Network, asked: Asked): object {
  const account = ownAccount(network, asked, "get");
  const own = [...network.world.numbers.values()].filter((each) => each.account === account.id);
  const views = own.map((number) => chosen(asked, numberView(number), NUMBER_FIELDS, "WhatsAppBusinessPhoneNumber"));
  return listed({ origin: network.core.origin, path: `${account.id}/phone_numbers` }, asked, views);
}

/** POST /{phone number id}/media. */
export function uploadMedia(network: Network, asked: Asked): object {
  const number = ownNumber(network, asked, "phoneNumberId", "post");
  needRight(asked.token(), "whatsapp_business_messaging");
  const { messaging_product, type } = asked.body;
  if (messaging_product !== "whatsapp") throw badParam("The parameter messaging_product is required.");
  const file = asked.files.get("file");
  if (!file) throw badParam("The parameter file is required.");
  const strange = Object.keys(asked.body).find((key) => !["messaging_product", "type"].includes(key));
  if (strange) throw waRefusal(100, `Unexpected key "${strange}"`);
  const mediaType = file.mediaType === "application/octet-stream" && typeof type === "string" ? type : file.mediaType;
  checkUpload(mediaType, file.bytes);
  const { core } = network;
  const medium = core.media.add({
    owner: number.id,
    name: file.fileName ?? "file",
    mediaType,
    bytes: Uint8Array.from(file.bytes),
    lifeMs: UPLOAD_MS,
  });
  return { id: medium.id };
}

export function deleteMedia({ core }: Network, asked: Asked): object {
  const id = asked.path.nodeId ?? "";
  const token = asked.token();
  const medium = core.media.find(id);
  if (!medium || !token.nodes.has(medium.owner)) throw unknownNode(id, "delete");
  checkOwner(asked, medium);
  core.media.remove(id);
  return { success: true };
}
