import { webAddress } from "gangway-messenger/kit/emulator/browser/dom";
import type { Api } from "./api.ts";

export interface FileRecord {
  name: string;
  size: number;
  url: string;
}
/** File records by id, each requested once. */
export type Files = (id: string) => Promise<FileRecord>;

export function createFiles(api: Api): Files {
  const known = new Map<string, Promise<FileRecord>>();
  const load = async (id: string): Promise<FileRecord> => {
    const { url, size } = await api.bot<{ url: string; size: number }>("GET", `/files/${id}`);
    const address = webAddress(url);
    if (!address) throw new Error("the file has no address");
    return { name: nameIn(address), size, url: address };
  };
  return (id) => {
    const found = known.get(id) ?? load(id);
    known.set(id, found);
    found.catch(() => known.delete(id));
    return found;
  };
}

export function nameIn(address: string): string {
  const last = new URL(address).pathname.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(last) || "File";
  } catch {
    return last || "File";
  }
}
