interface Presence {
  open?: boolean;
  /** When `open` changes, ms. */
  changesAt?: number;
}

/** Whether somebody answers, some time after that was asked. What comes after one change is unknown. */
export const changedBy = (now: number, { open, changesAt }: Presence = {}): Presence =>
  !changesAt || now < changesAt ? {} : { open: !open, changesAt: undefined };
