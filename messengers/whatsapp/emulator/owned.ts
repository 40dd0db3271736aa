import type { Asked } from "gangway-meta/emulator/graph";
import { unknownNode } from "gangway-meta/emulator/graph-error";
import { needNode, needRight } from "gangway-meta/emulator/tokens";
import type { Network } from "./network.ts";
import type { Template } from "./template.ts";
import type { Account, BusinessNumber } from "./world.ts";

// What a call may touch.

/** The number of the path, if the token may use it. Throws GraphRefusal. */
export function ownNumber({ world }: Network, asked: Asked, name: string, method: string): BusinessNumber {
  const id = asked.path[name] ?? "";
  const token = asked.token();
  const number = world.numbers.get(id);
  if (!number) throw unknownNode(id, method);
  needNode(token, id, method);
  showUsage(asked, number.account);
  return number;
}

export function ownAccount({ world }: Network, asked: Asked, method: string): Account {
  const id = asked.path.wabaId ?? "";
  const token = asked.token();
  const account = world.accounts.get(id);
  if (!account) throw unknownNode(id, method);
  needNode(token, id, method);
  needRight(token, "whatsapp_business_management");
  showUsage(asked, id);
  return account;
}

export const templateAt = ({ world }: Network, id: string): { account: Account; template: Template } | undefined => {
  for (const account of world.accounts.values()) {
    const template = account.templates.get(id);
    if (template) return { account, template };
  }
  return undefined;
};

export function ownTemplate(network: Network, asked: Asked, method: string) {
  const id = asked.path.nodeId ?? "";
  const token = asked.token();
  const found = templateAt(network, id);
  if (!found) throw unknownNode(id, method);
  needNode(token, found.account.id, method);
  needRight(token, "whatsapp_business_management");
  return found;
}

/** The account's usage, beside the app's. */
function showUsage({ headers }: Asked, account: string): void {
  const usage = {
    type: "whatsapp",
    call_count: 1,
    total_cputime: 1,
    total_time: 1,
    estimated_time_to_regain_access: 0,
  };
  headers["x-business-use-case-usage"] = JSON.stringify({ [account]: [usage] });
}
