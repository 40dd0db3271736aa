import { ACCOUNT } from "../emulator/emulator.ts";

/** Pieces of webhooks, as Meta sends them to the account of these tests. */
export const ROBIN = "1254459154682919";
export const AT = 1_764_000_000_123;

export const batch = (...entry: object[]) => ({ object: "instagram", entry });
export const entryOf = (...messaging: object[]) => ({ id: ACCOUNT.id, time: AT, messaging });

/** An event of Robin's chat. */
export const event = (content: object, more: object = {}) =>
  batch(entryOf({ sender: { id: ROBIN }, recipient: { id: ACCOUNT.id }, timestamp: AT, ...content, ...more }));
export const message = (content: object, more: object = {}) => event({ message: { mid: "aWd1", ...content } }, more);
export const attached = (type: string, payload?: object, more: object = {}) =>
  message({ attachments: [{ type, ...(payload && { payload }) }], ...more });
/** What the account has said. */
export const echo = (content: object) =>
  batch(
    entryOf({
      sender: { id: ACCOUNT.id },
      recipient: { id: ROBIN },
      timestamp: AT,
      message: { is_echo: true, mid: "aWdOut", ...content },
    }),
  );
export const comment = (value: object) =>
  batch({
    id: ACCOUNT.id,
    time: Math.floor(AT / 1000),
    changes: [{ field: "comments", value: { id: "17912345678901234", media: { id: "179" }, ...value } }],
  });
