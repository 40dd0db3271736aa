/** The public API; everything else is internal. */
export { command, FLAG, type Given, runToEnd, settingsIn, TEXT, UsageError, untilStopped } from "./command-line.ts";
export { SANDBOX_KEY } from "./crm/rights.ts";
export { FAULT_STATUSES, type Fault, type Planned } from "./faults.ts";
export { contractJudge, type Judge } from "./judge.ts";
export type { JournalEntry } from "./meta/journal.ts";
export { paintPng } from "./picture.ts";
export { freePort, portOf } from "./ports.ts";
export { seeded } from "./random.ts";
export { recordTo } from "./record.ts";
export { createSandbox, type Sandbox } from "./sandbox.ts";
export { type RunningSandbox, serveSandbox } from "./serve.ts";
export type { FaultPlan as MessengerFault } from "./telegram/faults.ts";
export type { BotCard, MediaKind, Person, PhoneChat, PhoneDraft, PhoneMessage } from "./telegram/phone-wire.ts";
export type { Telegram } from "./telegram/telegram.ts";
export { HARBOUR_BOT_TOKEN, LIGHTHOUSE_BOT_TOKEN } from "./telegram/world.ts";
export type { WhatsApp } from "./whatsapp/emulator.ts";
export type { Message as WhatsAppMessage } from "./whatsapp/world.ts";
export type { Message } from "./world.ts";
