/** Parts of requests that no channel could take yet. */
export interface ParkedFigures {
  parts: number;
  bytes: number;
  /** Of them, those whose login no channel has. */
  strangers: number;
  /** Dropped since the start, by reason. */
  dropped: Record<ParkedLoss, number>;
}

/** `full`: the room was used up; `expired`: it waited too long. */
export type ParkedLoss = "full" | "expired";
