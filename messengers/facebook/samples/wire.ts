import { PAGE } from "../emulator/emulator.ts";

/** Pieces of webhooks, as Meta sends them to the page of these tests. Its ids have seventeen digits. */
export const ROBIN = "24500000000000017";
export const AT = 1_764_000_000_123;
/** The inbox of Meta Business Suite. */
export const SUITE = 263902037430900;

export const batch = (...entry: object[]) => ({ object: "page", entry });
export const entryOf = (...messaging: object[]) => ({ id: PAGE.id, time: AT, messaging });

/** An event of Robin's chat. */
export const event = (content: object, more: object = {}) =>
  batch(entryOf({ sender: { id: ROBIN }, recipient: { id: PAGE.id }, timestamp: AT, ...content, ...more }));
export const message = (content: object, more: object = {}) => event({ message: { mid: "m_in1", ...content } }, more);
export const attached = (type: string, payload: object | null, more: object = {}) =>
  message({ attachments: [{ type, payload, ...more }] });
/** What the page has said. */
export const echo = (content: object) =>
  batch(
    entryOf({
      sender: { id: PAGE.id },
      recipient: { id: ROBIN },
      timestamp: AT,
      message: { is_echo: true, mid: "m_out1", ...content },
    }),
  );
