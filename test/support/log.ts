import type { Log } from "../../src/log.ts";

const nothing = () => {};
export const silentLog: Log = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  hide: nothing,
  mask: (text) => text,
};
