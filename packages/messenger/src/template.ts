import type { FilePart } from "./message.ts";

/** State of the messenger's review; only an approved template can be sent. */
export type TemplateStatus = (typeof STATUSES)[number];
export const STATUSES = ["approved", "pending", "rejected", "paused", "disabled"] as const;
export const QUALITIES = ["high", "medium", "low", "pending"] as const;
export const REJECTIONS = ["abusive_content", "incorrect_category", "invalid_format", "scam"] as const;

export interface TemplateButton {
  /** `plain`: the customer answers with its title. */
  type: "plain" | "url" | "phone";
  title: string;
  /** May end in a variable. */
  url?: string;
  phone?: string;
}

/** What an agent writes, and the messenger reviews. Variables are `{{1}}`, `{{2}}` … */
export interface TemplateDraft {
  /** As the agent named it; the adapter brings it into the messenger's form. */
  name: string;
  /** The messenger's own code, such as `es_MX`. */
  language: string;
  category: string;
  /** `text` only of a text. */
  header?: { type: "text" | "image" | "video" | "document"; text?: string };
  body: string;
  footer?: string;
  buttons: TemplateButton[];
  /** Values that the reviewers see in place of the variables. */
  examples?: { header?: string[]; body?: string[]; buttons?: string[][]; files?: FilePart[] };
}

export interface Template extends TemplateDraft {
  /** Identifies the template in this channel and at the gateway, for its whole life. 1–512 characters. */
  code: string;
  status: TemplateStatus;
  quality?: (typeof QUALITIES)[number];
  /** Why it was rejected. */
  rejection?: (typeof REJECTIONS)[number];
  /** Why agents cannot send it, approved or not: it needs something the gateway has no field for. */
  unusable?: string;
}
