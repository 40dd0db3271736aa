import type { Entry } from "../crm/records.ts";
import type { Actor } from "../crm/resource/change.ts";
import { changesBetween, type FieldChange, record, type Told } from "../crm/resource/history.ts";
import { crmTime } from "../crm/times.ts";
import type { World } from "../world.ts";

/** What a change is about: a history's name and what it tells. */
export type History = Told & { name: string };

/** Changes of records, in any order; histories tell them in order of time. */
export interface Log {
  /** Tells what differs between two states of a record, or its creation. `at`: ms. */
  add(history: History, at: number, by: Actor, after: Entry, before?: Entry): void;
  write(world: World): void;
}

interface Logged {
  at: number;
  by: Actor;
  of: number;
  changes: FieldChange[];
}

/** Changes before `since` are left out. */
export function createLog(since: number): Log {
  const histories = new Map<string, Logged[]>();
  return {
    add(history, at, by, after, before) {
      if (at < since) return;
      const changes = changesBetween(history, after, before);
      const own = histories.get(history.name) ?? [];
      histories.set(history.name, own);
      own.push({ at, by, of: Number(after.id), changes });
    },
    write(world) {
      for (const [name, all] of histories) {
        all.sort((one, other) => one.at - other.at);
        for (const { at, by, of, changes } of all) record(world, name, crmTime(at), by, of, changes);
      }
    },
  };
}
