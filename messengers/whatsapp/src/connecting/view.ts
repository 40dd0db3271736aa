import type { ChannelId } from "gangway-messenger/ids";
import type { ChannelEvent } from "gangway-messenger/message";
import type { Notes } from "gangway-messenger/port";
import { timeOf as timeFrom } from "gangway-meta/time";
import { LINES, type Lines } from "../reading/lines.ts";
import type { Context } from "../server.ts";
import type { Settings } from "../wire.ts";

/** The notes with which a batch is read, including changes made by the batch itself. */
export interface View {
  now: number;
  lines: Lines;
  groups: Settings["groups"];
  note: Notes["get"];
  set(key: string, value: string): void;
}

export interface Reading extends View {
  channelId: ChannelId;
  events: ChannelEvent[];
  /** To be stored with the events. */
  changed: Map<string, string>;
  templatesChanged: boolean;
  unknown?: string;
}

type Read = Pick<Context, "channelId" | "notes" | "clock" | "settings">;

export function startReading({ channelId, notes, clock, settings }: Read): Reading {
  const changed = new Map<string, string>();
  return {
    channelId,
    now: clock.now(),
    lines: LINES[settings.language],
    groups: settings.groups,
    note: async (key) => changed.get(key) ?? notes.get(key),
    set: (key, value) => void changed.set(key, value),
    events: [],
    changed,
    templatesChanged: false,
  };
}

export const timeOf = (timestamp: number | undefined, { now }: Pick<View, "now">): number => timeFrom(timestamp, now);
