/** The public API; everything else is internal. */

export { FAULT_STATUSES, type Fault, type Planned } from "gangway-messenger/kit/emulator/faults";
export type { JournalEntry } from "gangway-messenger/kit/emulator/journal";
export { paintPng } from "gangway-messenger/kit/emulator/picture";
export { seeded } from "gangway-messenger/kit/emulator/random";
export type { FaultPlan as MessengerFault } from "gangway-telegram/emulator/faults";
export type {
  BotCard,
  MediaKind,
  Person,
  PhoneChat,
  PhoneDraft,
  PhoneMessage,
} from "gangway-telegram/emulator/phone-wire";
export type { Telegram } from "gangway-telegram/emulator/telegram";
export { HARBOUR_BOT_TOKEN, LIGHTHOUSE_BOT_TOKEN } from "gangway-telegram/emulator/world";
export type { WhatsApp } from "gangway-whatsapp/emulator/emulator";
export type { Message as WhatsAppMessage } from "gangway-whatsapp/emulator/world";
export { command, FLAG, type Given, runToEnd, settingsIn, TEXT, UsageError, untilStopped } from "./command-line.ts";
export { SANDBOX_KEY } from "./crm/rights.ts";
export { contractJudge, type Judge } from "./judge.ts";
export { freePort, portOf } from "./ports.ts";
export { recordTo } from "./record.ts";
export { createSandbox, type Sandbox } from "./sandbox.ts";
export { type RunningSandbox, serveSandbox } from "./serve.ts";
export type { Message } from "./world.ts";
